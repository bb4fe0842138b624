//! The table of gate one: what each rule matches, what it means, and why.
//!
//! A rule's priority is its place: the tables below are tried in the order of `rules`, each from top to bottom, and the
//! first rule that holds decides. Strict mode and navigation come before the assertion and action tables because their
//! words stand in first lines only; the last table catches everything.

mod action;
mod assertion;
mod navigation;
mod other;
mod strict;

use super::Category;
use super::facts::Facts;

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The stable id that reports name.
    pub id: &'static str,
    /// What it matches, in words.
    pub matches: &'static str,
    /// What a match means.
    pub category: Category,
    /// The finer name of what was seen.
    pub signature: &'static str,
    /// Why, in one sentence.
    pub why: &'static str,
    when: fn(&Facts<'_, '_>) -> bool,
}

/// The tables in order of priority.
pub(super) fn rules() -> [&'static [Rule]; 5] {
    [strict::RULES, navigation::RULES, assertion::RULES, action::RULES, other::RULES]
}

/// All rules in order of priority.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    rules().into_iter().flatten()
}

/// The first rule that holds.
pub(super) fn first(facts: &Facts<'_, '_>) -> &'static Rule {
    all().find(|rule| (rule.when)(facts)).unwrap_or(&other::UNKNOWN)
}
