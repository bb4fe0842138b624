//! Splits the source of a locator chain into tokens. One tokenizer for JavaScript, Python, Java and C#: where they
//! differ (raw and verbatim strings, regular expression literals) the forms cannot be confused.

use super::ParseError;
use crate::domain::locator::JsRegex;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Text(String),
    Regex(JsRegex),
    Number(f64),
    Word(String),
    Mark(char),
    End,
}

/// The tokens of `source`, ending in [`Token::End`]. `python` keeps the backslash of an escape that Python does not know.
pub(super) fn tokens(source: &str, python: bool) -> Result<Vec<Token>, ParseError> {
    let chars: Vec<char> = source.chars().collect();
    let mut reader = Reader { chars: &chars, at: 0, python };
    let mut tokens = Vec::new();
    while let Some(c) = reader.peek(0) {
        let next = reader.peek(1);
        match c {
            _ if c.is_whitespace() => reader.at += 1,
            '/' if next == Some('/') => reader.skip_to("\n"),
            '/' if next == Some('*') => reader.skip_to("*/"),
            '/' => tokens.push(reader.regex()?),
            '"' | '\'' | '`' => tokens.push(Token::Text(reader.string(false)?)),
            'r' if matches!(next, Some('"' | '\'')) => {
                reader.at += 1;
                tokens.push(Token::Text(reader.string(true)?));
            }
            '@' if next == Some('"') => tokens.push(Token::Text(reader.verbatim()?)),
            _ if c.is_alphabetic() || matches!(c, '_' | '$') => tokens.push(Token::Word(reader.word())),
            _ if c.is_ascii_digit() => tokens.push(reader.number()?),
            _ if c.is_ascii_punctuation() => {
                tokens.push(Token::Mark(c));
                reader.at += 1;
            }
            _ => return Err(ParseError::new(format!("unexpected `{c}` in a locator"))),
        }
    }
    tokens.push(Token::End);
    Ok(tokens)
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    python: bool,
}

impl Reader<'_> {
    fn peek(&self, offset: usize) -> Option<char> {
        self.chars.get(self.at + offset).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek(0);
        self.at += 1;
        c
    }

    fn skip_to(&mut self, end: &str) {
        let end: Vec<char> = end.chars().collect();
        while self.at < self.chars.len() && !self.chars.get(self.at..).is_some_and(|rest| rest.starts_with(&end)) {
            self.at += 1;
        }
        self.at += end.len();
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.peek(0).filter(|c| c.is_alphanumeric() || matches!(c, '_' | '$')) {
            word.push(c);
            self.at += 1;
        }
        word
    }

    fn number(&mut self) -> Result<Token, ParseError> {
        let mut text = String::new();
        while let Some(c) = self.peek(0).filter(|c| c.is_ascii_digit() || *c == '.') {
            text.push(c);
            self.at += 1;
        }
        text.parse().map(Token::Number).map_err(|_| ParseError::new(format!("`{text}` is not a number")))
    }

    fn string(&mut self, raw: bool) -> Result<String, ParseError> {
        let unterminated = || ParseError::new("a string has no end");
        let quote = self.next().ok_or_else(unterminated)?;
        let mut text = String::new();
        loop {
            let c = self.next().ok_or_else(unterminated)?;
            if c == quote {
                return Ok(text);
            }
            if quote == '`' && c == '$' && self.peek(0) == Some('{') {
                return Err(ParseError::new("a template with a substitution is not a literal"));
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            let escaped = self.next().ok_or_else(unterminated)?;
            if raw {
                if escaped != quote {
                    text.push('\\');
                }
                text.push(escaped);
            } else {
                self.escape(escaped, &mut text)?;
            }
        }
    }

    fn escape(&mut self, escaped: char, text: &mut String) -> Result<(), ParseError> {
        match escaped {
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'v' => text.push('\u{b}'),
            '0' if !self.peek(0).is_some_and(|c| c.is_ascii_digit()) => text.push('\0'),
            'x' => text.push(self.code(2)?),
            'u' if self.peek(0) == Some('{') => text.push(self.braced_code()?),
            'u' => text.push(self.utf16_code()?),
            'U' => text.push(self.code(8)?),
            '\r' => {
                if self.peek(0) == Some('\n') {
                    self.at += 1;
                }
            }
            '\n' => {}
            _ => {
                if self.python && !matches!(escaped, '\\' | '\'' | '"') {
                    text.push('\\');
                }
                text.push(escaped);
            }
        }
        Ok(())
    }

    fn hex(&mut self, digits: usize) -> Result<u32, ParseError> {
        let text: String = (0..digits).filter_map(|_| self.next()).collect();
        u32::from_str_radix(&text, 16).map_err(|_| ParseError::new("an escape in a string is malformed"))
    }

    fn code(&mut self, digits: usize) -> Result<char, ParseError> {
        let code = self.hex(digits)?;
        char::from_u32(code).ok_or_else(|| ParseError::new("an escape in a string names no character"))
    }

    fn braced_code(&mut self) -> Result<char, ParseError> {
        let digits = self.chars.get(self.at..).and_then(|rest| rest.iter().position(|c| *c == '}')).unwrap_or(0);
        self.at += 1;
        let code = self.code(digits.saturating_sub(1))?;
        self.at += 1;
        Ok(code)
    }

    /// `\uXXXX`, and the second half where that is the first half of a pair.
    fn utf16_code(&mut self) -> Result<char, ParseError> {
        let first = self.hex(4)?;
        if (0xd800..0xdc00).contains(&first) && self.peek(0) == Some('\\') && self.peek(1) == Some('u') {
            self.at += 2;
            let second = self.hex(4)?;
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff);
            return char::from_u32(code).ok_or_else(|| ParseError::new("an escape in a string names no character"));
        }
        // A lone half has no place in a Rust string; the browser could not have matched page text with it either.
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn verbatim(&mut self) -> Result<String, ParseError> {
        self.at += 2;
        let mut text = String::new();
        loop {
            match self.next() {
                Some('"') if self.peek(0) == Some('"') => {
                    self.at += 1;
                    text.push('"');
                }
                Some('"') => return Ok(text),
                Some(c) => text.push(c),
                None => return Err(ParseError::new("a string has no end")),
            }
        }
    }

    fn regex(&mut self) -> Result<Token, ParseError> {
        self.at += 1;
        let mut source = String::new();
        let mut in_class = false;
        loop {
            match self.next() {
                None | Some('\n') => return Err(ParseError::new("a regular expression has no end")),
                Some('\\') => {
                    source.push('\\');
                    source.extend(self.next());
                }
                Some('/') if !in_class => break,
                Some(c) => {
                    in_class = match c {
                        '[' => true,
                        ']' => false,
                        _ => in_class,
                    };
                    source.push(c);
                }
            }
        }
        let flags = self.word();
        Ok(Token::Regex(JsRegex::new(&source, &flags)))
    }
}
