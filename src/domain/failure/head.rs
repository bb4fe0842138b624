//! The first line of an error: which call failed or which assertion, and in what words.

use super::line::{milliseconds, without_error_names};

/// What the first line of an error says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Head<'t> {
    /// A call of Playwright's API failed.
    Call(Call<'t>),
    /// An assertion failed.
    Expect(Expect<'t>),
    /// The runner stopped something that took too long.
    Limit(Limit),
    /// Anything else: the text behind the names of error classes.
    Other(&'t str),
}

/// A failed call: `locator.click: Timeout 1500ms exceeded.`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call<'t> {
    /// The class, as printed: `locator`, `Page`, `browserType`.
    pub(crate) receiver: &'t str,
    /// The method, as printed: `click`, `wait_for`.
    pub(crate) method: &'t str,
    /// What stands behind the API name and the names of error classes.
    pub(crate) message: &'t str,
    /// Whether other words stand before the API name: somebody caught the error and threw it again.
    pub(crate) wrapped: bool,
}

/// A failed assertion: `expect(locator).not.toHaveText(expected) failed`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Expect<'t> {
    /// What was asserted on, as printed: `locator`, `page`, `received`; empty in other languages than JavaScript.
    pub(crate) subject: &'t str,
    /// The matcher, as printed: `toBeVisible`, `to be visible`.
    pub(crate) matcher: &'t str,
    /// Whether the assertion was negated.
    pub(crate) negated: bool,
    /// The time-out in milliseconds, where the line says that it ran out.
    pub(crate) timed_out: Option<f64>,
    /// Whether the line ends in `failed`: the wording from 1.56 on, which always says so when nothing matched.
    pub(crate) says_failed: bool,
}

/// A time limit of the runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// `Test timeout of 4000ms exceeded.`
    Test,
    /// `Test timeout of … exceeded while running "beforeEach" hook.`, `"beforeAll" hook timeout of …`
    Hook,
    /// `Test timeout of … exceeded while setting up "x".`, `Fixture "x" timeout of …`
    Fixture,
    /// `Test timeout of … exceeded while tearing down "context".`, `Tearing down "context" exceeded the test timeout of …`
    TearDown,
    /// `Step timeout of … exceeded.`
    Step,
}

impl<'t> Head<'t> {
    /// Reads the first line of an error.
    pub(crate) fn read(line: &'t str) -> Self {
        let (text, _) = without_error_names(line);
        let text = text.trim_end();
        if let Some(head) = Self::known(text) {
            return head;
        }
        // Some bindings, and setInputFiles in some versions, do not name the call; the log has to show that it was one.
        if let Some((_, rest)) = text.strip_prefix("Timeout ").and_then(milliseconds)
            && (rest == " exceeded." || rest.starts_with(" exceeded while waiting for event \""))
        {
            return Self::nameless(text);
        }
        wrapped(text).map_or(Self::Other(text), Self::Call)
    }

    /// A call whose name the binding does not print.
    pub(crate) fn nameless(message: &'t str) -> Self {
        Self::Call(Call { receiver: "", method: "", message, wrapped: false })
    }

    /// Reads a line that is an error's first line whatever stands around it; `None` for any other line.
    pub(crate) fn known(text: &'t str) -> Option<Self> {
        let first = text.bytes().next()?;
        if !(first.is_ascii_alphabetic() || first == b'"') {
            return None;
        }
        if let Some(limit) = Limit::read(text) {
            return Some(Self::Limit(limit));
        }
        Expect::read(text).map(Self::Expect).or_else(|| call(text).map(Self::Call))
    }
}

/// Classes of Playwright's API that stand before a method in an error, in lower case and without underscores.
const RECEIVERS: [&str; 37] = [
    "locator",
    "page",
    "frame",
    "elementhandle",
    "jshandle",
    "browser",
    "browsercontext",
    "context",
    "browsertype",
    "apirequestcontext",
    "apirequest",
    "apiresponse",
    "request",
    "response",
    "route",
    "download",
    "filechooser",
    "framelocator",
    "keyboard",
    "mouse",
    "touchscreen",
    "tracing",
    "video",
    "worker",
    "websocket",
    "dialog",
    "clock",
    "electron",
    "electronapplication",
    "expect",
    "selectors",
    "playwright",
    "consolemessage",
    "coverage",
    "cdpsession",
    "test",
    "undefined",
];

fn is_receiver(word: &str) -> bool {
    RECEIVERS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Splits `locator.click: message`.
fn call(text: &str) -> Option<Call<'_>> {
    let (api, message) = text.split_once(':')?;
    let message = message.strip_prefix(' ').or_else(|| message.is_empty().then_some(""))?;
    // Component tests name no call at all: `undefined: Target closed`.
    let (receiver, method) = api.split_once('.').or_else(|| (api == "undefined").then_some((api, "")))?;
    let method_is_word = method.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$'));
    if !is_receiver(receiver) || !method_is_word {
        return None;
    }
    let (message, _) = without_error_names(message);
    Some(Call { receiver, method, message, wrapped: false })
}

/// Finds a call behind other words: `signing in: locator.click: Timeout 1500ms exceeded.`
fn wrapped(text: &str) -> Option<Call<'_>> {
    text.match_indices(": ").find_map(|(at, colon)| {
        let (inner, _) = without_error_names(text.get(at + colon.len()..)?);
        let call = call(inner)?;
        (call.receiver != "undefined").then_some(Call { wrapped: true, ..call })
    })
}

impl<'t> Expect<'t> {
    fn read(text: &'t str) -> Option<Self> {
        Self::javascript(text).or_else(|| Self::other(text))
    }

    /// `Timed out 1200ms waiting for expect(locator).not.toBeVisible()`.
    fn javascript(text: &'t str) -> Option<Self> {
        let (timed_out, rest) = match text.strip_prefix("Timed out ").and_then(milliseconds) {
            Some((limit, rest)) => (Some(limit), rest.strip_prefix(" waiting for ")?),
            None => (None, text),
        };
        let rest = rest.strip_prefix("expect")?;
        let (modifier, rest) = rest.split_once('(')?;
        if !(modifier.is_empty() || modifier.starts_with('.')) {
            return None;
        }
        let (subject, rest) = rest.split_once(')')?;
        let mut rest = rest.strip_prefix('.')?;
        let mut negated = false;
        while let Some((word, behind)) = rest.split_once('.') {
            match word {
                "not" => negated = true,
                "resolves" | "rejects" | "soft" => {}
                _ => break,
            }
            rest = behind;
        }
        let (matcher, behind) = rest.split_once('(')?;
        let word = !matcher.is_empty() && matcher.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let says_failed = behind.ends_with(" failed");
        word.then_some(Self { subject, matcher, negated, timed_out, says_failed })
    }

    /// `Locator expected not to be visible`, of Python, Java and .NET.
    fn other(text: &'t str) -> Option<Self> {
        let assertion =
            |matcher, negated| Some(Self { subject: "", matcher, negated, timed_out: None, says_failed: false });
        for (start, matcher) in [
            ("Page URL expected", "toHaveURL"),
            ("Page title expected", "toHaveTitle"),
            ("Response status expected", "toBeOK"),
        ] {
            if let Some(rest) = text.strip_prefix(start) {
                return assertion(matcher, rest.starts_with(" not "));
            }
        }
        let rest = text.strip_prefix("Locator expected ")?;
        let (negated, rest) = rest.strip_prefix("not ").map_or((false, rest), |rest| (true, rest));
        rest.starts_with("to ").then(|| assertion(rest, negated)).flatten()
    }
}

impl Limit {
    /// Reads one of the runner's own sentences about a time limit.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if text.starts_with("Tearing down \"") && text.contains("\" exceeded the test timeout of ") {
            return Some(Self::TearDown);
        }
        let old = text.strip_prefix("Timeout of ").map(|rest| ("Test", rest));
        let (subject, rest) = old.or_else(|| text.split_once(" timeout of "))?;
        let (_, rest) = milliseconds(rest)?;
        let rest = rest.strip_prefix(" exceeded")?;
        match subject {
            "Test" if rest.starts_with(" while running ") => Some(Self::Hook),
            "Test" if rest.starts_with(" while setting up ") => Some(Self::Fixture),
            "Test" if rest.starts_with(" while tearing down ") => Some(Self::TearDown),
            "Test" if rest.is_empty() || rest.starts_with('.') => Some(Self::Test),
            "Step" => Some(Self::Step),
            _ if subject.ends_with("\" modifier") => Some(Self::Hook),
            _ if subject.starts_with('"') && subject.ends_with("\" hook") => Some(Self::Hook),
            _ if subject.starts_with("Fixture \"") => Some(Self::Fixture),
            _ if subject.ends_with("teardown") => Some(Self::TearDown),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Call, Expect, Head, Limit};

    #[test]
    fn a_call_is_named_by_class_and_method() {
        let call = |receiver, method, message, wrapped| Head::Call(Call { receiver, method, message, wrapped });
        for (line, head) in [
            ("locator.click: Timeout 1ms exceeded.", call("locator", "click", "Timeout 1ms exceeded.", false)),
            ("TimeoutError: page.goto: net::ERR_X at y", call("page", "goto", "net::ERR_X at y", false)),
            ("Error: locator.fill: Error: no", call("locator", "fill", "no", false)),
            ("playwright._impl._errors.Error: Page.goto: x", call("Page", "goto", "x", false)),
            ("undefined: Target closed", call("undefined", "", "Target closed", false)),
            ("Error: log in: TimeoutError: locator.click: a", call("locator", "click", "a", true)),
        ] {
            assert_eq!(Head::read(line), head, "{line}");
        }
    }

    #[test]
    fn an_assertion_is_named_by_subject_and_matcher() {
        let expect = |subject, matcher, negated, timed_out, says_failed| {
            Head::Expect(Expect { subject, matcher, negated, timed_out, says_failed })
        };
        for (line, head) in [
            (
                "Error: expect(received).toEqual(expected) // deep equality",
                expect("received", "toEqual", false, None, false),
            ),
            (
                "Timed out 1.5ms waiting for expect(locator).not.toBeVisible()",
                expect("locator", "toBeVisible", true, Some(1.5), false),
            ),
            ("Error: expect(page).toHaveURL(expected) failed", expect("page", "toHaveURL", false, None, true)),
            ("AssertionError: Locator expected not to be hidden", expect("", "to be hidden", true, None, false)),
        ] {
            assert_eq!(Head::read(line), head, "{line}");
        }
    }

    #[test]
    fn a_time_limit_says_what_it_limits() {
        for (line, limit) in [
            ("Test timeout of 4000ms exceeded.", Limit::Test),
            ("Timeout of 4000ms exceeded.", Limit::Test),
            ("Test timeout of 1ms exceeded while running \"beforeEach\" hook.", Limit::Hook),
            ("\"beforeAll\" hook timeout of 1ms exceeded.", Limit::Hook),
            ("Test timeout of 1ms exceeded while setting up \"slow\".", Limit::Fixture),
            ("Fixture \"slow\" timeout of 1ms exceeded during setup.", Limit::Fixture),
            ("Test timeout of 1ms exceeded while tearing down \"context\".", Limit::TearDown),
            ("Tearing down \"page\" exceeded the test timeout of 1ms.", Limit::TearDown),
            ("\"skip\" modifier timeout of 1ms exceeded.", Limit::Hook),
            ("TimeoutError: Step timeout of 1ms exceeded.", Limit::Step),
        ] {
            assert_eq!(Head::read(line), Head::Limit(limit), "{line}");
        }
    }

    #[test]
    fn a_sentence_that_only_sounds_like_playwright_is_something_else() {
        for line in [
            "Timeout 1500ms exceeded while we waited.",
            "waiting for expect(locator).toBeVisible()",
            "Stock timeout of goods",
            "cart.click: no",
        ] {
            assert!(matches!(Head::read(line), Head::Other(_)), "{line}");
        }
    }
}
