//! What the rules ask about an error: each fact has one definition, here.

use super::api::Api;
use super::matcher::{self, Matcher};
use crate::domain::failure::{self, Call, ErrorText, Expect, Head, Limit, Log, LogEnd, Received};

/// The time limits of the runner that stand beside an error.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Limits {
    /// The limit that cut the test, a hook or a step off; a limit on tearing down comes too late for that.
    cut: Option<Limit>,
    /// Whether all errors of the result are known, so that a limit that is not among them did not strike.
    whole: bool,
}

impl Limits {
    /// The limits among `errors`.
    pub(super) fn of(errors: &[ErrorText<'_>], whole: bool) -> Self {
        let cut = errors.iter().find_map(|error| match error.head {
            Head::Limit(limit @ (Limit::Test | Limit::Hook | Limit::Step)) => Some(limit),
            _ => None,
        });
        Self { cut, whole }
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Its own time ran out.
    Timeout,
    /// Its own time ran out while it waited for an event.
    EventTimeout,
    /// The test's time ran out.
    TestTimeout,
    /// The test ended under it.
    TestEnded,
    /// Page, context or browser were closed under it.
    Closed,
    /// The page crashed.
    Crashed,
    /// The network failed.
    Network,
    /// The address is none.
    InvalidUrl,
    /// The selector is none.
    InvalidSelector,
    /// An argument has the wrong type.
    InvalidArgument,
    /// The element is of a kind that cannot do it.
    WrongElement,
    /// Anything else.
    Other,
}

/// Facts about one error.
#[derive(Debug)]
pub(super) struct Facts<'e, 't> {
    /// The error.
    pub(super) error: &'e ErrorText<'t>,
    /// The call log; an empty one where there is none.
    pub(super) log: Log<'t>,
    /// The kind of call, and how it ended, where a call failed.
    pub(super) call: Option<(Api, End)>,
    /// The matcher and whether it is negated, where an assertion failed.
    pub(super) assertion: Option<(Matcher, bool)>,
    /// The limits beside the error.
    limits: Limits,
}

impl<'e, 't> Facts<'e, 't> {
    /// The facts about `error`, beside `limits`.
    pub(super) fn of(error: &'e ErrorText<'t>, limits: Limits) -> Self {
        let log = error.log.unwrap_or_default();
        let assertion = assertion(error).map(|(name, negated)| (Matcher::of(name), negated));
        let call = match error.head {
            Head::Call(call) if call.receiver.is_empty() && log.opening => Some((Api::OpenWait, End::of(call.message))),
            Head::Call(call) => Some((Api::of(&call), End::of(call.message))),
            _ => None,
        };
        Self { error, log, call, assertion, limits }
    }

    /// The words of an error that is neither a call nor an assertion nor a limit.
    pub(super) fn words(&self) -> Option<&'t str> {
        match self.error.head {
            Head::Other(words) if self.assertion.is_none() => Some(words),
            _ => None,
        }
    }

    /// The limit that the error itself is.
    pub(super) fn limit(&self) -> Option<Limit> {
        match self.error.head {
            Head::Limit(limit) => Some(limit),
            _ => None,
        }
    }

    /// The kind of call.
    pub(super) fn api(&self) -> Option<Api> {
        self.call.map(|(api, _)| api)
    }

    /// How the call ended.
    pub(super) fn ended(&self, end: End) -> bool {
        self.call.is_some_and(|(_, ended)| ended == end)
    }

    /// The limit that cut the call or assertion off, as itself or an accompanying error says.
    pub(super) fn cut_off_by(&self) -> Option<Limit> {
        let told = self.ended(End::TestTimeout) || self.log.end == Some(LogEnd::TestTimeout);
        let torn = self.ended(End::Closed) || self.ended(End::TestEnded) || self.log.end == Some(LogEnd::TestEnded);
        match self.limits.cut {
            Some(limit) if told || torn || self.assertion.is_some() && !self.says_time_ran_out() => Some(limit),
            _ => told.then_some(Limit::Test),
        }
    }

    /// Whether the test's limit, or a hook's, cut the call or assertion off; an assertion alone shows it by what it leaves out.
    pub(super) fn was_cut_off(&self) -> bool {
        // The screenshot matcher never says that its time ran out.
        let says = !self.assertion.is_some_and(|(matcher, _)| matcher == Matcher::Screenshot);
        let silent = says
            && self.would_say_time_ran_out()
            && !self.error.retried
            && !self.says_time_ran_out()
            && self.error.log.is_some();
        self.cut_off_by().is_some() || silent
    }

    /// Whether the assertion is worded by a version that says so when its time ran out: all that name the locator, and
    /// before them those that log no comparison for a missing element.
    fn would_say_time_ran_out(&self) -> bool {
        let log = &self.log;
        match self.error.head {
            Head::Expect(Expect { subject: "locator" | "page", .. }) => true,
            Head::Expect(Expect { subject: "received", .. }) => {
                log.wait.is_some_and(|wait| !wait.old) && !log.compared && !log.found && log.count.is_none()
            }
            _ => false,
        }
    }

    /// Whether the assertion says that its own time ran out.
    fn says_time_ran_out(&self) -> bool {
        self.error.body.timeout.is_some() || matches!(self.error.head, Head::Expect(Expect { timed_out: Some(_), .. }))
    }

    /// Whether the call waited for a locator to the end and never saw an element that it could go on with.
    pub(super) fn never_matched(&self) -> bool {
        let log = &self.log;
        let waited = log.wait.is_some_and(|wait| !wait.for_absence);
        // A drag waits for its source, works on it, then waits for its target.
        let moved_on = self.api() == Some(Api::Drag) && log.first_wait.is_some();
        waited
            && (!log.found || moved_on)
            && !(log.found_since_wait
                || log.detached
                || log.strange
                || log.strict
                || log.other_wait
                || log.navigating
                || log.intercepted)
            && !self.error.cut
    }

    /// Whether a call on a locator ran out of time while nothing matched.
    pub(super) fn stale_call(&self) -> bool {
        let timed_out = self.ended(End::Timeout) || self.ended(End::TestTimeout) || self.cut_off_by().is_some();
        let on_locator = matches!(self.api(), Some(Api::Action | Api::Read | Api::ElementWait | Api::Drag));
        timed_out && on_locator && self.log.end.is_none_or(|end| end == LogEnd::TestTimeout) && self.never_matched()
    }

    /// Whether an assertion failed because nothing matched its locator.
    pub(super) fn stale_assertion(&self) -> bool {
        let Some((matcher, negated)) = self.assertion else { return false };
        let unexplained =
            matches!(self.log.end, Some(LogEnd::TestEnded | LogEnd::Closed)) && self.cut_off_by().is_none();
        matcher.is_on_locator()
            && !matcher.asserts_absence(negated)
            && !unexplained
            && !self.ended_silently()
            && !self.error.body.closed
            && self.assertion_never_matched(matcher)
    }

    /// Whether an assertion stopped before its time and no limit beside it says why: the page was closed, or the test over.
    ///
    /// Only a whole result can show that; alone, the text of an assertion that the test's limit cut off looks the same.
    pub(super) fn ended_silently(&self) -> bool {
        self.limits.whole
            && self.would_say_time_ran_out()
            && !self.error.retried
            && !self.says_time_ran_out()
            && self.cut_off_by().is_none()
    }

    fn assertion_never_matched(&self, matcher: Matcher) -> bool {
        let body = &self.error.body;
        if self.error.log.is_none() {
            // Some reporters drop the log; then the block has to say it itself.
            let said = body.not_found && body.received == Received::Unsaid || body.received == Received::NotFound;
            return said && self.says_time_ran_out() && body.locator.is_some() && !self.error.cut;
        }
        let says_failed = matches!(self.error.head, Head::Expect(Expect { says_failed: true, .. }));
        let fits = match body.received {
            Received::Unsaid => {
                !says_failed || body.not_found || self.log.count == Some(0) || matcher == Matcher::Screenshot
            }
            Received::NotFound => true,
            Received::Zero => matcher == Matcher::Count,
            Received::EmptyList => self.log.count == Some(0),
            Received::Undefined | Received::Empty | Received::State(_) | Received::QuotedNotFound => !says_failed,
            Received::Value => false,
        };
        fits && self.never_matched()
    }

    /// Whether an assertion shows the value or the state of an element that it found.
    pub(super) fn shows_value(&self) -> bool {
        // Since the first line ends in `failed`, a state is shown only of an element that was there.
        let says_failed = matches!(self.error.head, Head::Expect(Expect { says_failed: true, .. }));
        match self.error.body.received {
            Received::Value | Received::Empty | Received::EmptyList => true,
            Received::State(_) => says_failed,
            Received::Unsaid | Received::Zero | Received::NotFound | Received::QuotedNotFound | Received::Undefined => {
                false
            }
        }
    }

    /// Whether the call has no name, and its log shows none that Playwright makes.
    pub(super) fn is_nameless(&self) -> bool {
        matches!(self.error.head, Head::Call(Call { receiver: "", .. })) && self.log.wait.is_none()
    }

    /// Whether an assertion lost its element on the way: found at first, gone at the end.
    pub(super) fn vanished(&self) -> bool {
        let body = &self.error.body;
        let gone = body.not_found || body.received == Received::NotFound;
        self.assertion.is_some() && gone && self.log.found
    }

    /// Whether the locator looks into a frame.
    pub(super) fn in_frame(&self) -> bool {
        self.log.wait.is_some_and(|wait| failure::enters_frame(wait.locator)) || self.log.on_the_way()
    }
}

impl End {
    /// Reads what stands behind the API name.
    fn of(message: &str) -> Self {
        if let Some((_, rest)) = message.strip_prefix("Timeout ").and_then(failure::milliseconds) {
            return match rest.strip_prefix(" exceeded") {
                Some(rest) if rest.trim_end_matches(['.', '”', '"']).is_empty() => Self::Timeout,
                Some(rest) if rest.starts_with(" while waiting for event") => Self::EventTimeout,
                _ => Self::Other,
            };
        }
        let starts = |starts: &[&str]| starts.iter().any(|start| message.starts_with(start));
        let holds = |parts: &[&str]| parts.iter().any(|part| message.contains(part));
        if Limit::read(message).is_some() {
            Self::TestTimeout
        } else if starts(&["Test ended"]) {
            Self::TestEnded
        } else if failure::is_closed(message) {
            Self::Closed
        } else if starts(&["Target crashed", "Page crashed", "Navigation failed because page crashed"]) {
            Self::Crashed
        } else if starts(&["net::ERR_", "NS_ERROR_", "Could not connect to"]) {
            Self::Network
        } else if holds(&["Cannot navigate to invalid URL"]) || starts(&["Invalid URL"]) {
            Self::InvalidUrl
        } else if holds(&[
            "while parsing selector",
            "while parsing css selector",
            "is not a valid XPath",
            "is not a valid selector",
        ]) || starts(&["Unknown engine", "Malformed selector", "Unexpected token", "Invalid selector"])
        {
            Self::InvalidSelector
        } else if holds(&[": expected ", "expected one of"]) && holds(&[", got "]) {
            Self::InvalidArgument
        } else if starts(&["Element is not ", "Node is not ", "Not a checkbox", "The page does not support tap"])
            || holds(&["was expected", "can only be used with", "cannot be filled", "Cannot type text into"])
        {
            Self::WrongElement
        } else {
            Self::Other
        }
    }
}

/// The matcher of an assertion as printed and whether it is negated: from the first line, or from the log's header where the
/// author's own message replaced that line.
fn assertion<'t>(error: &ErrorText<'t>) -> Option<(&'t str, bool)> {
    let header = error.log.as_ref().and_then(|log| log.matcher).map(matcher::in_header);
    match error.head {
        Head::Expect(expect) => Some((expect.matcher, expect.negated)),
        Head::Call(Call { receiver, method, .. }) if receiver.eq_ignore_ascii_case("expect") => Some((method, false)),
        // An author's message may replace the first line, and the screenshot matcher prints its time-out alone.
        Head::Other(_) | Head::Call(Call { receiver: "", .. }) => header,
        _ => None,
    }
}

/// The method or matcher that failed, as printed.
pub(super) fn action(error: &ErrorText<'_>) -> Option<String> {
    if let Some((name, negated)) = assertion(error) {
        let name = name.split(['(', '\'', '"']).next().unwrap_or_default().trim_end();
        let name = if negated { format!("not.{name}") } else { name.to_owned() };
        return (!name.is_empty()).then_some(name);
    }
    match error.head {
        Head::Call(Call { method, .. }) => (!method.is_empty()).then(|| method.to_owned()),
        _ => None,
    }
}

/// The time-out in milliseconds that the error says ran out, or that its log is headed with.
pub(super) fn timeout_ms(error: &ErrorText<'_>) -> Option<f64> {
    let said = match error.head {
        Head::Call(Call { message, .. }) => {
            let limit = message.strip_prefix("Timeout ").or_else(|| message.strip_prefix("Test timeout of "));
            limit.and_then(failure::milliseconds).map(|(limit, _)| limit)
        }
        Head::Expect(expect) => expect.timed_out,
        _ => None,
    };
    said.or(error.body.timeout).or(error.log.and_then(|log| log.limit)).filter(|limit| limit.is_finite())
}
