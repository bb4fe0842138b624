//! JSON strings as a browser writes them: lone surrogates (an emoji that a script cut in half) are data, not an error.
//!
//! `serde_json` refuses them, and a refused line would lose a call or a whole page.

use memchr::{memchr, memchr2};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The position after the closing quote of the string whose opening quote is at `at`; `None` where it does not end.
pub(super) fn string_end(json: &[u8], at: usize) -> Option<usize> {
    let mut next = at + 1;
    loop {
        let rest = json.get(next..)?;
        let found = memchr2(b'"', b'\\', rest)?;
        if rest.get(found) == Some(&b'"') {
            return Some(next + found + 1);
        }
        next += found + 2;
    }
}

/// Decodes a JSON string with its quotes. What is no string yields nothing, what is no text a replacement character.
pub(super) fn decode(quoted: &[u8]) -> String {
    let Some(inner) = quoted.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return String::new();
    };
    if memchr(b'\\', inner).is_none() {
        return String::from_utf8_lossy(inner).into_owned();
    }
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(found) = memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at(found);
        text.extend_from_slice(plain);
        let (decoded, length) = unescape(escape);
        let mut buffer = [0; 4];
        text.extend_from_slice(decoded.encode_utf8(&mut buffer).as_bytes());
        rest = escape.get(length..).unwrap_or_default();
    }
    text.extend_from_slice(rest);
    String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The character of an escape that starts with a backslash, and how many bytes it took.
fn unescape(escape: &[u8]) -> (char, usize) {
    match escape.get(1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'u') => unicode(escape),
        Some(&other) if other.is_ascii() => (char::from(other), 2),
        _ => (char::REPLACEMENT_CHARACTER, 1),
    }
}

fn unicode(escape: &[u8]) -> (char, usize) {
    let Some(first) = hex(escape, 2) else { return (char::REPLACEMENT_CHARACTER, 2) };
    if (0xD800..0xDC00).contains(&first)
        && escape.get(6..8) == Some(b"\\u")
        && let Some(second) = hex(escape, 8)
        && (0xDC00..0xE000).contains(&second)
    {
        let joined = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return (char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), 12);
    }
    (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}

fn hex(escape: &[u8], at: usize) -> Option<u32> {
    escape.get(at..at + 4)?.iter().try_fold(0, |sum, &digit| Some(sum * 16 + char::from(digit).to_digit(16)?))
}

/// A text of an event, decoded by [`decode`]. Anything but a string counts as no text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text(pub(super) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        Ok(Self(decode(raw.get().as_bytes())))
    }
}

impl Text {
    /// The text, cut at a character boundary so that it takes no more than `limit` bytes.
    pub(super) fn capped(self, limit: usize) -> String {
        cap(self.0, limit)
    }
}

/// Cuts `text` at a character boundary so that it takes no more than `limit` bytes.
pub(super) fn cap(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        text.truncate(text.floor_char_boundary(limit));
        text.shrink_to_fit();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        assert_eq!(decode(json.as_bytes()), expected);
        assert_eq!(string_end(json.as_bytes(), 0), Some(json.len()));
    }

    #[test]
    fn strings_are_decoded_as_a_browser_wrote_them() {
        check(r#""""#, "");
        check(r#""plain ü""#, "plain ü");
        check(r#""a\"b\\c\/d\n\t\r\b\f""#, "a\"b\\c/d\n\t\r\u{8}\u{c}");
        check(r#""\u00e9\ud83d\ude00!""#, "é😀!");
    }

    #[test]
    fn half_an_emoji_does_not_lose_the_string() {
        check(r#""\ud83d""#, "\u{fffd}");
        check(r#""x\ud83dy\ude00z""#, "x\u{fffd}y\u{fffd}z");
        check(r#""\ud83d\u0041""#, "\u{fffd}A");
    }

    #[test]
    fn a_string_that_does_not_end_has_no_end() {
        for open in ["\"", "\"abc", "\"abc\\\"", "\"abc\\"] {
            assert_eq!(string_end(open.as_bytes(), 0), None, "{open}");
        }
        assert_eq!(decode(b"\"\\u12"), "");
        assert_eq!(decode(b"\"\\u12\""), "\u{fffd}12");
    }
}
