//! A locator that matched more than one element.

use super::Rule;
use crate::domain::classify::Category::StrictModeViolation;
use crate::domain::classify::facts::Facts;
use crate::domain::failure::enters_frame;

/// The rules, in order of priority.
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "strict-frame",
        matches: "strict mode violation whose elements are the frames on the locator's way",
        category: StrictModeViolation,
        signature: "strict_frame",
        why: "the locator of a frame matched several frames, and only a person can say which one is meant",
        when: |facts| facts.error.body.strict.is_some() && of_frame(facts),
    },
    Rule {
        id: "strict-assertion",
        matches: "strict mode violation in an assertion",
        category: StrictModeViolation,
        signature: "strict_assertion",
        why: "the locator of an assertion matched several elements, and only a person can say which one is meant",
        when: |facts| facts.error.body.strict.is_some() && facts.assertion.is_some() || in_screenshot(facts),
    },
    Rule {
        id: "strict-action",
        matches: "strict mode violation in an action, a read or a wait",
        category: StrictModeViolation,
        signature: "strict_action",
        why: "the locator matched several elements, and only a person can say which one is meant",
        when: |facts| facts.error.body.strict.is_some() || facts.log.strict,
    },
];

/// Whether the violating locator is the way into a frame of the locator that was waited for.
fn of_frame(facts: &Facts<'_, '_>) -> bool {
    let frames = facts
        .error
        .body
        .alternatives
        .iter()
        .any(|one| one.element.starts_with("<iframe") || one.element.starts_with("<frame"));
    let waited = facts.log.wait.map(|wait| wait.locator).or(facts.error.body.locator);
    frames && waited.is_some_and(enters_frame) && waited != facts.error.body.strict
}

fn in_screenshot(facts: &Facts<'_, '_>) -> bool {
    facts.log.strict && facts.assertion.is_some()
}
