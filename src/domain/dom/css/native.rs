//! Reads the browser's selectors.

use cssparser::{ParseError, Parser, ToCss as _, Token};

use super::selector::{
    AttributeOp, AttributeTest, Combinator, Complex, Compound, List, Nth, Part, PseudoElement, Specificity, State,
};

/// The text of the error is for people.
pub(crate) type Error = ParseError<String>;

/// How deep `:is(:not(…))` may be nested, so that hostile text cannot exhaust the stack.
const MAX_DEPTH: usize = 32;

/// Where a list stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    /// A bad selector is left out instead of spoiling the list.
    pub(crate) forgiving: bool,
    /// A selector may start with a combinator.
    pub(crate) relative: bool,
    pub(crate) depth: usize,
}

impl Reading {
    pub(crate) const TOP: Self = Self { forgiving: false, relative: false, depth: 0 };

    fn inside(self, forgiving: bool, relative: bool) -> Self {
        Self { forgiving, relative, depth: self.depth + 1 }
    }
}

pub(crate) fn fail(message: impl Into<String>) -> Error {
    Error::custom(message.into())
}

/// A list of selectors, up to the end of the input or block.
pub(crate) fn list(parser: &mut Parser<'_>, reading: Reading) -> Result<List, Error> {
    if reading.depth > MAX_DEPTH {
        return Err(fail("selectors are nested too deeply"));
    }
    let mut list = Vec::new();
    if reading.forgiving && parser.is_exhausted() {
        return Ok(list);
    }
    loop {
        let one = parser.parse_until_before(cssparser::Delimiter::Comma, |parser| complex(parser, reading));
        match one {
            Ok(one) => list.push(one),
            Err(_) if reading.forgiving => {}
            Err(error) => return Err(error),
        }
        if parser.next().is_err() {
            return Ok(list);
        }
    }
}

fn complex(parser: &mut Parser<'_>, reading: Reading) -> Result<Complex, Error> {
    parser.skip_whitespace();
    let mut joined = combinator(parser).filter(|_| reading.relative).unwrap_or(Combinator::Descendant);
    parser.skip_whitespace();
    let mut complex = Complex { compounds: Vec::new(), pseudo_element: None, specificity: Specificity::default() };
    loop {
        let mut compound = Compound::default();
        let mut any = false;
        while let Some(piece) = piece(parser, reading, compound.parts.is_empty())? {
            any = true;
            match piece {
                Piece::Part(part) => {
                    complex.specificity = complex.specificity.plus(specificity(&part));
                    compound.parts.push(part);
                }
                Piece::Element(element) => {
                    complex.specificity.2 += 1;
                    complex.pseudo_element = Some(element);
                }
            }
        }
        if !any {
            return Err(fail("a selector is missing"));
        }
        complex.compounds.push((joined, compound));
        let space = parser.try_parse(|parser| match parser.next_including_whitespace() {
            Ok(Token::WhiteSpace(_)) => Ok(()),
            _ => Err(()),
        });
        parser.skip_whitespace();
        if parser.is_exhausted() {
            return Ok(complex);
        }
        joined = match combinator(parser) {
            Some(combinator) => combinator,
            None if space.is_ok() => Combinator::Descendant,
            None => return Err(fail("unexpected token in a selector")),
        };
        parser.skip_whitespace();
        if complex.pseudo_element.is_some() {
            return Err(fail("nothing can follow a pseudo-element"));
        }
    }
}

pub(crate) fn combinator(parser: &mut Parser<'_>) -> Option<Combinator> {
    parser
        .try_parse(|parser| match parser.next_including_whitespace() {
            Ok(Token::Delim('>')) => Ok(Combinator::Child),
            Ok(Token::Delim('+')) => Ok(Combinator::NextSibling),
            Ok(Token::Delim('~')) => Ok(Combinator::LaterSibling),
            _ => Err(()),
        })
        .ok()
}

/// What a compound is made of.
pub(crate) enum Piece {
    Part(Part),
    Element(PseudoElement),
}

/// The next test of a compound; `None` at its end. Only the first may be a tag.
pub(crate) fn piece(parser: &mut Parser<'_>, reading: Reading, first: bool) -> Result<Option<Piece>, Error> {
    let before = parser.state();
    let Ok(token) = parser.next_including_whitespace().cloned() else { return Ok(None) };
    let part = match token {
        Token::Ident(name) if first => tag(&name),
        Token::Delim('*') if first => Part::Any,
        Token::Delim('&') => Part::Scope,
        Token::IDHash(id) => Part::Id(id.to_string()),
        Token::Delim('.') => match parser.next_including_whitespace().cloned() {
            Ok(Token::Ident(class)) => Part::Class(class.to_string()),
            _ => return Err(fail("a class name is missing after `.`")),
        },
        Token::SquareBracketBlock => parser.parse_nested_block(attribute)?,
        Token::Colon => return pseudo(parser, reading).map(Some),
        Token::WhiteSpace(_) | Token::Comma | Token::Delim('>' | '+' | '~') => {
            parser.reset(&before);
            return Ok(None);
        }
        other => return Err(fail(format!("unexpected `{}` in a selector", other.to_css_string()))),
    };
    Ok(Some(Piece::Part(part)))
}

pub(crate) fn tag(name: &str) -> Part {
    Part::Tag { lower: name.to_ascii_lowercase(), written: name.to_owned() }
}

/// What stands in the brackets of an attribute test.
pub(crate) fn attribute(parser: &mut Parser<'_>) -> Result<Part, Error> {
    let written = match parser.next().cloned() {
        Ok(Token::Ident(name)) => name.to_string(),
        _ => return Err(fail("an attribute's name is missing")),
    };
    let mut test = AttributeTest {
        lower: written.to_ascii_lowercase(),
        written,
        op: AttributeOp::Exists,
        value: String::new(),
        ignore_case: None,
    };
    let Ok(token) = parser.next().cloned() else { return Ok(Part::Attribute(test)) };
    test.op = match token {
        Token::Delim('=') => AttributeOp::Equals,
        Token::SubstringMatch => AttributeOp::Contains,
        Token::PrefixMatch => AttributeOp::Prefix,
        Token::SuffixMatch => AttributeOp::Suffix,
        Token::DashMatch => AttributeOp::DashPrefix,
        Token::IncludeMatch => AttributeOp::Word,
        _ => return Err(fail("an attribute's operator is missing")),
    };
    test.value = match parser.next().cloned() {
        Ok(Token::Ident(value) | Token::QuotedString(value)) => value.to_string(),
        _ => return Err(fail("an attribute's value must be a word or in quotes")),
    };
    if let Ok(token) = parser.next().cloned() {
        test.ignore_case = match token {
            Token::Ident(flag) if flag.eq_ignore_ascii_case("i") => Some(true),
            Token::Ident(flag) if flag.eq_ignore_ascii_case("s") => Some(false),
            _ => return Err(fail("unexpected token after an attribute's value")),
        };
    }
    parser.expect_exhausted().map_err(|_| fail("unexpected token after an attribute's value"))?;
    Ok(Part::Attribute(test))
}

fn pseudo(parser: &mut Parser<'_>, reading: Reading) -> Result<Piece, Error> {
    match parser.next_including_whitespace().cloned() {
        Ok(Token::Colon) => pseudo_element(parser, reading).map(Piece::Element),
        Ok(Token::Ident(name)) => {
            let name = name.to_ascii_lowercase();
            match name.as_str() {
                "before" => Ok(Piece::Element(PseudoElement::Before)),
                "after" => Ok(Piece::Element(PseudoElement::After)),
                "first-line" | "first-letter" => Ok(Piece::Element(PseudoElement::Other)),
                _ => plain(&name).map(Piece::Part).ok_or_else(|| fail(format!("unknown pseudo-class `:{name}`"))),
            }
        }
        Ok(Token::Function(name)) => {
            let name = name.to_ascii_lowercase();
            let part = parser.parse_nested_block(|parser| functional(parser, &name, reading))?;
            Ok(Piece::Part(part))
        }
        _ => Err(fail("a pseudo-class is missing after `:`")),
    }
}

fn pseudo_element(parser: &mut Parser<'_>, reading: Reading) -> Result<PseudoElement, Error> {
    const KNOWN: [&str; 17] = [
        "first-line",
        "first-letter",
        "selection",
        "placeholder",
        "marker",
        "backdrop",
        "cue",
        "file-selector-button",
        "target-text",
        "spelling-error",
        "grammar-error",
        "view-transition",
        "scroll-marker",
        "scroll-marker-group",
        "picker-icon",
        "checkmark",
        "column",
    ];
    match parser.next_including_whitespace().cloned() {
        Ok(Token::Ident(name)) => match name.to_ascii_lowercase().as_str() {
            "before" => Ok(PseudoElement::Before),
            "after" => Ok(PseudoElement::After),
            "details-content" => Ok(PseudoElement::DetailsContent),
            // Some sheets put a state behind it: `::-webkit-scrollbar-thumb:hover`.
            name if KNOWN.contains(&name) || name.starts_with("-webkit-") => Ok(PseudoElement::Other),
            name => Err(fail(format!("unknown pseudo-element `::{name}`"))),
        },
        Ok(Token::Function(name)) => {
            let slotted = name.eq_ignore_ascii_case("slotted");
            parser.parse_nested_block(|parser| {
                if slotted {
                    return list(parser, reading.inside(false, false)).map(PseudoElement::Slotted);
                }
                while parser.next().is_ok() {}
                Ok(PseudoElement::Other)
            })
        }
        _ => Err(fail("a pseudo-element is missing after `::`")),
    }
}

/// A pseudo-class without arguments.
pub(crate) fn plain(name: &str) -> Option<Part> {
    let nth = |offset, from_end, of_type| Part::Nth(Nth { step: 0, offset, from_end, of_type, of: None });
    let state = match name {
        "first-child" => return Some(nth(1, false, false)),
        "last-child" => return Some(nth(1, true, false)),
        "first-of-type" => return Some(nth(1, false, true)),
        "last-of-type" => return Some(nth(1, true, true)),
        "host" => return Some(Part::Host(None)),
        "scope" => return Some(Part::Scope),
        "root" => State::Root,
        "empty" => State::Empty,
        "only-child" => State::OnlyChild,
        "only-of-type" => State::OnlyOfType,
        "checked" => State::Checked,
        "disabled" => State::Disabled,
        "enabled" => State::Enabled,
        "required" => State::Required,
        "optional" => State::Optional,
        "read-only" => State::ReadOnly,
        "read-write" => State::ReadWrite,
        "placeholder-shown" => State::PlaceholderShown,
        "link" | "any-link" | "-webkit-any-link" => State::Link,
        "target" => State::Target,
        "open" => State::Open,
        "popover-open" => State::PopoverOpen,
        "modal" => State::Modal,
        "defined" => State::Defined,
        "visited"
        | "fullscreen"
        | "-webkit-full-screen"
        | "picture-in-picture"
        | "autofill"
        | "-webkit-autofill"
        | "target-current"
        | "host-context"
        | "xr-overlay" => State::Never,
        "hover" | "focus" | "focus-within" | "focus-visible" | "active" | "indeterminate" | "default" | "valid"
        | "invalid" | "user-valid" | "user-invalid" | "in-range" | "out-of-range" | "playing" | "paused" | "muted"
        | "seeking" | "stalled" | "buffering" | "volume-locked" | "target-within" => State::Doubt,
        _ => return None,
    };
    Some(Part::State(state))
}

/// A pseudo-class with arguments; the parser stands behind the parenthesis.
pub(crate) fn functional(parser: &mut Parser<'_>, name: &str, reading: Reading) -> Result<Part, Error> {
    let nth = |parser: &mut Parser<'_>, from_end, of_type| {
        let (step, offset) = cssparser::parse_nth(parser).map_err(|_| fail("malformed `an+b`"))?;
        let of = match parser.try_parse(|parser| parser.expect_ident_matching("of")) {
            Ok(()) => Some(list(parser, reading.inside(false, false))?),
            Err(_) => None,
        };
        parser.expect_exhausted().map_err(|_| fail("unexpected token after `an+b`"))?;
        Ok(Part::Nth(Nth { step, offset, from_end, of_type, of }))
    };
    match name {
        "nth-child" => nth(parser, false, false),
        "nth-last-child" => nth(parser, true, false),
        "nth-of-type" => nth(parser, false, true),
        "nth-last-of-type" => nth(parser, true, true),
        "is" | "where" | "matches" | "-webkit-any" => {
            let list = list(parser, reading.inside(true, false))?;
            // Only the specificity tells `:where()` from `:is()`: it has none.
            Ok(Part::Is(if name == "where" { without_specificity(list) } else { list }))
        }
        "not" => list(parser, reading.inside(false, false)).map(Part::Not),
        "has" => list(parser, reading.inside(false, true)).map(Part::Has),
        "host" => list(parser, reading.inside(false, false)).map(|list| Part::Host(Some(list))),
        "lang" => {
            let mut languages = Vec::new();
            while let Ok(token) = parser.next().cloned() {
                if let Token::Ident(text) | Token::QuotedString(text) = token {
                    languages.push(text.to_ascii_lowercase());
                }
            }
            Ok(Part::Lang(languages))
        }
        "dir" => match parser.next().cloned() {
            Ok(Token::Ident(direction)) => Ok(Part::Dir(direction.to_ascii_lowercase())),
            _ => Err(fail("`:dir()` needs a direction")),
        },
        "host-context" | "state" | "active-view-transition-type" => {
            while parser.next().is_ok() {}
            Ok(Part::State(State::Doubt))
        }
        _ => Err(fail(format!("unknown pseudo-class `:{name}()`"))),
    }
}

fn without_specificity(mut list: List) -> List {
    for complex in &mut list {
        complex.specificity = Specificity::default();
    }
    list
}

/// The most specific of a list.
pub(crate) fn greatest(list: &List) -> Specificity {
    list.iter().map(|complex| complex.specificity).max().unwrap_or_default()
}

pub(crate) fn specificity(part: &Part) -> Specificity {
    let class = Specificity(0, 1, 0);
    match part {
        Part::Any | Part::Scope => Specificity::default(),
        Part::Tag { .. } => Specificity(0, 0, 1),
        Part::Id(_) => Specificity(1, 0, 0),
        Part::Is(list) | Part::Not(list) | Part::Has(list) => greatest(list),
        Part::Nth(Nth { of: Some(list), .. }) | Part::Host(Some(list)) => class.plus(greatest(list)),
        Part::Class(_)
        | Part::Attribute(_)
        | Part::Nth(_)
        | Part::Host(None)
        | Part::State(_)
        | Part::Lang(_)
        | Part::Dir(_) => class,
    }
}
