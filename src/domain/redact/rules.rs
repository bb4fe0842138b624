//! The shapes that are secret wherever they stand, as one table. The group `s` is the secret; without it, the whole match.

use std::sync::LazyLock;

use regex::Regex;

/// One shape.
pub(super) struct Rule {
    /// What the replacement says.
    pub(super) kind: &'static str,
    /// How it looks.
    pub(super) regex: Regex,
    /// Whether source code has the same look, so that [`is_code`] must be asked.
    pub(super) in_code: bool,
}

/// Names under which a secret stands.
const NAMES: &str = r"(?:pass(?:word|wd|phrase|wort|code)|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|credentials?|jwt|session[_-]?(?:id|key))";

/// Beginnings that vendors give their keys, with as much behind them as tells a key from a word.
const KEYS: [&str; 18] = [
    r"sk-[A-Za-z0-9_-]{16,}",
    r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}",
    r"gh[pousr]_[A-Za-z0-9]{20,}",
    r"github_pat_[A-Za-z0-9_]{20,}",
    r"gl(?:pat|rt|dt|cbt|ptt)-[A-Za-z0-9_.-]{16,}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"A(?:KIA|SIA|ROA|IDA|GPA)[A-Z0-9]{16}",
    r"AIza[A-Za-z0-9_-]{30,}",
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"npm_[A-Za-z0-9]{30,}",
    r"pypi-[A-Za-z0-9_-]{30,}",
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"hf_[A-Za-z0-9]{20,}",
    r"do[op]_v1_[a-f0-9]{32,}",
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,}",
    r"(?:gsk|whsec|xai|r8|sntrys|lin_api)[_-][A-Za-z0-9_]{20,}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{20,}",
    r"(?:AC|SK)[a-f0-9]{32}",
];

pub(super) static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let header = r#"["']?\s*[:=,]\s*["']?"#;
    let quoted = |quote: &str| format!(r"{quote}(?P<s>[^{quote}\s)\],;}}][^{quote}\n]*){quote}");
    let keys = format!(r"\b(?:{})", KEYS.join("|"));
    let mut rules = vec![
        ("private key", r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)".into()),
        ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?".into()),
        ("key", keys),
        ("header", r"(?i)\bbearer\s+(?P<s>[A-Za-z0-9._~+/=-]{8,})".into()),
        ("header", format!(r#"(?i)\b(?:proxy-)?authorization{header}(?:(?:bearer|basic|token|digest)\s+)?(?P<s>[^\s"',;]{{6,}})"#)),
        ("cookie", format!(r#"(?i)\b(?:set-)?cookie{header}(?P<s>[^\s=;"']+=[^\n"'`]+)"#)),
        ("password", r"[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@'\x22]*:(?P<s>[^/\s@'\x22]+)@".into()),
        ("parameter", r"(?i)[?&](?:[a-z_-]*(?:token|key|secret|password|signature)|sig|code|sid|session|auth|jwt)=(?P<s>[^&#\s\x22'<>)\]]{4,})".into()),
        // What a test types into a field that is named for a password.
        ("typed", r#"(?i)(?:passwor[dt]|passwd|passphrase|passcode|pwd|secret|one[- ]?time|\botp\b|\bpin\b)[^\n;]*?\.(?:fill|type|presssequentially)\(\s*["'`](?P<s>[^"'`\n]+)["'`]"#.into()),
        // The log of such a call names the field and, some lines below, what was typed.
        ("typed", r#"(?i)(?:passwor[dt]|passwd|passphrase|passcode|pwd|secret|\botp\b|\bpin\b)[^\n]*\n(?:[^\n]*\n){0,8}?\s*(?:-\s*)?(?:fill|type|presssequentially)\(["'](?P<s>[^"'\n]+)["']"#.into()),
        ("typed", r#"(?i)\.(?:fill|type)\(\s*["'`][^\n]*?(?:passwor[dt]|passwd|passphrase|passcode|pwd|secret|otp|\bpin\b)[^\n]*?["'`]\s*,\s*["'`](?P<s>[^"'`\n]+)["'`]"#.into()),
    ];
    // A call that hands a value over under a name: `localStorage.setItem('access_token', '…')`, `headers.set('x-api-key', '…')`.
    rules.push((
        "named",
        format!(
            r#"(?i)\b(?:set|append|add|setitem|\w*header|set_?cookie)\(\s*["'`][\w.-]*{NAMES}[\w.-]*["'`]\s*,\s*["'`](?P<s>[^"'`\n]+)["'`]"#
        ),
    ));
    // A cookie, as a test hands it to the browser.
    rules.push((
        "cookie",
        r#"(?i)\{[^{}]*?\bname["']?\s*:[^{}]*?\bvalue["']?\s*:\s*["'`](?P<s>[^"'`\n]+)["'`][^{}]*?\b(?:httponly|samesite|domain|expires|path|url)["']?\s*:"#.into(),
    ));
    rules.extend(
        ["\"", "'", "`"].map(|quote| ("password", format!(r#"(?i){NAMES}[\w.-]*["']?\s*[:=]\s*{}"#, quoted(quote)))),
    );
    let bare = format!(r#"(?i){NAMES}[\w.-]*["']?(?P<gap>\s?[:=]\s?)(?P<s>[^\s"'`&;,<>(){{}}\[\]]{{4,}})"#);
    rules.push(("password", bare));
    let compiled = rules.into_iter().filter_map(|(kind, pattern): (&'static str, String)| {
        Some(Rule { kind, regex: Regex::new(&pattern).ok()?, in_code: kind == "password" })
    });
    compiled.collect()
});

/// How many rules there are, for the test that none failed to compile.
#[cfg(test)]
pub(super) const COUNT: usize = 17;

/// Whether what stands behind `password:` or `token =` is code (a type, an expression, a selector) and no secret. `rest`
/// is what follows it, `spaced` says that blanks stood around the sign.
pub(super) fn is_code(value: &str, rest: &str, spaced: bool) -> bool {
    const WORDS: [&str; 16] = [
        "string",
        "number",
        "boolean",
        "unknown",
        "undefined",
        "null",
        "true",
        "false",
        "void",
        "never",
        "await",
        "this",
        "object",
        "locator",
        "readonly",
        "required",
    ];
    let calls = rest.starts_with(['(', '[']) || rest.trim_start().starts_with("=>");
    let path = value.split('.').all(is_identifier);
    let plain = !value.contains(|c: char| c.is_ascii_digit());
    let known = value.starts_with("process.env") || value.starts_with("import.meta") || value.starts_with("this.");
    calls
        || known
        || value.starts_with('$')
        || WORDS.contains(&value.to_ascii_lowercase().as_str())
        || (path && plain && spaced)
        || is_selector(value)
}

fn is_identifier(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

/// A selector as it stands in a map of selectors, under a key that is named for the field it finds.
fn is_selector(value: &str) -> bool {
    let name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
    };
    let simple = value.strip_prefix(['#', '.']).is_some_and(name);
    let attribute = value.strip_suffix(']').and_then(|text| text.split_once('[')).is_some_and(|(tag, inside)| {
        (tag.is_empty() || name(tag)) && inside.split_once('=').is_none_or(|(key, _)| name(key))
    });
    simple || attribute || value.starts_with("//") || value.starts_with("xpath=") || value.starts_with("css=")
}
