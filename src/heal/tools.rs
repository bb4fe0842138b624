//! What a model may look at and what it may wish for: the tools behind a conversation.
//!
//! Looks at the project, the page and the ranking, and judges edits; writes nothing and starts nothing. Every answer is
//! bounded and redacted. What a model asks for is untrusted: a path is a wish until it was checked, an edit until gate two
//! and the identity check have accepted it.

mod edit;
mod files;
mod page;

use std::collections::BTreeMap;
use std::ops::Range;

use camino::Utf8Path;

pub use self::edit::{Accepted, Judged};
use crate::domain::decide::Decision;
use crate::domain::dom::{FrameId, NodeId, Page};
use crate::domain::facts::Seen;
use crate::domain::locator::Locator;
use crate::domain::redact::Redactor;
use crate::domain::word::plausible;
use crate::source::locate::Definition;
use crate::source::project::Project;
use crate::source::write::Rewrite;

/// Longest answer of a tool, in bytes: some 3,000 tokens.
const ANSWER_CAP: usize = 12 * 1024;

/// Writes the locators that would name an element, best first, each with its reason.
pub type WriteFor<'a> = &'a dyn Fn(NodeId) -> Result<Vec<(Rewrite, String)>, String>;

/// Everything that the tools look at.
pub struct Desk<'a> {
    /// What lies on it.
    pub view: View<'a>,
    /// How many of an element's own locators were tried, by its index.
    tried: BTreeMap<usize, usize>,
    /// Lines that were run and are still red.
    failed: Vec<String>,
    /// How many secrets were taken out.
    redactions: usize,
}

/// What lies on a desk, and does not change.
#[derive(Clone)]
pub struct View<'a> {
    /// The project's root, symlinks resolved.
    pub root: &'a Utf8Path,
    /// The page of the failing step.
    pub page: &'a Page<'a>,
    /// The frame it worked in.
    pub frame: FrameId,
    /// The locator that failed.
    pub locator: &'a Locator,
    /// The steps of its broken link.
    pub steps: Range<usize>,
    /// The attribute that holds test ids.
    pub attribute: &'a str,
    /// The elements of the page.
    pub seen: &'a [Seen],
    /// What the ranking says of them.
    pub decision: &'a Decision,
    /// The sources that were read to find the locator.
    pub project: &'a Project,
    /// Where it is defined.
    pub definition: &'a Definition,
    /// Writes a locator for an element.
    pub write: WriteFor<'a>,
    /// Takes secrets out of what a model gets to see.
    pub redactor: &'a Redactor,
}

impl<'a> Desk<'a> {
    /// A desk on which nothing was tried yet.
    pub fn new(view: View<'a>) -> Self {
        Self { view, tried: BTreeMap::new(), failed: Vec::new(), redactions: 0 }
    }

    /// The elements that a repair may lead to, as indices into [`View::seen`].
    pub fn plausible(&self) -> Vec<usize> {
        plausible(self.view.decision)
    }

    /// How many secrets were taken out of the answers.
    pub fn redactions(&self) -> usize {
        self.redactions
    }

    /// Notes that the test is still red with an edit.
    pub fn failed(&mut self, edit: &Accepted) {
        self.failed.push(edit.gated.new_line().trim().to_owned());
    }

    /// `text` without secrets, and not longer than an answer may be.
    pub fn clean(&mut self, text: &str) -> String {
        let redacted = self.view.redactor.redact(text);
        self.redactions += redacted.count;
        cut(redacted.text, ANSWER_CAP)
    }
}

/// `text` cut at a whole character, saying so.
fn cut(mut text: String, cap: usize) -> String {
    if text.len() > cap {
        let end = (0..=cap).rev().find(|&end| text.is_char_boundary(end)).unwrap_or_default();
        text.truncate(end);
        text.push_str("\n… (cut off here; ask for less)");
    }
    text
}
