//! How a text pattern is compared with an element's text, in each of Playwright's ways.

use regex::Regex;

use super::Stop;
use crate::domain::dom::text::{self, Occurrences};
use crate::domain::dom::{NodeId, Page, pattern};
use crate::domain::locator::{JsRegex, Pattern};

/// A text pattern made ready for one page.
pub(crate) enum Matcher {
    /// The normalised text contains this, whatever the case.
    Lax { needle: String, places: Occurrences },
    /// The normalised text is this.
    Whole(String),
    /// A run of text directly inside the element is this.
    Immediate(String),
    /// The text as it is matches.
    Regex(Regex),
}

/// How an element matches with regard to its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Nothing,
    Itself,
    ItselfAndChildren,
}

impl Matcher {
    pub(crate) fn new(page: &Page<'_>, pattern: &Pattern) -> Result<Self, Stop> {
        Ok(match pattern {
            Pattern::Text { text, exact: true } => Self::Whole(text::normalize(text)),
            Pattern::Text { text, exact: false } => Self::lax(page, text),
            Pattern::Regex(regex) => Self::Regex(pattern::compile(regex)?),
        })
    }

    pub(crate) fn lax(page: &Page<'_>, text: &str) -> Self {
        let needle = text::lower(&text::normalize(text));
        let places = page.texts().find(&needle);
        Self::Lax { needle, places }
    }

    /// The body of the `text=` engine: in quotes the text of one run, between slashes a pattern, else a substring.
    pub(crate) fn legacy(page: &Page<'_>, body: &str) -> Result<Self, Stop> {
        if let Some((source, flags)) = body.strip_prefix('/').and_then(|rest| rest.rsplit_once('/')) {
            return Ok(Self::Regex(pattern::compile(&JsRegex::new(source, flags))?));
        }
        let quoted = |quote: char| body.len() > 1 && body.starts_with(quote) && body.ends_with(quote);
        Ok(if quoted('"') || quoted('\'') {
            Self::Immediate(text::normalize(&unquote(body)))
        } else {
            Self::lax(page, body)
        })
    }

    pub(crate) fn matches(&self, page: &Page<'_>, node: NodeId) -> bool {
        let texts = page.texts();
        match self {
            Self::Lax { places, .. } => texts.contains(node, places),
            Self::Whole(text) => texts.normalized(node) == text,
            Self::Immediate(text) => {
                let runs = text::immediate(page.dom, node);
                (text.is_empty() && runs.is_empty()) || runs.iter().any(|run| text::normalize(run) == *text)
            }
            Self::Regex(regex) => regex.is_match(texts.full(node)),
        }
    }

    /// The same for a text that stands in no element.
    pub(crate) fn matches_text(&self, text: &str) -> bool {
        match self {
            Self::Lax { needle, .. } => text::lower(&text::normalize(text)).contains(needle.as_str()),
            Self::Whole(wanted) | Self::Immediate(wanted) => text::normalize(text) == *wanted,
            Self::Regex(regex) => regex.is_match(text),
        }
    }

    /// Whether the element matches, and whether a child of it does too.
    pub(crate) fn reach(&self, page: &Page<'_>, node: NodeId) -> Reach {
        if !self.matches(page, node) || text::is_skipped(page.dom, node) {
            return Reach::Nothing;
        }
        let shadow = page.dom.element(node).and_then(|element| element.shadow_root);
        let child_matches = page
            .dom
            .children(node)
            .iter()
            .filter(|child| page.dom.element(**child).is_some())
            .chain(&shadow)
            .any(|child| self.matches(page, *child));
        if child_matches { Reach::ItselfAndChildren } else { Reach::Itself }
    }
}

/// The text between quotes, each backslash standing for the character behind it.
fn unquote(body: &str) -> String {
    let mut inner = body.chars();
    inner.next();
    inner.next_back();
    let mut text = String::new();
    while let Some(c) = inner.next() {
        text.push(if c == '\\' { inner.next().unwrap_or(c) } else { c });
    }
    text
}
