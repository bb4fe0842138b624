//! What a text must look like: a substring, exactly a text, or a JavaScript regular expression.

use std::fmt;

/// What a text must look like.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// A text: a case-insensitive substring, or the whole text with its case when `exact`.
    Text {
        /// The text.
        text: String,
        /// Whether it must be the whole text, in the same case.
        exact: bool,
    },
    /// A regular expression.
    Regex(JsRegex),
}

/// A JavaScript regular expression, in one canonical spelling: slashes escaped, quotes and `>` not.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JsRegex {
    source: String,
    flags: String,
}

impl Pattern {
    /// A case-insensitive substring.
    pub fn substring(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), exact: false }
    }

    /// The whole text, in the same case.
    pub fn exact(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), exact: true }
    }

    /// The text, unless this is a regular expression.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            Self::Regex(_) => None,
        }
    }
}

impl JsRegex {
    /// The expression between the slashes and the flags behind them. Nothing is checked: a pattern that JavaScript or
    /// relocator cannot compile is found out when it is used.
    pub fn new(source: &str, flags: &str) -> Self {
        let mut letters: Vec<char> = flags.chars().collect();
        letters.sort_unstable();
        letters.dedup();
        Self { source: canonical(source), flags: letters.into_iter().collect() }
    }

    /// What stands between the slashes.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The flags, sorted.
    pub fn flags(&self) -> &str {
        &self.flags
    }

    /// The expression as Playwright writes it into a selector: quotes and `>>` escaped, so that the selector can be
    /// split. With the `u` or `v` flag such escapes would be errors, and Playwright leaves them out.
    pub fn for_selector(&self) -> String {
        if self.flags.contains(['u', 'v']) {
            return self.to_string();
        }
        let mut out = String::from("/");
        let mut escaped = false;
        let mut rest = self.source.chars().peekable();
        while let Some(c) = rest.next() {
            if escaped {
                escaped = false;
                out.push(c);
                continue;
            }
            match c {
                '\\' => escaped = true,
                '"' | '\'' | '`' => out.push('\\'),
                '>' if rest.peek() == Some(&'>') => {
                    rest.next();
                    out.push_str("\\>\\");
                }
                _ => {}
            }
            out.push(c);
        }
        out.push('/');
        out.push_str(&self.flags);
        out
    }
}

impl fmt::Display for JsRegex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/{}", self.source, self.flags)
    }
}

fn canonical(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut in_class = false;
    let mut rest = source.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some(next @ ('"' | '\'' | '`' | '>')) => out.push(next),
                Some(next) => out.extend(['\\', next]),
                None => out.push_str("\\\\"),
            },
            '/' if !in_class => out.push_str("\\/"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            _ => {
                in_class = match c {
                    '[' => true,
                    ']' => false,
                    _ => in_class,
                };
                out.push(c);
            }
        }
    }
    if out.is_empty() { "(?:)".into() } else { out }
}
