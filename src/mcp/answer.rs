//! The shape that all tools answer in: a head, a list, or a refusal; and what a refusal is.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::config::redactor;
use crate::domain::redact::Redactor;
use crate::error::{Error, ErrorKind};
use crate::ui::printable;

/// Version of the shape; additive changes only within a major version.
pub(super) const SCHEMA_VERSION: &str = "1.0";

/// What every tool answers. Only its schema is used: an answer is put together page by page.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<H, I> {
    /// Version of this shape.
    schema_version: String,
    /// Set when the tool did not do what was asked; then `result` is null. A reason to report, not to work around.
    refused: Option<Refused>,
    /// What came of it; null on every page but the first.
    result: Option<H>,
    /// This page of the list that belongs to it, in order.
    items: Vec<I>,
    /// How many items all pages have together.
    items_total: usize,
    /// Call the same tool with this as `cursor` for the next page; null on the last.
    next_cursor: Option<String>,
}

/// Why a tool did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Refused {
    /// A stable code to branch on.
    pub(super) code: String,
    /// What was seen, in a sentence.
    pub(super) reason: String,
    /// What to do about it.
    pub(super) hints: Vec<String>,
}

/// The stable codes of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    /// The arguments are not what the tool's schema says.
    BadArguments,
    /// A path leads out of the root, or is written in a form that could.
    OutsideRoot,
    /// There is no such file.
    NotFound,
    /// The file is not of the kind that is needed.
    WrongKind,
    /// There is no such test.
    NoTests,
    /// The server may not edit.
    EditsNotAllowed,
    /// The caller's token does not allow this.
    NotPermitted,
    /// The caller's token has no repairs left today.
    BudgetUsedUp,
    /// The cursor is unknown, used up, or another tool's.
    UnknownCursor,
    /// There is nothing to show: no failure was seen, or it left no page.
    NothingSeen,
    /// Nothing was changed that could be undone.
    NothingToUndo,
    /// Too many calls wait already.
    Busy,
    /// Wrong usage or configuration of the project.
    Usage,
    /// The environment is at fault.
    Blocked,
    /// The caller or the server stopped it.
    Cancelled,
    /// A defect of relocator.
    Internal,
}

impl Code {
    /// The code as it is serialised.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::BadArguments => "bad_arguments",
            Self::OutsideRoot => "outside_root",
            Self::NotFound => "not_found",
            Self::WrongKind => "wrong_kind",
            Self::NoTests => "no_tests",
            Self::EditsNotAllowed => "edits_not_allowed",
            Self::NotPermitted => "not_permitted",
            Self::BudgetUsedUp => "budget_used_up",
            Self::UnknownCursor => "unknown_cursor",
            Self::NothingSeen => "nothing_seen",
            Self::NothingToUndo => "nothing_to_undo",
            Self::Busy => "busy",
            Self::Usage => "usage",
            Self::Blocked => "blocked",
            Self::Cancelled => "cancelled",
            Self::Internal => "internal",
        }
    }
}

impl Refused {
    /// A refusal with its reason, made printable: it may quote a caller, a page or a program.
    pub(super) fn new(code: Code, reason: impl AsRef<str>) -> Self {
        Self { code: code.word().to_owned(), reason: cut(reason.as_ref(), LONGEST), hints: Vec::new() }
    }

    /// Adds what to do about it.
    #[must_use]
    pub(super) fn hinted(mut self, hint: impl AsRef<str>) -> Self {
        self.hints.push(cut(hint.as_ref(), LONGEST));
        self
    }

    /// Whether it is a defect of relocator rather than an answer.
    pub(super) fn is_defect(&self) -> bool {
        self.code == Code::Internal.word()
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let code = match error.kind() {
            ErrorKind::Usage => Code::Usage,
            ErrorKind::Blocked => Code::Blocked,
            ErrorKind::NoTests => Code::NoTests,
            ErrorKind::Internal => Code::Internal,
            ErrorKind::Interrupted => Code::Cancelled,
        };
        let said: Vec<String> =
            std::iter::once(error.to_string()).chain(error.causes().iter().take(3).cloned()).collect();
        let refused = Self::new(code, said.join(": "));
        error.hints().iter().take(HINTS).fold(refused, Self::hinted)
    }
}

/// What a tool found, before it is cut into pages.
#[derive(Debug)]
pub(super) struct Found {
    /// The head.
    pub(super) head: Value,
    /// The list.
    pub(super) items: Vec<Value>,
}

/// Longest foreign text in an answer, in characters.
const LONGEST: usize = 600;
/// Longest locator or line of source, in characters.
const LONGEST_EXACT: usize = 2_000;
/// How many hints a refusal carries.
const HINTS: usize = 6;

/// What is secret in any text: by its shape, and the values of this process's own secret variables.
static SECRETS: LazyLock<Redactor> = LazyLock::new(|| redactor(None, &[]));

/// `text` without secrets, printable, at most `longest` characters.
pub(super) fn cut(text: &str, longest: usize) -> String {
    let start = text.char_indices().nth(longest * 4).and_then(|(at, _)| text.get(..at)).unwrap_or(text);
    let text = printable(&SECRETS.clean(start));
    match text.char_indices().nth(longest) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

/// [`cut`] to what one field of an answer holds.
pub(super) fn short(text: &str) -> String {
    cut(text, LONGEST)
}

/// A locator or a line of source, which must stay what it is: printable, but neither redacted nor cut where it is usable.
pub(super) fn exact(text: &str) -> String {
    let text = printable(text);
    match text.char_indices().nth(LONGEST_EXACT) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_printable_bounded_and_without_secrets() {
        let told = short(&format!("\u{1b}[31mGET /?token=tok_4f9a8b7c6d5e4f3a2b1c {}", "x".repeat(5_000)));
        assert!(told.starts_with("\\x1b[31mGET /?token=") && !told.contains("4f9a8b7c6d5e"), "{told}");
        assert!(told.chars().count() <= LONGEST + 1, "{told}");
        let refused = Refused::new(Code::Blocked, "Authorization: Bearer abcdefgh12345678abcdefgh12345678");
        assert!(!refused.reason.contains("abcdefgh12345678"), "{}", refused.reason);
    }

    #[test]
    fn a_locator_and_a_line_stay_what_they_are() {
        let line = "  await page.getByTestId('token-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c').fill('secret=1');";
        assert_eq!(exact(line), line);
    }

    #[test]
    fn an_error_becomes_a_refusal_with_its_causes_and_hints() {
        let error = Error::blocked("cannot start").caused_by(&std::io::Error::other("no disk")).hinted("free some");
        let refused = Refused::from(error);
        let seen = (refused.code.as_str(), refused.reason.as_str(), refused.hints.as_slice(), refused.is_defect());
        assert_eq!(seen, ("blocked", "cannot start: no disk", ["free some".to_owned()].as_slice(), false));
        assert!(Refused::from(Error::internal("x")).is_defect());
    }
}
