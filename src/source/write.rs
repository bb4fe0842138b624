//! Writing the replacement: from a piece of source and the steps that should stand there to the file's new text.
//!
//! One place on one physical line changes, in the file's own style; expressions that stood in the call (`{ name }`,
//! `${id}`) stay, options that do not belong to the locator stay, the rest of the file is kept byte for byte. What cannot
//! be said that way is refused with a [`Reason`]. Decides nothing about whether the new locator is right.

use std::fmt;
use std::ops::Range;

use crate::domain::locator::{Locator, Step};

use super::locate::{Definition, Piece};
use super::project::Project;
use super::tree::SourceFile;

mod call;
mod selector;
mod style;
mod text;

#[cfg(test)]
mod tests;

/// What is to be written: `new` in place of the steps `steps` of the failed locator.
#[derive(Debug, Clone)]
pub struct Change<'c> {
    /// Where the failed locator is defined.
    pub definition: &'c Definition,
    /// The failed locator, step for step as [`Definition::steps`] counts them.
    pub old: &'c Locator,
    /// Which of its steps are replaced. An empty range puts the new steps in front of its start.
    pub steps: Range<usize>,
    /// What replaces them.
    pub new: &'c [Step],
}

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// Project-relative path.
    pub path: String,
    /// The line that changes, from 1.
    pub line: u32,
    /// The whole text before.
    pub before: String,
    /// The whole text after.
    pub after: String,
    /// The bytes of `before` that are replaced.
    pub range: Range<usize>,
    /// What stands there instead.
    pub replacement: String,
}

/// Why a change cannot be written as one place on one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// No piece of source contributes the steps.
    NoPiece,
    /// The place spans more than one physical line.
    SeveralLines,
    /// More than one place would have to change.
    SeveralPlaces,
    /// An expression that stood there would be lost: every caller would act on the same element.
    DroppedExpression,
    /// A selector string cannot say it (a label, or a whole chain).
    NotAString,
    /// The steps are held in a form that is not rewritten (an inner locator, a position alone).
    NotWritable,
    /// The new text is the old one.
    NoChange,
}

impl Reason {
    /// The reason as a sentence fragment.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NoPiece => "no piece of source was found for the step that is stale",
            Self::SeveralLines => "the change would touch more than one line",
            Self::SeveralPlaces => "the change would touch more than one place",
            Self::DroppedExpression => "the change would drop an expression that stands in the locator",
            Self::NotAString => "the new locator cannot be said as a selector string, and the place holds one",
            Self::NotWritable => "the stale step is written in a form that is not rewritten",
            Self::NoChange => "the new text is the old one",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

/// A replacement of bytes in one file.
#[derive(Debug, Clone)]
struct Patch<'p> {
    file: &'p SourceFile,
    range: Range<usize>,
    text: String,
}

/// Writes the change into the file that holds the piece.
pub fn rewrite(project: &Project, change: &Change<'_>) -> Result<Rewrite, Reason> {
    if change.steps.is_empty() {
        let with_next = change.old.steps.get(change.steps.start..=change.steps.start).ok_or(Reason::NoPiece)?;
        let new = [change.new, with_next].concat();
        let steps = change.steps.start..change.steps.start + 1;
        return rewrite(project, &Change { new: &new, steps, ..change.clone() });
    }
    let pieces: Vec<&Piece> = change
        .definition
        .pieces
        .iter()
        .filter(|piece| piece.steps.start < change.steps.end && change.steps.start < piece.steps.end)
        .collect();
    let patch = match pieces.as_slice() {
        [] => return Err(Reason::NoPiece),
        [piece] if change.new.is_empty() => without(project, change, piece)?,
        [piece] => in_piece(project, change, piece)?,
        several => call::of_several(project, change, several)?,
    };
    let old = patch.file.text.get(patch.range.clone()).ok_or(Reason::NoPiece)?;
    if old == patch.text {
        return Err(Reason::NoChange);
    }
    if old.contains('\n') || patch.text.contains('\n') {
        return Err(Reason::SeveralLines);
    }
    let mut after = patch.file.text.clone();
    after.replace_range(patch.range.clone(), &patch.text);
    Ok(Rewrite {
        path: patch.file.path.clone(),
        line: super::position::line_of(&patch.file.text, patch.range.start),
        before: patch.file.text.clone(),
        after,
        range: patch.range,
        replacement: patch.text,
    })
}

/// Takes a whole call out of its chain: a scope that is gone.
fn without<'p>(project: &'p Project, change: &Change<'_>, piece: &Piece) -> Result<Patch<'p>, Reason> {
    let file = project.file(&piece.call.path).ok_or(Reason::NoPiece)?;
    let before = file.text.get(..piece.call.range.start).ok_or(Reason::NoPiece)?;
    let is_whole = piece.steps == change.steps && !piece.legacy;
    let is_last = change.steps.end == change.old.steps.len();
    if !is_whole || is_last || !before.ends_with('.') || before.ends_with("?.") {
        return Err(Reason::NotWritable);
    }
    if call::holds_expressions(file, piece) {
        return Err(Reason::DroppedExpression);
    }
    Ok(Patch { file, range: piece.call.range.start - 1..piece.call.range.end, text: String::new() })
}

/// The least change first: a literal where only a literal changes, else the call.
fn in_piece<'p>(project: &'p Project, change: &Change<'_>, piece: &Piece) -> Result<Patch<'p>, Reason> {
    if let Some(patch) = text::of_same_kind(project, change, piece) {
        return patch;
    }
    if piece.legacy || matches!(piece.method.as_str(), "locator" | "frameLocator") {
        return selector::in_selector(project, change, piece);
    }
    call::of_one(project, change, piece)
}

/// The old steps that the change replaces.
fn replaced<'c>(change: &Change<'c>) -> &'c [Step] {
    change.old.steps.get(change.steps.clone()).unwrap_or_default()
}
