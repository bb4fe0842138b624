//! Playwright's call log: what the call waited for, and whether anything was found.

use super::head::Limit;
use super::line::milliseconds;

/// What a call log says, read from its first to its last line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a line that was seen or not, in any combination")]
pub(crate) struct Log<'t> {
    /// The matcher that the log is about: `expect.toBeVisible with timeout 5000ms`.
    pub(crate) matcher: Option<&'t str>,
    /// The time-out in milliseconds that the log is headed with.
    pub(crate) limit: Option<f64>,
    /// The locator that was waited for last.
    pub(crate) wait: Option<Wait<'t>>,
    /// The locator that was waited for first, if it is another one.
    pub(crate) first_wait: Option<&'t str>,
    /// The last element that a locator resolved to, as printed.
    pub(crate) element: Option<&'t str>,
    /// Whether an element was found at any time, frames on the way not counted.
    pub(crate) found: bool,
    /// Whether an element was found, or worked on, after the last wait for a locator began.
    pub(crate) found_since_wait: bool,
    /// The largest number of elements that a list or count assertion saw.
    pub(crate) count: Option<u64>,
    /// Whether a value was compared, be it that of no element.
    pub(crate) compared: bool,
    /// Whether an element went away while it was worked on.
    pub(crate) detached: bool,
    /// Whether a navigation began and did not end.
    pub(crate) navigating: bool,
    /// Whether the call began to work on the element: tried the action, looked for an option.
    pub(crate) attempted: bool,
    /// What ended the call, if the log says it.
    pub(crate) end: Option<LogEnd>,
    /// Whether a locator handler began to run and did not end.
    pub(crate) intercepted: bool,
    /// Whether the log is about opening a page.
    pub(crate) opening: bool,
    /// Whether a line was not understood after the last wait for a locator began.
    pub(crate) strange: bool,
    /// Whether a screenshot was tried and more than one element stood in the way.
    pub(crate) strict: bool,
    /// Whether the last wait was for a frame's element, on the way to the locator (1.20 to 1.25).
    on_the_way: bool,
    /// Whether the log waited for an event, a request, a function: not for a locator.
    pub(crate) other_wait: bool,
}

/// A locator that was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait<'t> {
    /// The locator as printed, or the selector of the old form `selector "…"`.
    pub(crate) locator: &'t str,
    /// Whether the wait was for the element to go away: `to be hidden`, `to be detached`.
    pub(crate) for_absence: bool,
    /// Whether it is the old form `selector "…"`.
    pub(crate) old: bool,
}

/// What a log's last line says about the end of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogEnd {
    /// The test's own time ran out.
    TestTimeout,
    /// The test ended while the call was under way.
    TestEnded,
    /// Page, context or browser were closed.
    Closed,
}

/// Lines that say nothing about whether an element was found.
const NEUTRAL: [&str; 12] = [
    "verifying given screenshot expectation",
    "generating new screenshot expectation",
    "generating new stable screenshot expectation",
    "taking page screenshot",
    "taking element screenshot",
    "disabled all CSS animations",
    "fonts loaded",
    "waiting for fonts to load",
    "navigations have finished",
    "locator handler has finished",
    "Timeout ",
    "timeout ",
];

/// Lines that are written only once an element is there.
const WORKING: [&str; 17] = [
    "attempting ",
    "retrying ",
    "element is ",
    "waiting for element ",
    "scrolling ",
    "done scrolling",
    "performing ",
    "forcing action",
    "did not find some options",
    "selecting specified option",
    "selected specified option",
    "checking that element ",
    "elementHandle.",
    "clicking the ",
    "captured a stable screenshot",
    "fill(",
    "setting input files",
];

impl<'t> Log<'t> {
    /// Reads one line of the log, without its dash and its repetition count.
    pub(crate) fn read(&mut self, step: &'t str) {
        if step.starts_with("waiting for") && step.contains("\" navigation to finish") {
            // Some versions put the space behind the quote.
            self.navigating = true;
        } else if let Some(rest) = step.strip_prefix("waiting for ") {
            self.waiting(step, rest);
        } else if let Some(rest) = resolution(step) {
            self.resolved(rest);
        } else if step.starts_with("unexpected value ") {
            // Printed whether or not there was an element.
            self.compared = true;
        } else if let Some(end) = LogEnd::read(step) {
            self.end = Some(end);
        } else if step.starts_with("navigated to ") {
            self.navigating = false;
        } else if step.starts_with("element was detached") || step.starts_with("element is not attached") {
            self.detached = true;
            self.work();
        } else if WORKING.iter().any(|start| step.starts_with(start)) || step.ends_with(" action done") {
            self.work();
        } else if step.ends_with(", intercepting action to run the handler") {
            self.intercepted = true;
        } else if step.starts_with("interception handler has finished") {
            self.intercepted = false;
        } else if step.starts_with("navigating to ") {
            self.opening = true;
        } else if step.contains("strict mode violation: ") {
            self.strict = true;
        } else if self.wait.is_none() && self.header(step) || NEUTRAL.iter().any(|start| step.starts_with(start)) {
            self.navigating &= step != "navigations have finished";
        } else {
            self.strange = true;
        }
    }

    fn waiting(&mut self, step: &'t str, rest: &'t str) {
        if rest.starts_with("scheduled navigations") {
            self.navigating = true;
        } else if let Some(wait) = Wait::read(rest) {
            let known = self.wait.map(|wait| wait.locator);
            self.first_wait = self.first_wait.or(known.filter(|known| *known != wait.locator));
            self.wait = Some(wait);
            self.found_since_wait = false;
            self.attempted = false;
            self.strange = false;
            self.on_the_way = false;
        } else if rest.starts_with("frame \"") {
            // What a frame's selector resolves to is not what the call was for.
            self.on_the_way = true;
        } else if rest.starts_with("element ") {
            self.work();
        } else if rest.starts_with("navigation ") {
            self.opening = true;
        } else if !NEUTRAL.iter().any(|start| step.starts_with(start)) {
            self.other_wait = true;
        }
    }

    fn resolved(&mut self, rest: &'t str) {
        if let Some((count, behind)) =
            rest.split_once(" element").and_then(|(n, rest)| Some((n.parse::<u64>().ok()?, rest)))
        {
            self.count = self.count.max(Some(count));
            if count == 0 {
                return;
            }
            self.element = behind.find('<').and_then(|at| behind.get(at..)).or(self.element);
        } else {
            let element = rest.trim_start_matches("visible ").trim_start_matches("hidden ");
            let frame = element.starts_with("<iframe") || element.starts_with("<frame");
            self.element = Some(element);
            if frame && self.on_the_way {
                return;
            }
        }
        self.found = true;
        self.found_since_wait = true;
    }

    fn work(&mut self) {
        self.found = true;
        self.found_since_wait = true;
        self.attempted = true;
    }

    /// Reads `expect.toBeVisible with timeout 5000ms` and its later forms.
    fn header(&mut self, step: &'t str) -> bool {
        let Some((what, limit)) = step.rsplit_once(" with timeout ") else { return false };
        self.limit = milliseconds(limit).map(|(limit, _)| limit);
        let quoted = what.strip_prefix("Expect \"").and_then(|quoted| quoted.split_once('"')).map(|(name, _)| name);
        let word = !what.contains([' ', ':']) && (what.contains("expect") || what.contains("Assertions."));
        self.matcher = quoted.or(word.then_some(what));
        true
    }

    /// Whether the last wait was for a frame on the way.
    pub(crate) fn on_the_way(&self) -> bool {
        self.on_the_way
    }
}

impl LogEnd {
    /// Reads the line that says how the call was cut off.
    pub(crate) fn read(step: &str) -> Option<Self> {
        if Limit::read(step) == Some(Limit::Test) {
            Some(Self::TestTimeout)
        } else if step.starts_with("Test ended") {
            Some(Self::TestEnded)
        } else {
            is_closed(step).then_some(Self::Closed)
        }
    }
}

/// Whether the words say that a page, a context, a frame or the browser is gone.
pub(crate) fn is_closed(text: &str) -> bool {
    let gone = ["Target ", "Page ", "Context ", "Browser ", "Frame ", "Navigation failed because "];
    gone.iter().any(|start| text.starts_with(start))
        && [" closed", " detached", "been disconnected"].iter().any(|end| text.contains(end))
}

/// What stands behind `locator resolved to `.
fn resolution(step: &str) -> Option<&str> {
    ["locator", "selector", "frame"].iter().find_map(|word| step.strip_prefix(*word)?.strip_prefix(" resolved to "))
}

impl<'t> Wait<'t> {
    /// Reads `locator('#x') to be visible` or `selector "#x" to be hidden`.
    fn read(rest: &'t str) -> Option<Self> {
        let (what, state) = match rest.rsplit_once(" to be ") {
            Some((what, state)) if state.bytes().all(|b| b.is_ascii_lowercase()) => (what, state),
            _ => (rest, ""),
        };
        let for_absence = matches!(state, "hidden" | "detached");
        let old = what.strip_prefix("selector \"").and_then(|selector| selector.strip_suffix('"'));
        let locator = match old {
            Some(selector) => selector,
            None if is_locator(what) => what,
            None => return None,
        };
        Some(Self { locator, for_absence, old: old.is_some() })
    }
}

/// Whether the locator looks inside a frame.
pub(crate) fn enters_frame(locator: &str) -> bool {
    let words = [
        "rameLocator(",
        "rame_locator(",
        "contentFrame()",
        "content_frame",
        "ContentFrame",
        "internal:control=enter-frame",
    ];
    words.iter().any(|word| locator.contains(word))
}

/// Whether the text is a locator in the form that Playwright prints, whole from first to last character.
pub(crate) fn is_locator(text: &str) -> bool {
    let Some((method, _)) = text.split_once('(') else { return false };
    let known = ["locator", "framelocator", "frame_locator", "getby", "get_by_"];
    let start =
        known.iter().any(|known| method.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known)));
    let word = method.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    start && word && ends_whole(text)
}

/// Whether the text ends where a chain of calls ends: all brackets outside quotes are closed.
fn ends_whole(text: &str) -> bool {
    let mut depth = 0_i32;
    let mut quote = None;
    let mut escaped = false;
    for b in text.bytes() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if b == b'\\' => escaped = true,
            Some(q) if q == b => quote = None,
            Some(_) => {}
            None => match b {
                b'"' | b'\'' | b'`' => quote = Some(b),
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            },
        }
    }
    let closed = quote.is_none() && depth == 0 && (text.ends_with(')') || text.ends_with("content_frame"));
    // A regular expression may hold a bracket or a quote of its own.
    closed || text.ends_with(')') && text.contains('/')
}

#[cfg(test)]
mod tests {
    use super::{Log, LogEnd, is_locator};

    fn read<'t>(steps: &[&'t str]) -> Log<'t> {
        let mut log = Log::default();
        for step in steps {
            log.read(step);
        }
        log
    }

    #[test]
    fn a_locator_that_never_resolved_was_not_found() {
        let log = read(&["waiting for locator('#x') to be visible"]);
        assert_eq!(log.wait.map(|wait| (wait.locator, wait.for_absence)), Some(("locator('#x')", false)));
        assert!(!log.found && !log.strange);
    }

    #[test]
    fn the_old_form_gives_the_selector() {
        assert_eq!(
            read(&["waiting for selector \"#a\" to be hidden"]).wait.map(|w| (w.locator, w.for_absence)),
            Some(("#a", true))
        );
    }

    #[test]
    fn zero_elements_are_not_found_and_two_are() {
        assert!(!read(&["waiting for locator('a')", "locator resolved to 0 elements"]).found);
        let log = read(&["locator resolved to 2 elements. Proceeding with the first one: <a>x</a>"]);
        assert_eq!((log.found, log.count, log.element), (true, Some(2), Some("<a>x</a>")));
    }

    #[test]
    fn a_frame_on_the_way_is_not_the_element() {
        let log = read(&[
            "waiting for frame \"#f\"",
            "selector resolved to visible <iframe src=x>",
            "waiting for selector \"#x\"",
        ]);
        assert!(!log.found && !log.found_since_wait);
    }

    #[test]
    fn the_target_of_a_drag_is_waited_for_after_the_source_was_found() {
        let log = read(&[
            "waiting for locator('#a')",
            "locator resolved to <a>",
            "attempting move and down action",
            "waiting for locator('#b')",
        ]);
        assert_eq!(
            (log.first_wait, log.found, log.found_since_wait, log.attempted),
            (Some("locator('#a')"), true, false, false)
        );
    }

    #[test]
    fn a_navigation_that_did_not_end_is_under_way() {
        assert!(read(&["waiting for\" http://a/ \" navigation to finish..."]).navigating);
        assert!(!read(&["waiting for \"http://a/\" navigation to finish...", "navigated to \"http://a/\""]).navigating);
    }

    #[test]
    fn the_last_line_may_say_who_ended_the_call() {
        assert_eq!(read(&["Test ended."]).end, Some(LogEnd::TestEnded));
        assert_eq!(read(&["Target page, context or browser has been closed"]).end, Some(LogEnd::Closed));
    }

    #[test]
    fn a_locator_is_whole_and_begins_with_a_locator_method() {
        for text in [
            "locator('#a')",
            "getByRole('button', { name: /a(b/i })",
            "get_by_text(\"a)\")",
            "locator('#f').contentFrame().locator('a')",
            "GetByRole(AriaRole.Button, new() { Name = \"x\" })",
        ] {
            assert!(is_locator(text), "{text}");
        }
        for text in ["inventory service", "locator('#a", "locator", "event \"x\"", "locators(1)x", "locator('#a') …"]
        {
            assert!(!is_locator(text), "{text}");
        }
    }
}
