//! Reads locators: internal selector strings, what Playwright prints in any of its languages, and source text.
//!
//! Never panics, whatever the bytes; anything that is not a literal chain is an error that says what is in the way.

pub(crate) mod attribute;
mod call;
mod chain;
mod internal;
mod token;

use super::{Locator, Step};

/// How deep locators may be nested in each other (`filter({ has: … })`), so that hostile text cannot exhaust the stack.
const MAX_DEPTH: usize = 24;
/// The longest text that is read as a locator, in bytes. Far above anything a person or a tool writes.
const MAX_LENGTH: usize = 64 * 1024;
/// The attribute that Playwright takes for test ids unless configured otherwise.
pub const DEFAULT_TEST_ID_ATTRIBUTE: &str = "data-testid";

/// Why a text is not a locator: lower case, says what is in the way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    message: String,
}

impl ParseError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl Locator {
    /// Reads Playwright's internal form, which is also what `page.locator(…)` takes:
    /// `internal:role=button[name="Save"i] >> nth=0`, `#id`, `text=Save`.
    ///
    /// # Errors
    /// The string breaks a rule of the selector syntax. CSS and `XPath` are only checked when the locator is evaluated.
    pub fn from_internal(selector: &str) -> Result<Self, ParseError> {
        check_length(selector)?;
        internal::parse(selector, 0)
    }

    /// Reads a literal chain of locator methods, with or without a receiver: `getByRole('button', { name: 'Save' })`,
    /// `page.locator("#a").first()`. JavaScript, TypeScript, and the printed forms of Python, Java and C#.
    /// `test_id_attribute` is what `getByTestId` looks at.
    ///
    /// # Errors
    /// The text is not such a chain, or an argument is not a literal.
    pub fn from_source(source: &str, test_id_attribute: &str) -> Result<Self, ParseError> {
        check_length(source)?;
        chain::parse(source, test_id_attribute)
    }

    /// Reads a locator in whatever form it was printed: a chain in any language, the internal form, or the quoted
    /// selector of older logs (`selector "#x"`).
    ///
    /// # Errors
    /// None of the forms fits; the error is the one of the form that the text looks like.
    pub fn from_printed(text: &str, test_id_attribute: &str) -> Result<Self, ParseError> {
        let text = text.trim();
        if chain::looks_like_chain(text) {
            return Self::from_source(text, test_id_attribute);
        }
        Self::from_internal(unquoted_selector(text))
    }
}

/// The selector inside the quotes of an old log line. A quoted text alone is a text selector and stays one, unless what
/// is inside can only be a selector.
fn unquoted_selector(text: &str) -> &str {
    let after_word = text.strip_prefix("selector ").or_else(|| text.strip_prefix("locator "));
    let quoted = after_word.unwrap_or(text).trim();
    let Some(inner) = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return text };
    let is_selector = inner.starts_with(['#', '.', '[', '*'])
        || inner.starts_with("//")
        || inner.starts_with("internal:")
        || inner.starts_with("css=")
        || inner.starts_with("xpath=")
        || inner.starts_with("text=")
        || inner.starts_with("role=")
        || inner.contains(" >> ");
    if after_word.is_some() || is_selector { inner } else { text }
}

fn check_length(text: &str) -> Result<(), ParseError> {
    if text.len() > MAX_LENGTH { Err(ParseError::new("a locator of more than 64 KiB is not read")) } else { Ok(()) }
}

/// Steps that may not be: a filter with nothing to filter.
fn check_start(locator: Locator) -> Result<Locator, ParseError> {
    match locator.steps.iter().find(|step| **step != Step::AnyFrame) {
        None => Err(ParseError::new("there is no step in this locator")),
        Some(step) if step.narrows() => Err(ParseError::new("a locator cannot start with a filter")),
        Some(_) => Ok(locator),
    }
}
