//! JavaScript string literals: from what stands between the quotes to the value, and back. Pure text, no tree.

use std::fmt::Write as _;

/// The value of a string's or template chunk's raw text (without its quotes); `None` for an escape JavaScript refuses.
pub fn cook(raw: &str) -> Option<String> {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next()? {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'v' => out.push('\u{b}'),
            '\r' => {
                if chars.peek() == Some(&'\n') {
                    chars.next();
                }
            }
            '\n' | '\u{2028}' | '\u{2029}' => {}
            'x' => out.push(char::from_u32(hex(&mut chars, 2)?)?),
            'u' => out.push(unicode(&mut chars)?),
            '0' if !chars.peek().is_some_and(char::is_ascii_digit) => out.push('\0'),
            '0'..='9' => return None,
            other => out.push(other),
        }
    }
    Some(out)
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn hex(chars: &mut Chars<'_>, digits: usize) -> Option<u32> {
    let mut value = 0;
    for _ in 0..digits {
        value = value * 16 + chars.next()?.to_digit(16)?;
    }
    Some(value)
}

fn unicode(chars: &mut Chars<'_>) -> Option<char> {
    if chars.peek() == Some(&'{') {
        chars.next();
        let mut value: u32 = 0;
        loop {
            match chars.next()? {
                '}' => return char::from_u32(value),
                digit => value = value.checked_mul(16)?.checked_add(digit.to_digit(16)?)?,
            }
        }
    }
    let first = hex(chars, 4)?;
    if !(0xD800..0xDC00).contains(&first) {
        return char::from_u32(first);
    }
    (chars.next()? == '\\' && chars.next()? == 'u').then_some(())?;
    let second = hex(chars, 4)?;
    (0xDC00..0xE000).contains(&second).then_some(())?;
    char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
}

/// Writes `value` as it stands between the quotes `quote` (`'`, `"` or `` ` ``), everything escaped that must be.
pub fn escape(value: &str, quote: char) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            '$' if quote == '`' && chars.peek() == Some(&'{') => out.push_str("\\$"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {
                // Writing to a string cannot fail.
                let _infallible = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_as_javascript_does() {
        for (raw, value) in [
            (r"a\'b", Some("a'b")),
            (r"\u0041\x42\u{43}", Some("ABC")),
            (r"\ud83d\ude00", Some("😀")),
            (r"a\nb", Some("a\nb")),
            ("a\\\nb", Some("ab")),
            (r"\01", None),
            (r"\u{110000}", None),
            (r"\", None),
            ("\\q", Some("q")),
        ] {
            assert_eq!(cook(raw).as_deref(), value, "{raw}");
        }
    }

    #[test]
    fn what_is_escaped_is_cooked_back_to_the_same_value() {
        for value in ["it's", "a\"b", "`${x}`", "tab\there", "line\nbreak", "back\\slash", "\u{2028}", "\u{7}"] {
            for quote in ['\'', '"', '`'] {
                assert_eq!(cook(&escape(value, quote)).as_deref(), Some(value));
            }
        }
    }
}
