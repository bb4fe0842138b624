//! A literal's way through the changes: from each change that took it away, forward to what stands there now.

use super::diff::Fate;
use super::held::{Held, is_literal, may_hold};
use super::pair::{Became, Outcome, is_another, literal_of, outcome, pairs};
use super::units::{Read, Unit};
use crate::domain::identity::{Literal, LiteralKind, Successor};

/// What a change did to a literal.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// It is this now, in this file; and whether the element may have become another one.
    Became(Literal, String, bool),
    /// It went, and nothing came.
    Went(String),
    /// More than one answer, or one that cannot be read.
    Unclear,
}

/// How many changes of name are followed.
const MOST_STEPS: usize = 8;

/// What became of a literal, if there is one answer.
pub(super) fn follow(changes: &[Read], literal: &Literal, test_id_attribute: &str) -> Option<Successor> {
    let mut ends: Vec<Successor> = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        let Some(step) = step(change, literal, test_id_attribute) else { continue };
        let end = end(changes, at, step, literal, test_id_attribute)?;
        // A change that was taken back is none.
        let is_back = end.new == literal.value && end.kind == literal.kind;
        let known = |other: &Successor| other.new == end.new && other.kind == end.kind;
        if !is_back && !ends.iter().any(known) {
            ends.push(end);
        }
    }
    // What came again under its own name, or went in one place and was renamed in another, is no clear case.
    let only = (ends.len() == 1).then(|| ends.pop()).flatten()?;
    let back = changes
        .iter()
        .rev()
        .take_while(|change| change.commit.hash != only.commit)
        .any(|change| brings(change, literal, test_id_attribute));
    (!back).then_some(only)
}

/// Follows a step through the later changes to its end; `None` where that cannot be told.
fn end(changes: &[Read], at: usize, first: Step, literal: &Literal, test_id_attribute: &str) -> Option<Successor> {
    let (mut at, mut step, mut doubtful) = (at, first, false);
    for _ in 0..MOST_STEPS {
        let commit = &changes.get(at)?.commit;
        let (new, kind, file) = match step {
            Step::Unclear => return None,
            Step::Went(file) => (String::new(), literal.kind.clone(), file),
            Step::Became(new, file, doubt) => {
                doubtful |= doubt;
                (new.value, new.kind, file)
            }
        };
        let successor = Successor {
            old: literal.value.clone(),
            new: new.clone(),
            kind: kind.clone(),
            commit: commit.hash.clone(),
            subject: commit.subject.clone(),
            date: commit.date.clone(),
            file,
            doubtful,
        };
        if new.is_empty() {
            return Some(successor);
        }
        let current = Literal { kind, value: new };
        let mut later = changes.iter().enumerate().skip(at + 1);
        let next = later.find_map(|(at, change)| Some((at, self::step(change, &current, test_id_attribute)?)));
        match next {
            Some((later, found)) => (at, step) = (later, found),
            None => return Some(successor),
        }
    }
    None
}

/// What one change did to a literal; `None` where it did nothing to it.
fn step(change: &Read, literal: &Literal, test_id_attribute: &str) -> Option<Step> {
    let mut found: Option<Step> = None;
    for file in &change.files {
        for hunk in &file.hunks {
            let holds = |unit: &Unit| unit.held().iter().any(|held| is_held(held, literal, test_id_attribute));
            if !hunk.removed.iter().any(holds) {
                continue;
            }
            for (unit, became) in hunk.removed.iter().zip(pairs(hunk)) {
                let Some(held) = unit.held().iter().find(|held| is_held(held, literal, test_id_attribute)) else {
                    continue;
                };
                let new = match became {
                    Became::This(at) => hunk.added.get(at),
                    _ => None,
                };
                let outcome = match (became, new) {
                    (Became::Nothing, _) => Outcome::Dropped,
                    (_, Some(new)) => outcome(unit, held, new, literal, test_id_attribute),
                    (_, None) => Outcome::Unclear,
                };
                let doubt = new.is_some_and(|new| is_another(hunk, unit, new, test_id_attribute));
                let step = match outcome {
                    Outcome::Unclear => Step::Unclear,
                    Outcome::Dropped => Step::Went(file.path.clone()),
                    Outcome::Now(new) => now(change, held, &new, literal, test_id_attribute)
                        .map_or(Step::Unclear, |new| Step::Became(new, file.path.clone(), doubt)),
                };
                found = Some(match found {
                    Some(before) if !agree(&before, &step) => Step::Unclear,
                    Some(before) => before,
                    None => step,
                });
            }
        }
    }
    match found? {
        // It stands elsewhere now: it moved, and whatever came to its old place is something else.
        Step::Became(new, ..) if new == *literal => None,
        Step::Became(new, file, doubt) if new.value == literal.value => Some(Step::Became(new, file, doubt)),
        _ if brings(change, literal, test_id_attribute) => None,
        Step::Went(file) => went(change, literal).then_some(Step::Went(file)),
        other => Some(other),
    }
}

fn agree(one: &Step, other: &Step) -> bool {
    match (one, other) {
        (Step::Became(one, ..), Step::Became(other, ..)) => one == other,
        (Step::Went(_), Step::Went(_)) => true,
        _ => false,
    }
}

fn is_held(held: &Held, literal: &Literal, test_id_attribute: &str) -> bool {
    may_hold(&held.slot, &literal.kind, test_id_attribute) && is_literal(held, literal)
}

/// Whether a change adds the literal somewhere that it had not stood before.
fn brings(change: &Read, literal: &Literal, test_id_attribute: &str) -> bool {
    let hunks = change.files.iter().flat_map(|file| &file.hunks);
    let mut held = hunks.flat_map(|hunk| &hunk.added).flat_map(Unit::held);
    held.any(|held| is_held(held, literal, test_id_attribute))
}

/// Whether a literal left with its piece: nothing that came mentions it, and all that came could be read.
fn went(change: &Read, literal: &Literal) -> bool {
    let all_read = change.files.iter().all(|file| !file.cut);
    let rewritten = change.files.iter().any(|file| file.fate == Fate::Deleted)
        && change.files.iter().any(|file| file.fate == Fate::Added);
    let mentioned = change.files.iter().flat_map(|file| &file.added_lines).any(|line| line.contains(&literal.value));
    all_read && !rewritten && !mentioned
}

/// The literal that came, its text looked up where it is the key of one.
fn now(change: &Read, old: &Held, new: &Held, literal: &Literal, test_id_attribute: &str) -> Option<Literal> {
    let as_it_is = literal_of(new, &literal.kind, test_id_attribute);
    if !literal.kind.is_text() || !as_it_is.kind.is_text() {
        return is_fit(&as_it_is).then_some(as_it_is);
    }
    if !new.key {
        return is_fit(&as_it_is).then_some(as_it_is);
    }
    let last = new.value.rsplit(['.', ':']).next().unwrap_or_default().to_lowercase();
    let entries = change.files.iter().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.entries);
    let mut texts: Vec<&str> = entries
        .filter(|(key, _)| *key == last || *key == new.value.to_lowercase())
        .map(|(_, text)| text.as_str())
        .collect();
    texts.sort_unstable();
    texts.dedup();
    match texts.as_slice() {
        [text] => Some(Literal { kind: literal.kind.clone(), value: (*text).to_owned() }).filter(is_fit),
        // Where the text itself was the key, it still is.
        [] if old.key => is_fit(&as_it_is).then_some(as_it_is),
        _ => None,
    }
}

/// Whether a literal can be looked for: nothing is put into it at run time.
fn is_fit(literal: &Literal) -> bool {
    let text = literal.value.trim();
    let filled = ["${", "{{", "#{", "<%", "{0}", "%s", "%d", "%{"].iter().any(|mark| text.contains(mark));
    let in_braces = literal.kind.is_text() && text.contains(['{', '}']);
    let one_token = literal.kind != LiteralKind::Class || !text.contains(char::is_whitespace);
    !text.is_empty() && text.chars().count() <= super::LONGEST && !filled && !in_braces && one_token
}
