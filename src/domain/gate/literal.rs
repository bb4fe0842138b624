//! String and template literals: what they say once the escapes are decoded.

use tree_sitter::Node;

use crate::source::language::{Kind, kind};
use crate::source::syntax::Source;

/// Stands for a substitution inside the text of a template: a letter of no script, so that it reads as part of a word.
pub(super) const HOLE: char = '\u{f8ff}';

/// What a string or template says, and the text of each substitution. `None` where an escape is not valid JavaScript.
pub(super) fn cooked(source: &Source<'_>, node: Node<'_>) -> Option<(String, Vec<String>)> {
    let text = source.of(node);
    if kind(node) == Kind::String {
        let inner = text.get(1..text.len().checked_sub(1)?)?;
        return Some((decoded(inner)?, Vec::new()));
    }
    let (mut value, mut holes) = (String::new(), Vec::new());
    let mut at = node.start_byte() + 1;
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).filter(|child| kind(*child) == Kind::Substitution) {
        value.push_str(&decoded(source.slice(at..child.start_byte()))?);
        value.push(HOLE);
        let inner = source.slice(child.start_byte() + 2..child.end_byte().saturating_sub(1));
        holes.push(inner.trim().to_owned());
        at = child.end_byte();
    }
    value.push_str(&decoded(source.slice(at..node.end_byte().saturating_sub(1)))?);
    Some((value, holes))
}

/// Decodes the escapes of a literal's inside. Lone surrogates become U+FFFD, as they do when the text is sent anywhere.
pub(super) fn decoded(text: &str) -> Option<String> {
    let mut value = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut high: Option<u32> = None;
    while let Some(character) = rest.next() {
        if character != '\\' {
            flush(&mut value, &mut high);
            value.push(character);
            continue;
        }
        let escaped = rest.next()?;
        if matches!(escaped, 'u' | 'x') {
            let code = if escaped == 'x' { hex(&mut rest, 2)? } else { unicode(&mut rest)? };
            push_unit(&mut value, &mut high, code)?;
            continue;
        }
        flush(&mut value, &mut high);
        match escaped {
            'n' => value.push('\n'),
            't' => value.push('\t'),
            'r' => value.push('\r'),
            'b' => value.push('\u{8}'),
            'f' => value.push('\u{c}'),
            'v' => value.push('\u{b}'),
            '0' if !rest.peek().is_some_and(char::is_ascii_digit) => value.push('\0'),
            '0'..='9' => return None,
            '\r' => drop(rest.next_if_eq(&'\n')),
            '\n' | '\u{2028}' | '\u{2029}' => {}
            other => value.push(other),
        }
    }
    flush(&mut value, &mut high);
    Some(value)
}

fn unicode(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<u32> {
    if rest.next_if_eq(&'{').is_none() {
        return hex(rest, 4);
    }
    let mut code: Option<u32> = None;
    loop {
        let character = rest.next()?;
        if character == '}' {
            return code;
        }
        let next = code.unwrap_or(0).checked_mul(16)?.checked_add(character.to_digit(16)?)?;
        code = Some(next).filter(|code| *code <= 0x10_ffff);
        code?;
    }
}

fn hex(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, digits: usize) -> Option<u32> {
    let mut code = 0;
    for _ in 0..digits {
        code = code * 16 + rest.next()?.to_digit(16)?;
    }
    Some(code)
}

fn push_unit(value: &mut String, high: &mut Option<u32>, code: u32) -> Option<()> {
    match (*high, code) {
        (Some(first), 0xdc00..=0xdfff) => {
            *high = None;
            value.push(char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (code - 0xdc00))?);
        }
        (_, 0xd800..=0xdbff) => {
            flush(value, high);
            *high = Some(code);
        }
        _ => {
            flush(value, high);
            value.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }
    Some(())
}

fn flush(value: &mut String, high: &mut Option<u32>) {
    if high.take().is_some() {
        value.push(char::REPLACEMENT_CHARACTER);
    }
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn escapes_are_decoded_as_an_engine_does() {
        for (text, value) in [
            ("Save", Some("Save")),
            ("\\u0053ave", Some("Save")),
            ("\\x53\\u{61}ve", Some("Save")),
            ("a\\\nb", Some("ab")),
            ("a\\'b", Some("a'b")),
            ("\\d", Some("d")),
            ("\\0", Some("\0")),
            ("\\ud83d\\ude00", Some("😀")),
            ("\\ud83dx", Some("\u{fffd}x")),
            ("\\00", None),
            ("\\1", None),
            ("\\8", None),
            ("\\u12", None),
            ("\\u{}", None),
            ("\\u{110000}", None),
            ("\\u{fffffffffff}", None),
            ("\\xg1", None),
            ("\\", None),
        ] {
            assert_eq!(decoded(text).as_deref(), value, "{text:?}");
        }
    }
}
