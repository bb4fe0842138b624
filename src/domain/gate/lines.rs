//! Rules A2 and A3: the two texts are the same, line by line and ending by ending, but for one line.

use super::violation::{Prohibition, Violation};

/// The one line that differs, and how far the texts agree from both ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'t> {
    /// The line's number, from one.
    pub(super) line: usize,
    /// The line before, without its ending.
    pub(super) old: &'t str,
    /// The line after, without its ending.
    pub(super) new: &'t str,
    /// Where the line starts in both texts, in bytes.
    pub(super) start: usize,
    /// How many bytes of the texts agree from the start.
    pub(super) prefix: usize,
    /// How many bytes of the texts agree from the end. May overlap with `prefix` in either text.
    pub(super) suffix: usize,
}

/// Both texts as UTF-8.
pub(super) fn decoded(bytes: &[u8]) -> Result<&str, Violation> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => Err(Prohibition::Encoding.into()),
    }
}

/// Finds the one line that differs.
pub(super) fn changed<'t>(before: &'t str, after: &'t str) -> Result<Change<'t>, Violation> {
    if before == after {
        return Err(Prohibition::Identical.into());
    }
    if before.starts_with('\u{feff}') != after.starts_with('\u{feff}') {
        return Err(Violation::new(Prohibition::Endings, "byte order mark"));
    }
    if before.ends_with('\n') != after.ends_with('\n') {
        return Err(Violation::new(Prohibition::Endings, "final newline"));
    }
    let prefix = common_prefix(before, after);
    let suffix = common_suffix(before, after);
    // The line around the first difference; everything after it must be the same.
    let start = before.get(..prefix).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1);
    let line = before.get(..start).map_or(0, |head| head.matches('\n').count()) + 1;
    let (old, old_rest) = first_line(before.get(start..).unwrap_or_default());
    let (new, new_rest) = first_line(after.get(start..).unwrap_or_default());
    if old_rest != new_rest {
        return Err(if same_but_endings(before, after) { Prohibition::Endings } else { Prohibition::Lines }.into());
    }
    let (old_text, old_ending) = without_return(old);
    let (new_text, new_ending) = without_return(new);
    if old_ending != new_ending {
        return Err(Prohibition::Endings.into());
    }
    Ok(Change { line, old: old_text, new: new_text, start, prefix, suffix })
}

/// Whether the endings differ in as many lines as there are, whatever else does.
fn same_but_endings(before: &str, after: &str) -> bool {
    let unified = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
    let lines = |text: &str| text.split('\n').map(|line| line.ends_with('\r')).collect::<Vec<_>>();
    let (before_lines, after_lines) = (lines(before), lines(after));
    if before_lines.len() == after_lines.len() {
        before_lines != after_lines
    } else {
        unified(before).matches('\n').count() == unified(after).matches('\n').count()
    }
}

/// The first line and what follows it, with the line feed.
fn first_line(text: &str) -> (&str, &str) {
    text.split_at(text.find('\n').unwrap_or(text.len()))
}

fn without_return(line: &str) -> (&str, bool) {
    line.strip_suffix('\r').map_or((line, false), |line| (line, true))
}

/// How many bytes the texts share from the start, in whole characters.
pub(super) fn common_prefix(a: &str, b: &str) -> usize {
    let mut shared = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    while !a.is_char_boundary(shared) || !b.is_char_boundary(shared) {
        shared -= 1;
    }
    shared
}

/// How many bytes the texts share from the end, in whole characters.
pub(super) fn common_suffix(a: &str, b: &str) -> usize {
    let mut shared = a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
    while !a.is_char_boundary(a.len() - shared) || !b.is_char_boundary(b.len() - shared) {
        shared -= 1;
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::changed;
    use crate::domain::gate::violation::Reason;

    #[test]
    fn the_line_is_found_whatever_ends_it() {
        for (before, after, line, old, new) in [
            ("a\nb\nc\n", "a\nB\nc\n", 2, "b", "B"),
            ("a\r\nb\r\nc", "a\r\nb\r\nC", 3, "c", "C"),
            ("\u{feff}a\n", "\u{feff}b\n", 1, "\u{feff}a", "\u{feff}b"),
            ("x\nß\n", "x\nÞ\n", 2, "ß", "Þ"),
            ("aa\n", "aaa\n", 1, "aa", "aaa"),
        ] {
            let change = changed(before, after).unwrap();
            assert_eq!((change.line, change.old, change.new), (line, old, new), "{before:?} {after:?}");
        }
    }

    #[test]
    fn anything_else_has_its_reason() {
        for (before, after, reason) in [
            ("a\n", "a\n", Reason::NoChange),
            ("a\nb\n", "b\na\n", Reason::MultipleLines),
            ("a\nb\n", "a\nb\nc\n", Reason::MultipleLines),
            ("a\nb\n", "a\n", Reason::MultipleLines),
            ("a\n", "a", Reason::LineEndingsChanged),
            ("\u{feff}a\n", "a\n", Reason::LineEndingsChanged),
            ("a\r\nb\r\n", "a\nB\n", Reason::LineEndingsChanged),
            ("a\nb\n", "a\rB\r\n", Reason::LineEndingsChanged),
            ("a\nb\n", "A\r\nb\n", Reason::LineEndingsChanged),
            ("a\n\nb\n", "a\nb\n\n", Reason::MultipleLines),
        ] {
            assert_eq!(changed(before, after).unwrap_err().reason(), reason, "{before:?} {after:?}");
        }
    }
}
