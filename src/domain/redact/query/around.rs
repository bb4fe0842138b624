//! What a mark of a query stands in: the string, the path before it, the end of what is behind it.

use std::ops::Range;

use super::REACH;

/// The quote that opens a string.
#[derive(Clone, Copy)]
pub(super) struct Quote {
    /// `"`, `'` or a backtick.
    pub(super) mark: u8,
    /// Whether a backslash stands before it: the string is in another one.
    pub(super) escaped: bool,
}

impl Quote {
    /// How many bytes it takes.
    pub(super) fn length(self) -> usize {
        if self.escaped { 2 } else { 1 }
    }
}

/// What stands directly before a mark: one word, with the brackets and substitutions in it.
pub(super) struct Before {
    /// Where it begins.
    pub(super) start: usize,
    /// Where the mark is.
    pub(super) at: usize,
    /// The quote it begins behind.
    pub(super) quote: Option<Quote>,
}

impl Before {
    fn text<'t>(&self, bytes: &'t [u8]) -> &'t [u8] {
        bytes.get(self.start..self.at).unwrap_or_default()
    }

    /// Whether there is nothing before the mark.
    pub(super) fn is_empty(&self) -> bool {
        self.start == self.at
    }

    /// Whether it begins as a path does, or is an expression for one.
    pub(super) fn is_address(&self, bytes: &[u8]) -> bool {
        let text = self.text(bytes);
        [&b"/"[..], b"./", b"../", b"**/", b"~/", b"\\/", b"${"].iter().any(|start| text.starts_with(start))
            || self.is_absolute(bytes)
    }

    /// Whether it is an address with a scheme.
    pub(super) fn is_absolute(&self, bytes: &[u8]) -> bool {
        let text = self.text(bytes);
        let scheme = |end: &[u8]| {
            let at = text.windows(end.len()).position(|window| window == end);
            at.and_then(|at| text.get(at.checked_sub(1)?)).is_some_and(u8::is_ascii_alphanumeric)
        };
        scheme(b"://") || scheme(b":\\/\\/")
    }
}

/// The word before the mark at `at`.
pub(super) fn before(bytes: &[u8], at: usize) -> Before {
    let least = at.saturating_sub(REACH);
    let mut start = at;
    while start > least {
        let Some(&byte) = bytes.get(start - 1) else { break };
        match byte {
            b'"' | b'\'' | b'`' => {
                let escaped = start >= 2 && bytes.get(start - 2) == Some(&b'\\');
                return Before { start, at, quote: Some(Quote { mark: byte, escaped }) };
            }
            b'}' | b')' | b']' => match opening(bytes, start - 1, least) {
                Some(open) if byte == b'}' && open > least && bytes.get(open - 1) == Some(&b'$') => start = open - 1,
                Some(open) => start = open,
                None => break,
            },
            b'<' | b'>' | b'(' | b'[' | b'{' | b'=' | b',' | b'|' | b'?' => break,
            byte if byte.is_ascii_whitespace() => break,
            _ => start -= 1,
        }
    }
    Before { start, at, quote: None }
}

/// Where the bracket is that the one at `at` closes, in the same line.
fn opening(bytes: &[u8], at: usize, least: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for place in (least..=at).rev() {
        match bytes.get(place)? {
            b'}' | b')' | b']' => depth += 1,
            b'{' | b'(' | b'[' => depth -= 1,
            b'\n' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(place);
        }
    }
    None
}

/// Where the string ends that `quote` opened, in the same line: the place of its closing quote, or of the backslash before it.
pub(super) fn closer(bytes: &[u8], from: usize, quote: Quote) -> Option<usize> {
    let most = bytes.len().min(from + REACH);
    let mut at = from;
    while at < most {
        match bytes.get(at)? {
            b'\n' => return None,
            b'\\' if quote.escaped && bytes.get(at + 1) == Some(&quote.mark) => return Some(at),
            b'\\' => at += 2,
            b'$' if quote.mark == b'`' => at = substitution(bytes, at).unwrap_or(at + 1),
            byte if *byte == quote.mark => return (!quote.escaped).then_some(at),
            _ => at += 1,
        }
    }
    None
}

/// Behind the end of the substitution that begins at `at`, in the same line; `None` where none does.
pub(super) fn substitution(bytes: &[u8], at: usize) -> Option<usize> {
    if !bytes.get(at..)?.starts_with(b"${") {
        return None;
    }
    let mut depth = 0_usize;
    for (step, byte) in bytes.get(at + 1..)?.iter().take(REACH).enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b'\n' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + step + 2);
        }
    }
    None
}

/// Where a query ends that stands in no string: at a blank, a quote, an angle, a bracket that closes what it did not open;
/// at `most` at the latest.
pub(super) fn end_of_bare(bytes: &[u8], from: usize, most: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = from;
    while let Some(&byte) = bytes.get(at).filter(|_| at < most) {
        match byte {
            b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' => break,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => break,
            b')' | b']' | b'}' => depth -= 1,
            b'&' if is_written_quote(bytes, at) => break,
            byte if byte.is_ascii_whitespace() => break,
            _ => {}
        }
        at += 1;
    }
    // The stop at the end of a sentence is not the address's.
    let ended = at > from + 1 && bytes.get(at - 1).is_some_and(|last| b".,;:!".contains(last));
    if ended { at - 1 } else { at }
}

fn is_written_quote(bytes: &[u8], at: usize) -> bool {
    let written = [&b"&quot;"[..], b"&#39;", b"&#x27;", b"&apos;", b"&lt;", b"&gt;"];
    bytes.get(at..).is_some_and(|rest| written.iter().any(|quote| rest.starts_with(quote)))
}

/// The string that is added to the one that ends at `end`, with `quote`.
pub(super) fn added(bytes: &[u8], end: usize, quote: Quote) -> Option<Range<usize>> {
    let at = end + quote.length();
    bytes.get(at - 1).filter(|byte| **byte == quote.mark)?;
    let blank = |at: usize| {
        let rest = bytes.get(at..)?;
        Some(at + rest.iter().take(REACH).position(|byte| !byte.is_ascii_whitespace())?)
    };
    let sign = blank(at).filter(|at| bytes.get(*at) == Some(&b'+'))?;
    let open = blank(sign + 1)?;
    let escaped = bytes.get(open) == Some(&b'\\');
    let mark = *bytes.get(open + usize::from(escaped)).filter(|byte| b"\"'`".contains(byte))?;
    let quote = Quote { mark, escaped };
    let from = open + quote.length();
    closer(bytes, from, quote).filter(|to| *to > from).map(|to| from..to)
}
