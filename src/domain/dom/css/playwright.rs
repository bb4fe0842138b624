//! Reads Playwright's CSS: the browser's compounds mixed with Playwright's own pseudo-classes.

use cssparser::{Delimiter, Parser, Token};

use super::native::{self, Error, Piece, Reading, fail};
use super::selector::{Combinator, Compound};

/// How deep selectors may be nested, so that hostile text cannot exhaust the stack.
const MAX_DEPTH: usize = 32;

/// A list of selectors, any of which may match.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Css {
    pub(super) list: Vec<Complex>,
}

/// Simple selectors from left to right, each with how the next one is joined to it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Complex {
    pub(super) simples: Vec<(Simple, Combinator)>,
}

/// What one element must be: natively, and by Playwright's functions.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Simple {
    pub(super) native: Option<Compound>,
    pub(super) functions: Vec<Function>,
}

/// One of Playwright's own pseudo-classes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Function {
    pub(super) name: Name,
    pub(super) args: Vec<Arg>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Arg {
    Selector(Complex),
    Text(String),
    Number(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Not,
    Is,
    Has,
    Scope,
    Light,
    Visible,
    Text,
    TextMatches,
    TextIs,
    HasText,
    NthMatch,
    Layout,
}

impl Name {
    fn of(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "not" => Self::Not,
            "is" | "where" => Self::Is,
            "has" => Self::Has,
            "scope" => Self::Scope,
            "light" => Self::Light,
            "visible" => Self::Visible,
            "text" => Self::Text,
            "text-matches" => Self::TextMatches,
            "text-is" => Self::TextIs,
            "has-text" => Self::HasText,
            "nth-match" => Self::NthMatch,
            "above" | "below" | "right-of" | "left-of" | "near" => Self::Layout,
            _ => return None,
        })
    }
}

impl Css {
    /// Reads a selector; the error says what Playwright or the browser would refuse.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser::new(text);
        let args = arguments(&mut parser, 0).map_err(|error| match error.kind {
            cssparser::ParseErrorKind::Custom(message) => message,
            cssparser::ParseErrorKind::Basic(_) => format!("`{text}` is not a CSS selector"),
        })?;
        let mut list = Vec::new();
        for arg in args {
            match arg {
                Arg::Selector(complex) => list.push(complex),
                Arg::Text(_) | Arg::Number(_) => return Err(format!("`{text}` is not a CSS selector")),
            }
        }
        Ok(Self { list })
    }
}

/// Arguments between commas, up to the end of the block.
fn arguments(parser: &mut Parser<'_>, depth: usize) -> Result<Vec<Arg>, Error> {
    if depth > MAX_DEPTH {
        return Err(fail("selectors are nested too deeply"));
    }
    let mut args = Vec::new();
    loop {
        args.push(parser.parse_until_before(Delimiter::Comma, |parser| argument(parser, depth))?);
        if parser.next().is_err() {
            return Ok(args);
        }
    }
}

fn argument(parser: &mut Parser<'_>, depth: usize) -> Result<Arg, Error> {
    parser.skip_whitespace();
    let literal = parser.try_parse(|parser| match parser.next().cloned() {
        Ok(Token::QuotedString(text)) => Ok(Arg::Text(text.to_string())),
        Ok(Token::Number { value, .. }) => Ok(Arg::Number(f64::from(value))),
        _ => Err(()),
    });
    match literal {
        Ok(literal) => {
            parser.expect_exhausted().map_err(|_| fail("unexpected token after an argument"))?;
            Ok(literal)
        }
        Err(()) => complex(parser, depth).map(Arg::Selector),
    }
}

fn complex(parser: &mut Parser<'_>, depth: usize) -> Result<Complex, Error> {
    let mut simples = Vec::new();
    parser.skip_whitespace();
    // `> a` starts at the scope.
    let starts_at_scope = {
        let before = parser.state();
        let found = native::combinator(parser).is_some();
        parser.reset(&before);
        found
    };
    let mut current = if starts_at_scope {
        Simple { native: None, functions: vec![Function { name: Name::Scope, args: Vec::new() }] }
    } else {
        simple(parser, depth)?
    };
    loop {
        parser.skip_whitespace();
        let joined = native::combinator(parser);
        parser.skip_whitespace();
        if joined.is_none() && parser.is_exhausted() {
            simples.push((current, Combinator::Descendant));
            return Ok(Complex { simples });
        }
        let next = simple(parser, depth)?;
        simples.push((std::mem::replace(&mut current, next), joined.unwrap_or(Combinator::Descendant)));
    }
}

fn simple(parser: &mut Parser<'_>, depth: usize) -> Result<Simple, Error> {
    let mut simple = Simple::default();
    let mut native = Compound::default();
    loop {
        if let Some(function) = own_function(parser, depth)? {
            simple.functions.push(function);
            continue;
        }
        match native::piece(parser, Reading::TOP, native.parts.is_empty())? {
            Some(Piece::Part(part)) => native.parts.push(part),
            Some(Piece::Element(_)) => return Err(fail("a pseudo-element is not an element")),
            None => break,
        }
    }
    if native.parts.is_empty() && simple.functions.is_empty() {
        return Err(fail("a selector is missing"));
    }
    simple.native = (!native.parts.is_empty()).then_some(native);
    Ok(simple)
}

/// One of Playwright's functions, if one is next.
fn own_function(parser: &mut Parser<'_>, depth: usize) -> Result<Option<Function>, Error> {
    let before = parser.state();
    if !matches!(parser.next_including_whitespace(), Ok(Token::Colon)) {
        parser.reset(&before);
        return Ok(None);
    }
    match parser.next_including_whitespace().cloned() {
        Ok(Token::Ident(name)) => {
            if let Some(name) = Name::of(&name) {
                return Ok(Some(Function { name, args: Vec::new() }));
            }
        }
        Ok(Token::Function(name)) => {
            if let Some(name) = Name::of(&name) {
                let args = parser.parse_nested_block(|parser| arguments(parser, depth + 1))?;
                return Ok(Some(Function { name, args }));
            }
        }
        _ => {}
    }
    parser.reset(&before);
    Ok(None)
}
