//! Locator chains as they stand in the source: a receiver, then calls that build the locator, each with its arguments.

use std::ops::Range;

use tree_sitter::Node;

use super::literal;
use super::method::{Method, Takes};
use crate::source::language::{Kind, kind};
use crate::source::syntax::{Source, named, unwrapped};

/// How deep arguments may nest before they count as an expression that nobody can read.
const MAX_DEPTH: usize = 8;

/// A receiver and the building calls on it.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    /// Where it stands.
    pub(super) range: Range<usize>,
    /// The receiver's expression.
    pub(super) root: String,
    /// The text from the start to the first building method's name: the receiver with `.` or `?.`.
    pub(super) receiver: String,
    /// The building calls.
    pub(super) calls: Vec<Building>,
}

/// One building call.
#[derive(Debug, Clone)]
pub(super) struct Building {
    /// The method.
    pub(super) method: &'static Method,
    /// Its arguments.
    pub(super) arguments: Vec<Value>,
    /// Whether it is called through `?.` or with type arguments.
    pub(super) odd: bool,
}

/// An argument.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// A string, or a template without substitution.
    Text(String),
    /// A template: its text with a hole for each substitution, and the substitutions.
    Template(String, Vec<String>),
    /// A regular expression: pattern and flags.
    Regex(String, String),
    /// A number as written.
    Number(String),
    /// `true` or `false`.
    Bool(bool),
    /// A plain object.
    Object(Vec<(String, Value)>),
    /// Another chain.
    Chain(Box<Chain>),
    /// Anything else, as written.
    Expression(String),
}

/// The receiver, the method's name and the arguments of a method call.
pub(super) fn method_call(node: Node<'_>) -> Option<(Node<'_>, Node<'_>, Node<'_>)> {
    if kind(node) != Kind::Call {
        return None;
    }
    let arguments = node.child_by_field_name("arguments").filter(|arguments| kind(*arguments) == Kind::Arguments)?;
    let function = node.child_by_field_name("function").filter(|function| kind(*function) == Kind::Member)?;
    let property = function.child_by_field_name("property").filter(|property| kind(*property) == Kind::Property)?;
    Some((function.child_by_field_name("object")?, property, arguments))
}

/// The building method that a call is a call of.
pub(super) fn building<'s>(source: &Source<'_>, node: Node<'s>) -> Option<(Node<'s>, &'static Method, Node<'s>)> {
    let (receiver, property, arguments) = method_call(node)?;
    Some((receiver, Method::named(source.of(property))?, arguments))
}

/// The chain whose last call `node` is; `None` where `node` is no building call or nothing in it selects.
pub(super) fn read(source: &Source<'_>, node: Node<'_>) -> Option<Chain> {
    read_at(source, node, 0)
}

fn read_at(source: &Source<'_>, node: Node<'_>, depth: usize) -> Option<Chain> {
    let mut calls = Vec::new();
    let mut at = node;
    let mut start_of_name = node.start_byte();
    while let Some((receiver, method, arguments)) = building(source, at) {
        let function = at.child_by_field_name("function")?;
        let odd = at.child_by_field_name("type_arguments").is_some()
            || function.child_by_field_name("optional_chain").is_some()
            || at.child_by_field_name("optional_chain").is_some();
        start_of_name = function.child_by_field_name("property")?.start_byte();
        let arguments = named(arguments).into_iter().map(|argument| value(source, argument, depth)).collect();
        calls.push(Building { method, arguments, odd });
        at = receiver;
    }
    calls.reverse();
    // The first `?.` belongs to the receiver, which is compared as text.
    if let Some(first) = calls.first_mut() {
        let text = source.slice(at.end_byte()..start_of_name);
        first.odd &= !text.contains("?.");
    }
    let selects = calls.iter().any(|call| {
        call.method.selects()
            || call.method.takes == Takes::Options && matches!(call.arguments.first(), Some(Value::Object(_)))
    });
    selects.then(|| Chain {
        range: node.byte_range(),
        root: source.of(at).to_owned(),
        receiver: source.slice(node.start_byte()..start_of_name).to_owned(),
        calls,
    })
}

/// What an argument is.
pub(super) fn value(source: &Source<'_>, node: Node<'_>, depth: usize) -> Value {
    let expression = || Value::Expression(source.of(node).to_owned());
    if depth > MAX_DEPTH {
        return expression();
    }
    // Parentheses around a literal mean nothing; a cast does.
    let mut inner = node;
    while kind(inner) == Kind::Parenthesized
        && let [only] = named(inner).as_slice()
        && kind(*only) != Kind::Sequence
    {
        inner = *only;
    }
    match kind(inner) {
        Kind::String | Kind::Template => match literal::cooked(source, inner) {
            Some((text, holes)) if holes.is_empty() => Value::Text(text),
            Some((text, holes)) => Value::Template(text, holes),
            None => expression(),
        },
        Kind::Regex => {
            let field = |name| inner.child_by_field_name(name).map_or("", |part| source.of(part)).to_owned();
            Value::Regex(field("pattern"), field("flags"))
        }
        Kind::Number => Value::Number(source.of(inner).to_owned()),
        Kind::Unary if is_number(source.of(inner)) => Value::Number(source.of(inner).replace(' ', "")),
        Kind::True => Value::Bool(true),
        Kind::False => Value::Bool(false),
        Kind::Object => object(source, inner, depth).unwrap_or_else(expression),
        Kind::Call => match read_at(source, inner, depth + 1) {
            Some(chain) => Value::Chain(Box::new(chain)),
            None => expression(),
        },
        _ => expression(),
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).trim_start();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A plain object; `None` where it holds a spread, a method, a computed or a repeated key.
fn object(source: &Source<'_>, node: Node<'_>, depth: usize) -> Option<Value> {
    let mut fields: Vec<(String, Value)> = Vec::new();
    for member in named(node) {
        let (key, value) = match kind(member) {
            Kind::Shorthand => {
                let name = source.of(member).to_owned();
                (name.clone(), Value::Expression(name))
            }
            Kind::Pair => {
                let key = member.child_by_field_name("key")?;
                let name = match kind(key) {
                    Kind::Property => source.of(key).to_owned(),
                    Kind::String => literal::cooked(source, key)?.0,
                    _ => return None,
                };
                (name, value(source, member.child_by_field_name("value")?, depth + 1))
            }
            _ => return None,
        };
        if fields.len() > 32 || fields.iter().any(|(known, _)| *known == key) {
            return None;
        }
        fields.push((key, value));
    }
    Some(Value::Object(fields))
}

impl Chain {
    /// The retained expressions that it holds: every argument that is no literal, and every substitution.
    pub(super) fn expressions(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.each_value(&mut |value| match value {
            Value::Expression(text) => found.push(text.as_str()),
            Value::Template(_, holes) => found.extend(holes.iter().map(String::as_str)),
            _ => {}
        });
        found
    }

    /// The chains inside of it.
    pub(super) fn inner(&self) -> Vec<&Self> {
        let mut found = Vec::new();
        self.each_value(&mut |value| {
            if let Value::Chain(chain) = value {
                found.push(chain.as_ref());
            }
        });
        found
    }

    /// Calls `visit` for every argument, and for every value inside of one. Nesting is bounded when chains are read.
    pub(super) fn each_value<'c>(&'c self, visit: &mut impl FnMut(&'c Value)) {
        let mut left: Vec<&Value> = self.calls.iter().rev().flat_map(|call| call.arguments.iter().rev()).collect();
        while let Some(value) = left.pop() {
            visit(value);
            match value {
                Value::Object(fields) => left.extend(fields.iter().rev().map(|(_, value)| value)),
                Value::Chain(chain) => {
                    left.extend(chain.calls.iter().rev().flat_map(|call| call.arguments.iter().rev()));
                }
                _ => {}
            }
        }
    }
}

/// The expression that a chain of member accesses and calls starts from, and the names on the way, outermost last.
pub(super) fn root_of<'s>(source: &Source<'s>, node: Node<'s>) -> (Node<'s>, Vec<&'s str>) {
    let mut names = Vec::new();
    let mut at = unwrapped(node);
    loop {
        let next = match kind(at) {
            Kind::Member => {
                names.push(at.child_by_field_name("property").map_or("", |property| source.of(property)));
                at.child_by_field_name("object")
            }
            Kind::Subscript => {
                let index = at.child_by_field_name("index");
                names.push(index.map_or("", |index| source.of(index).trim_matches(['"', '\'', '`'])));
                at.child_by_field_name("object")
            }
            Kind::Call => at.child_by_field_name("function"),
            Kind::Await | Kind::Instantiation => named(at).first().copied(),
            _ => None,
        };
        if let Some(next) = next {
            at = unwrapped(next);
        } else {
            names.reverse();
            return (at, names);
        }
    }
}
