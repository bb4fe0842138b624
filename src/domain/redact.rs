//! Takes secrets out of text before it leaves the machine or is kept in a report.
//!
//! In: text of any origin and the values that are known to be secret. Out: the text with `[redacted:…]` in their places,
//! and how many there were. It errs on the side of taking too much; what it must never do is to let a known value pass.
//! Doing it twice changes nothing more. Lines keep their numbers.

mod entropy;
mod rules;

use std::collections::BTreeSet;
use std::ops::Range;

use self::rules::{RULES, Rule};

/// Known values shorter than this many bytes are not looked for: they would take ordinary words out of every text.
pub const SHORTEST_VALUE: usize = 6;

/// How every replacement begins.
const MARK: &str = "[redacted";

/// Text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Redacted {
    /// The text.
    pub text: String,
    /// How many pieces were taken out.
    pub count: usize,
}

/// Knows what is secret: shapes that are secret anywhere, and the values that are secret here.
#[derive(Clone, Default)]
pub struct Redactor {
    /// The longest first, so that a value that contains another goes as a whole.
    values: Vec<String>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} values)", self.values.len())
    }
}

impl Redactor {
    /// A redactor that knows `values` besides the shapes: values of secret variables, passwords that a test types.
    /// Values of less than [`SHORTEST_VALUE`] bytes are left out.
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut redactor = Self::default();
        redactor.learn(values);
        redactor
    }

    /// Adds values that turned out to be secret.
    pub fn learn(&mut self, values: impl IntoIterator<Item = String>) {
        let mut all: BTreeSet<String> = std::mem::take(&mut self.values).into_iter().collect();
        for value in values {
            let value = value.trim();
            if value.len() >= SHORTEST_VALUE {
                all.extend(forms(value));
            }
        }
        self.values = all.into_iter().collect();
        self.values.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    }

    /// The text without secrets, and how many there were.
    pub fn redact(&self, text: &str) -> Redacted {
        let mut found: Vec<(Range<usize>, &'static str)> = Vec::new();
        for value in &self.values {
            found.extend(text.match_indices(value.as_str()).map(|(at, hit)| (at..at + hit.len(), "value")));
        }
        for rule in RULES.iter() {
            found.extend(secrets_of(rule, text).map(|range| (range, rule.kind)));
        }
        found.extend(entropy::tokens(text).map(|range| (range, "token")));
        found.retain(|(range, _)| !text.get(range.clone()).is_none_or(|hit| hit.is_empty() || hit.starts_with(MARK)));
        replaced(text, found)
    }

    /// The text without secrets.
    pub fn clean(&self, text: &str) -> String {
        self.redact(text).text
    }
}

/// Whether a variable or key of that name holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    const WORDS: [&str; 14] = [
        "password",
        "passwd",
        "passphrase",
        "secret",
        "token",
        "apikey",
        "accesskey",
        "privatekey",
        "credential",
        "pwd",
        "authorization",
        "cookie",
        "sessionkey",
        "signingkey",
    ];
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    WORDS.iter().any(|word| plain.contains(word)) || name.to_ascii_uppercase().ends_with("_KEY")
}

fn secrets_of<'t>(rule: &'static Rule, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    rule.regex.captures_iter(text).filter_map(move |found| {
        let secret = found.name("s").or_else(|| found.get(0))?;
        let rest = text.get(secret.end()..).unwrap_or_default();
        let spaced = found.name("gap").is_some_and(|gap| gap.as_str().contains(' '));
        (!rule.in_code || !rules::is_code(secret.as_str(), rest, spaced)).then(|| secret.range())
    })
}

/// The ways in which one value is written: as it is, in a URL, in a JSON string.
fn forms(value: &str) -> Vec<String> {
    let in_url: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let in_path = in_url.replace('+', "%20");
    let in_json = serde_json::Value::from(value).to_string();
    let in_json = in_json.trim_matches('"').to_owned();
    vec![value.to_owned(), in_url, in_path, in_json]
}

/// Replaces the ranges; those that overlap are one.
fn replaced(text: &str, mut found: Vec<(Range<usize>, &'static str)>) -> Redacted {
    found.sort_by(|(a, _), (b, _)| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    let mut merged: Vec<(Range<usize>, &'static str)> = Vec::new();
    for (range, kind) in found {
        match merged.last_mut() {
            Some((last, _)) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push((range, kind)),
        }
    }
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for (range, kind) in &merged {
        clean.push_str(text.get(from..range.start).unwrap_or_default());
        clean.push_str(MARK);
        clean.push(':');
        clean.push_str(kind);
        clean.push(']');
        // Line numbers behind it stay what they are.
        let gone = text.get(range.clone()).unwrap_or_default();
        clean.extend(gone.chars().filter(|c| *c == '\n'));
        from = range.end;
    }
    clean.push_str(text.get(from..).unwrap_or_default());
    Redacted { text: clean, count: merged.len() }
}

#[cfg(test)]
mod tests;
