//! Locators for a chosen element.

use std::ops::Range;

use super::dom::{FrameId, NodeId, Page};
use super::facts::facts_of;
use super::locator::{Locator, Pattern, Role, Step};

/// What is asked for.
pub struct Ask<'a> {
    /// The page.
    pub page: &'a Page<'a>,
    /// The frame that the locator starts in.
    pub frame: FrameId,
    /// The chosen element.
    pub node: NodeId,
    /// The failed locator.
    pub locator: &'a Locator,
    /// Its steps that are to be replaced.
    pub steps: Range<usize>,
    /// Which attribute holds test ids.
    pub test_id_attribute: &'a str,
}

/// A replacement.
pub struct Suggestion {
    /// What stands in place of the broken steps.
    pub steps: Vec<Step>,
    /// Why.
    pub why: String,
}

/// Replacements that resolve to the element and nothing else, best first.
pub fn suggest(ask: &Ask<'_>) -> Vec<Suggestion> {
    let seen = facts_of(ask.page, ask.test_id_attribute);
    let Some(facts) = seen.iter().find(|seen| seen.node == ask.node).map(|seen| &seen.facts) else { return Vec::new() };
    let attribute = ask.test_id_attribute.to_owned();
    let mut all = Vec::new();
    if !facts.test_id.is_empty() {
        let pattern = Pattern::exact(facts.test_id.clone());
        all.push((Step::TestId { attribute, pattern }, "its test id"));
    }
    if !facts.id.is_empty() {
        all.push((Step::Css(format!("#{}", facts.id)), "its id"));
    }
    if !facts.role.is_empty() && !facts.name.is_empty() {
        let role = Role::named(facts.role.clone(), Pattern::substring(facts.name.clone()));
        all.push((Step::Role(Box::new(role)), "its role and name"));
    }
    let whole = |step: &Step| {
        let mut steps = ask.locator.steps.clone();
        steps.splice(ask.steps.clone(), [step.clone()]);
        Locator { steps }
    };
    let last = ask.steps.end == ask.locator.steps.len();
    all.retain(|(step, _)| {
        let only = ask.page.query(ask.frame, &whole(step)).only();
        if last { only == Some(ask.node) } else { only.is_some() }
    });
    all.into_iter().map(|(step, why)| Suggestion { steps: vec![step], why: why.to_owned() }).collect()
}
