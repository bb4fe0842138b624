//! JavaScript regular expressions: whether one is valid, how many alternatives it has, and whether it demands any text.
//!
//! Reads the pattern once, with a stack of its own for groups. Never runs one.

mod atom;

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
}

#[cfg(test)]
mod tests;
