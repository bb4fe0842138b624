//! Escapes, names and classes of a pattern.

use super::{Atom, Reader};

impl Reader<'_> {
    pub(super) fn name(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            match self.rest.next()? {
                '>' if !name.is_empty() => return Some(name),
                c if c == '_' || c == '$' || c.is_alphabetic() || (!name.is_empty() && c.is_alphanumeric()) => {
                    name.push(c);
                }
                _ => return None,
            }
        }
    }

    pub(super) fn escape(&mut self) -> Option<()> {
        match self.rest.next()? {
            'b' | 'B' => {
                self.branch.run = 0;
                self.branch.started = true;
                self.atom = Atom::None;
            }
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => self.other(),
            'p' | 'P' if self.mode.strict => {
                self.property()?;
                self.other();
            }
            'k' if self.mode.strict || self.mode.named => {
                self.rest.next_if_eq(&'<')?;
                let name = self.name()?;
                self.name_references.push(name);
                self.other();
            }
            digit @ '1'..='9' => {
                let mut number = digit.to_digit(10).unwrap_or(0) as usize;
                while let Some(next) = self.rest.next_if(char::is_ascii_digit) {
                    number = number.saturating_mul(10).saturating_add(next.to_digit(10).unwrap_or(0) as usize);
                }
                self.references.push(number);
                self.other();
            }
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => return None,
            escaped => {
                let character = self.character(escaped)?;
                self.literal(character);
            }
        }
        Some(())
    }

    /// `\p{…}`
    fn property(&mut self) -> Option<()> {
        self.rest.next_if_eq(&'{')?;
        let mut length = 0;
        loop {
            match self.rest.next()? {
                '}' if length > 0 => return Some(()),
                c if c.is_ascii_alphanumeric() || matches!(c, '_' | '=') => length += 1,
                _ => return None,
            }
        }
    }

    /// The character that an escape stands for.
    fn character(&mut self, escaped: char) -> Option<char> {
        let digits = |reader: &mut Self, count: usize| {
            let mut ahead = reader.rest.clone();
            let mut code = 0;
            for _ in 0..count {
                code = code * 16 + ahead.next()?.to_digit(16)?;
            }
            reader.rest = ahead;
            Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
        };
        Some(match escaped {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '0' if !self.mode.strict => '\0',
            '0' if self.rest.peek().is_some_and(char::is_ascii_digit) => return None,
            '0' => '\0',
            'x' => match digits(self, 2) {
                Some(character) => character,
                None if self.mode.strict => return None,
                None => 'x',
            },
            'u' if self.mode.strict && self.rest.peek() == Some(&'{') => {
                self.rest.next();
                let mut code: u32 = 0;
                loop {
                    match self.rest.next()? {
                        '}' => break char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
                        c => code = (code.checked_mul(16)? + c.to_digit(16)?).min(0x11_0000),
                    }
                    if code > 0x10_ffff {
                        return None;
                    }
                }
            }
            'u' => match digits(self, 4) {
                Some(character) => character,
                None if self.mode.strict => return None,
                None => 'u',
            },
            'c' => match self.rest.next_if(char::is_ascii_alphabetic) {
                Some(_) => '\u{1}',
                None if self.mode.strict => return None,
                None => 'c',
            },
            c if self.mode.strict && !"^$\\.*+?()[]{}|/-".contains(c) => return None,
            c => c,
        })
    }

    /// A class after its `[`. Under `v` classes nest.
    pub(super) fn class(&mut self) -> Option<()> {
        let mut depth = 1;
        let mut last: Option<char> = None;
        self.rest.next_if_eq(&'^');
        while depth > 0 {
            let single = match self.rest.next()? {
                ']' => {
                    depth -= 1;
                    None
                }
                '[' if self.mode.sets => {
                    depth += 1;
                    None
                }
                '\\' => match self.rest.next()? {
                    'd' | 'D' | 's' | 'S' | 'w' | 'W' => None,
                    'p' | 'P' if self.mode.strict => {
                        self.property()?;
                        None
                    }
                    'b' => Some('\u{8}'),
                    '\n' | '\r' | '\u{2028}' | '\u{2029}' => return None,
                    escaped => Some(self.character(escaped)?),
                },
                '\n' | '\r' | '\u{2028}' | '\u{2029}' => return None,
                '-' if !self.mode.sets && last.is_some() && self.rest.peek().is_some_and(|c| *c != ']') => {
                    let end = match self.rest.next()? {
                        '\\' => match self.rest.next()? {
                            'd' | 'D' | 's' | 'S' | 'w' | 'W' | 'p' | 'P' => None,
                            'b' => Some('\u{8}'),
                            escaped => Some(self.character(escaped)?),
                        },
                        c => Some(c),
                    };
                    if let (Some(start), Some(end)) = (last, end)
                        && end < start
                    {
                        return None;
                    }
                    None
                }
                c => Some(c),
            };
            last = single;
        }
        Some(())
    }
}
