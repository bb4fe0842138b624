//! A chain of locator methods in source or printed form, into steps.
//!
//! Method and option names are compared without case and underscores, which makes JavaScript, Python, Java and C# one
//! language; only the shape of arguments differs.

use super::call::{Call, Value};
use super::token::{Token, tokens};
use super::{MAX_DEPTH, ParseError, check_start, internal};
use crate::domain::locator::{JsRegex, Locator, Step};

const METHODS: [&str; 21] = [
    "locator",
    "filter",
    "within",
    "and",
    "or",
    "framelocator",
    "contentframe",
    "owner",
    "first",
    "last",
    "nth",
    "visible",
    "describe",
    "getbyrole",
    "getbytext",
    "getbylabel",
    "getbytestid",
    "getbyalttext",
    "getbyplaceholder",
    "getbytitle",
    "getbyref",
];

/// Whether `text` starts like a chain: receivers, then a method of Playwright's with its arguments.
pub(super) fn looks_like_chain(text: &str) -> bool {
    let Some(open) = text.find('(') else { return false };
    let head = text.get(..open).unwrap_or_default().trim_end();
    let head = head.strip_prefix("await ").unwrap_or(head);
    let is_path = head.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '?' | '!'));
    let last = head.rsplit('.').next().unwrap_or_default();
    is_path && METHODS.contains(&normal(last).as_str())
}

pub(super) fn parse(source: &str, test_id_attribute: &str) -> Result<Locator, ParseError> {
    let python = ["get_by_", "frame_locator(", "re.compile(", "has_text=", "has_not_text=", "has_not="]
        .iter()
        .any(|mark| source.contains(mark));
    let tokens = tokens(source, python)?;
    let mut parser = Parser { tokens: &tokens, at: 0, test_id_attribute };
    parser.eat_word("await");
    parser.eat('.');
    let target = parser.chain(0)?;
    parser.eat(';');
    if *parser.peek() != Token::End {
        return Err(parser.unexpected());
    }
    check_start(target.into_locator())
}

/// A name as all languages would write it without their conventions.
fn normal(name: &str) -> String {
    name.chars().filter(|c| *c != '_').collect::<String>().to_lowercase()
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    test_id_attribute: &'a str,
}

/// What the next method is called on.
#[derive(Default)]
struct Target {
    steps: Vec<Step>,
    /// The last step names a frame; the next lookup goes on inside it.
    in_frame: bool,
}

impl Target {
    fn into_locator(mut self) -> Locator {
        self.enter();
        Locator { steps: self.steps }
    }

    fn enter(&mut self) {
        if self.in_frame && self.steps.last() != Some(&Step::AnyFrame) {
            self.steps.push(Step::EnterFrame);
        }
        self.in_frame = false;
    }
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    fn peek_at(&self, offset: usize) -> &Token {
        self.tokens.get(self.at + offset).unwrap_or(&Token::End)
    }

    fn eat(&mut self, mark: char) -> bool {
        let found = *self.peek() == Token::Mark(mark);
        self.at += usize::from(found);
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(found) if found == word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: char) -> Result<(), ParseError> {
        if self.eat(mark) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn word(&mut self) -> Result<String, ParseError> {
        let Token::Word(word) = self.peek() else { return Err(self.unexpected()) };
        let word = word.clone();
        self.at += 1;
        Ok(word)
    }

    fn unexpected(&self) -> ParseError {
        ParseError::new(match self.peek() {
            Token::Text(text) => format!("unexpected text `{text}` in a locator"),
            Token::Regex(regex) => format!("unexpected `{regex}` in a locator"),
            Token::Number(number) => format!("unexpected `{number}` in a locator"),
            Token::Word(word) => format!("`{word}` is not a literal"),
            Token::Mark(mark) => format!("unexpected `{mark}` in a locator"),
            Token::End => "the locator ends too early".into(),
        })
    }

    fn chain(&mut self, depth: usize) -> Result<Target, ParseError> {
        if depth > MAX_DEPTH {
            return Err(ParseError::new("locators are nested too deeply"));
        }
        let mut target = Target::default();
        let mut receiver = true;
        loop {
            let name = self.word()?;
            let method = normal(&name);
            let known = METHODS.contains(&method.as_str());
            let called = *self.peek() == Token::Mark('(');
            // `page.`, `this.page.`, `page.mainFrame().`: where the chain hangs says nothing about what it matches.
            let is_property = matches!(method.as_str(), "first" | "last" | "contentframe" | "owner" | "visible");
            if receiver && !called && !is_property {
                self.dot(&name)?;
                continue;
            }
            if !known {
                return Err(ParseError::new(format!("`{name}` is not a method of a locator")));
            }
            receiver = false;
            let call = self.call(method, depth)?;
            self.apply(call, &mut target)?;
            if !self.dotted() {
                return Ok(target);
            }
        }
    }

    /// Eats `.`, `?.` or `!.`, if one follows.
    fn dotted(&mut self) -> bool {
        let offset = usize::from(matches!(self.peek(), Token::Mark('!' | '?')));
        let found = *self.peek_at(offset) == Token::Mark('.');
        if found {
            self.at += offset + 1;
        }
        found
    }

    fn dot(&mut self, name: &str) -> Result<(), ParseError> {
        if self.dotted() { Ok(()) } else { Err(ParseError::new(format!("`{name}` is not a literal"))) }
    }

    fn call(&mut self, method: String, depth: usize) -> Result<Call, ParseError> {
        let mut call = Call { method, ..Call::default() };
        if !self.eat('(') {
            return Ok(call);
        }
        while !self.eat(')') {
            self.argument(&mut call, depth)?;
            if !self.eat(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(call)
    }

    /// One argument, or a bag of options in any language's shape.
    fn argument(&mut self, call: &mut Call, depth: usize) -> Result<(), ParseError> {
        if self.eat('{') {
            return self.bag(call, ':', depth);
        }
        if matches!(self.peek(), Token::Word(_)) && *self.peek_at(1) == Token::Mark('=') {
            let name = self.word()?;
            self.expect('=')?;
            return self.option(call, &name, depth);
        }
        let starts_options = match (self.peek_at(1), self.peek_at(2)) {
            (Token::Mark('('), _) => true,
            (Token::Word(word), Token::Mark('.')) => word != "RegExp",
            (Token::Word(word), _) => word.ends_with("Options"),
            _ => false,
        };
        if starts_options && self.eat_word("new") {
            while matches!(self.peek(), Token::Word(_)) || *self.peek() == Token::Mark('.') {
                self.at += 1;
            }
            if self.eat('(') {
                self.expect(')')?;
            }
            if self.eat('{') {
                return self.bag(call, '=', depth);
            }
            while self.eat('.') {
                let setter = self.word()?;
                let name = setter.strip_prefix("set").ok_or_else(|| self.unexpected())?.to_owned();
                self.expect('(')?;
                self.option(call, &name, depth)?;
                self.expect(')')?;
            }
            return Ok(());
        }
        let value = self.value(depth)?;
        call.args.push(value);
        Ok(())
    }

    fn bag(&mut self, call: &mut Call, separator: char, depth: usize) -> Result<(), ParseError> {
        while !self.eat('}') {
            let name = match self.peek() {
                Token::Text(text) => {
                    let text = text.clone();
                    self.at += 1;
                    text
                }
                _ => self.word()?,
            };
            if *self.peek() != Token::Mark(separator) {
                return Err(ParseError::new(format!("option `{name}` is not a literal")));
            }
            self.expect(separator)?;
            self.option(call, &name, depth)?;
            if !self.eat(',') {
                self.expect('}')?;
                break;
            }
        }
        Ok(())
    }

    fn option(&mut self, call: &mut Call, name: &str, depth: usize) -> Result<(), ParseError> {
        let mut name = normal(name);
        for suffix in ["regex", "string"] {
            if let Some(length) = name.strip_suffix(suffix).map(str::len).filter(|length| *length > 0) {
                name.truncate(length);
            }
        }
        let value = self.value(depth)?;
        if !matches!(value, Value::Undefined) {
            call.options.push((name, value));
        }
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Value, ParseError> {
        match self.peek().clone() {
            Token::Text(_) => self.text().map(Value::Text),
            Token::Regex(regex) => {
                self.at += 1;
                Ok(Value::Regex(regex))
            }
            Token::Number(number) => {
                self.at += 1;
                Ok(Value::Number(number))
            }
            Token::Mark('-') => {
                self.at += 1;
                match self.value(depth)? {
                    Value::Number(number) => Ok(Value::Number(-number)),
                    _ => Err(self.unexpected()),
                }
            }
            Token::Word(word) => self.word_value(&word, depth),
            Token::Mark(_) | Token::End => Err(self.unexpected()),
        }
    }

    /// A string, or several joined by `+`.
    fn text(&mut self) -> Result<String, ParseError> {
        let mut text = String::new();
        loop {
            let Token::Text(part) = self.peek() else { return Err(self.unexpected()) };
            text.push_str(part);
            self.at += 1;
            if !self.eat('+') {
                return Ok(text);
            }
        }
    }

    fn word_value(&mut self, word: &str, depth: usize) -> Result<Value, ParseError> {
        let after = self.peek_at(1).clone();
        let known = match word {
            "true" | "True" => Some(Value::Bool(true)),
            "false" | "False" => Some(Value::Bool(false)),
            "undefined" | "None" | "null" => Some(Value::Undefined),
            _ => None,
        };
        if let Some(value) = known {
            self.at += 1;
            return Ok(value);
        }
        if word == "AriaRole" {
            self.at += 1;
            self.expect('.')?;
            return Ok(Value::Text(normal(&self.word()?)));
        }
        let constructs = match (word, &after) {
            ("new", Token::Word(class)) => class == "RegExp" || class == "Regex",
            ("re" | "Pattern", Token::Mark('.')) | ("RegExp", Token::Mark('(')) => true,
            _ => false,
        };
        if constructs {
            while *self.peek() != Token::Mark('(') {
                if *self.peek() == Token::End {
                    return Err(self.unexpected());
                }
                self.at += 1;
            }
            return self.constructed_regex();
        }
        let target = self.chain(depth + 1)?;
        if target.in_frame {
            return Err(ParseError::new("a frame is not a locator"));
        }
        Ok(Value::Locator(target.into_locator()))
    }

    /// `("source", "i")`, `(r"source", re.IGNORECASE | re.M)`, `("source", Pattern.CASE_INSENSITIVE)`.
    fn constructed_regex(&mut self) -> Result<Value, ParseError> {
        self.expect('(')?;
        if let Token::Regex(regex) = self.peek().clone() {
            self.at += 1;
            self.expect(')')?;
            return Ok(Value::Regex(regex));
        }
        let source = self.text()?;
        let mut flags = String::new();
        if self.eat(',') && *self.peek() != Token::Mark(')') {
            if let Token::Text(text) = self.peek() {
                flags.push_str(text);
                self.at += 1;
            } else {
                self.named_flags(&mut flags)?;
            }
        }
        self.expect(')')?;
        Ok(Value::Regex(JsRegex::new(&source, &flags)))
    }

    fn named_flags(&mut self, flags: &mut String) -> Result<(), ParseError> {
        if *self.peek_at(1) == Token::Mark('=') {
            self.at += 2;
        }
        loop {
            self.word()?;
            self.expect('.')?;
            let name = self.word()?;
            flags.push(match normal(&name).as_str() {
                "ignorecase" | "i" | "caseinsensitive" => 'i',
                "multiline" | "m" => 'm',
                "dotall" | "s" | "singleline" => 's',
                _ => return Err(ParseError::new(format!("unknown regular expression flag `{name}`"))),
            });
            if !self.eat('|') {
                return Ok(());
            }
        }
    }

    fn apply(&self, mut call: Call, target: &mut Target) -> Result<(), ParseError> {
        let in_frame = target.in_frame;
        match call.method.as_str() {
            "first" => target.steps.push(Step::Nth(0)),
            "last" => target.steps.push(Step::Nth(-1)),
            "nth" => target.steps.push(Step::Nth(call.integer()?)),
            "contentframe" if !in_frame => target.in_frame = true,
            "owner" if in_frame => target.in_frame = false,
            "describe" => {}
            "filter" if !in_frame => call.filters(&mut target.steps)?,
            "visible" if !in_frame => target.steps.push(Step::Visible(true)),
            "and" if !in_frame => target.steps.push(Step::And(call.locator()?)),
            "or" if !in_frame => target.steps.push(Step::Or(call.locator()?)),
            "within" if !in_frame => {
                let inner = std::mem::take(&mut target.steps);
                target.steps = call.locator()?.steps;
                target.steps.push(Step::Chain(Locator { steps: inner }));
            }
            "framelocator" if call.args.is_empty() && target.steps.is_empty() => {
                target.steps.push(Step::AnyFrame);
                target.in_frame = true;
            }
            "framelocator" => {
                target.enter();
                target.steps.extend(internal::parse(&call.text()?, 0)?.steps);
                target.in_frame = true;
            }
            "locator" => {
                target.enter();
                match call.take(0)? {
                    Value::Text(selector) => target.steps.extend(internal::parse(&selector, 0)?.steps),
                    Value::Locator(inner) if in_frame || target.steps.is_empty() => target.steps.extend(inner.steps),
                    Value::Locator(inner) => target.steps.push(Step::Chain(inner)),
                    _ => return Err(call.wrong_argument()),
                }
                call.filters(&mut target.steps)?;
            }
            _ => {
                target.enter();
                target.steps.push(call.get_by(self.test_id_attribute)?);
            }
        }
        call.finish()
    }
}
