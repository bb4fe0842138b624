//! Which declaration wins for an element.

use std::cell::Cell;
use std::collections::HashMap;

use super::sheet::{Declaration, Layer, Property, Rule, Sheets};
use crate::domain::dom::css::matching::{BUDGET, Matching};
use crate::domain::dom::css::selector::{Compound, Part, PseudoElement, Specificity};
use crate::domain::dom::css::{Ground, Truth};
use crate::domain::dom::{Element, NodeId};

/// The sheets of one document or shadow tree, found by what their selectors end in.
#[derive(Debug, Default)]
pub(super) struct Index {
    rules: Vec<Rule>,
    by_id: HashMap<String, Vec<Entry>>,
    by_class: HashMap<String, Vec<Entry>>,
    by_tag: HashMap<String, Vec<Entry>>,
    anywhere: Vec<Entry>,
    /// Rules for the host, and for what is shown in slots.
    host: Vec<Entry>,
    slotted: Vec<Entry>,
    budget: Cell<u64>,
}

/// One selector of one rule.
#[derive(Debug, Clone, Copy)]
struct Entry {
    rule: usize,
    selector: usize,
}

/// What a rule is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Element,
    Before,
    After,
}

/// A declaration that applies, with all that decides between several.
#[derive(Debug, Clone)]
pub(super) struct Applied<'s> {
    pub(super) target: Target,
    pub(super) declaration: &'s Declaration,
    rank: Rank,
}

/// Greater wins: important before normal; then the tree that is further out, for normal ones; then the `style`
/// attribute, layers, specificity, order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    important: bool,
    outer: bool,
    inline: bool,
    layer: Layer,
    specificity: Specificity,
    order: u32,
}

impl Index {
    pub(super) fn new(sheets: Sheets) -> Self {
        let mut index = Self { rules: sheets.rules, budget: Cell::new(BUDGET), ..Self::default() };
        for (at, rule) in index.rules.iter().enumerate() {
            for (selector, complex) in rule.selectors.iter().enumerate() {
                let entry = Entry { rule: at, selector };
                let Some((_, last)) = complex.compounds.last() else { continue };
                match &complex.pseudo_element {
                    Some(PseudoElement::Slotted(_)) => {
                        index.slotted.push(entry);
                        continue;
                    }
                    Some(PseudoElement::Other | PseudoElement::DetailsContent) => continue,
                    Some(PseudoElement::Before | PseudoElement::After) | None => {}
                }
                if last.parts.iter().any(|part| matches!(part, Part::Host(_))) {
                    index.host.push(entry);
                    continue;
                }
                match key(last) {
                    Some(Part::Id(id)) => index.by_id.entry(id.clone()).or_default().push(entry),
                    Some(Part::Class(class)) => index.by_class.entry(class.clone()).or_default().push(entry),
                    Some(Part::Tag { lower, .. }) => index.by_tag.entry(lower.clone()).or_default().push(entry),
                    _ => index.anywhere.push(entry),
                }
            }
        }
        index
    }

    /// The declarations of this tree's sheets for an element of the same tree.
    pub(super) fn own<'s>(
        &'s self,
        ground: Ground<'_, '_>,
        node: NodeId,
        host: Option<NodeId>,
        found: &mut Vec<Applied<'s>>,
    ) {
        let Some(element) = ground.dom.element(node) else { return };
        let matching = Matching { host, ..Matching::new(ground, &self.budget) };
        let mut check =
            |entries: &[Entry]| self.check(entries, true, found, |entry| self.matches(matching, node, entry));
        check(&self.anywhere);
        if let Some(entries) = self.by_tag.get(&element.tag.to_ascii_lowercase()) {
            check(entries);
        }
        if let Some(entries) = element.attribute("id").and_then(|id| self.by_id.get(id)) {
            check(entries);
        }
        let mut classes: Vec<&str> = classes(element).collect();
        classes.sort_unstable();
        classes.dedup();
        for class in classes {
            if let Some(entries) = self.by_class.get(class) {
                check(entries);
            }
        }
    }

    /// The declarations of this shadow tree's sheets for its host.
    pub(super) fn host<'s>(&'s self, ground: Ground<'_, '_>, host: NodeId, found: &mut Vec<Applied<'s>>) {
        let matching = Matching { host: Some(host), ..Matching::new(ground, &self.budget) };
        self.check(&self.host, false, found, |entry| self.matches(matching, host, entry));
    }

    /// The declarations of this shadow tree's sheets for what is shown in one of its slots.
    pub(super) fn slotted<'s>(
        &'s self,
        ground: Ground<'_, '_>,
        node: NodeId,
        slot: NodeId,
        host: Option<NodeId>,
        found: &mut Vec<Applied<'s>>,
    ) {
        let matching = Matching { host, ..Matching::new(ground, &self.budget) };
        self.check(&self.slotted, false, found, |entry| {
            let Some(complex) = self.rules.get(entry.rule).and_then(|rule| rule.selectors.get(entry.selector)) else {
                return Truth::No;
            };
            let Some(PseudoElement::Slotted(list)) = &complex.pseudo_element else { return Truth::No };
            Matching::new(ground, &self.budget).any(node, list).and(|| matching.complex(slot, complex))
        });
    }

    fn matches(&self, matching: Matching<'_, '_>, node: NodeId, entry: Entry) -> Truth {
        let complex = self.rules.get(entry.rule).and_then(|rule| rule.selectors.get(entry.selector));
        complex.map_or(Truth::No, |complex| matching.complex(node, complex))
    }

    /// Adds the declarations of the entries that match. What depends on the mouse or the focus counts as not matching:
    /// for nearly every element of a page it does not.
    fn check<'s>(
        &'s self,
        entries: &[Entry],
        outer: bool,
        found: &mut Vec<Applied<'s>>,
        matches: impl Fn(Entry) -> Truth,
    ) {
        for entry in entries {
            if matches(*entry) != Truth::Yes {
                continue;
            }
            let Some(rule) = self.rules.get(entry.rule) else { continue };
            let Some(complex) = rule.selectors.get(entry.selector) else { continue };
            let target = match complex.pseudo_element {
                Some(PseudoElement::Before) => Target::Before,
                Some(PseudoElement::After) => Target::After,
                _ => Target::Element,
            };
            for declaration in &rule.declarations {
                let important = declaration.important;
                let rank = Rank {
                    important,
                    outer: outer != important,
                    inline: false,
                    // Among important declarations the earliest layer wins.
                    layer: rule.layer.iter().map(|at| if important { u32::MAX - at } else { *at }).collect(),
                    specificity: complex.specificity,
                    order: rule.order,
                };
                found.push(Applied { target, declaration, rank });
            }
        }
    }
}

/// Adds the declarations of a `style` attribute.
pub(super) fn inline<'s>(declarations: &'s [Declaration], found: &mut Vec<Applied<'s>>) {
    for declaration in declarations {
        let rank = Rank {
            important: declaration.important,
            outer: !declaration.important,
            inline: true,
            layer: Vec::new(),
            specificity: Specificity::default(),
            order: 0,
        };
        found.push(Applied { target: Target::Element, declaration, rank });
    }
}

/// The values for a property, the winner first; `all` stands for every property but custom ones.
pub(super) fn winners<'f, 's>(found: &'f [Applied<'s>], target: Target, property: &Property) -> Vec<&'f Applied<'s>> {
    let named = |applied: &&Applied<'_>| {
        let given = &applied.declaration.property;
        applied.target == target
            && (given == property || (*given == Property::All && !matches!(property, Property::Custom(_))))
    };
    let mut winners: Vec<(usize, &Applied<'_>)> = found.iter().filter(named).enumerate().collect();
    winners.sort_by(|(at_a, a), (at_b, b)| b.rank.cmp(&a.rank).then(at_b.cmp(at_a)));
    winners.into_iter().map(|(_, applied)| applied).collect()
}

fn classes(element: &Element) -> impl Iterator<Item = &str> {
    element.attribute("class").unwrap_or_default().split_ascii_whitespace()
}

/// The part of a compound that few elements have.
fn key(compound: &Compound) -> Option<&Part> {
    let find = |wanted: fn(&Part) -> bool| compound.parts.iter().find(|part| wanted(part));
    find(|part| matches!(part, Part::Id(_)))
        .or_else(|| find(|part| matches!(part, Part::Class(_))))
        .or_else(|| find(|part| matches!(part, Part::Tag { .. })))
}
