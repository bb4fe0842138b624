//! `edit_file`: one replacement on the line that defines the stale locator, judged by gate two and by which element it finds.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Desk;
use crate::domain::conversation::Edit;
use crate::domain::decide::Verdict;
use crate::domain::dom::query::Answer;
use crate::domain::edit::unified_diff;
use crate::domain::gate::{self, GatedEdit, Violation};
use crate::domain::identity::Facts;
use crate::domain::locator::Locator;
use crate::domain::meaning::is_destructive;
use crate::domain::verdict::Reason;
use crate::domain::word::Word;
use crate::heal::apply::place_reason;
use crate::heal::look::describe;
use crate::heal::record::Proposal;
use crate::source::locate::Text;
use crate::source::reread::{Edited, Failed, reread};

/// Longest replacement, in bytes: longer than any line that a person writes.
const REPLACEMENT_CAP: usize = 2_000;

/// An edit that gate two and the identity check accept.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// The edit.
    pub gated: GatedEdit,
    /// The element it leads to.
    pub chosen: Facts,
    /// On whose word that is the element.
    pub word: Word,
    /// Whether it is the ranking's first.
    pub first: bool,
    /// The swap, for the record.
    pub proposal: Proposal,
}

/// What an edit comes to before anything is run.
#[derive(Debug)]
pub enum Judged {
    /// It may be tried.
    Accepted(Box<Accepted>),
    /// Another one may be tried; why not this one, and the line it would have made.
    Refused {
        /// Why.
        why: String,
        /// Whether it was gate two.
        by_gate: bool,
    },
    /// No edit in that place can be applied; the right one is shown to a person.
    Ended(Reason, Box<Proposal>),
}

/// A text before and after, not judged yet.
struct Wish {
    path: String,
    before: String,
    after: String,
    line: usize,
    why: String,
}

impl Desk<'_> {
    /// Judges an edit that a model asks for.
    pub fn judge(&mut self, edit: &Edit) -> Judged {
        let judged = match edit {
            Edit::Choose(number) => self.choose(*number),
            Edit::Replace { path, old, new } => self.wish(path, old, new).map(|wish| self.check(&wish)),
        };
        judged.unwrap_or_else(|why| Judged::Refused { why, by_gate: false })
    }

    /// The next locator of our own for a candidate.
    fn choose(&mut self, number: u32) -> Result<Judged, String> {
        let index = self.candidate(number)?;
        if !self.plausible().contains(&index) {
            return Err(format!("Candidate {number} may not be chosen: too little speaks for it."));
        }
        let node = self.view.seen.get(index).ok_or("There is no such candidate.")?.node;
        let edits = (self.view.write)(node)?;
        let tried = self.tried.get(&index).copied().unwrap_or_default();
        let mut last = "every locator for it was tried".to_owned();
        for (place, (rewrite, why)) in edits.into_iter().enumerate().skip(tried) {
            self.tried.insert(index, place + 1);
            let wish = Wish {
                path: rewrite.path,
                before: rewrite.before,
                after: rewrite.after,
                line: rewrite.line as usize,
                why,
            };
            match self.check(&wish) {
                Judged::Refused { why, .. } => last = why,
                judged => return Ok(judged),
            }
        }
        Err(format!("No locator for candidate {number} is allowed there: {last}."))
    }

    /// The text after the replacement, if it is one on a line that may change.
    fn wish(&self, path: &str, old: &str, new: &str) -> Result<Wish, String> {
        let lines = self.lines();
        let places = || lines.iter().map(|(path, line)| format!("{path}, line {line}")).collect::<Vec<_>>().join("; ");
        if old.is_empty() || old.contains('\n') || new.contains(['\n', '\r']) || new.len() > REPLACEMENT_CAP {
            return Err("`old` and `new` must each be a piece of one line.".to_owned());
        }
        let elsewhere = || format!("Only the line that defines the stale locator may change ({}).", places());
        let file = self.view.project.file(path).ok_or_else(elsewhere)?;
        let starts = std::iter::once(0).chain(file.text.match_indices('\n').map(|(at, _)| at + 1));
        let mut found: Vec<(Range<usize>, usize)> = Vec::new();
        for (start, number) in starts.zip(1_usize..).filter(|(_, number)| lines.contains(&(path.to_owned(), *number))) {
            let line = file.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
            found.extend(line.match_indices(old).map(|(at, _)| (start + at..start + at + old.len(), number)));
        }
        let (range, line) = match found.as_slice() {
            [one] => one.clone(),
            [] if !lines.iter().any(|(allowed, _)| allowed == path) => return Err(elsewhere()),
            [] => return Err(format!("`old` does not stand on that line ({}).", places())),
            several => return Err(format!("`old` stands {} times there; give more of the line.", several.len())),
        };
        let mut after = file.text.clone();
        after.replace_range(range, new);
        if after == file.text {
            return Err("That changes nothing.".to_owned());
        }
        Ok(Wish { path: path.to_owned(), before: file.text.clone(), after, line, why: "a model wrote it".to_owned() })
    }

    /// Gate two, then the element it leads to.
    fn check(&self, wish: &Wish) -> Judged {
        let found = self.found(wish);
        let proposal = |flags| Proposal {
            path: wish.path.clone(),
            line: wish.line,
            before: line_of(&wish.before, wish.line),
            after: line_of(&wish.after, wish.line),
            why: wish.why.clone(),
            flags,
            diff: unified_diff(&wish.path, &wish.before, &wish.after),
        };
        let gated = match gate::check(&wish.path, wish.before.as_bytes(), wish.after.as_bytes()) {
            Ok(gated) => gated,
            Err(violation) => {
                return match place_reason(&violation) {
                    Some(reason) if found.is_ok() => Judged::Ended(reason, Box::new(proposal(Vec::new()))),
                    _ => Judged::Refused { why: in_words(&violation), by_gate: true },
                };
            }
        };
        let index = match found {
            Ok(index) => index,
            Err(why) => return Judged::Refused { why, by_gate: false },
        };
        if self.failed.iter().any(|line| line == gated.new_line().trim()) {
            return Judged::Refused { why: "that line was run before, and the test stayed red".into(), by_gate: false };
        }
        let Some(seen) = self.view.seen.get(index) else {
            return Judged::Refused { why: "the element is not on the page".to_owned(), by_gate: false };
        };
        let destructive =
            [&seen.facts.name, &seen.facts.text, &seen.facts.value].iter().any(|text| is_destructive(text));
        let flags = gated.flags().iter().map(|flag| flag.code().to_owned()).collect();
        Judged::Accepted(Box::new(Accepted {
            chosen: seen.facts.clone(),
            word: Word::of(self.view.decision, index, destructive),
            first: self.view.decision.ranked.first().is_some_and(|first| first.index == index),
            proposal: proposal(flags),
            gated,
        }))
    }

    /// The plausible element that the locator finds after the edit, once.
    fn found(&self, wish: &Wish) -> Result<usize, String> {
        let edited = Edited { path: &wish.path, before: &wish.before, after: &wish.after };
        let failed = Failed {
            definition: self.view.definition,
            locator: self.view.locator,
            test_id_attribute: self.view.attribute,
        };
        let locator: Locator = reread(&failed, &edited)?;
        let node = match self.view.page.query(self.view.frame, &locator) {
            Answer::Nodes(nodes) => match nodes.as_slice() {
                [node] => *node,
                [] => return Err("on the failing page the new locator matches nothing".to_owned()),
                several => {
                    return Err(format!("on the failing page the new locator matches {} elements", several.len()));
                }
            },
            Answer::Unknown(why) | Answer::Invalid(why) => {
                return Err(format!("what the new locator matches cannot be told: {why}"));
            }
        };
        let index = self.view.seen.iter().position(|seen| seen.node == node);
        let plausible = index.filter(|index| self.plausible().contains(index));
        plausible.ok_or_else(|| {
            let what = index
                .and_then(|index| self.view.seen.get(index))
                .map_or_else(String::new, |seen| describe(&seen.facts));
            match self.view.decision.verdict {
                Verdict::Gone | Verdict::WrongPage(_) => "no candidate may be chosen on this page; decline".to_owned(),
                _ => format!("the new locator matches {what}, which is no candidate that may be chosen"),
            }
        })
    }

    /// The lines that define the locator: file and number.
    fn lines(&self) -> BTreeSet<(String, usize)> {
        let mut lines = BTreeSet::new();
        let mut note = |path: &str, range: &Range<usize>| {
            let Some(file) = self.view.project.file(path) else { return };
            let count = |end: usize| file.text.get(..end).unwrap_or_default().matches('\n').count() + 1;
            lines.extend((count(range.start)..=count(range.end)).map(|line| (path.to_owned(), line)));
        };
        for piece in &self.view.definition.pieces {
            note(&piece.call.path, &piece.call.range);
            for literal in piece.texts.iter().flat_map(Text::literals) {
                note(&literal.site.path, &literal.site.range);
            }
        }
        lines
    }
}

fn line_of(text: &str, number: usize) -> String {
    text.lines().nth(number.saturating_sub(1)).unwrap_or_default().to_owned()
}

fn in_words(violation: &Violation) -> String {
    format!("gate two: {}: {}", violation.reason().code(), violation.sentence())
}
