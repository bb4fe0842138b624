//! CSS selectors as Playwright reads them, as far as weakening goes: the last compound, positions, alternatives, and what
//! matches everything.
//!
//! One pass over the characters with a stack for functions; comments vanish, escapes are decoded.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

use super::facts::{Facts, Sought, Step};
use super::regex;

/// What one compound holds: `button.primary:visible` is one.
#[derive(Debug, Clone, Default)]
struct Compound {
    tag: String,
    /// A class, an id, an attribute, or a function that holds one of them or a text.
    narrows: bool,
    any: bool,
}

/// A function that is open: its name, what was going on outside, whether anything in it narrows, its text.
#[derive(Debug)]
struct Open {
    name: String,
    outer: Compound,
    narrows: bool,
    from: usize,
    commas: usize,
}

struct Reader<'f, 's> {
    facts: &'f mut Facts,
    rest: Peekable<Chars<'s>>,
    compound: Compound,
    open: Vec<Open>,
    words: String,
    /// Whether a compound before the last one of this branch narrows.
    scoped: bool,
    /// Whether a branch before the last comma was unselective.
    loose_branch: bool,
    /// The text that the last text function looks for.
    sought: Sought,
}

/// Functions whose argument is a text, not a selector.
fn takes_text(name: &str) -> bool {
    matches!(name, "has-text" | "text" | "text-is" | "text-matches" | "contains" | "lang" | "dir")
}

/// Functions whose arguments count elements.
fn is_position(name: &str) -> bool {
    name.starts_with("nth-") || name.starts_with("first-") || name.starts_with("last-") || name.starts_with("only-")
}

/// Adds one step for the selector.
pub(super) fn read(facts: &mut Facts, method: &'static str, text: &str) {
    let mut reader = Reader {
        facts,
        rest: text.chars().peekable(),
        compound: Compound::default(),
        open: Vec::new(),
        words: String::new(),
        scoped: false,
        loose_branch: false,
        sought: Sought::None,
    };
    while let Some(character) = reader.rest.next() {
        reader.step(character);
    }
    while !reader.open.is_empty() {
        reader.close();
    }
    reader.end_compound();
    let selective = (reader.scoped || reader.compound.narrows) && !reader.loose_branch;
    let (words, sought) = (std::mem::take(&mut reader.words), std::mem::replace(&mut reader.sought, Sought::None));
    facts.steps.push(Step { method, words, selective, role: None, sought, last: false });
}

/// Attributes that so many elements have that having one says nothing.
const COMMON: [&str; 36] = [
    "action",
    "alt",
    "aria-label",
    "aria-labelledby",
    "autocomplete",
    "checked",
    "class",
    "data-cy",
    "data-qa",
    "data-test",
    "data-test-id",
    "data-testid",
    "dir",
    "disabled",
    "for",
    "height",
    "hidden",
    "href",
    "id",
    "label",
    "lang",
    "method",
    "name",
    "placeholder",
    "readonly",
    "rel",
    "required",
    "role",
    "selected",
    "src",
    "style",
    "tabindex",
    "target",
    "title",
    "type",
    "value",
];

/// Whether having the attribute `name` tells an element from the others of a page.
pub(super) fn presence_tells(name: &str) -> bool {
    !COMMON.contains(&name.to_lowercase().as_str())
}

/// The same of what stands between the brackets: `name`, `name="value"`, `name*="value" i`. Nothing is part of every value.
fn attribute_tells(text: &str) -> bool {
    match text.split_once('=') {
        Some((_, value)) => {
            !value.trim_end().trim_end_matches(['i', 's', 'I', 'S']).trim_end().trim_matches('"').is_empty()
        }
        None => presence_tells(text.trim()),
    }
}

impl Reader<'_, '_> {
    fn step(&mut self, character: char) {
        match character {
            '/' if self.rest.next_if_eq(&'*').is_some() => self.comment(),
            '#' | '.' => {
                let name = self.name();
                self.compound.any = true;
                self.compound.narrows |= !name.is_empty();
                self.word(format!("{character}{name}"), false);
            }
            '[' => self.attribute(),
            ':' => self.pseudo(),
            ')' => self.close(),
            ',' => self.comma(),
            '*' => {
                self.compound.any = true;
                "*".clone_into(&mut self.compound.tag);
                self.word("*".to_owned(), false);
            }
            '>' | '+' | '~' => self.combinator(character),
            character if character.is_whitespace() => {
                self.blank();
                match self.rest.peek() {
                    None | Some('>' | '+' | '~' | ',' | ')') => {}
                    Some(_) if !self.compound.any => {}
                    Some(_) => self.combinator(' '),
                }
            }
            '"' | '\'' => {
                let text = self.string(character);
                self.word(format!("{text:?}"), false);
            }
            character => {
                let mut tag = self.escaped(character).to_string();
                tag.push_str(&self.name());
                let tag = tag.to_lowercase();
                self.compound.any = true;
                self.compound.tag.clone_from(&tag);
                self.word(tag, false);
            }
        }
    }

    fn word(&mut self, word: String, filters: bool) {
        self.words.push_str(&word);
        self.facts.word(word, filters);
    }

    /// Past white space and comments.
    fn blank(&mut self) {
        loop {
            let mut ahead = self.rest.clone();
            match (ahead.next(), ahead.next()) {
                (Some(c), _) if c.is_whitespace() => drop(self.rest.next()),
                (Some('/'), Some('*')) => {
                    self.rest = ahead;
                    self.comment();
                }
                _ => return,
            }
        }
    }

    fn comment(&mut self) {
        let mut star = false;
        for character in self.rest.by_ref() {
            if star && character == '/' {
                return;
            }
            star = character == '*';
        }
    }

    fn combinator(&mut self, character: char) {
        self.blank();
        self.end_compound();
        self.scoped |= self.open.is_empty() && self.compound.narrows;
        self.compound = Compound::default();
        self.word(format!(" {character} "), false);
    }

    fn comma(&mut self) {
        self.blank();
        self.end_compound();
        if let Some(open) = self.open.last_mut() {
            open.commas += 1;
        } else {
            self.facts.alternatives += 1;
            self.loose_branch |= !(self.scoped || self.compound.narrows);
            self.scoped = false;
        }
        self.compound = Compound::default();
        self.word(",".to_owned(), false);
    }

    /// Notes what the compound that ends here matches.
    fn end_compound(&mut self) {
        let tag = self.compound.tag.as_str();
        let whole = matches!(tag, "html" | "body" | ":root") || tag == "*" && !self.compound.narrows;
        if whole {
            self.facts.everything.push(tag.to_owned());
        }
        if self.compound.narrows
            && let Some(open) = self.open.last_mut()
        {
            open.narrows = true;
        }
    }

    fn pseudo(&mut self) {
        let element = self.rest.next_if_eq(&':').is_some();
        let name = self.name().to_lowercase();
        self.compound.any = true;
        if self.rest.next_if_eq(&'(').is_some() {
            self.word(format!(":{name}("), takes_text(&name) || name == "has");
            if takes_text(&name) || name.starts_with("nth-") && name != "nth-match" {
                self.text_function(&name);
                return;
            }
            let outer = std::mem::take(&mut self.compound);
            let from = self.words.len();
            self.open.push(Open { name, outer, narrows: false, from, commas: 0 });
            return;
        }
        if name == "root" {
            ":root".clone_into(&mut self.compound.tag);
        }
        if is_position(&name) && !element {
            let which = if name.starts_with("first-") {
                "child 1"
            } else if name.starts_with("last-") {
                "child last"
            } else {
                "child only"
            };
            self.facts.positions.push(which.to_owned());
        }
        self.word(format!(":{name}"), false);
    }

    /// A function whose argument is no selector: read to its closing parenthesis.
    fn text_function(&mut self, name: &str) {
        let (mut argument, mut depth, mut bare) = (String::new(), 0_usize, String::new());
        while let Some(character) = self.rest.next() {
            match character {
                '"' | '\'' => {
                    let text = self.string(character);
                    argument.push_str(&text);
                    bare.push(character);
                }
                '(' => {
                    depth += 1;
                    argument.push(character);
                }
                ')' if depth == 0 => break,
                ')' => {
                    depth -= 1;
                    argument.push(character);
                }
                character => {
                    let character = self.escaped(character);
                    argument.push(character);
                    bare.push(character);
                }
            }
        }
        let argument = argument.trim().to_owned();
        self.word(format!("{argument:?})"), takes_text(name));
        if name.starts_with("nth-") {
            let index = argument.to_lowercase().replace(char::is_whitespace, "");
            if argument.contains(" of ") {
                self.facts.alternatives += argument.matches(',').count();
            }
            let sign = if name.starts_with("nth-last") { "-" } else { "" };
            self.facts.positions.push(format!("child {sign}{index}"));
            return;
        }
        let sought = match name {
            "text-matches" => {
                // A pattern, and perhaps flags as a second string.
                let flagged = bare.contains(',');
                let (pattern, flags) = match argument.rsplit_once(',') {
                    Some((pattern, flags)) if flagged => (pattern.trim(), flags.trim()),
                    _ => (argument.as_str(), ""),
                };
                if regex::read(pattern, flags).is_none() {
                    self.facts.vacuous.push(format!(":{name} {argument}"));
                    return;
                }
                Sought::Regex(pattern.to_owned(), flags.to_owned())
            }
            name => Sought::Text(argument, name == "text-is"),
        };
        self.compound.narrows |= self.facts.sought(&format!(":{name}"), &sought);
        self.sought = sought;
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else {
            self.word(")".to_owned(), false);
            return;
        };
        self.end_compound();
        let argument = self.words.get(open.from..).unwrap_or_default().to_owned();
        let inner_narrows = open.narrows || self.compound.narrows;
        let last = argument.rsplit_once(',').map_or(argument.as_str(), |(_, last)| last);
        let number = !last.is_empty() && last.chars().all(|c| c.is_ascii_digit() || c == '.');
        let is_match = open.name == "nth-match";
        self.facts.alternatives += open.commas.saturating_sub(usize::from(number));
        if is_match {
            let index = last.parse::<usize>().map_or_else(|_| last.to_owned(), |n| n.saturating_sub(1).to_string());
            self.facts.positions.push(format!("nth {index}"));
        }
        let inner_everything = matches!(open.name.as_str(), "is" | "where" | "light" | "nth-match");
        let inner_tag = std::mem::take(&mut self.compound.tag);
        self.compound = open.outer;
        if inner_everything && self.compound.tag.is_empty() {
            self.compound.tag = inner_tag;
        }
        let narrows = inner_narrows && open.name != "not";
        self.compound.narrows |= narrows;
        self.compound.any = true;
        self.word(")".to_owned(), false);
    }

    fn attribute(&mut self) {
        let mut text = String::new();
        while let Some(character) = self.rest.next() {
            match character {
                ']' => break,
                '"' | '\'' => {
                    let value = self.string(character);
                    _ = write!(text, "{value:?}");
                }
                character if character.is_whitespace() => {
                    // Only the blank before the `i` or `s` flag means anything.
                    if text.ends_with('"') {
                        text.push(' ');
                    }
                }
                character => {
                    let character = self.escaped(character);
                    text.push(character);
                }
            }
        }
        // An unquoted value says the same as a quoted one.
        if let Some((name, value)) = text.split_once('=')
            && !value.starts_with('"')
        {
            text = format!("{name}={value:?}");
        }
        self.compound.any = true;
        self.compound.narrows |= attribute_tells(&text);
        self.word(format!("[{}]", text.trim_end()), false);
    }

    /// The rest of a quoted string, decoded.
    fn string(&mut self, quote: char) -> String {
        let mut text = String::new();
        while let Some(character) = self.rest.next() {
            if character == quote {
                break;
            }
            if character == '\\' && self.rest.next_if(|c| matches!(c, '\n' | '\r')).is_some() {
                continue;
            }
            let character = self.escaped(character);
            text.push(character);
        }
        text
    }

    /// An identifier, decoded.
    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(character) =
            self.rest.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '\\') || !c.is_ascii())
        {
            let character = self.escaped(character);
            name.push(character);
        }
        name
    }

    /// `character`, or what the escape that it opens stands for.
    fn escaped(&mut self, character: char) -> char {
        if character != '\\' {
            return character;
        }
        let mut code = String::new();
        while code.len() < 6
            && let Some(digit) = self.rest.next_if(char::is_ascii_hexdigit)
        {
            code.push(digit);
        }
        if code.is_empty() {
            return self.rest.next().unwrap_or('\\');
        }
        self.rest.next_if(|c| c.is_whitespace());
        u32::from_str_radix(&code, 16).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}
