//! Small pages, each for a step that belongs there and for one that does not.

use super::*;
use crate::domain::dom::{Dom, Page, testing};
use crate::domain::facts::facts_of;
use crate::domain::identity::{Facts, Literal, LiteralKind};

fn mark(url: &str, markup: &str) -> PageMark {
    let dom: Dom = testing::dom_at(url, markup);
    let page = Page::new(&dom);
    let facts: Vec<Facts> = facts_of(&page, "data-testid").into_iter().map(|seen| seen.facts).collect();
    mark_of(&page, facts.iter())
}

fn lost(literal: &str, then: Option<PageMark>, now: PageMark, hints: &[&str]) -> Lost {
    let hints = hints.iter().map(|hint| (*hint).to_owned()).collect();
    let literals = vec![Literal { kind: LiteralKind::Id, value: literal.to_owned() }];
    Lost { literals, pages: Pages { then, now, hints }, ..Lost::default() }
}

const LOGIN: &str = r#"<main><h1>Welcome</h1><form><label>User <input name="user"></label>
    <label>Password <input type="password"></label><button>Log in</button></form></main>"#;
const SETTINGS: &str = r#"<nav aria-label="Main"><a href="/">Home</a></nav><main><h1>Settings</h1><form aria-label="Profile">
    <label>Name <input name="shown"></label><button>Save</button></form></main>"#;
const LOADING: &str = r#"<nav><a href="/">Home</a></nav><main><div aria-busy="true"></div></main>"#;

#[test]
fn the_sort_of_a_page_is_seen() {
    for (url, markup, expected) in [
        ("https://a.test/x", LOGIN, "login"),
        ("https://a.test/settings", SETTINGS, "plain"),
        (
            "https://a.test/login",
            "<main><h1>Sign in</h1><label>E-mail <input></label><button>Continue</button></main>",
            "login",
        ),
        (
            "https://a.test/anmelden/login",
            r#"<main><input aria-label="Name"><input type="password"><button>Anmelden</button></main>"#,
            "login",
        ),
        // A registration asks for a password as well.
        (
            "https://a.test/join",
            r#"<main><input><input type="password"><button>Create account</button></main>"#,
            "plain",
        ),
        ("https://a.test/x", "<main><h1>404: page not found</h1><a href=\"/\">Home</a></main>", "error"),
        ("https://a.test/x", "<pre>not found</pre>", "error"),
        ("https://a.test/x", "<h1>Error 500</h1>", "error"),
        ("https://a.test/x", "<h1>500 results</h1><a href=\"/\">One</a>", "plain"),
        (
            "https://a.test/x",
            "<main><h1>Shelf</h1><p role=\"alert\">The shelf could not be loaded.</p><button>Try again</button></main>",
            "error",
        ),
        ("chrome-error://chromewebdata/", "<p>x</p>", "error"),
        ("https://a.test/x", "<h1>Invoice 404</h1><button>Pay</button>", "plain"),
        ("https://a.test/x", "<h1>Lost and found</h1><button>Claim</button>", "plain"),
        (
            "https://a.test/x",
            "<main><h1>Form</h1><p role=\"alert\">The name is too long.</p><button>Save</button></main>",
            "plain",
        ),
        ("https://a.test/x", LOADING, "loading"),
        ("https://a.test/x", "<p>Loading…</p>", "loading"),
        ("https://a.test/x", "<main><div role=\"progressbar\"></div><button>Cancel</button></main>", "plain"),
        ("https://a.test/x", "<div id=\"root\"></div>", "empty"),
        ("about:blank", "", "empty"),
    ] {
        assert_eq!(mark(url, markup).sort.word(), expected, "{url} {markup}");
    }
}

#[test]
fn without_a_record_the_test_says_whether_it_is_about_such_a_page() {
    let login = || mark("https://a.test/login", LOGIN);
    let error = || mark("https://a.test/x", "<h1>Access denied</h1>");
    for (literal, now, hints, wrong) in [
        (
            "display-name",
            login(),
            vec!["tests/settings.spec.ts", "a member can change the shown name", "/settings"],
            true,
        ),
        ("display-name", login(), vec!["a user can add a task"], true),
        ("login-button", login(), vec![], false),
        ("submit", login(), vec!["tests/login.spec.ts"], false),
        ("submit", login(), vec!["a member signs in"], false),
        ("submit", login(), vec!["https://a.test/login"], false),
        ("submit", login(), vec!["logs in"], false),
        ("submit", error(), vec!["a book can be opened"], true),
        ("submit", error(), vec!["a guest is denied"], false),
        ("submit", mark("https://a.test/x", LOADING), vec!["a book can be opened"], true),
        ("submit", mark("https://a.test/x", "<div></div>"), vec![], true),
        ("submit", mark("https://a.test/settings", SETTINGS), vec![], false),
    ] {
        let lost = lost(literal, None, now, &hints);
        assert_eq!(wrong_page(&lost).is_some(), wrong, "{literal} {hints:?}: {:?}", wrong_page(&lost));
        assert_eq!(surely_wrong_page(&lost), None, "nothing is sure without a record");
    }
}

#[test]
fn with_a_record_address_title_and_landmarks_say_which_page_it_is() {
    let titled = |title: &str, body: &str| format!("<title>{title}</title>{body}");
    let settings = || mark("https://a.test/settings?tab=1", &titled("Settings", SETTINGS));
    let orders = "<main><h1>Orders</h1><nav aria-label=\"Pages\"><button>Next</button></nav><table aria-label=\"All\"></table></main>";
    for (then, now, wrong) in [
        (settings(), settings(), false),
        (settings(), mark("https://b.test/settings", &titled("Settings", SETTINGS)), false),
        // A route was renamed, or the page was redone: it is the page all the same.
        (settings(), mark("https://a.test/preferences", &titled("Preferences", SETTINGS)), false),
        (settings(), mark("https://a.test/settings", &titled("Preferences", orders)), false),
        (settings(), mark("https://a.test/orders", &titled("Orders", orders)), true),
        (settings(), mark("https://a.test/login", &titled("Log in", LOGIN)), true),
        // A guard shows the login at the same address.
        (settings(), mark("https://a.test/settings", &titled("Settings", LOGIN)), true),
        // The record is of the login page.
        (mark("https://a.test/login", LOGIN), mark("https://a.test/login", LOGIN), false),
        (mark("https://a.test/x", "<h1>Access denied</h1>"), mark("https://a.test/x", "<h1>Forbidden</h1>"), false),
        (mark("https://a.test/orders/17", orders), mark("https://a.test/orders/18", orders), false),
    ] {
        let lost = lost("display-name", Some(then), now, &["a member can change the shown name"]);
        assert_eq!(wrong_page(&lost).is_some(), wrong, "{lost:?}");
        assert!(wrong || surely_wrong_page(&lost).is_none(), "{lost:?}");
    }
    let away = lost("x", Some(settings()), mark("https://a.test/orders", &titled("Orders", orders)), &[]);
    assert_eq!(
        surely_wrong_page(&away).as_deref(),
        Some("the page is /orders (\"Orders\"), the step was recorded on /settings (\"Settings\")")
    );
}

#[test]
fn an_address_is_kept_without_what_varies_or_is_secret() {
    for (url, expected) in [
        ("https://a.test/orders/17/edit?token=s3cret#x", "/orders/:id/edit"),
        ("https://a.test/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "/u/:id"),
        ("https://a.test/#/settings?x=1", "#/settings"),
        ("https://a.test/reset/eyJhbGciOiJIUzI1NiIs9", "/reset/:id"),
        ("https://a.test/u/ada@example.com", "/u/:id"),
        ("https://a.test/v2/docs", "/v2/docs"),
        ("/login?next=/a", "/login"),
        ("about:blank", ""),
        ("https://a.test", ""),
    ] {
        assert_eq!(page_path(url), expected, "{url}");
    }
}

#[test]
fn a_login_form_inside_of_the_pages_own_frame_is_another_page() {
    let frame = |inside: &str| {
        mark(
            "https://a.test/settings",
            &format!(
                r#"<title>Crew</title><header><a href="/">Crew</a></header><nav aria-label="Main"><a href="/team">Team</a></nav><main>{inside}</main>"#
            ),
        )
    };
    let settings = frame(
        r#"<h1>Settings</h1><form><label>Display name <input id="display-name"></label><button>Save</button></form>"#,
    );
    let wall = frame(
        r#"<h1>Sign in</h1><form><label>User name <input id="user"></label><label>Password <input type="password"></label><button>Sign in</button></form>"#,
    );
    let asked = lost("display-name", Some(settings.clone()), wall, &[]);
    assert!(surely_wrong_page(&asked).is_some_and(|why| why.contains("login page")));
    let here = lost("display-name", Some(settings.clone()), settings, &[]);
    assert_eq!(surely_wrong_page(&here), None);
}
