//! What kind of call an API name stands for.

use crate::domain::failure::Call;

/// Kinds of calls, as far as gate one tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Api {
    /// Opens a page: `page.goto`, `page.reload`, `page.setContent`.
    Open,
    /// Waits for a navigation: `page.waitForURL`.
    OpenWait,
    /// Starts a browser.
    Launch,
    /// Connects to a browser.
    Connect,
    /// Sends a request outside a page.
    Request,
    /// Waits for an event, a request, a response.
    EventWait,
    /// Waits for a function in the page.
    FunctionWait,
    /// Waits for an element.
    ElementWait,
    /// Reads something of an element.
    Read,
    /// Drags one element to another.
    Drag,
    /// Asserts.
    Expect,
    /// Anything else that is called on a page, a frame or a locator.
    Action,
    /// A call on something that has no locators.
    Other,
}

const OPEN: [&str; 5] = ["goto", "reload", "goback", "goforward", "setcontent"];
const OPEN_WAIT: [&str; 5] =
    ["waitforurl", "waitfornavigation", "waitforloadstate", "expectnavigation", "runandwaitfornavigation"];
const ELEMENT_WAIT: [&str; 3] = ["waitforselector", "waitfor", "waitforelementstate"];
const DRAG: [&str; 2] = ["dragto", "draganddrop"];
const READ: [&str; 19] = [
    "textcontent",
    "innertext",
    "innerhtml",
    "inputvalue",
    "getattribute",
    "isvisible",
    "ishidden",
    "isenabled",
    "isdisabled",
    "ischecked",
    "iseditable",
    "boundingbox",
    "evaluate",
    "evaluatehandle",
    "screenshot",
    "ariasnapshot",
    "elementhandle",
    "count",
    "alltextcontents",
];

impl Api {
    /// Sorts a call by its class and method, in the spelling of any binding.
    pub(super) fn of(call: &Call<'_>) -> Self {
        let receiver = call.receiver;
        let is = |word: &str| receiver.eq_ignore_ascii_case(word);
        if is("browserType") {
            return if starts(call.method, "connect") { Self::Connect } else { Self::Launch };
        }
        if is("expect") {
            return Self::Expect;
        }
        if is("apiRequestContext") || is("apiRequest") || is("request") {
            return Self::Request;
        }
        let method = |names: &[&str]| names.iter().any(|name| same(call.method, name));
        if method(&OPEN) {
            Self::Open
        } else if method(&OPEN_WAIT) {
            Self::OpenWait
        } else if same(call.method, "waitforfunction") {
            Self::FunctionWait
        } else if method(&ELEMENT_WAIT) {
            Self::ElementWait
        } else if starts(call.method, "waitfor") && !same(call.method, "waitfortimeout")
            || starts(call.method, "expect")
        {
            Self::EventWait
        } else if method(&DRAG) {
            Self::Drag
        } else if method(&READ) {
            Self::Read
        } else if ["locator", "page", "frame", "elementHandle", "frameLocator", ""].iter().any(|word| is(word)) {
            Self::Action
        } else {
            Self::Other
        }
    }
}

/// Whether `name` is `plain` but for case, underscores and the `Async` of .NET.
fn same(name: &str, plain: &str) -> bool {
    name.strip_suffix("Async")
        .unwrap_or(name)
        .bytes()
        .filter(|b| *b != b'_')
        .map(|b| b.to_ascii_lowercase())
        .eq(plain.bytes())
}

/// Whether `name` starts with `plain` but for case and underscores.
fn starts(name: &str, plain: &str) -> bool {
    let mut letters = name.bytes().filter(|b| *b != b'_').map(|b| b.to_ascii_lowercase());
    plain.bytes().all(|b| letters.next() == Some(b))
}

#[cfg(test)]
mod tests {
    use super::Api;
    use crate::domain::failure::Call;

    #[test]
    fn the_spelling_of_a_binding_does_not_matter() {
        for (receiver, method, api) in [
            ("page", "goto", Api::Open),
            ("Page", "GotoAsync", Api::Open),
            ("Locator", "wait_for", Api::ElementWait),
            ("page", "waitForURL", Api::OpenWait),
            ("Page", "wait_for_url", Api::OpenWait),
            ("page", "waitForResponse", Api::EventWait),
            ("page", "waitForTimeout", Api::Action),
            ("browserType", "connectOverCDP", Api::Connect),
            ("browserType", "launchPersistentContext", Api::Launch),
            ("apiRequestContext", "get", Api::Request),
            ("locator", "dragTo", Api::Drag),
            ("browserContext", "newPage", Api::Other),
        ] {
            assert_eq!(Api::of(&Call { receiver, method, message: "", wrapped: false }), api, "{receiver}.{method}");
        }
    }
}
