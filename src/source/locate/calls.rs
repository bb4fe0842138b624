//! Calls: the project's own functions, Playwright's building calls, and the few of JavaScript's that shape strings.

use std::rc::Rc;

use crate::source::tree::At;

use super::Reason;
use super::eval::Evaluator;
use super::value::{Chain, Env, Link, Part, Text, Value};

/// Playwright's calls that make a locator out of a page, frame or locator.
pub(super) const BUILDING: [&str; 19] = [
    "locator",
    "getByRole",
    "getByText",
    "getByLabel",
    "getByPlaceholder",
    "getByAltText",
    "getByTitle",
    "getByTestId",
    "frameLocator",
    "contentFrame",
    "owner",
    "filter",
    "and",
    "or",
    "first",
    "last",
    "nth",
    "describe",
    "all",
];

/// Calls on a page, context or browser that give a page or frame.
const GIVES_ROOT: [&str; 12] = [
    "page",
    "mainFrame",
    "frame",
    "frames",
    "context",
    "contexts",
    "newPage",
    "newContext",
    "pages",
    "waitForEvent",
    "waitForPopup",
    "browser",
];

impl<'a> Evaluator<'a> {
    pub(super) fn call(&self, value: Value<'a>, call: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        match value {
            Value::Several(values) => {
                Value::Several(values.into_iter().map(|value| self.call(value, call, env)).collect())
            }
            Value::Function(function, inner) => self.invoke(function, &inner, self.arguments(call, env)),
            Value::Method(on, name) => self.method(*on, name, call, env),
            Value::Global("require" | "import") => self.required(call, env),
            // A printed locator starts with its first call, and code inside a page has no receiver either.
            Value::Global(name) if BUILDING.contains(&name) => {
                self.built(Chain { head: None, links: Vec::new() }, name, call, env)
            }
            Value::Global("String") => Value::Text(Text { parts: vec![Part::Hole], hops: Vec::new() }),
            value @ Value::Unknown(..) => value,
            _ => Value::Unknown(Reason::Computed, call),
        }
    }

    fn arguments(&self, call: At<'a>, env: &Rc<Env<'a>>) -> Vec<Value<'a>> {
        let arguments = call.arguments();
        let plain = arguments.iter().take_while(|argument| argument.kind() != "spread_element");
        plain.map(|&argument| self.eval(argument, env)).collect()
    }

    fn method(&self, on: Value<'a>, name: At<'a>, call: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let method = name.text();
        let unknown = Value::Unknown(Reason::Computed, call);
        match on {
            Value::Text(text) => self.string_method(text, method, call, env),
            Value::Global("Object") if matches!(method, "freeze" | "seal" | "assign") => self.first(call, env),
            Value::Global("Promise") if method == "all" => self.first(call, env),
            Value::Global("util") if method == "format" => self.formatted(call, env),
            Value::Root if GIVES_ROOT.contains(&method) => Value::Root,
            Value::Chain(_) if method == "page" => Value::Root,
            Value::Chain(chain) if BUILDING.contains(&method) => self.built(chain, method, call, env),
            Value::Root if BUILDING.contains(&method) => {
                self.built(Chain { head: None, links: Vec::new() }, method, call, env)
            }
            Value::Unknown(reason, at) if BUILDING.contains(&method) => {
                self.built(Chain { head: Some((reason, at)), links: Vec::new() }, method, call, env)
            }
            Value::Method(..) | Value::Global(_) if BUILDING.contains(&method) => {
                self.built(Chain { head: Some((Reason::NotFound, call)), links: Vec::new() }, method, call, env)
            }
            Value::Unknown(..) => on,
            _ => unknown,
        }
    }

    fn built(&self, mut chain: Chain<'a>, method: &str, call: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let arguments = self.arguments(call, env);
        let (call, method) = if method == "all" { (None, "nth") } else { (Some(call), method) };
        chain.links.push(Link { call, method: method.to_owned(), arguments, legacy: false, hops: Vec::new() });
        Value::Chain(chain)
    }

    fn first(&self, call: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let argument = call.arguments().into_iter().next();
        argument.map_or(Value::Unknown(Reason::Computed, call), |argument| self.eval(argument, env))
    }

    fn string_method(&self, text: Text<'a>, method: &str, call: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        match method {
            "replace" | "replaceAll" => {
                let placeholder = self.first(call, env).known_text();
                match placeholder.filter(|placeholder| !placeholder.is_empty()) {
                    Some(placeholder) => Value::Text(with_holes(text, &placeholder)),
                    None => Value::Text(hole(text)),
                }
            }
            "trim" | "toString" | "valueOf" => Value::Text(text),
            "concat" => {
                let mut text = text;
                for argument in self.arguments(call, env) {
                    match argument {
                        Value::Text(inner) => text.parts.extend(inner.parts),
                        _ => text.parts.push(Part::Hole),
                    }
                }
                Value::Text(text)
            }
            _ => Value::Text(hole(text)),
        }
    }

    /// `util.format('row-%s', id)`.
    fn formatted(&self, call: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        match self.first(call, env) {
            Value::Text(text) => {
                let text =
                    ["%s", "%d", "%i", "%j", "%o"].iter().fold(text, |text, placeholder| with_holes(text, placeholder));
                Value::Text(text)
            }
            other => other,
        }
    }
}

/// A string that only the run knows; where it came from is kept.
fn hole(text: Text<'_>) -> Text<'_> {
    Text { parts: vec![Part::Hole], hops: text.hops }
}

/// The text with a hole wherever the placeholder stood.
fn with_holes<'a>(text: Text<'a>, placeholder: &str) -> Text<'a> {
    let mut parts = Vec::new();
    for part in text.parts {
        match part {
            Part::Literal(value, at) => {
                for (index, piece) in value.split(placeholder).enumerate() {
                    if index > 0 {
                        parts.push(Part::Hole);
                    }
                    if !piece.is_empty() {
                        parts.push(Part::Literal(piece.to_owned(), at));
                    }
                }
            }
            Part::Hole => parts.push(Part::Hole),
        }
    }
    Text { parts, hops: text.hops }
}
