//! Calls on locators: nothing matched, or the element was there and could not be worked on.

use super::Rule;
use crate::domain::classify::Category::{LocatorTimeout, Unrecognized};
use crate::domain::classify::api::Api;
use crate::domain::classify::facts::{End, Facts};
use crate::domain::failure::{Call, Head, Limit};

/// A row for a call that ran out of time while its locator matched nothing.
const fn stale(
    id: &'static str,
    matches: &'static str,
    signature: &'static str,
    when: fn(&Facts<'_, '_>) -> bool,
) -> Rule {
    let why = "the call waited for its locator until time ran out, and the locator never matched an element";
    Rule { id, matches, category: LocatorTimeout, signature, why, when }
}

const fn human(
    id: &'static str,
    matches: &'static str,
    signature: &'static str,
    why: &'static str,
    when: fn(&Facts<'_, '_>) -> bool,
) -> Rule {
    Rule { id, matches, category: Unrecognized, signature, why, when }
}

/// The rules, in order of priority.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is not general enough for the table")]
pub(super) const RULES: &[Rule] = &[
    stale("stale-nested", "a call inside toPass whose locator matched nothing", "nested_topass_no_match", |facts| {
        facts.error.retried && facts.stale_call()
    }),
    stale(
        "stale-hook-timeout",
        "a call in a hook whose locator matched nothing until the hook's limit",
        "hook_timeout_no_match",
        |facts| facts.cut_off_by() == Some(Limit::Hook) && facts.stale_call(),
    ),
    stale(
        "stale-step-timeout",
        "a call whose locator matched nothing until the step's limit",
        "step_timeout_no_match",
        |facts| facts.cut_off_by() == Some(Limit::Step) && facts.stale_call(),
    ),
    stale(
        "stale-test-timeout",
        "a call whose locator matched nothing until the test's limit",
        "test_timeout_no_match",
        |facts| facts.was_cut_off() && facts.stale_call(),
    ),
    stale(
        "stale-wrapped",
        "a call whose locator matched nothing, its error thrown again behind other words",
        "wrapped_no_match",
        |facts| {
            let wrapped = matches!(facts.error.head, Head::Call(Call { wrapped: true, .. }));
            (wrapped || facts.error.cause) && facts.stale_call()
        },
    ),
    stale(
        "stale-drag-target",
        "a drag whose source was found and whose target matched nothing",
        "drag_target_no_match",
        |facts| facts.api() == Some(Api::Drag) && facts.log.found && facts.stale_call(),
    ),
    stale("stale-in-frame", "a call on a locator inside a frame that matched nothing", "frame_no_match", |facts| {
        facts.in_frame() && facts.stale_call()
    }),
    stale("stale-read", "a read whose locator matched nothing", "read_no_match", |facts| {
        facts.api() == Some(Api::Read) && facts.stale_call()
    }),
    stale("stale-wait", "a wait whose locator matched nothing", "wait_no_match", |facts| {
        facts.api() == Some(Api::ElementWait) && facts.stale_call()
    }),
    stale("stale-action", "an action whose locator matched nothing", "action_no_match", |facts| facts.stale_call()),
    human(
        "invalid-selector",
        "a selector that cannot be parsed",
        "invalid_selector",
        "the selector is not valid, so nothing could be looked for",
        |facts| facts.ended(End::InvalidSelector),
    ),
    human(
        "invalid-argument",
        "an argument of the wrong type",
        "invalid_argument",
        "the call was given an argument that it does not take",
        |facts| facts.ended(End::InvalidArgument),
    ),
    human(
        "wrong-element",
        "an action that the element is not made for",
        "wrong_element",
        "the locator found an element on which this action cannot work",
        |facts| facts.ended(End::WrongElement),
    ),
    human(
        "request-failed",
        "a failed request outside a page",
        "api_request_failed",
        "a request that the test sends itself failed",
        |facts| facts.api() == Some(Api::Request),
    ),
    human(
        "function-wait",
        "waitForFunction that ran out of time or was cut off",
        "function_wait_timeout",
        "a condition in the page did not come true in time; no locator is involved",
        |facts| facts.api() == Some(Api::FunctionWait),
    ),
    human(
        "event-wait",
        "a wait for an event, a request or a response",
        "event_wait_timeout",
        "an event that the test waits for did not happen in time; no locator is involved",
        |facts| facts.api() == Some(Api::EventWait) || facts.ended(End::EventTimeout),
    ),
    human(
        "element-not-ready",
        "a call that found its element and could not work on it until time ran out",
        "actionability",
        "the element was found, so the locator is not stale; it was covered, hidden, disabled, moving or detached",
        |facts| facts.log.found && (facts.ended(End::Timeout) || facts.was_cut_off() || facts.ended(End::Closed)),
    ),
    human(
        "element-stays",
        "a wait for an element to go away",
        "actionability",
        "the element was to go away and stayed, so the locator is not stale",
        |facts| facts.log.wait.is_some_and(|wait| wait.for_absence),
    ),
    human(
        "call-test-ended",
        "a call that the end of the test interrupted, with no time limit beside it",
        "test_ended",
        "the test ended while the call was still trying, which a missing await explains",
        |facts| facts.ended(End::TestEnded),
    ),
    human(
        "call-cut-off",
        "a call without a locator that the test's limit cut off",
        "test_timeout",
        "the test's time ran out in a call that waits for no locator",
        |facts| facts.call.is_some() && facts.was_cut_off() && facts.log.wait.is_none(),
    ),
    human(
        "timeout-unclear",
        "a call that ran out of time, and whose log does not show what it waited for",
        "timeout_unclear",
        "the text does not show that the call waited for a locator that matched nothing",
        |facts| facts.call.is_some() && !facts.is_nameless() && (facts.ended(End::Timeout) || facts.was_cut_off()),
    ),
];
