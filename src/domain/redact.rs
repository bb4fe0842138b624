//! Takes secrets out of text before it leaves the machine or is kept in a report.
//!
//! In: text of any origin and the values that are known to be secret. Out: the text with `[redacted:…]` in their places,
//! and how many there were. It errs on the side of taking too much; what it must never do is to let a known value pass.
//! Doing it twice changes nothing more. Lines keep their numbers.

mod entropy;
mod field;
mod json;
mod learn;
mod page;
mod query;
mod rules;

use std::collections::BTreeSet;
use std::ops::Range;

use regex::Regex;

pub use self::field::is_secret_field;
use self::rules::{RULES, Rule};

/// Known values shorter than this many bytes are not looked for: they would take ordinary words out of every text.
pub const SHORTEST_VALUE: usize = 6;

/// What was typed into a field for secrets is looked for from this many bytes on: a pin has four digits.
pub const SHORTEST_TYPED: usize = 4;

/// How every replacement begins.
pub const MARK: &str = "[redacted";

/// Text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Redacted {
    /// The text.
    pub text: String,
    /// How many pieces were taken out.
    pub count: usize,
}

/// Knows what is secret: shapes that are secret anywhere, and the values and names that are secret here.
#[derive(Clone)]
pub struct Redactor {
    /// The longest first, so that a value that contains another goes as a whole.
    values: Vec<String>,
    /// Names that somebody configured: what stands behind one is secret.
    names: Vec<Named>,
    /// Whether the values in query strings of addresses go, whatever they are called.
    queries: bool,
    /// Whether long random text goes, whatever it is called.
    random: bool,
    /// Whether pictures that are written as text go.
    pictures: bool,
}

/// A name that somebody configured.
#[derive(Clone)]
struct Named {
    /// Letters and digits only, in lower case.
    plain: String,
    /// `name: value`, `name=value`, `"name": "value"`.
    regex: Regex,
}

impl Default for Redactor {
    fn default() -> Self {
        Self { values: Vec::new(), names: Vec::new(), queries: false, random: true, pictures: false }
    }
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

    /// The same redactor, which takes as secret what stands behind one of `names` as well.
    #[must_use]
    pub fn with_names<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.names.extend(names.into_iter().filter_map(|name| Named::new(name.as_ref())));
        self
    }

    /// The same redactor, which takes out the values in query strings of addresses as well: for reports.
    #[must_use]
    pub fn with_queries(mut self) -> Self {
        self.queries = true;
        self
    }

    /// The same redactor, which takes out pictures that are written as text as well: for reports on pages that show a secret.
    #[must_use]
    pub fn with_pictures(mut self) -> Self {
        self.pictures = true;
        self
    }

    /// The same redactor, which lets random text without a name be: for files in which ids and hashes refer to others, and for
    /// lines of sources, where a locator may be made of them.
    #[must_use]
    pub fn keeping_ids(mut self) -> Self {
        self.random = false;
        self
    }

    /// Adds values that turned out to be secret.
    pub fn learn(&mut self, values: impl IntoIterator<Item = String>) {
        self.learn_from(values, SHORTEST_VALUE);
    }

    /// Adds what was typed into fields for secrets.
    pub fn learn_typed(&mut self, values: impl IntoIterator<Item = String>) {
        self.learn_from(values, SHORTEST_TYPED);
    }

    fn learn_from(&mut self, values: impl IntoIterator<Item = String>, shortest: usize) {
        let mut all: BTreeSet<String> = std::mem::take(&mut self.values).into_iter().collect();
        for value in values {
            let value = value.trim();
            if value.len() >= shortest && !value.contains(MARK) {
                all.extend(forms(value));
            }
        }
        self.values = all.into_iter().collect();
        self.values.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    }

    /// The text without secrets, and how many there were. Colour codes do not hide one: a code frame has them between a name
    /// and its value.
    pub fn redact(&self, text: &str) -> Redacted {
        if !text.contains('\x1b') {
            return replaced(text, self.secrets(text));
        }
        let (bare, places) = without_colours(text);
        let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
        let found = self.secrets(&bare).into_iter();
        let found = found.map(|(range, kind)| (place(range.start)..place(range.end.saturating_sub(1)) + 1, kind));
        replaced(text, found.collect())
    }

    fn secrets(&self, text: &str) -> Vec<(Range<usize>, &'static str)> {
        let mut found = self.known(text);
        for rule in RULES.iter() {
            found.extend(secrets_of(rule, text).map(|range| (range, rule.kind)));
        }
        for name in &self.names {
            let behind = name
                .regex
                .captures_iter(text)
                .filter_map(|found| ["s", "t", "u"].into_iter().find_map(|group| found.name(group)));
            found.extend(behind.map(|secret| (secret.range(), "name")));
        }
        if self.random {
            found.extend(entropy::tokens(text).map(|range| (range, "token")));
        }
        found.retain(|(range, _)| !text.get(range.clone()).is_none_or(|hit| hit.is_empty() || hit.starts_with(MARK)));
        found
    }

    /// The text without the known values (and query strings) only: for text in which no shape may be looked for, as it is
    /// too long, or is a piece of a file format.
    pub fn redact_values(&self, text: &str) -> Redacted {
        replaced(text, self.known(text))
    }

    fn known(&self, text: &str) -> Vec<(Range<usize>, &'static str)> {
        let mut found: Vec<(Range<usize>, &'static str)> = Vec::new();
        for value in &self.values {
            found.extend(text.match_indices(value.as_str()).map(|(at, hit)| (at..at + hit.len(), "value")));
        }
        if self.queries {
            found.extend(query::values(text).into_iter().map(|range| (range, "query")));
        }
        if self.pictures {
            found.extend(page::pictures(text).map(|range| (range, "picture")));
        }
        found
    }

    /// Whether what stands behind this name is a secret: by what such names are usually like, or because somebody says so.
    pub fn is_named(&self, name: &str) -> bool {
        let plain = plain(name);
        is_secret_name(name) || self.names.iter().any(|named| named.plain == plain)
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
    let plain = plain(name);
    WORDS.iter().any(|word| plain.contains(word)) || name.to_ascii_uppercase().ends_with("_KEY")
}

impl Named {
    /// `None` for a name without a letter or digit.
    fn new(name: &str) -> Option<Self> {
        let plain = plain(name);
        let pattern = format!(
            r#"(?i)(?:^|[^\w-]){}["']?\s*[:=]\s*(?:"(?P<s>[^"\n]+)"|'(?P<t>[^'\n]+)'|(?P<u>[^\s"',;&}}]+))"#,
            regex::escape(name.trim())
        );
        let regex = Regex::new(&pattern).ok()?;
        (!plain.is_empty()).then_some(Self { plain, regex })
    }
}

/// The letters and digits of a name, in lower case.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
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

/// The text without the codes that colour it, and where each of its bytes stood.
fn without_colours(text: &str) -> (String, Vec<usize>) {
    let mut bare = String::with_capacity(text.len());
    let mut places = Vec::with_capacity(text.len());
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if c == '\x1b' && rest.next_if(|(_, next)| *next == '[').is_some() {
            while rest.next_if(|(_, next)| next.is_ascii_digit() || *next == ';').is_some() {}
            rest.next_if(|(_, next)| next.is_ascii_alphabetic());
            continue;
        }
        bare.push(c);
        places.extend(at..at + c.len_utf8());
    }
    (bare, places)
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
