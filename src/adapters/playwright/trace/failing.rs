//! Which action failed the test. A test's last error is often not it: an `afterEach` may have moved on, a caught error
//! fails nothing, a retried block fails many times, and a test that ran out of time has only a pending call.

use super::model::{Action, StackFrame, TestFailure, TestPart};

/// What else is known of the failure, from a report. Everything is optional; without it the trace's own errors decide.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hint<'a> {
    /// The error's text as reported.
    pub message: Option<&'a str>,
    /// The locator as printed in it.
    pub locator: Option<&'a str>,
    /// The file and line that the report names; a path's end is enough.
    pub line: Option<(&'a str, u32)>,
}

/// An action that may have failed the test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingCandidate {
    /// Its index in [`super::Trace::actions`].
    pub action: usize,
    /// How well it fits, best first.
    pub fit: Fit,
}

/// How well an action fits the failure; the greatest fits best. Fields are in order of weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, compared in order")]
pub struct Fit {
    /// Its error is the test's error.
    pub same_error: bool,
    /// Its log or its error names the locator that the test's error names.
    pub same_locator: bool,
    /// It was called on the line that the test's error names.
    pub same_line: bool,
    /// It is no action of a hook that runs after the test, or the test's error says that it is.
    pub before_teardown: bool,
    /// It works on a page with a selector.
    pub has_selector: bool,
}

/// Ranks all failed and pending actions: best first; of equals the one whose error comes first in the test's, then the
/// one that ended last.
pub(super) fn candidates(actions: &[Action], failures: &[TestFailure], hint: &Hint<'_>) -> Vec<FailingCandidate> {
    let wanted = Wanted::new(failures, hint);
    let mut found: Vec<(Fit, usize, f64, usize)> = Vec::new();
    for (at, action) in actions.iter().enumerate() {
        // A step that is merely going on says nothing: the recording ends inside `After Hooks`.
        let failed = if action.is_step() { action.step_error.is_some() } else { action.failed_or_pending() };
        if !failed || is_above_failure(actions, at) {
            continue;
        }
        let ended = action.end.unwrap_or(f64::MAX);
        found.push((wanted.fit(actions, at, action), wanted.position(action), ended, at));
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(b.2.total_cmp(&a.2)).then(b.3.cmp(&a.3)));
    found.into_iter().map(|(fit, _, _, action)| FailingCandidate { action, fit }).collect()
}

/// Whether a step failed only because something inside it did: the inner one is meant.
fn is_above_failure(actions: &[Action], at: usize) -> bool {
    let inside = actions.iter().skip(at + 1).filter(|action| action.failed_or_pending());
    let is_step = actions.get(at).is_some_and(Action::is_step);
    is_step && inside.into_iter().any(|action| action.parent == Some(at))
}

/// The errors to look for, the first one that says most.
struct Wanted<'a> {
    messages: Vec<String>,
    lines: Vec<(&'a str, u32)>,
    locator: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    fn new(failures: &'a [TestFailure], hint: &Hint<'a>) -> Self {
        let hinted = hint.message.map(|message| anstream::adapter::strip_str(message).to_string());
        let first = failures.iter().find(|failure| !is_bare_timeout(&failure.message));
        // The text of a report may hold several errors or less than one: then the trace's own errors still tell.
        let (messages, lines) = match (hinted, first) {
            (Some(message), _) => {
                let same = failures.iter().filter(|failure| agree(&failure.message, &message));
                let lines = same.filter_map(|failure| place(&failure.stack)).collect();
                (vec![message], lines)
            }
            (None, Some(failure)) => {
                (vec![failure.message.clone()], place(&failure.stack).into_iter().collect::<Vec<_>>())
            }
            (None, None) => (Vec::new(), Vec::new()),
        };
        let lines = hint.line.map_or(lines, |line| vec![line]);
        Self { messages, lines, locator: hint.locator }
    }

    /// Where in the test's error the action's error stands.
    fn position(&self, action: &Action) -> usize {
        let text = action.error_text().map(essence).filter(|text| !text.is_empty());
        let place = text.and_then(|text| self.messages.iter().find_map(|message| message.find(text)));
        place.unwrap_or(usize::MAX)
    }

    fn fit(&self, actions: &[Action], at: usize, action: &Action) -> Fit {
        let says = |text: &str| self.messages.iter().any(|message| agree(message, text));
        let around = std::iter::successors(action.parent, |&up| actions.get(up)?.parent.filter(|&next| next < up));
        let lines = std::iter::once(at).chain(around).filter_map(|at| actions.get(at)).flat_map(|action| &action.stack);
        let is_wanted_line = |frame: &StackFrame| {
            self.lines.iter().any(|&(file, line)| line == frame.line && same_file(&frame.file, file))
        };
        let same_line = lines.into_iter().any(is_wanted_line);
        let mut waits = action.log.iter().filter_map(|line| line.trim().strip_prefix("waiting for "));
        let same_locator = match self.locator {
            Some(locator) => {
                waits.any(|text| text == locator) || action.error_text().is_some_and(|text| text.contains(locator))
            }
            None => waits.any(|text| self.messages.iter().any(|message| waits_for(message, text))),
        };
        Fit {
            same_error: action.error_text().is_some_and(says),
            same_locator,
            same_line,
            before_teardown: matches!(action.part, TestPart::Body | TestPart::BeforeHooks) || same_line,
            has_selector: action.selector.is_some(),
        }
    }
}

/// Whether an error's call log says that it waited for just this.
fn waits_for(message: &str, locator: &str) -> bool {
    message.lines().any(|line| line.trim_start_matches([' ', '-']).strip_prefix("waiting for ") == Some(locator))
}

/// `Test timeout of 30000ms exceeded.` and nothing more: true of the test, and silent on the cause.
fn is_bare_timeout(message: &str) -> bool {
    message.contains("timeout of ") && message.contains("ms exceeded") && !message.contains("waiting for ")
}

fn place(stack: &[StackFrame]) -> Option<(&str, u32)> {
    stack.first().map(|frame| (frame.file.as_str(), frame.line))
}

/// Whether one of two error texts holds the other, but for the error's name at the beginning and white space at the end.
fn agree(left: &str, right: &str) -> bool {
    let (left, right) = (essence(left), essence(right));
    !left.is_empty() && !right.is_empty() && (left.contains(right) || right.contains(left))
}

/// The text without a leading `TimeoutError: ` and the like.
fn essence(message: &str) -> &str {
    let text = message.trim();
    match text.split_once(": ") {
        Some((name, rest)) if name.ends_with("Error") && !name.contains(char::is_whitespace) => rest.trim(),
        _ => text,
    }
}

/// Whether two paths name one file, as far as the shorter one says: reports may have paths relative to the project.
fn same_file(left: &str, right: &str) -> bool {
    let parts = |path: &str| {
        path.split(['/', '\\'])
            .rev()
            .filter(|part| !part.is_empty() && *part != ".")
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (left, right) = (parts(left), parts(right));
    !left.is_empty() && !right.is_empty() && left.iter().zip(&right).all(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_agree_whatever_stands_around_them() {
        let inner = "TimeoutError: locator.click: Timeout 200ms exceeded.\nCall log:\n  - waiting for locator('#a')\n";
        let outer = "Error: locator.click: Timeout 200ms exceeded.\nCall log:\n  - waiting for locator('#a')\n\n\nCall Log:\n- x";
        assert!(agree(inner, outer) && agree(outer, inner));
        assert!(!agree(inner, &outer.replace("#a", "#b")));
        assert!(!agree("", outer) && !agree("Error: ", outer), "nothing agrees with nothing");
    }

    #[test]
    fn a_locator_is_waited_for_only_as_a_whole() {
        let message = "Call log:\n  - waiting for locator('#a').first()\n";
        assert!(waits_for(message, "locator('#a').first()"));
        assert!(!waits_for(message, "locator('#a')"));
    }

    #[test]
    fn paths_agree_as_far_as_the_shorter_one_says() {
        assert!(same_file("/project/tests/a.spec.ts", "tests/a.spec.ts"));
        assert!(same_file("C:\\project\\tests\\a.spec.ts", "a.spec.ts"));
        assert!(!same_file("/project/tests/a.spec.ts", "other/a.spec.ts"));
        assert!(!same_file("/project/tests/a.spec.ts", ""));
    }

    #[test]
    fn of_several_errors_the_first_one_reported_is_meant() {
        let action = |message: &str, end: f64| Action {
            class: "Frame".to_owned(),
            selector: Some("#a".to_owned()),
            step_error: Some(super::super::ActionError { name: String::new(), message: message.to_owned() }),
            end: Some(end),
            ..Action::default()
        };
        let actions = [action("Error: first", 1.0), action("Error: second", 2.0), action("Error: third", 3.0)];
        let hint = Hint { message: Some("Error: second\n\nError: first"), ..Hint::default() };
        let found: Vec<usize> = candidates(&actions, &[], &hint).iter().map(|candidate| candidate.action).collect();
        assert_eq!(found, [1, 0, 2]);
    }
}
