//! Takes a failure text apart that some tool joined to a single line.
//!
//! This is guesswork: a quoted text may hold the same words. Whoever decides over the result has to be told.

use super::line;

/// What begins a line of the text before the call log.
const BODY_STARTS: [&str; 10] = [
    "Locator: ",
    "Expected: ",
    "Expected string: ",
    "Expected pattern: ",
    "Received: ",
    "Received string: ",
    "Timeout: ",
    "Error: element(s) not found",
    "Call log:",
    "Pending operations:",
];

/// What begins a line of the call log.
const LOG_STARTS: [&str; 22] = [
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
];

/// The lines of `text`, if it is a single line that once was a failure text with a call log.
pub(super) fn split(text: &str) -> Option<String> {
    let text = text.trim();
    if text.contains('\n') {
        return None;
    }
    let (head, log, closed) = match (text.find("Call log:"), text.find(" logs =====")) {
        (_, Some(at)) => {
            let (head, from) = text.split_at(at);
            let log = from.strip_prefix(" logs ").unwrap_or(from).trim_start_matches('=');
            (head.trim_end_matches('='), log, true)
        }
        (Some(at), None) => {
            let (head, from) = text.split_at(at);
            (head, from.strip_prefix("Call log:").unwrap_or(from), false)
        }
        (None, None) => return None,
    };
    let mut lines = String::with_capacity(text.len() + 64);
    push_split(&mut lines, head, &BODY_STARTS);
    let (log, tail) = log.split_at(code_frame(log).unwrap_or(log.len()));
    if closed {
        lines.push_str("\n=========================== logs ===========================");
        let (steps, rest) = log.split_once("====").map_or((log, None), |(steps, rest)| (steps, Some(rest)));
        push_split(&mut lines, steps, &LOG_STARTS);
        if rest.is_some() {
            lines.push_str("\n============================================================");
        }
    } else {
        lines.push_str("\nCall log:");
        push_split(&mut lines, log, &LOG_STARTS);
    }
    if !tail.is_empty() {
        lines.push_str("\n\n");
        lines.push_str(tail.trim_start());
    }
    Some(lines)
}

/// Appends `text`, with a line feed before each of the `starts`, and without the dashes between log lines.
fn push_split(lines: &mut String, text: &str, starts: &[&str]) {
    lines.push('\n');
    let mut rest = text.trim();
    let mut word_start = true;
    while let Some(c) = rest.chars().next() {
        let starts_here = word_start && starts.iter().any(|start| rest.starts_with(start));
        if starts_here {
            let kept = lines.trim_end_matches([' ', '-']).len();
            lines.truncate(kept);
            if !lines.is_empty() && !lines.ends_with('\n') {
                lines.push('\n');
            }
        }
        lines.push(c);
        word_start = c == ' ';
        rest = rest.strip_prefix(c).unwrap_or_default();
    }
}

/// Where a code frame such as ` 44 | test(` or ` > 46 | await` begins.
fn code_frame(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = text.get(from..)?.find(" | ") {
        let bar = from + found;
        let before = text.get(..bar)?;
        let number = before.trim_end_matches(|c: char| c.is_ascii_digit());
        if number.len() < before.len() && number.ends_with(' ') {
            let start = number.trim_end().strip_suffix('>').unwrap_or(number).trim_end().len();
            return Some(start);
        }
        from = bar + 3;
    }
    text.find(" at /").or_else(|| line::stack_start(text))
}
