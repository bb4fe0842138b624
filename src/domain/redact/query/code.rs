//! Where a question mark with `name=value` behind it is code: a condition, or a part of a regular expression.

use super::around::{Before, end_of_bare};
use super::{Query, REACH, begins_name, end_of_part, is_plain, name};

/// Flags that stand behind a regular expression.
const FLAGS: &[u8] = b"dgimsuvy";

/// Whether the question mark is one that a regular expression asks for as it is: `\?`, `[?]`, `[?&]`.
pub(super) fn is_literal(bytes: &[u8], at: usize) -> bool {
    begin_of_literal(bytes, at).is_some()
}

fn begin_of_literal(bytes: &[u8], at: usize) -> Option<usize> {
    let behind = bytes.get(at + 1..)?;
    match bytes.get(at.checked_sub(1)?)? {
        b'\\' => Some(at + 1),
        b'[' if behind.starts_with(b"]") => Some(at + 2),
        b'[' if behind.starts_with(b"&]") => Some(at + 3),
        _ => None,
    }
}

/// The query behind such a question mark, up to what is not plain text.
pub(super) fn literal(bytes: &[u8], at: usize) -> Option<Query> {
    let from = begin_of_literal(bytes, at)?;
    let mut to = from;
    while let Some(&byte) = bytes.get(to) {
        match byte {
            b'\\' if bytes.get(to + 1).is_some_and(|next| b".-/+".contains(next)) => to += 2,
            // A point that is no letter of the value is one that stands for any.
            b'.' if bytes.get(to + 1).is_some_and(|next| b"*+?".contains(next)) => break,
            byte if is_plain(byte) || b"=&".contains(&byte) => to += 1,
            _ => break,
        }
    }
    let first = end_of_part(bytes, from, to);
    let value = name(bytes, from, first)? + 1;
    bytes.get(from).is_some_and(|first| begins_name(*first)).then_some(())?;
    (value < first).then_some(Query { from, to, quote: None })
}

/// Whether the question mark makes what is before it take as little as it can: the string is a regular expression.
pub(super) fn is_lazy(bytes: &[u8], at: usize) -> bool {
    let back = |steps: usize| at.checked_sub(steps).and_then(|at| bytes.get(at)).copied();
    back(1) == Some(b'+')
        || (back(1) == Some(b'*') && matches!(back(2), Some(b'.' | b')' | b']')))
        || (back(1) == Some(b'*') && back(3) == Some(b'\\'))
}

/// Whether what stands from `from` on, in no string and behind a question mark, is code.
pub(super) fn is_code(bytes: &[u8], before: &Before, from: usize) -> bool {
    let near = end_of_bare(bytes, from, bytes.len().min(from + REACH));
    let has_more = end_of_part(bytes, from, near) < near;
    is_regex(bytes, before.at) || (!before.is_address(bytes) && !has_more && is_condition(bytes, from))
}

/// Whether a `:` follows in the same expression, as the second half of a condition has it. Words that only a blank parts are
/// prose, and end the look.
fn is_condition(bytes: &[u8], from: usize) -> bool {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut last = b'=';
    let mut parted = false;
    for &byte in bytes.get(from..).unwrap_or_default().iter().take(REACH) {
        if byte == b' ' || byte == b'\t' {
            parted = true;
            continue;
        }
        match (quote, byte) {
            (_, b'\n' | b'\r') => return false,
            (Some(open), byte) => quote = Some(open).filter(|open| *open != byte),
            (None, byte) if parted && is_plain(byte) && is_plain(last) => return false,
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}' | b';') if depth == 0 => return false,
            (None, b')' | b']' | b'}') => depth -= 1,
            (None, b':') if depth == 0 => return true,
            _ => {}
        }
        last = byte;
        parted = false;
    }
    false
}

/// Whether the mark at `at` stands between the slashes of a regular expression, in its line.
fn is_regex(bytes: &[u8], at: usize) -> bool {
    let Some(end) = slash_behind(bytes, at + 1) else { return false };
    let flags = bytes.get(end + 1..).unwrap_or_default().iter().take_while(|byte| FLAGS.contains(byte)).count();
    let next = bytes.get(end + 1 + flags).copied().unwrap_or(b'\n');
    if !(b".,;:)]}\n\r \t".contains(&next)) {
        return false;
    }
    let least = at.saturating_sub(REACH);
    let mut place = at;
    while place > least {
        place -= 1;
        match bytes.get(place) {
            Some(b'\n') | None => return false,
            Some(b'/') if place > 0 && bytes.get(place - 1) == Some(&b'\\') => {}
            Some(b'/') => return may_open(bytes, place, next),
            Some(_) => {}
        }
    }
    false
}

/// The next slash that no backslash and no class of characters holds, in the line.
fn slash_behind(bytes: &[u8], from: usize) -> Option<usize> {
    let mut class = false;
    let mut at = from;
    while at < from + REACH {
        match bytes.get(at)? {
            b'\n' => return None,
            b'\\' => at += 1,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a regular expression may begin with the slash at `at`: behind a sign, or as a line of a list (`next` is what
/// follows it then).
fn may_open(bytes: &[u8], at: usize, next: u8) -> bool {
    let line = bytes.get(at.saturating_sub(REACH)..at).unwrap_or_default();
    match line.iter().rposition(|byte| !b" \t".contains(byte)).and_then(|last| line.get(..=last)) {
        None => b".,;)".contains(&next),
        Some(text) => match text.last() {
            Some(b'\n') => b".,;)".contains(&next),
            Some(last) => b"(,=:[!&|{;?".contains(last) || text.ends_with(b"return"),
            None => false,
        },
    }
}
