//! JavaScript regular expressions on a linear-time engine: hostile patterns cannot hang, and what the engine cannot do is
//! said, not guessed.

use std::fmt::Write as _;

use regex::{Regex, RegexBuilder};

use crate::domain::locator::JsRegex;

/// `\s` of JavaScript, as the inside of a character class.
const SPACE: &str = r"\x09-\x0d \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
/// The largest compiled pattern, in bytes.
const SIZE_LIMIT: usize = 4 << 20;

/// Why a pattern cannot be used here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// JavaScript would accept it, this engine cannot run it.
    Unsupported(String),
    /// JavaScript would refuse it too.
    Invalid(String),
}

/// Compiles a JavaScript pattern.
pub(crate) fn compile(pattern: &JsRegex) -> Result<Regex, Unusable> {
    let has = |flag: char| pattern.flags().contains(flag);
    let mut translator = Translator {
        rest: pattern.source().chars().peekable(),
        out: String::new(),
        dot_all: has('s'),
        unicode: has('u') || has('v'),
    };
    if has('y') {
        translator.out.push_str(r"\A");
    }
    translator.pattern()?;
    RegexBuilder::new(&translator.out)
        .case_insensitive(has('i'))
        .multi_line(has('m'))
        .size_limit(SIZE_LIMIT)
        .build()
        .map_err(|_| Unusable::Invalid(format!("{pattern} is not a regular expression")))
}

struct Translator<'p> {
    rest: std::iter::Peekable<std::str::Chars<'p>>,
    out: String,
    dot_all: bool,
    unicode: bool,
}

impl Translator<'_> {
    fn pattern(&mut self) -> Result<(), Unusable> {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => self.escape(false)?,
                '[' => self.class()?,
                '.' if self.dot_all => self.out.push_str("(?s:.)"),
                '.' => self.out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
                '(' => self.group()?,
                '{' => self.brace(),
                '}' | ']' => self.out.extend(['\\', c]),
                _ => self.out.push(c),
            }
        }
        Ok(())
    }

    fn group(&mut self) -> Result<(), Unusable> {
        self.out.push('(');
        if self.rest.peek() != Some(&'?') {
            return Ok(());
        }
        let ahead: String = self.rest.clone().take(3).collect();
        let looks = ["?=", "?!", "?<=", "?<!"].iter().any(|start| ahead.starts_with(start));
        if looks {
            return Err(Unusable::Unsupported("a regular expression that looks ahead or behind".into()));
        }
        Ok(())
    }

    /// A `{` that starts no quantifier is a plain character in JavaScript.
    fn brace(&mut self) {
        let ahead: String = self.rest.clone().take_while(|c| *c != '}').collect();
        let (least, most) = ahead.split_once(',').unwrap_or((&ahead, ""));
        let closes = self.rest.clone().nth(ahead.chars().count()) == Some('}');
        let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        if closes && !least.is_empty() && digits(least) && digits(most) {
            _ = write!(self.out, "{{{ahead}}}");
            self.rest.nth(ahead.chars().count());
        } else {
            self.out.push_str("\\{");
        }
    }

    fn class(&mut self) -> Result<(), Unusable> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        if self.rest.next_if_eq(&']').is_some() {
            self.out.push_str(if negated { "(?s:.)" } else { r"[^\x00-\u{10ffff}]" });
            return Ok(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        loop {
            match self.rest.next() {
                None => return Err(Unusable::Invalid("a character class has no end".into())),
                Some(']') => break,
                Some('\\') => self.escape(true)?,
                Some(c @ ('[' | '&' | '~' | '^')) => self.out.extend(['\\', c]),
                Some(c) => self.out.push(c),
            }
        }
        self.out.push(']');
        Ok(())
    }

    fn escape(&mut self, in_class: bool) -> Result<(), Unusable> {
        let c = self.rest.next().ok_or_else(|| Unusable::Invalid("a regular expression ends in a backslash".into()))?;
        let set = |inside: &str, negated: bool| match (in_class, negated) {
            (true, false) => inside.to_owned(),
            (_, true) => format!("[^{inside}]"),
            (false, false) => format!("[{inside}]"),
        };
        match c {
            'd' => self.out.push_str(&set("0-9", false)),
            'D' => self.out.push_str(&set("0-9", true)),
            'w' => self.out.push_str(&set("0-9A-Za-z_", false)),
            'W' => self.out.push_str(&set("0-9A-Za-z_", true)),
            's' => self.out.push_str(&set(SPACE, false)),
            'S' => self.out.push_str(&set(SPACE, true)),
            'b' if in_class => self.out.push_str(r"\x08"),
            'b' => self.out.push_str(r"(?-u:\b)"),
            'B' => self.out.push_str(r"\B"),
            'n' | 'r' | 't' | 'v' | 'f' => self.out.extend(['\\', c]),
            '0' => self.out.push_str(r"\x00"),
            'x' | 'u' => self.code(c)?,
            'c' => {
                let letter = self.rest.next().unwrap_or('@');
                _ = write!(self.out, r"\x{:02x}", u32::from(letter) % 32);
            }
            'p' | 'P' if self.unicode => self.out.extend(['\\', c]),
            '1'..='9' | 'k' => return Err(Unusable::Unsupported("a regular expression with a back reference".into())),
            c if c.is_ascii_punctuation() && !matches!(c, '<' | '>') => self.out.extend(['\\', c]),
            c => self.out.push(c),
        }
        Ok(())
    }

    /// `\xHH`, `\uHHHH`, `\u{…}`; anything else is the letter itself.
    fn code(&mut self, letter: char) -> Result<(), Unusable> {
        let braced = letter == 'u' && self.unicode && self.rest.peek() == Some(&'{');
        let digits: String = if braced {
            self.rest.clone().skip(1).take_while(|c| *c != '}').collect()
        } else {
            self.rest.clone().take(if letter == 'x' { 2 } else { 4 }).collect()
        };
        let wanted = if letter == 'x' { 2 } else { 4 };
        let Some(code) = u32::from_str_radix(&digits, 16).ok().filter(|_| braced || digits.len() == wanted) else {
            self.out.push(letter);
            return Ok(());
        };
        if char::from_u32(code).is_none() {
            return Err(Unusable::Unsupported("a regular expression on halves of characters".into()));
        }
        self.rest.nth(digits.chars().count() - 1 + if braced { 2 } else { 0 });
        _ = write!(self.out, r"\u{{{code:x}}}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(source: &str, flags: &str, text: &str) -> bool {
        compile(&JsRegex::new(source, flags)).unwrap().is_match(text)
    }

    #[test]
    fn javascript_spelling_keeps_its_meaning() {
        assert!(matches(r"^a\/b{c$", "", "a/b{c"));
        assert!(matches(r"[^]x[[&&]", "", "\nx&"));
        assert!(matches(r"\d+ \w{2,}\s", "i", "12 ab\u{a0}"));
        assert!(!matches(r"\d", "", "٣"), "digits are ASCII in JavaScript");
        assert!(!matches(r"é\b", "", "é "), "word boundaries are ASCII in JavaScript");
        assert!(!matches(r"a.b", "", "a\nb") && matches(r"a.b", "s", "a\nb"));
        assert!(matches(r"\u0041\x42", "", "AB") && matches(r"\u{1f600}", "u", "😀"));
        assert!(matches("SAVE", "i", "save"));
    }

    #[test]
    fn what_needs_backtracking_is_said() {
        for source in ["a(?=b)", r"(a)\1", "(?<!x)y"] {
            assert!(matches!(compile(&JsRegex::new(source, "")), Err(Unusable::Unsupported(_))), "{source}");
        }
        assert!(matches!(compile(&JsRegex::new("(", "")), Err(Unusable::Invalid(_))));
    }
}
