//! A change as pieces that can hold literals: for each hunk, those that only the old and those that only the new side has.

use super::code::{bare, indented, strings};
use super::diff::{Change, Commit, Fate, FileChange, Hunk, Side};
use super::files::{has_bare_values, is_data, is_indented};
use super::held::{Held, Slot};
use super::markup::{Piece, pieces};

/// A change that has been read.
#[derive(Debug, Clone)]
pub(super) struct Read {
    pub(super) commit: Commit,
    pub(super) files: Vec<ReadFile>,
}

/// A file of a change.
#[derive(Debug, Clone)]
pub(super) struct ReadFile {
    pub(super) path: String,
    pub(super) fate: Fate,
    pub(super) hunks: Vec<ReadHunk>,
    /// Whether some of it could not be read.
    pub(super) cut: bool,
    /// The lines that it got.
    pub(super) added_lines: Vec<String>,
}

/// A hunk.
#[derive(Debug, Clone)]
pub(super) struct ReadHunk {
    /// What only the old side has. A piece that merely moved is on both sides.
    pub(super) removed: Vec<Unit>,
    /// What only the new side has.
    pub(super) added: Vec<Unit>,
    /// The keys and values of the whole new side, changed or not.
    pub(super) entries: Vec<(String, String)>,
}

/// A piece with the lines of the hunk that it stands on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unit {
    pub(super) piece: Piece,
    pub(super) line: usize,
}

impl Read {
    pub(super) fn of(change: &Change) -> Self {
        Self { commit: change.commit.clone(), files: change.files.iter().map(ReadFile::of).collect() }
    }
}

impl ReadFile {
    fn of(file: &FileChange) -> Self {
        let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
        let added_lines = lines.filter(|line| line.side == Side::New).map(|line| line.text.clone()).collect();
        let hunks = file.hunks.iter().map(|hunk| ReadHunk::of(&file.path, hunk)).collect();
        Self { path: file.path.clone(), fate: file.fate, hunks, cut: file.cut, added_lines }
    }
}

impl ReadHunk {
    fn of(path: &str, hunk: &Hunk) -> Self {
        // A hunk that speaks of tests' own queries is a test, wherever it lies.
        if hunk.lines.iter().any(|line| is_test_code(&line.text)) {
            return Self { removed: Vec::new(), added: Vec::new(), entries: Vec::new() };
        }
        let (old, new) = (units(path, hunk, Side::Old), units(path, hunk, Side::New));
        let entries = new.iter().flat_map(|unit| &unit.piece.held).filter_map(|held| match &held.slot {
            Slot::Entry(key) => Some((key.clone(), held.value.clone())),
            _ => None,
        });
        Self { entries: entries.collect(), removed: without(&old, &new), added: without(&new, &old) }
    }
}

fn is_test_code(line: &str) -> bool {
    [
        "getByTestId(",
        "getByRole(",
        "getByText(",
        "getByLabel(",
        "getByLabelText(",
        "getByPlaceholder",
        ".locator(",
        "cy.get(",
        "findByTestId(",
        "queryByTestId(",
        "By.css(",
        "By.id(",
        "By.xpath(",
    ]
    .iter()
    .any(|call| line.contains(call))
}

/// The pieces of one side.
fn units(path: &str, hunk: &Hunk, side: Side) -> Vec<Unit> {
    let mut text = String::new();
    // Where each line of this side begins, and its place in the hunk.
    let mut begins: Vec<(usize, usize)> = Vec::new();
    for (at, line) in hunk.lines.iter().enumerate().filter(|(_, line)| line.side == Side::Both || line.side == side) {
        begins.push((text.len(), at));
        text.push_str(&line.text);
        text.push('\n');
    }
    let line_of = |offset: usize| {
        let behind = begins.partition_point(|(begin, _)| *begin <= offset);
        begins.get(behind.saturating_sub(1)).map_or(0, |(_, at)| *at)
    };
    let found = if is_data(path) || is_indented(path) { by_lines(path, &text) } else { pieces(&text) };
    found.into_iter().map(|piece| Unit { line: line_of(piece.span.0), piece }).collect()
}

/// The pieces of a text that has one on each line.
fn by_lines(path: &str, text: &str) -> Vec<Piece> {
    let mut at = 0;
    let mut out = Vec::new();
    for line in text.split_inclusive('\n') {
        let end = line.trim_end_matches('\n');
        let found = if has_bare_values(path) {
            bare(end)
        } else if is_indented(path) {
            indented(end)
        } else {
            Some(strings(end))
        };
        if let Some(found) = found.filter(|found| !found.held.is_empty()) {
            out.push(Piece {
                name: found.skeleton,
                element: is_indented(path),
                held: found.held,
                span: (at, at + end.len()),
            });
        }
        at += line.len();
    }
    out
}

/// What `these` have more often than `others`: name and literals count, the place does not.
fn without(these: &[Unit], others: &[Unit]) -> Vec<Unit> {
    let same = |one: &Unit, other: &Unit| one.piece.name == other.piece.name && one.piece.held == other.piece.held;
    let mut left: Vec<&Unit> = others.iter().collect();
    let mut out = Vec::new();
    for unit in these {
        match left.iter().position(|other| same(unit, other)) {
            Some(at) => _ = left.swap_remove(at),
            None => out.push(unit.clone()),
        }
    }
    out
}

impl Unit {
    /// The literals in it.
    pub(super) fn held(&self) -> &[Held] {
        &self.piece.held
    }
}
