//! Assertions: nothing matched, or something matched and differs.

use super::Rule;
use crate::domain::classify::Category::{self, Unrecognized, ValueMismatch, ZeroMatchAssertion};
use crate::domain::classify::facts::Facts;
use crate::domain::classify::matcher::Matcher;
use crate::domain::failure::{LogEnd, Received};

/// A row for an assertion whose locator matched nothing.
const fn missing(
    id: &'static str,
    matches: &'static str,
    signature: &'static str,
    when: fn(&Facts<'_, '_>) -> bool,
) -> Rule {
    let why = "the assertion's locator matched no element, from the first try to the last";
    Rule { id, matches, category: ZeroMatchAssertion, signature, why, when }
}

/// A row for an assertion that compared something.
const fn differs(
    id: &'static str,
    matches: &'static str,
    signature: &'static str,
    why: &'static str,
    when: fn(&Facts<'_, '_>) -> bool,
) -> Rule {
    Rule { id, matches, category: ValueMismatch, signature, why, when }
}

const fn neither(
    id: &'static str,
    matches: &'static str,
    category: Category,
    signature: &'static str,
    why: &'static str,
    when: fn(&Facts<'_, '_>) -> bool,
) -> Rule {
    Rule { id, matches, category, signature, why, when }
}

/// The rules, in order of priority.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is not general enough for the table")]
pub(super) const RULES: &[Rule] = &[
    neither(
        "assertion-test-ended",
        "an assertion whose log ends with Test ended., with no time limit beside it",
        Unrecognized,
        "test_ended",
        "the test ended while the assertion was still trying, which a missing await explains",
        |facts| facts.assertion.is_some() && facts.log.end == Some(LogEnd::TestEnded) && facts.cut_off_by().is_none(),
    ),
    missing(
        "missing-nested",
        "an assertion inside toPass whose locator matched nothing",
        "nested_topass_no_match",
        |facts| facts.error.retried && facts.stale_assertion(),
    ),
    missing(
        "missing-test-timeout",
        "an assertion whose locator matched nothing until the test's limit cut it off",
        "test_timeout_assertion_no_match",
        |facts| facts.stale_assertion() && facts.was_cut_off(),
    ),
    missing("missing-list", "a list assertion that received an empty list", "list_empty", |facts| {
        facts.stale_assertion() && facts.error.body.received == Received::EmptyList
    }),
    missing("missing-count-negated", "not.toHaveCount(0) that counted nothing", "count_zero_negated", |facts| {
        facts.stale_assertion() && facts.assertion == Some((Matcher::Count, true))
    }),
    missing("missing-count", "toHaveCount that counted nothing", "count_zero", |facts| {
        facts.stale_assertion() && is(facts, &[Matcher::Count])
    }),
    missing(
        "missing-in-frame",
        "an assertion on a locator inside a frame that matched nothing",
        "frame_no_match",
        |facts| facts.stale_assertion() && facts.in_frame(),
    ),
    missing(
        "missing-screenshot",
        "toHaveScreenshot on a locator that matched nothing",
        "screenshot_no_match",
        |facts| facts.stale_assertion() && is(facts, &[Matcher::Screenshot]),
    ),
    missing("missing-aria", "toMatchAriaSnapshot on a locator that matched nothing", "aria_no_match", |facts| {
        facts.stale_assertion() && is(facts, &[Matcher::Aria])
    }),
    missing(
        "missing-negated",
        "a negated assertion whose locator matched nothing",
        "assertion_no_match_negated",
        |facts| facts.stale_assertion() && facts.assertion.is_some_and(|(_, negated)| negated),
    ),
    missing("missing", "an assertion whose locator matched nothing", "assertion_no_match", |facts| {
        facts.stale_assertion()
    }),
    neither(
        "assertion-silent-end",
        "an assertion that stopped before its time, with no time limit among the errors of its result",
        Unrecognized,
        "test_ended",
        "the assertion stopped before its time ran out, and nothing in the result says why",
        |facts| {
            facts.assertion.is_some_and(|(matcher, _)| matcher.is_on_locator())
                && facts.ended_silently()
                && !facts.log.found
                && facts.log.wait.is_some()
        },
    ),
    differs(
        "vanished",
        "an assertion that found its element at first and lost it later",
        "vanished_during_assertion",
        "the locator is right: the element was there and went away while the assertion was trying",
        |facts| facts.vanished(),
    ),
    differs(
        "differs-poll",
        "expect.poll, or a plain matcher inside toPass, that was tried until its time ran out",
        "value_poll",
        "however often the value was taken, it differs from what was expected",
        |facts| facts.error.retried && is(facts, &[Matcher::Generic]),
    ),
    differs(
        "differs-nested",
        "an assertion inside toPass that found its element",
        "value_nested_topass",
        "however often toPass tried, what was received differs from what was expected",
        |facts| facts.error.retried && compared(facts),
    ),
    differs(
        "differs-test-timeout",
        "an assertion that found its element and differed until the test's limit cut it off",
        "test_timeout_value",
        "the element was there, and differed until the test's time ran out",
        |facts| compared(facts) && facts.was_cut_off() && on_locator(facts),
    ),
    differs(
        "differs-list",
        "an assertion that compared a list",
        "value_list",
        "the list that was received differs from the one expected",
        |facts| compared(facts) && is(facts, &[Matcher::Text, Matcher::Attribute]) && facts.error.body.list,
    ),
    differs(
        "differs-text",
        "an assertion on a text",
        "value_text",
        "the element was there and has another text",
        |facts| compared(facts) && is(facts, &[Matcher::Text]),
    ),
    differs(
        "differs-count",
        "toHaveCount that counted something",
        "value_count",
        "elements were there, another number than expected",
        |facts| compared(facts) && is(facts, &[Matcher::Count]),
    ),
    differs("differs-url", "toHaveURL", "value_url", "the page has another address", |facts| {
        is(facts, &[Matcher::Url])
    }),
    differs("differs-title", "toHaveTitle", "value_title", "the page has another title", |facts| {
        is(facts, &[Matcher::Title])
    }),
    differs(
        "differs-visibility",
        "toBeVisible, toBeHidden or toBeInViewport on an element that was there",
        "value_visibility",
        "the element was there, and is visible or hidden contrary to what was expected",
        |facts| compared(facts) && is(facts, &[Matcher::Presence, Matcher::Absence]),
    ),
    differs(
        "differs-state",
        "toBeEnabled, toBeChecked, toBeAttached and the like",
        "value_state",
        "the element was there and is in another state",
        |facts| compared(facts) && is(facts, &[Matcher::State, Matcher::Attached]),
    ),
    differs(
        "differs-attribute",
        "toHaveAttribute, toHaveValue and the like",
        "value_attribute",
        "the element was there, and an attribute or property of it differs",
        |facts| compared(facts) && is(facts, &[Matcher::Attribute]),
    ),
    differs(
        "differs-screenshot",
        "toHaveScreenshot",
        "value_screenshot",
        "the picture differs, or could not be taken",
        |facts| {
            is(facts, &[Matcher::Screenshot]) && !facts.error.cut
                || facts.words().is_some_and(|words| words.starts_with("Screenshot comparison failed"))
        },
    ),
    differs(
        "differs-aria",
        "toMatchAriaSnapshot",
        "value_aria",
        "the accessible structure of the element differs",
        |facts| compared(facts) && is(facts, &[Matcher::Aria]),
    ),
    differs("differs-response", "toBeOK", "value_response", "the server answered with an error", |facts| {
        is(facts, &[Matcher::Response])
    }),
    differs(
        "snapshot-missing",
        "a snapshot file that does not exist yet",
        "value_snapshot_missing",
        "there is no snapshot to compare with",
        |facts| facts.words().is_some_and(|words| words.starts_with("A snapshot doesn't exist at ")),
    ),
    differs(
        "differs-snapshot",
        "toMatchSnapshot",
        "value_snapshot",
        "the value differs from the stored snapshot",
        |facts| {
            is(facts, &[Matcher::Snapshot])
                || facts.words().is_some_and(|words| words.starts_with("Snapshot comparison failed"))
        },
    ),
    neither(
        "matcher-misused",
        "a matcher that was given something it cannot judge",
        Unrecognized,
        "misused_matcher",
        "the matcher was called on a value that it is not made for",
        |facts| facts.words().is_some_and(|words| words.contains(" can be only used with ")) || misused(facts),
    ),
    differs(
        "differs",
        "any other matcher that compares plain values",
        "value_generic",
        "what was received differs from what was expected",
        |facts| is(facts, &[Matcher::Generic]),
    ),
    neither(
        "assertion-unclear",
        "an assertion whose text does not say what was found",
        Unrecognized,
        "assertion_unclear",
        "the text does not say whether the assertion's element was there",
        |facts| facts.assertion.is_some(),
    ),
];

fn is(facts: &Facts<'_, '_>, matchers: &[Matcher]) -> bool {
    facts.assertion.is_some_and(|(matcher, _)| matchers.contains(&matcher))
}

fn on_locator(facts: &Facts<'_, '_>) -> bool {
    facts.assertion.is_some_and(|(matcher, _)| matcher.is_on_locator())
}

/// Whether the assertion had something to compare: an element it found, or a value it shows.
fn compared(facts: &Facts<'_, '_>) -> bool {
    facts.assertion.is_some()
        && (facts.log.found || facts.shows_value() || !on_locator(facts) && facts.error.body.compares)
}

/// Whether an assertion complains about what it was given: `Matcher error: received value must be …`.
fn misused(facts: &Facts<'_, '_>) -> bool {
    facts.assertion.is_some() && facts.error.body.misused
}
