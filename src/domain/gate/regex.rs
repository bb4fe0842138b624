//! JavaScript regular expressions: whether one is valid, how many alternatives it has, and whether it demands any text.
//!
//! Reads the pattern once, with a stack of its own for groups. Never runs one.

/// What a pattern demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Demands {
    /// How many `|` there are outside of classes.
    pub(super) alternatives: usize,
    /// Whether every match holds two literal characters in a row, not both white, and no branch is empty.
    pub(super) text: bool,
    /// Whether it is `^…$` as a whole.
    pub(super) anchored: bool,
}

/// What one branch has demanded so far.
#[derive(Debug, Clone, Copy, Default)]
struct Branch {
    /// Literal characters in a row just now, and whether one of them is not white.
    run: usize,
    visible: bool,
    /// Whether there was a run of two.
    enough: bool,
    /// Whether there was anything at all.
    started: bool,
}

/// How the flags make the pattern be read.
#[derive(Debug, Clone, Copy)]
struct Mode {
    /// Whether it is read strictly, as under `u` and `v`.
    strict: bool,
    /// Whether classes nest, as under `v`.
    sets: bool,
    /// Whether the pattern names groups, which makes `\k` special.
    named: bool,
}

#[derive(Debug, Clone, Copy)]
enum GroupKind {
    Plain,
    Look,
}

#[derive(Debug, Clone, Copy)]
struct Group {
    kind: GroupKind,
    outer: Branch,
    /// Whether all finished branches demand enough; `None` before the first.
    all_enough: Option<bool>,
}

/// What can be repeated.
#[derive(Debug, Clone, Copy)]
enum Atom {
    /// A literal character, with the branch as it was before it.
    Literal(Branch),
    /// Anything else that takes a quantifier, with the branch as it was before it.
    Other(Branch),
    /// Nothing that takes one.
    None,
}

struct Reader<'p> {
    rest: std::iter::Peekable<std::str::Chars<'p>>,
    mode: Mode,
    branch: Branch,
    groups: Vec<Group>,
    top: Option<bool>,
    empty_branch: bool,
    alternatives: usize,
    names: Vec<String>,
    captures: usize,
    references: Vec<usize>,
    name_references: Vec<String>,
    atom: Atom,
}

/// Reads a pattern. `None` where an engine would refuse the pattern or the flags.
pub(super) fn read(pattern: &str, flags: &str) -> Option<Demands> {
    let mut seen: Vec<char> = flags.chars().collect();
    seen.sort_unstable();
    if seen.windows(2).any(|pair| pair.first() == pair.last()) || seen.iter().any(|flag| !"dgimsuvy".contains(*flag)) {
        return None;
    }
    if (flags.contains('u') && flags.contains('v')) || pattern.is_empty() {
        return None;
    }
    let mut reader = Reader {
        rest: pattern.chars().peekable(),
        mode: Mode {
            strict: flags.contains(['u', 'v']),
            sets: flags.contains('v'),
            named: pattern.split("(?<").skip(1).any(|name| !name.starts_with(['=', '!'])),
        },
        branch: Branch::default(),
        groups: Vec::new(),
        top: None,
        empty_branch: false,
        alternatives: 0,
        names: Vec::new(),
        captures: 0,
        references: Vec::new(),
        name_references: Vec::new(),
        atom: Atom::None,
    };
    while let Some(character) = reader.rest.next() {
        reader.step(character)?;
    }
    reader.end().map(|demands| Demands {
        anchored: pattern.starts_with('^') && ends_anchored(pattern) && demands.alternatives == 0,
        ..demands
    })
}

fn ends_anchored(pattern: &str) -> bool {
    pattern.strip_suffix('$').is_some_and(|head| head.chars().rev().take_while(|c| *c == '\\').count() % 2 == 0)
}

impl Reader<'_> {
    fn step(&mut self, character: char) -> Option<()> {
        match character {
            '\\' => self.escape()?,
            '[' => {
                self.class()?;
                self.other();
            }
            '(' => self.open()?,
            ')' => self.close()?,
            '|' => {
                self.alternatives += 1;
                self.finish_branch();
                self.atom = Atom::None;
            }
            '*' | '+' | '?' => self.quantifier(character != '+')?,
            '{' => match self.braces() {
                Some((least, most)) => {
                    if most.is_some_and(|most| most < least) {
                        return None;
                    }
                    self.quantifier(least == 0)?;
                }
                None if self.mode.strict => return None,
                None => self.literal('{'),
            },
            '}' | ']' if self.mode.strict => return None,
            '^' | '$' => {
                self.branch.run = 0;
                self.branch.started = true;
                self.atom = Atom::None;
            }
            '.' => self.other(),
            '/' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => return None,
            character => self.literal(character),
        }
        Some(())
    }

    fn literal(&mut self, character: char) {
        let before = self.branch;
        let branch = &mut self.branch;
        branch.visible = (branch.run > 0 && branch.visible) || !character.is_whitespace();
        branch.run += 1;
        branch.started = true;
        branch.enough |= branch.run >= 2 && branch.visible;
        self.atom = Atom::Literal(before);
    }

    fn other(&mut self) {
        self.atom = Atom::Other(self.branch);
        self.branch.run = 0;
        self.branch.started = true;
    }

    fn quantifier(&mut self, optional: bool) -> Option<()> {
        let (before, literal) = match self.atom {
            Atom::None => return None,
            Atom::Literal(before) => (before, true),
            Atom::Other(before) => (before, false),
        };
        self.rest.next_if_eq(&'?');
        if optional {
            self.branch = Branch { run: 0, started: true, ..before };
        } else if literal {
            // `ab+c`: the run goes on after a repeated character only if it is there once; be strict and cut it.
            self.branch.run = 0;
        }
        self.atom = Atom::None;
        Some(())
    }

    fn braces(&mut self) -> Option<(u64, Option<u64>)> {
        let mut ahead = self.rest.clone();
        let mut text = String::new();
        loop {
            match ahead.next()? {
                '}' => break,
                character if (character.is_ascii_digit() || character == ',') && text.len() < 24 => {
                    text.push(character);
                }
                _ => return None,
            }
        }
        let (least, most) = match text.split_once(',') {
            None => (text.parse().ok()?, text.parse().ok()),
            Some((least, "")) => (least.parse().ok()?, None),
            Some((least, most)) => (least.parse().ok()?, Some(most.parse().ok()?)),
        };
        self.rest = ahead;
        Some((least, most))
    }

    fn open(&mut self) -> Option<()> {
        let mut kind = GroupKind::Plain;
        if self.rest.next_if_eq(&'?').is_some() {
            match self.rest.next()? {
                ':' => {}
                '=' | '!' => kind = GroupKind::Look,
                '<' => match self.rest.peek()? {
                    '=' | '!' => {
                        self.rest.next();
                        kind = GroupKind::Look;
                    }
                    _ => {
                        let name = self.name()?;
                        if self.names.contains(&name) {
                            return None;
                        }
                        self.names.push(name);
                        self.captures += 1;
                    }
                },
                _ => return None,
            }
        } else {
            self.captures += 1;
        }
        self.groups.push(Group { kind, outer: self.branch, all_enough: None });
        // A run goes on into a group: `a(?:b)` demands `ab`.
        self.branch = Branch { enough: false, started: false, ..self.branch };
        self.atom = Atom::None;
        Some(())
    }

    fn close(&mut self) -> Option<()> {
        self.finish_branch();
        let group = self.groups.pop()?;
        let enough = group.all_enough.unwrap_or(false);
        self.branch = group.outer;
        match group.kind {
            GroupKind::Plain => {
                self.atom = Atom::Other(group.outer);
                self.branch.enough |= enough;
            }
            GroupKind::Look => self.atom = if self.mode.strict { Atom::None } else { Atom::Other(group.outer) },
        }
        self.branch.run = 0;
        self.branch.started = true;
        Some(())
    }

    fn finish_branch(&mut self) {
        let enough = self.branch.enough;
        let look = self.groups.last().is_some_and(|group| matches!(group.kind, GroupKind::Look));
        if !self.branch.started && !look {
            self.empty_branch = true;
        }
        let (slot, fresh) = match self.groups.last_mut() {
            Some(group) => (&mut group.all_enough, Branch { enough: false, started: false, ..group.outer }),
            None => (&mut self.top, Branch::default()),
        };
        *slot = Some(slot.unwrap_or(true) && enough);
        self.branch = fresh;
    }

    fn end(mut self) -> Option<Demands> {
        self.finish_branch();
        let valid_references = !self.mode.strict || self.references.iter().all(|number| *number <= self.captures);
        let valid_names = self.name_references.iter().all(|name| self.names.contains(name));
        if !self.groups.is_empty() || !valid_references || !valid_names {
            return None;
        }
        Some(Demands {
            alternatives: self.alternatives,
            text: self.top.unwrap_or(false) && !self.empty_branch,
            anchored: false,
        })
    }

    fn name(&mut self) -> Option<String> {
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

    fn escape(&mut self) -> Option<()> {
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
    fn class(&mut self) -> Option<()> {
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

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_an_engine_refuses_is_refused() {
        for (pattern, flags, valid) in [
            ("Total \\d+", "", true),
            ("Total (\\d+", "", false),
            ("a)", "", false),
            ("[a", "", false),
            ("[z-a]", "", false),
            ("[a-z]", "", true),
            ("[\\w-x]", "", true),
            ("*a", "", false),
            ("a**", "", false),
            ("a+?", "", true),
            ("a{2,1}", "", false),
            ("a{1,2}", "", true),
            ("a{x}", "", true),
            ("a{x}", "u", false),
            ("^*", "", false),
            ("(?<n>a)\\k<n>", "", true),
            ("(?<n>a)(?<n>b)", "", false),
            ("\\k<n>", "u", false),
            ("(?<n>a)\\k<m>", "", false),
            ("(?<=a)b(?<!c)", "", true),
            ("(?a)", "", false),
            ("\\1", "u", false),
            ("(a)\\1", "u", true),
            ("\\-", "u", true),
            ("\\y", "u", false),
            ("\\u{1F600}", "u", true),
            ("\\u{110000}", "u", false),
            ("\\p{L}", "u", true),
            ("[[a-z]--[aeiou]]", "v", true),
            ("a", "ii", false),
            ("a", "x", false),
            ("a", "uv", false),
            ("a", "dgimsuy", true),
            ("a]", "", true),
            ("a]", "u", false),
            ("", "", false),
        ] {
            assert_eq!(read(pattern, flags).is_some(), valid, "/{pattern}/{flags}");
        }
    }

    #[test]
    fn a_text_is_demanded_if_every_match_holds_two_literal_characters_in_a_row() {
        for (pattern, text, alternatives) in [
            ("Save", true, 0),
            (".*", false, 0),
            (".+", false, 0),
            ("^reports \\(\\d+\\)$", true, 0),
            ("a", false, 0),
            ("a.b", false, 0),
            ("ab?", false, 0),
            ("ab?cd", true, 0),
            ("ab+", true, 0),
            ("(Save)?", false, 0),
            ("(Save)", true, 0),
            ("(?:Sa|ve)", true, 1),
            ("Save|x", false, 1),
            ("Save|", false, 1),
            ("Save(|d)", false, 1),
            ("(Save){0,2}", false, 0),
            ("(Save){1,2}", true, 0),
            ("(?=Save)", false, 0),
            ("(?!Save).*", false, 0),
            ("[Ss]ave", true, 0),
            ("[|]ab", true, 0),
            ("\\|ab", true, 0),
            ("\\s\\s", false, 0),
            ("  ", false, 0),
            ("\\d+ of \\d+", true, 0),
        ] {
            let demands = read(pattern, "").unwrap();
            assert_eq!((demands.text, demands.alternatives), (text, alternatives), "/{pattern}/");
        }
    }

    #[test]
    fn a_hundred_thousand_groups_cost_no_stack() {
        let deep = format!("{}ab{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(read(&deep, "").unwrap().text);
    }
}
