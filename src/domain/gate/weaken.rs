//! Rules F and G: the new locator says something else than the old one, and nothing weaker.

use std::collections::BTreeSet;

use super::facts::{Facts, Sought, Step};
use super::violation::{Flag, Prohibition, Violation};
use super::{characters, regex};

/// How many steps a locator may have.
const MAX_STEPS: usize = 64;

/// Roles of which a page, or a scope, holds one: they may stand without a name.
pub(crate) const SINGLETONS: [&str; 19] = [
    "alert",
    "alertdialog",
    "banner",
    "contentinfo",
    "dialog",
    "form",
    "grid",
    "main",
    "menu",
    "navigation",
    "progressbar",
    "search",
    "searchbox",
    "status",
    "table",
    "tablist",
    "toolbar",
    "tooltip",
    "tree",
];

/// Rule G: whether both say the same.
pub(super) fn same(old: &Facts, new: &Facts) -> Result<(), Violation> {
    let words = |facts: &Facts| facts.tokens.iter().map(|token| token.word.clone()).collect::<Vec<_>>();
    if words(old) == words(new) && sought(old) == sought(new) && added(&old.inexact, &new.inexact).is_none() {
        return Err(Prohibition::Same.into());
    }
    Ok(())
}

fn sought(facts: &Facts) -> Vec<String> {
    all_steps(facts).map(|step| step.sought.words()).collect()
}

fn all_steps(facts: &Facts) -> impl Iterator<Item = &Step> {
    facts.steps.iter().chain(&facts.inner)
}

/// Rule F.
pub(super) fn check(old: &Facts, new: &Facts) -> Result<BTreeSet<Flag>, Violation> {
    if all_steps(old).count() > MAX_STEPS || all_steps(new).count() > MAX_STEPS {
        return Err(Prohibition::Size.into());
    }
    characters::check(&old.strings.join(" "), &new.strings.join(" "))?;
    position(old, new)?;
    alternatives(old, new)?;
    everything(old, new)?;
    unselective(old, new)?;
    exact(old, new)?;
    flags(old, new)?;
    turned_round(old, new)?;
    only_deleted(old, new)?;
    states(old, new)?;
    let mut flags = BTreeSet::new();
    if !new.positions.is_empty() {
        flags.insert(Flag::PositionalRetained);
    }
    if new.steps.len() < old.steps.len() {
        flags.insert(Flag::ScopeWidened);
    }
    Ok(flags)
}

/// The first entry of `new` that `old` does not hold as often.
fn added<'n>(old: &[String], new: &'n [String]) -> Option<&'n String> {
    let mut left: Vec<&String> = old.iter().collect();
    new.iter().find(|entry| match left.iter().position(|known| known == entry) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    })
}

fn position(old: &Facts, new: &Facts) -> Result<(), Violation> {
    match added(&old.positions, &new.positions) {
        Some(position) => Err(Violation::new(Prohibition::Position, position.clone())),
        None => Ok(()),
    }
}

fn alternatives(old: &Facts, new: &Facts) -> Result<(), Violation> {
    if new.alternatives > old.alternatives {
        return Err(Prohibition::Alternatives.into());
    }
    Ok(())
}

fn everything(old: &Facts, new: &Facts) -> Result<(), Violation> {
    match added(&old.everything, &new.everything) {
        Some(step) => Err(Violation::new(Prohibition::Everything, step.clone())),
        None => Ok(()),
    }
}

fn unselective(old: &Facts, new: &Facts) -> Result<(), Violation> {
    if let Some(text) = added(&old.vacuous, &new.vacuous) {
        return Err(Violation::new(Prohibition::Unselective, text.clone()));
    }
    let had_name = old.steps.iter().any(|step| step.last && step.role.is_some() && step.sought != Sought::None);
    let step_says_nothing = |step: &&Step| {
        let singleton = step.role.as_deref().is_some_and(|role| SINGLETONS.contains(&role)) && !had_name;
        let there_before = all_steps(old).any(|known| known.words == step.words && (known.last || !known.selective));
        step.last && !step.selective && !singleton && !there_before
    };
    // A chain on a receiver may hold no element step at all: `row.filter({ visible: true })`.
    let empty = new.steps.is_empty() && !old.steps.is_empty();
    match new.steps.iter().chain(&new.branches).find(step_says_nothing) {
        Some(step) => Err(Violation::new(Prohibition::Unselective, step.words.clone())),
        None if empty => Err(Prohibition::Unselective.into()),
        None => Ok(()),
    }
}

fn exact(old: &Facts, new: &Facts) -> Result<(), Violation> {
    if added(&old.inexact, &new.inexact).is_some() {
        return Err(Violation::new(Prohibition::Exact, "exact: false"));
    }
    for (known, step) in aligned(old, new) {
        let was_exact = matches!(known.sought, Sought::Text(_, true));
        let still_exact = match &step.sought {
            Sought::Text(_, exact) => *exact,
            Sought::Regex(pattern, flags) => {
                !flags.contains('i') && regex::read(pattern, flags).is_some_and(|demands| demands.anchored)
            }
            Sought::None => true,
        };
        if was_exact && !still_exact {
            return Err(Violation::new(Prohibition::Exact, step.words.clone()));
        }
    }
    Ok(())
}

fn flags(old: &Facts, new: &Facts) -> Result<(), Violation> {
    let known: Vec<&Sought> = all_sought(old).collect();
    let took_place: Vec<(&Sought, &Sought)> = aligned(old, new)
        .into_iter()
        .map(|(known, step)| (&known.sought, &step.sought))
        .chain(
            aligned_by(&old.filters, &new.filters, |(key, _)| key)
                .into_iter()
                .map(|(known, filter)| (&known.1, &filter.1)),
        )
        .collect();
    for sought in all_sought(new).filter(|sought| !known.contains(sought)) {
        let Sought::Regex(pattern, flags) = sought else { continue };
        let same_pattern = known.iter().find_map(|known| match known {
            Sought::Regex(old, flags) if old == pattern => Some(flags.as_str()),
            _ => None,
        });
        let same_place = took_place.iter().find_map(|(known, new)| match known {
            Sought::Regex(_, flags) if *new == sought => Some(flags.as_str()),
            _ => None,
        });
        let allowed = same_pattern.or(same_place).unwrap_or("iu");
        if let Some(flag) = flags.chars().find(|flag| !allowed.contains(*flag)) {
            return Err(Violation::new(Prohibition::RegexFlag, flag.to_string()));
        }
    }
    Ok(())
}

/// Everything that steps and filters look for.
fn all_sought(facts: &Facts) -> impl Iterator<Item = &Sought> {
    all_steps(facts).map(|step| &step.sought).chain(facts.filters.iter().map(|(_, sought)| sought))
}

/// Steps of the same method that took each other's place, found from the end.
fn aligned<'f>(old: &'f Facts, new: &'f Facts) -> Vec<(&'f Step, &'f Step)> {
    let mut pairs = aligned_by(&old.steps, &new.steps, |step| &step.method);
    pairs.extend(aligned_by(&old.inner, &new.inner, |step| &step.method));
    pairs
}

/// Entries of the same key that took each other's place, found from the end.
fn aligned_by<'f, T, K: PartialEq>(old: &'f [T], new: &'f [T], key: impl Fn(&T) -> &K) -> Vec<(&'f T, &'f T)> {
    let mut pairs = Vec::new();
    let mut left = old.iter().rev();
    for entry in new.iter().rev() {
        let mut ahead = left.clone();
        if let Some(known) = ahead.find(|known| key(known) == key(entry)) {
            pairs.push((known, entry));
            left = ahead;
        }
    }
    pairs
}

/// A filter that asked for something and now asks for its absence picks all the others.
fn turned_round(old: &Facts, new: &Facts) -> Result<(), Violation> {
    let absence = |word: &str| word.starts_with("hasNot") || word == "internal:has-not";
    let count = |facts: &Facts, absent: bool| {
        facts.tokens.iter().filter(|token| token.filters && absence(&token.word) == absent).count()
    };
    if count(new, true) > count(old, true) && count(new, false) < count(old, false) {
        return Err(Prohibition::OnlyDeleted.into());
    }
    Ok(())
}

fn only_deleted(old: &Facts, new: &Facts) -> Result<(), Violation> {
    let mut deleted = Vec::new();
    let mut left = old.tokens.iter();
    for token in &new.tokens {
        loop {
            match left.next() {
                None => return Ok(()),
                Some(known) if known.word == token.word => break,
                Some(known) => deleted.push(known),
            }
        }
    }
    deleted.extend(left);
    match deleted.iter().find(|token| token.filters) {
        Some(token) => Err(Violation::new(Prohibition::OnlyDeleted, token.word.clone())),
        None => Ok(()),
    }
}

fn states(old: &Facts, new: &Facts) -> Result<(), Violation> {
    let state = added(&old.states, &new.states).or_else(|| added(&new.states, &old.states));
    match state {
        Some(state) => Err(Violation::new(Prohibition::State, state.clone())),
        None => Ok(()),
    }
}
