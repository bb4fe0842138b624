//! Playwright's own attribute syntax, `role[name="x"i][level=2]`: not CSS, and not quite JSON either.

use super::ParseError;
use crate::domain::locator::JsRegex;

/// `name[…][…]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AttributeSelector {
    pub(crate) name: String,
    pub(crate) attributes: Vec<AttributePart>,
}

/// One `[name op value]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AttributePart {
    pub(crate) name: String,
    pub(crate) op: Operator,
    pub(crate) value: AttributeValue,
    pub(crate) case_sensitive: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Truthy,
    Equals,
    Contains,
    Prefix,
    Suffix,
    DashPrefix,
    Word,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AttributeValue {
    None,
    Bool(bool),
    Text(String),
    Regex(JsRegex),
}

/// Parses the whole of `text`.
pub(crate) fn parse(text: &str) -> Result<AttributeSelector, ParseError> {
    let chars: Vec<char> = text.chars().collect();
    let mut reader = Reader { chars: &chars, at: 0 };
    let name = reader.identifier();
    let mut attributes = Vec::new();
    reader.spaces();
    while reader.peek() == Some('[') {
        attributes.push(reader.attribute()?);
        reader.spaces();
    }
    if reader.peek().is_some() || (name.is_empty() && attributes.is_empty()) {
        return Err(reader.unexpected());
    }
    Ok(AttributeSelector { name, attributes })
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += 1;
        c
    }

    fn spaces(&mut self) {
        while self.peek().is_some_and(crate::domain::dom::text::is_space) {
            self.at += 1;
        }
    }

    fn unexpected(&self) -> ParseError {
        ParseError::new(match self.peek() {
            Some(c) => format!("unexpected `{c}` in an attribute selector"),
            None => "an attribute selector ends too early".into(),
        })
    }

    fn identifier(&mut self) -> String {
        self.spaces();
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| is_name(*c)) {
            name.push(c);
            self.at += 1;
        }
        name
    }

    fn attribute(&mut self) -> Result<AttributePart, ParseError> {
        self.next();
        let mut name = self.token()?;
        self.spaces();
        while self.peek() == Some('.') {
            self.next();
            name.push('.');
            name.push_str(&self.token()?);
            self.spaces();
        }
        if self.peek() == Some(']') {
            self.next();
            let value = AttributeValue::None;
            return Ok(AttributePart { name, op: Operator::Truthy, value, case_sensitive: false });
        }
        let op = self.operator()?;
        self.spaces();
        let mut case_sensitive = true;
        let value = match self.peek() {
            Some('/') => AttributeValue::Regex(self.regex()?),
            Some(quote @ ('"' | '\'')) => {
                let text = self.quoted(quote)?;
                self.spaces();
                if let Some(flag @ ('i' | 'I' | 's' | 'S')) = self.peek() {
                    case_sensitive = flag.eq_ignore_ascii_case(&'s');
                    self.next();
                }
                AttributeValue::Text(text)
            }
            _ => self.bare_value(),
        };
        self.spaces();
        let misfit = op != Operator::Equals && !matches!(value, AttributeValue::Text(_));
        if self.peek() != Some(']') || misfit {
            return Err(self.unexpected());
        }
        self.next();
        Ok(AttributePart { name, op, value, case_sensitive })
    }

    fn token(&mut self) -> Result<String, ParseError> {
        self.spaces();
        let token = match self.peek() {
            Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
            _ => self.identifier(),
        };
        if token.is_empty() { Err(self.unexpected()) } else { Ok(token) }
    }

    fn operator(&mut self) -> Result<Operator, ParseError> {
        self.spaces();
        let first = self.next();
        if first == Some('=') {
            return Ok(Operator::Equals);
        }
        let op = match first {
            Some('*') => Operator::Contains,
            Some('^') => Operator::Prefix,
            Some('$') => Operator::Suffix,
            Some('|') => Operator::DashPrefix,
            Some('~') => Operator::Word,
            _ => return Err(self.unexpected()),
        };
        if self.next() == Some('=') { Ok(op) } else { Err(self.unexpected()) }
    }

    fn quoted(&mut self, quote: char) -> Result<String, ParseError> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next() {
                Some(c) if c == quote => return Ok(text),
                Some('\\') => text.extend(self.next()),
                Some(c) => text.push(c),
                None => return Err(self.unexpected()),
            }
        }
    }

    fn regex(&mut self) -> Result<JsRegex, ParseError> {
        self.next();
        let mut source = String::new();
        let mut in_class = false;
        loop {
            match self.next().ok_or_else(|| ParseError::new("a regular expression has no end"))? {
                '\\' => {
                    source.push('\\');
                    source.extend(self.next());
                }
                '/' if !in_class => break,
                c => {
                    in_class = match c {
                        '[' => true,
                        ']' => false,
                        _ => in_class,
                    };
                    source.push(c);
                }
            }
        }
        let mut flags = String::new();
        while let Some(c) = self.peek().filter(|c| "dgimsuvy".contains(*c)) {
            flags.push(c);
            self.at += 1;
        }
        Ok(JsRegex::new(&source, &flags))
    }

    fn bare_value(&mut self) -> AttributeValue {
        let mut text = String::new();
        while let Some(c) = self.peek().filter(|c| is_name(*c) || matches!(c, '+' | '.')) {
            text.push(c);
            self.at += 1;
        }
        match text.as_str() {
            "true" => AttributeValue::Bool(true),
            "false" => AttributeValue::Bool(false),
            _ => AttributeValue::Text(text),
        }
    }
}

fn is_name(c: char) -> bool {
    c >= '\u{80}' || c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}
