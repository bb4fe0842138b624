//! Takes a failure text apart that some tool joined to a single line.
//!
//! This is guesswork: a quoted text may hold the same words. Whoever decides over the result has to be told.

use super::line;

/// How many call logs are looked for in one line; what follows them is read as an error of its own.
const MAX_LOGS: usize = 8;

/// What begins a line of the text before the call log.
const BODY_STARTS: [&str; 12] = [
    "Locator: ",
    "Expected: ",
    "Expected string: ",
    "Expected pattern: ",
    "Received: ",
    "Received string: ",
    "Timeout: ",
    "Error: element(s) not found",
    "Error: strict mode violation: ",
    "Pending operations:",
    "message='",
    "name='",
];

/// What begins a line of the call log.
const LOG_STARTS: [&str; 23] = [
    "waiting for ",
    "locator resolved to ",
    "selector resolved to ",
    "frame resolved to ",
    "unexpected value ",
    "attempting ",
    "element is ",
    "element was ",
    "retrying ",
    "scrolling ",
    "done scrolling",
    "performing ",
    "navigating to ",
    "navigated to ",
    "navigations have ",
    "taking ",
    "checking ",
    "expect.",
    "Expect \"",
    "Test timeout of ",
    "Test ended.",
    "Target ",
    "did not find ",
];

/// The lines of `text`, if it is a single line that once was a failure text with a call log.
pub(super) fn split(text: &str) -> Option<String> {
    let mut rest = text.trim();
    if rest.contains('\n') {
        return None;
    }
    let mut lines = String::with_capacity(rest.len() + 256);
    let mut logs = 0;
    while logs < MAX_LOGS
        && let Some((head, log, behind)) = next_log(rest)
    {
        logs += 1;
        push_split(&mut lines, head, &BODY_STARTS, "");
        match log {
            Log::Ruled(steps) => {
                lines.push_str("\n=========================== logs ===========================");
                push_split(&mut lines, steps, &LOG_STARTS, "");
                lines.push_str("\n============================================================");
            }
            Log::Dashed(steps) => {
                lines.push_str("\nCall log:");
                push_split(&mut lines, steps, &LOG_STARTS, "- ");
            }
        }
        lines.push('\n');
        rest = behind;
    }
    lines.push('\n');
    lines.push_str(rest);
    (logs > 0).then_some(lines)
}

/// The steps of a call log, by the kind of its heading.
enum Log<'t> {
    Ruled(&'t str),
    Dashed(&'t str),
}

/// What stands before the first call log, the log, and what stands behind it.
fn next_log(text: &str) -> Option<(&str, Log<'_>, &str)> {
    let dashed = text.find("Call log:");
    let ruled = text.find(" logs =====");
    match (ruled, dashed) {
        (Some(at), dashed) if dashed.is_none_or(|dashed| at < dashed) => {
            let (head, from) = text.split_at(at);
            let log = from.strip_prefix(" logs ").unwrap_or(from).trim_start_matches('=');
            let (steps, behind) = log.split_once("====")?;
            Some((head.trim_end_matches('='), Log::Ruled(steps), behind.trim_start_matches('=')))
        }
        (_, Some(at)) => {
            let (head, from) = text.split_at(at);
            let log = from.strip_prefix("Call log:").unwrap_or(from);
            let (steps, behind) = log.split_at(end_of_log(log));
            Some((head, Log::Dashed(steps), behind))
        }
        _ => None,
    }
}

/// Where a log without an end mark ends: at a code frame, a stack, or another error's log.
fn end_of_log(log: &str) -> usize {
    let ends = [code_frame(log), line::stack_start(log), log.find("Call log:"), log.find("===="), log.find("Error: ")];
    ends.into_iter().flatten().min().unwrap_or(log.len())
}

/// Appends `text`, with a line feed and a `mark` before each of the `starts`, in place of the dashes between log lines.
fn push_split(lines: &mut String, text: &str, starts: &[&str], mark: &str) {
    lines.push('\n');
    let mut rest = text.trim();
    let mut word_start = true;
    while let Some(c) = rest.chars().next() {
        if word_start && (starts.iter().any(|start| rest.starts_with(start)) || is_alternative(rest)) {
            let kept = without_mark(lines).len();
            lines.truncate(kept);
            if !lines.is_empty() && !lines.ends_with('\n') {
                lines.push('\n');
            }
            lines.push_str(mark);
        }
        lines.push(c);
        word_start = c == ' ';
        rest = rest.strip_prefix(c).unwrap_or_default();
    }
}

/// Whether an element of a strict mode violation begins here: `1) <button>`.
fn is_alternative(rest: &str) -> bool {
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    behind.len() < rest.len() && behind.starts_with(") <")
}

/// The text without a log line's dash or repetition count at its end.
fn without_mark(text: &str) -> &str {
    let text = text.trim_end_matches([' ', '-']);
    match text.strip_suffix(" ×") {
        Some(counted) => counted.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches([' ', '-']),
        None => text,
    }
}

/// Where a code frame such as ` 44 | test(` or ` > 46 | await` begins.
fn code_frame(text: &str) -> Option<usize> {
    text.match_indices(" | ").find_map(|(bar, _)| {
        let before = text.get(..bar)?;
        let number = before.trim_end_matches(|c: char| c.is_ascii_digit());
        let counted = number.len() < before.len() && number.ends_with(' ');
        counted.then(|| {
            let start = number.trim_end();
            start.strip_suffix('>').unwrap_or(start).trim_end().len()
        })
    })
}
