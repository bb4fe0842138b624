use proptest::prelude::*;

use super::rules::{COUNT, RULES};
use super::{Redacted, Redactor, is_secret_name};

/// Texts with a secret between `«` and `»`: it must go, and the rest must stay.
const SECRETS: [&str; 42] = [
    "const key = '«sk-proj-abcdefghijklmnopqrstuvwx»';",
    "OPENAI_API_KEY=«sk-1234567890abcdef1234»",
    "stripe «sk_live_4eC39HqLyjWDarjtT1zdp7dc»",
    "push with «ghp_16C7e42F292c6912E7710c838347Ae178B4a»",
    "«github_pat_11ABCDEFG0abcdefghijkl_mnop»",
    "registry «glpat-abcDEF1234567890abcd»",
    "slack «xoxb-123456789012-abcdefGHIJ»",
    "aws «AKIAIOSFODNN7EXAMPLE»",
    "maps «AIzaSyA-1234567890abcdefghijklmnopqrstu»",
    "npm «npm_abcdefghijklmnopqrstuvwxyz0123456789»",
    "mail «SG.abcdefghijklmnopqrst.abcdefghijklmnopqrstuvwx»",
    "model «hf_abcdefghijklmnopqrstuvwx»",
    "jwt «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N»",
    "Authorization: Bearer «abcdef.123456-xyz»",
    "authorization: Basic «QWxhZGRpbjpvcGVuIHNlc2FtZQ==»",
    "{\"Authorization\": \"Bearer «tok3n-of-the-day»\"}",
    "curl -H 'Authorization: token «0123abcd»'",
    "Cookie: «sid=abc123; theme=dark»",
    "set-cookie: «session=s%3Aabc; Path=/; HttpOnly»",
    "postgres://app:«s3cr3t»@db.local:5432/x",
    "https://u:«p-w»@example.org/",
    "GET /cb?code=«a1b2c3d4»&state=1",
    "https://x.org/?access_token=«zzzz-1»&y=2",
    "password=«hunter2»",
    "PASSWORD = \"«correct horse»\"",
    "DB_PASSWORD: '«p4ss,word»'",
    "{ \"password\": \"«Winter2026!»\" }",
    "const user = { name: 'ada', password: '«Winter2026!»' };",
    "client_secret=«abcd1234efgh»",
    "apiKey: `«not-so-long-1»`",
    "await page.getByLabel('Password').fill('«Winter2026!»');",
    "await page.locator('#pwd').pressSequentially(\"«Winter2026!»\");",
    "await page.fill('input[name=\"password\"]', '«Winter2026!»');",
    "fill(\"«Winter2026!»\") took too long",
    "the page shows «Winter2026!» twice",
    "in a URL «Winter2026%21»",
    "x-thing: «q7Zk2LmX9pRt4VwB8nYc3HdF»",
    "localStorage.setItem('access_token', '«tulip»');",
    "headers.set(\"X-Api-Key\", \"«tulip and rose»\")",
    "addCookies([{ name: 'sid', value: '«tulip»', url: base }, { name: 'b', value: base, path: '/' }])",
    "{\n  name: 'sid',\n  value: \"«tulip»\",\n  httpOnly: true,\n}",
    "digest «9f86d081884c7d659a2feaa0c55ad015a3bf4f1b»",
];

/// Texts without a secret, which must stay as they are.
const PLAIN: [&str; 27] = [
    "await page.getByLabel('Password').fill(user.password);",
    "readonly password = this.page.getByLabel('Password');",
    "this.password = page.locator('#password');",
    "constructor(private token: string, readonly password: Locator) {}",
    "const token = await login(page);",
    "const token = process.env.TOKEN;",
    "export const SELECTORS = { password: '#password-field', token: '[name=\"otp\"]' };",
    "await expect(page.getByText('Password:')).toBeVisible();",
    "await page.getByLabel('Password:').click();",
    "await page.getByTestId('forgot-password').click();",
    "textbox \"New password\" (data-testid=new-password)",
    "button \"Reveal secret\"",
    "page.locator('input[type=password]')",
    "data-testid=checkout-submit-button-primary-2",
    "css-1x2y3z MuiButton-root MuiButton-containedPrimary",
    "tests/pages/checkout/shipping-address.spec.ts:12",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "locator.click: Timeout 30000ms exceeded.",
    "https://example.org/reset?step=2#password",
    "page.selectOption('#token-type', 'jwt'); map.set('theme', 'dark');",
    "getByRole('link', { name: 'Home' }); [{ name: 'Ada', value: 'one' }, { url: 'x' }]",
    "form.set('password', password)",
    "We use cookies. Cookie settings: accept or refuse",
    "Bearer of good news",
    "basic authentication is off",
    "Your token expires in 5 minutes",
    "const passwordField = page.getByRole('textbox', { name: 'Password' });",
];

fn redactor() -> Redactor {
    Redactor::new(["Winter2026!".to_owned(), "short".to_owned()])
}

#[test]
fn every_rule_compiles() {
    assert_eq!(RULES.len(), COUNT);
}

#[test]
fn a_secret_goes_and_what_stands_around_it_stays() {
    for marked in SECRETS {
        let (before, rest) = marked.split_once('«').unwrap();
        let (secret, after) = rest.split_once('»').unwrap();
        let redacted = redactor().redact(&marked.replace(['«', '»'], ""));
        assert!(redacted.count >= 1, "{marked}: {redacted:?}");
        assert!(!redacted.text.contains(secret), "{marked}: {redacted:?}");
        let (head, tail) = redacted.text.split_once("[redacted:").unwrap();
        let tail = tail.split_once(']').unwrap().1;
        assert_eq!((head, tail), (before, after), "{marked}: {redacted:?}");
    }
}

#[test]
fn colours_hide_no_secret_and_stay_around_it() {
    let text = "\x1b[36mconst\x1b[39m adminPassword \x1b[33m=\x1b[39m \x1b[32m'tülip rose'\x1b[39m\x1b[33m;\x1b[39m";
    let clean =
        "\x1b[36mconst\x1b[39m adminPassword \x1b[33m=\x1b[39m \x1b[32m'[redacted:password]'\x1b[39m\x1b[33m;\x1b[39m";
    assert_eq!(redactor().redact(text), Redacted { text: clean.to_owned(), count: 1 });
    assert_eq!(redactor().redact(clean).count, 0);
    assert_eq!(redactor().clean("\x1b[2mWin\x1b[0mter2026! \x1b"), "\x1b[2m[redacted:value] \x1b");
}

#[test]
fn code_selectors_and_words_stay() {
    for text in PLAIN {
        assert_eq!((redactor().redact(text).text.as_str(), redactor().redact(text).count), (text, 0));
    }
}

#[test]
fn a_private_key_goes_also_when_its_end_is_cut_off() {
    let begin = "-----BEGIN RSA PRIVATE KEY-----\nMIIE";
    for text in [format!("a {begin}\nabc\n-----END RSA PRIVATE KEY-----"), format!("a {begin}\nab")] {
        let clean = redactor().clean(&text);
        assert_eq!(clean.trim_end(), "a [redacted:private key]");
        assert_eq!(clean.lines().count(), text.matches('\n').count());
    }
}

#[test]
fn redactions_are_counted_once_each() {
    let redacted = redactor().redact("password=hunter2 and password=hunter3 and Winter2026!");
    assert_eq!(redacted.count, 3, "{redacted:?}");
}

#[test]
fn a_short_value_is_left_alone() {
    assert_eq!(redactor().clean("a short word"), "a short word");
}

#[test]
fn names_of_secrets_are_known() {
    for name in
        ["OPENAI_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "clientSecret", "AWS_SECRET_ACCESS_KEY", "SIGNING_KEY"]
    {
        assert!(is_secret_name(name), "{name}");
    }
    for name in ["PATH", "HOME", "KEYBOARD", "LANG", "OPENAI_BASE_URL", "PORT"] {
        assert!(!is_secret_name(name), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_known_value_never_passes_and_doing_it_twice_changes_nothing(
        before in "[ -~\u{e4}\n]{0,60}", value in "[A-Za-z0-9!$%&/()=?.:+#-]{6,20}", after in "[ -~\u{e4}\n]{0,60}",
    ) {
        let redactor = Redactor::new([value.clone()]);
        let once = redactor.redact(&format!("{before}{value}{after}"));
        prop_assert!(!once.text.contains(&value) || "[redacted:value]".contains(&value), "{:?}", once);
        prop_assert_eq!(redactor.clean(&once.text), once.text);
    }
}

#[test]
fn what_stands_behind_a_configured_name_goes() {
    let redactor = redactor().with_names(["CUSTOMER_PIN", "x-shop"]);
    for (text, clean) in [
        ("CUSTOMER_PIN=1234 next", "CUSTOMER_PIN=[redacted:name] next"),
        ("{\"x-shop\": \"a b\"}", "{\"x-shop\": \"[redacted:name]\"}"),
        ("X-Shop: 'it'", "X-Shop: '[redacted:name]'"),
        ("my-x-shop: it", "my-x-shop: it"),
    ] {
        assert_eq!(redactor.clean(text), clean);
    }
    assert!(redactor.is_named("customer-pin") && !redactor.is_named("pin"));
}

#[test]
fn values_of_queries_go_where_that_is_wanted_and_their_names_stay() {
    let redactor = redactor().with_queries();
    for (text, clean) in [
        (
            "at http://a.test/x?page=2&sort=up#top, then",
            "at http://a.test/x?page=[redacted:query]&sort=[redacted:query]#top, then",
        ),
        ("GET /api/items?page=2 200 in 12 ms", "GET /api/items?page=[redacted:query] 200 in 12 ms"),
        ("fetch('/a?token=tulip-99&b=1')", "fetch('/a?token=[redacted:query]&b=[redacted:query]')"),
        ("const e = b?c=1:d;", "const e = b?c=1:d;"),
    ] {
        assert_eq!(redactor.clean(text), clean);
        assert_eq!(redactor.redact_values(text).text, clean);
        assert_eq!(redactor.redact(clean), Redacted { text: clean.to_owned(), count: 0 }, "twice");
    }
    assert_eq!(super::Redactor::default().clean("http://a.test/?q=1"), "http://a.test/?q=1");
}

#[test]
fn what_the_log_of_a_call_says_was_typed_goes() {
    let log =
        "Call log:\n  - waiting for getByLabel('Password')\n    - locator resolved to <input/>\n  - fill(\"tulip\")\n";
    assert_eq!(redactor().clean(log), log.replace("tulip", "[redacted:typed]"));
    let other = log.replace("Password", "City");
    assert_eq!(redactor().clean(&other), other);
}
