//! Which piece of a hunk's new side each piece of its old side became, and what became of a literal thereby.

use super::alike::{ALIKE, CLEARLY, likeness};
use super::held::{Held, Slot, is_literal, is_shown, kind_of, naming};
use super::units::{ReadHunk, Unit};
use crate::domain::identity::{Literal, LiteralKind};
use crate::domain::meaning::compare_labels;

/// A hunk with more pairs than this is not looked at.
const MOST_PAIRS: usize = 40_000;

/// How much it counts that two pieces have the same place among as many.
const SAME_ORDINAL: f64 = 1.0;

/// What a piece became.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Became {
    /// The new side's piece of this index.
    This(usize),
    /// Nothing that is like it.
    Nothing,
    /// One of several.
    Unclear,
}

/// What each removed piece of a hunk became. The surest pairs are made first; what is left may become clear by that.
pub(super) fn pairs(hunk: &ReadHunk) -> Vec<Became> {
    let (removed, added) = (&hunk.removed, &hunk.added);
    if removed.len().saturating_mul(added.len()) > MOST_PAIRS {
        return vec![Became::Unclear; removed.len()];
    }
    let equally_many = removed.len() == added.len();
    let score = |(at, old): (usize, &Unit), (other, new): (usize, &Unit)| {
        let place = if equally_many && at == other { SAME_ORDINAL } else { 0.0 };
        likeness(old, new) + place
    };
    let scores: Vec<Vec<f64>> =
        removed.iter().enumerate().map(|old| added.iter().enumerate().map(|new| score(old, new)).collect()).collect();
    let mut became = vec![Became::Unclear; removed.len()];
    let mut free: Vec<bool> = vec![true; added.len()];
    let mut open: Vec<usize> = (0..removed.len()).collect();
    while let Some((old, new)) = clear_pair(&scores, &open, &free) {
        if let (Some(became), Some(free)) = (became.get_mut(old), free.get_mut(new)) {
            *became = Became::This(new);
            *free = false;
        }
        open.retain(|&other| other != old);
    }
    for at in open {
        let alike = |row: &Vec<f64>| row.iter().zip(&free).any(|(&score, &free)| free && score >= ALIKE);
        if let Some(became) = became.get_mut(at)
            && !scores.get(at).is_some_and(alike)
        {
            *became = Became::Nothing;
        }
    }
    became
}

/// The best pair of which either is clearly the best for the other.
fn clear_pair(scores: &[Vec<f64>], open: &[usize], free: &[bool]) -> Option<(usize, usize)> {
    let of = |old: usize, new: usize| scores.get(old).and_then(|row| row.get(new)).copied().unwrap_or(f64::MIN);
    let open_new = || free.iter().enumerate().filter(|(_, free)| **free).map(|(at, _)| at);
    let mut best: Option<(f64, usize, usize)> = None;
    for &old in open {
        for new in open_new() {
            let score = of(old, new);
            let rival_new =
                open_new().filter(|&other| other != new).map(|other| of(old, other)).fold(f64::MIN, f64::max);
            let rival_old =
                open.iter().filter(|&&other| other != old).map(|&other| of(other, new)).fold(f64::MIN, f64::max);
            let clear = score >= ALIKE && score >= rival_new + CLEARLY && score >= rival_old + CLEARLY;
            if clear && best.is_none_or(|(so_far, _, _)| score > so_far) {
                best = Some((score, old, new));
            }
        }
    }
    best.map(|(_, old, new)| (old, new))
}

/// What became of a literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// This holds its place now.
    Now(Held),
    /// It went with its piece.
    Dropped,
    /// Something took its place that cannot be told.
    Unclear,
}

/// What became of the literal that `held` of the piece `old` was, in the piece `new`.
pub(super) fn outcome(old: &Unit, held: &Held, new: &Unit, literal: &Literal, test_id_attribute: &str) -> Outcome {
    let (gone, fresh) = exchanged(old, new, held, literal);
    match (gone.as_slice(), fresh.as_slice()) {
        (_, []) => moved(old, new, literal, test_id_attribute),
        ([_], [one]) => Outcome::Now(one.clone()),
        (gone, fresh) if gone.len() == fresh.len() => {
            let at = gone.iter().position(|other| is_literal(other, literal));
            at.and_then(|at| fresh.get(at)).map_or(Outcome::Unclear, |held| Outcome::Now(held.clone()))
        }
        _ => Outcome::Unclear,
    }
}

/// What the slot of `held` lost and what it got.
fn exchanged(old: &Unit, new: &Unit, held: &Held, literal: &Literal) -> (Vec<Held>, Vec<Held>) {
    let in_slot = |unit: &Unit| -> Vec<Held> {
        let all = unit.held().iter().filter(|other| other.slot == held.slot);
        if literal.kind == LiteralKind::Class {
            all.flat_map(|held| held.value.split_whitespace().map(|token| Held::new(held.slot.clone(), token)))
                .collect()
        } else {
            all.cloned().collect()
        }
    };
    let (before, after) = (in_slot(old), in_slot(new));
    let missing = |these: &[Held], others: &[Held]| -> Vec<Held> {
        these.iter().filter(|held| !others.iter().any(|other| other.value == held.value)).cloned().collect()
    };
    (missing(&before, &after), missing(&after, &before))
}

/// The slot is gone: the literal may stand in another one, or another name may have come for it.
fn moved(old: &Unit, new: &Unit, literal: &Literal, test_id_attribute: &str) -> Outcome {
    let names = |held: &&Held| naming(&held.slot, test_id_attribute).is_some();
    if let Some(carried) = new.held().iter().filter(names).find(|held| held.value == literal.value) {
        return Outcome::Now(carried.clone());
    }
    if literal.kind.is_text() {
        return Outcome::Unclear;
    }
    let came = |held: &&Held| names(held) && !old.held().contains(held);
    let best = new.held().iter().filter(came).min_by_key(|held| naming(&held.slot, test_id_attribute));
    best.map_or(Outcome::Unclear, |held| Outcome::Now(held.clone()))
}

/// Whether a piece may have become another element: its names changed and what it says now means something else. One name
/// or one handler that stayed tells that it is the same. What a field says stands in its label, beside it.
pub(super) fn is_another(hunk: &ReadHunk, old: &Unit, new: &Unit, test_id_attribute: &str) -> bool {
    let shown = |unit: &Unit| -> Vec<String> {
        let shown = unit.held().iter().filter(|held| is_shown(&held.slot, test_id_attribute));
        shown.map(|held| held.value.clone()).filter(|text| text.contains(char::is_alphabetic)).collect()
    };
    let says = |unit: &Unit, around: &[Unit]| {
        let own = shown(unit);
        let beside = |other: &&Unit| {
            other.line == unit.line
                || (other.line.abs_diff(unit.line) == 1 && other.piece.name.eq_ignore_ascii_case("label"))
        };
        if own.is_empty() { around.iter().filter(beside).flat_map(shown).collect() } else { own }
    };
    let (before, after) = (says(old, &hunk.removed), says(new, &hunk.added));
    let means_it = |one: &String| after.iter().any(|other| compare_labels(one, other).is_kept());
    let lasting = |held: &&Held| naming(&held.slot, test_id_attribute).is_some() || is_handler(&held.slot);
    let names = |unit: &Unit| unit.held().iter().filter(lasting).cloned().collect::<Vec<_>>();
    let (named, now) = (names(old), names(new));
    let renamed = !named.is_empty() && !now.is_empty() && !named.iter().any(|held| now.contains(held));
    renamed && !before.is_empty() && !after.is_empty() && !before.iter().any(means_it)
}

/// Whether a slot holds what is done when the element is used.
fn is_handler(slot: &Slot) -> bool {
    let Slot::Attribute(name) = slot else { return false };
    let acts = ["href", "to", "action", "formaction", "routerlink"];
    acts.contains(&name.as_str()) || name.starts_with("on") || name.starts_with(['@', '('])
}

/// The literal that a locator needs for what `held` is, where `old` was its literal before.
pub(super) fn literal_of(held: &Held, old: &LiteralKind, test_id_attribute: &str) -> Literal {
    // A text that became the text of something else is still a text.
    let kind = match &held.slot {
        Slot::Text if old.is_text() => old.clone(),
        slot => kind_of(slot, old, test_id_attribute),
    };
    Literal { kind, value: held.value.clone() }
}
