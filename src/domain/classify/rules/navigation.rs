//! The page under test was never reached, or is gone.

use super::Rule;
use crate::domain::classify::Category::{NavigationError, Unrecognized};
use crate::domain::classify::api::Api;
use crate::domain::classify::facts::{End, Facts};
use crate::domain::failure::{Limit, LogEnd};

/// The rules, in order of priority.
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "web-server",
        matches: "the runner says that the web server of the configuration did not come up, or that its port is taken",
        category: NavigationError,
        signature: "webserver_failed",
        why: "the web server of the configuration did not start",
        when: |facts| facts.words().is_some_and(|words| words.contains("config.webServer")),
    },
    Rule {
        id: "browser-connect",
        matches: "a failed browserType.connect or connectOverCDP",
        category: NavigationError,
        signature: "connect_failed",
        why: "no connection to the browser could be made",
        when: |facts| facts.api() == Some(Api::Connect),
    },
    Rule {
        id: "browser-launch",
        matches: "a failed browserType.launch",
        category: NavigationError,
        signature: "launch_failed",
        why: "the browser did not start",
        when: |facts| facts.api() == Some(Api::Launch) || facts.words().is_some_and(missing_browser),
    },
    Rule {
        id: "page-crashed",
        matches: "a call that ended with Target crashed, or that opened chrome://crash",
        category: NavigationError,
        signature: "page_crashed",
        why: "the page crashed",
        when: |facts| {
            facts.ended(End::Crashed) || message(facts).is_some_and(|text| text.ends_with(" at chrome://crash"))
        },
    },
    Rule {
        id: "open-nested",
        matches: "a page that could not be opened, again and again inside toPass",
        category: NavigationError,
        signature: "nav_nested_topass",
        why: "the page could not be opened, however often toPass tried",
        when: |facts| facts.error.retried && matches!(facts.api(), Some(Api::Open | Api::OpenWait)),
    },
    Rule {
        id: "open-network",
        matches: "a call that ended with net::ERR_… or NS_ERROR_…",
        category: NavigationError,
        signature: "nav_net_error",
        why: "the page could not be opened: the network refused",
        when: |facts| facts.ended(End::Network) && facts.api() != Some(Api::Request),
    },
    Rule {
        id: "open-invalid-address",
        matches: "a call that ended with Cannot navigate to invalid URL",
        category: NavigationError,
        signature: "nav_invalid_url",
        why: "the address that should be opened is none",
        when: |facts| facts.ended(End::InvalidUrl) && facts.api() != Some(Api::Request),
    },
    Rule {
        id: "open-closed",
        matches: "a page that was closed while it was opened",
        category: NavigationError,
        signature: "target_closed",
        why: "the page was closed while it was being opened",
        when: |facts| {
            matches!(facts.api(), Some(Api::Open | Api::OpenWait))
                && facts.ended(End::Closed)
                && facts.cut_off_by().is_none()
        },
    },
    Rule {
        id: "open-timeout",
        matches: "page.goto, reload, goBack or setContent that ran out of time, or was cut off by the test's limit",
        category: NavigationError,
        signature: "nav_timeout",
        why: "the page did not open in time",
        when: |facts| facts.api() == Some(Api::Open) && out_of_time(facts),
    },
    Rule {
        id: "open-wait-timeout",
        matches: "waitForURL, waitForNavigation or waitForLoadState that ran out of time",
        category: NavigationError,
        signature: "nav_wait_timeout",
        why: "the navigation that was waited for did not happen in time",
        when: |facts| facts.api() == Some(Api::OpenWait) && out_of_time(facts),
    },
    Rule {
        id: "open-test-ended",
        matches: "page.goto that the end of the test interrupted",
        category: Unrecognized,
        signature: "test_ended",
        why: "the test ended before the page was opened, which a missing await explains",
        when: |facts| matches!(facts.api(), Some(Api::Open | Api::OpenWait)) && facts.ended(End::TestEnded),
    },
    Rule {
        id: "open-failed",
        matches: "any other failure of a call that opens a page",
        category: NavigationError,
        signature: "nav_failed",
        why: "the page could not be opened",
        when: |facts| matches!(facts.api(), Some(Api::Open | Api::OpenWait)) && !misused(facts),
    },
    Rule {
        id: "closed-under-assertion",
        matches: "an assertion that ended because page, context or browser were closed",
        category: NavigationError,
        signature: "target_closed",
        why: "the page was gone before the assertion could be decided",
        when: |facts| {
            let closed = facts.error.body.closed || facts.log.end == Some(LogEnd::Closed) || facts.ended(End::Closed);
            facts.assertion.is_some() && closed && facts.cut_off_by() != Some(Limit::Test)
        },
    },
    Rule {
        id: "closed-under-call",
        matches: "a call that ended because page, context or browser were closed, with no time limit beside it",
        category: NavigationError,
        signature: "target_closed",
        why: "page, context or browser were closed while the call was under way",
        when: |facts| {
            let on_page =
                matches!(facts.api(), Some(Api::Action | Api::Read | Api::ElementWait | Api::Drag | Api::Other));
            on_page
                && (facts.ended(End::Closed) || facts.log.end == Some(LogEnd::Closed))
                && facts.cut_off_by().is_none()
        },
    },
    Rule {
        id: "navigation-hangs",
        matches: "a call or assertion that waited for a locator while a navigation had begun and did not end",
        category: NavigationError,
        signature: "nav_hang_under_action",
        why: "a navigation was under way and never ended, so the page that holds the element was not reached",
        when: |facts| facts.log.navigating && !facts.log.found && facts.log.wait.is_some(),
    },
];

fn out_of_time(facts: &Facts<'_, '_>) -> bool {
    facts.ended(End::Timeout) || facts.cut_off_by().is_some()
}

fn misused(facts: &Facts<'_, '_>) -> bool {
    facts.ended(End::InvalidArgument)
}

fn message<'t>(facts: &Facts<'_, 't>) -> Option<&'t str> {
    match facts.error.head {
        crate::domain::failure::Head::Call(call) => Some(call.message),
        _ => None,
    }
}

/// The runner's words for a browser that is not installed.
fn missing_browser(words: &str) -> bool {
    words.starts_with("Executable doesn't exist at ") || words.starts_with("Failed to launch ")
}
