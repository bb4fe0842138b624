//! Which candidate is the lost element, by exact carry-over alone: the same literal stands under another attribute.

use super::identity::{Facts, Literal, Lost, Visibility};
use super::verdict::Basis;

/// What became of the lost element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is this one, above the bar for applying.
    Same(usize),
    /// It may be this one: for a proposal.
    Weak(usize),
    /// Two or more fit about equally well.
    Ambiguous(Vec<usize>),
    /// No element of the page is it.
    Gone,
    /// The page is not the page the step was written for; why.
    WrongPage(String),
}

/// A piece of evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The kind.
    pub id: &'static str,
    /// Weight in bits; negative speaks against.
    pub bits: f64,
    /// What was seen.
    pub sentence: String,
}

/// A candidate with its share of the posterior.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Index into the facts.
    pub index: usize,
    /// Between 0 and 1.
    pub share: f64,
    /// What speaks for and against it.
    pub evidence: Vec<Evidence>,
}

/// The decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// What became of it.
    pub verdict: Verdict,
    /// The candidates, best first.
    pub ranked: Vec<Scored>,
    /// The share of "none of these".
    pub none: f64,
    /// What identity rests on.
    pub basis: Basis,
}

/// Decides among the `allowed` candidates.
pub fn decide(lost: &Lost, facts: &[Facts], allowed: &[usize]) -> Decision {
    let mut ranked: Vec<Scored> = allowed
        .iter()
        .filter_map(|&index| {
            let now = facts.get(index).filter(|now| now.visibility != Visibility::Hidden)?;
            let found = lost.literals.iter().find_map(|literal| carried(literal, now))?;
            let evidence = vec![Evidence { id: "carry_over", bits: 9.0, sentence: found }];
            Some(Scored { index, share: 1.0, evidence })
        })
        .collect();
    let count = ranked.len();
    ranked.iter_mut().for_each(|scored| scored.share = 1.0 / f64::from(u32::try_from(count).unwrap_or(u32::MAX)));
    let verdict = match ranked.as_slice() {
        [] => Verdict::Gone,
        [only] => Verdict::Same(only.index),
        several => Verdict::Ambiguous(several.iter().map(|scored| scored.index).collect()),
    };
    let none = if count == 0 { 1.0 } else { 0.0 };
    Decision { verdict, ranked, none, basis: Basis { carry_over: count == 1, ..Basis::default() } }
}

fn carried(literal: &Literal, now: &Facts) -> Option<String> {
    let places = [
        ("id", &now.id),
        (now.test_id_attribute.as_str(), &now.test_id),
        ("name", &now.name_attribute),
        ("aria-label", &now.aria_label),
        ("placeholder", &now.placeholder),
        ("title", &now.title),
    ];
    let (attribute, _) = places.into_iter().find(|(_, value)| **value == literal.value)?;
    Some(format!("the same {} `{}`, now on `{attribute}`", literal.kind.words(), literal.value))
}
