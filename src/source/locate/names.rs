//! Variables, loop variables, parameters and fixtures: what the names of a function stand for.

use std::rc::Rc;

use crate::source::tree::At;

use super::eval::Evaluator;
use super::scope::{self, Declaration};
use super::value::{Chain, Env, Instance, Value};
use super::{Hop, Reason};

/// A parameter of a function.
pub(super) struct Parameter<'a> {
    pub(super) function: At<'a>,
    pub(super) index: usize,
    pub(super) node: At<'a>,
    pub(super) name: At<'a>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn variable(&self, declarator: At<'a>, name: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let Some(pattern) = declarator.field("name") else { return Value::Unknown(Reason::NotFound, name) };
        let is_const = declarator.parent().is_some_and(|statement| statement.has_token("const"));
        let mut definitions: Vec<At<'a>> =
            declarator.field("value").into_iter().filter(|at| !is_nothing(*at)).collect();
        if !is_const {
            definitions.extend(assignments(declarator, name.text()));
        }
        let typed = || self.typed(declarator.field("type"), name, env);
        match definitions.as_slice() {
            [] => typed().unwrap_or(Value::Unknown(Reason::NotFound, name)),
            [definition] => {
                let is_assigned = Some(*definition) != declarator.field("value");
                let path = if is_assigned { Vec::new() } else { scope::path_in(pattern, name) };
                let value = self.taken(self.eval(*definition, env), &path, name, env);
                let value = followed(value, || typed().or_else(|| followable(name)));
                value.via(&Hop::new(*definition, format!("variable `{}`", name.text())))
            }
            several => {
                // Pages and page objects are made anew in every hook; a locator that is reassigned is two locators.
                let values: Vec<Value<'a>> = several.iter().map(|definition| self.eval(*definition, env)).collect();
                if values.iter().all(|value| matches!(value, Value::Root | Value::Instance(_))) {
                    return Value::Several(values);
                }
                typed()
                    .filter(|value| matches!(value, Value::Root | Value::Instance(_)))
                    .unwrap_or(Value::Unknown(Reason::SeveralDefinitions, name))
            }
        }
    }

    /// The variable of a `for … of`: each element of the list. A locator's `all()` stands for its items already.
    pub(super) fn loop_variable(&self, statement: At<'a>, name: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let list = statement.field("right").map(|right| self.eval(right, env));
        match list {
            Some(value @ Value::Chain(_)) => value,
            _ => Value::Unknown(Reason::Computed, name),
        }
    }

    pub(super) fn parameter(&self, place: &Parameter<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let Parameter { function, index, node, name } = *place;
        let pattern = node.field("pattern").unwrap_or(node);
        let value = self.given(place, env);
        let value = match value {
            Value::Unknown(Reason::NotFound, _) => {
                // An argument that was left out: the parameter's default counts.
                let default = node.field("value").or_else(|| pattern.field("right"));
                default.map_or(Value::Unknown(Reason::Parameter, name), |default| self.eval(default, env))
            }
            value => value,
        };
        let path = scope::path_in(pattern, name);
        let value = self.taken(value, &path, name, env);
        let is_fixture = index == 0 && pattern.kind() == "object_pattern" && is_callback(function);
        if is_fixture {
            return value;
        }
        let annotation = node.field("type").filter(|_| path.is_empty());
        followed(value, || self.typed(annotation, name, env).or_else(|| followable(name)))
    }

    fn given(&self, place: &Parameter<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let Parameter { function, index, node, name } = *place;
        let missing = Value::Unknown(Reason::NotFound, name);
        if let Some(call) = env.call_of(function) {
            return call.arguments.get(index).cloned().unwrap_or(missing);
        }
        let pattern = node.field("pattern").unwrap_or(node);
        if index == 0 && pattern.kind() == "object_pattern" && is_callback(function) {
            return Value::Fixtures(fixture_defined_by(function));
        }
        let Some((call, caller)) = self.caller_of(function, env.frame) else {
            return Value::Unknown(Reason::Parameter, name);
        };
        let arguments = call.arguments();
        if arguments.iter().take(index + 1).any(|argument| argument.kind() == "spread_element") {
            return Value::Unknown(Reason::Computed, call);
        }
        match arguments.get(index) {
            Some(argument) => self.eval(*argument, &Env::of_frame(caller)),
            None => missing,
        }
    }

    /// The call in the stack that ran `function`, and its frame; looked for from frame `from` outwards. `None` for a
    /// callback: whoever called it is not the project's code. A wrapper in between (a decorator) is stepped over.
    pub(super) fn caller_of(&self, function: At<'a>, from: usize) -> Option<(At<'a>, usize)> {
        let is_own = |frame: &usize| self.frames.get(*frame).is_some_and(|site| site.function == Some(function));
        let inner = (from..self.frames.len()).find(is_own)?;
        let next = self.frames.get(inner + 1)?.call?;
        if next.contains(function) {
            return None;
        }
        if is_called_by(function, next) {
            return Some((next, inner + 1));
        }
        (inner + 2..self.frames.len()).find_map(|frame| {
            let call = self.frames.get(frame)?.call?;
            is_called_by_name(function, call).then_some((call, frame))
        })
    }

    /// What a type annotation (or a telling name) says where the value itself could not be followed.
    pub(super) fn typed(&self, annotation: Option<At<'a>>, name: At<'a>, env: &Rc<Env<'a>>) -> Option<Value<'a>> {
        let annotation = annotation?.children().into_iter().next()?;
        match annotation.text() {
            "Page" | "Frame" | "BrowserContext" => Some(Value::Root),
            "Locator" | "FrameLocator" => {
                Some(Value::Chain(Chain { head: Some((Reason::Parameter, name)), links: Vec::new() }))
            }
            text if annotation.kind() == "type_identifier" => match scope::declaration(annotation, text)? {
                Declaration::Parameter(..) => None,
                declaration => match self.declared(&declaration, annotation, env) {
                    Value::Class(class, env) => {
                        Some(Value::Instance(Rc::new(Instance { class, env, arguments: None })))
                    }
                    _ => None,
                },
            },
            _ => None,
        }
    }

    /// A fixture by its name: the runner's own, or one that a file of the project defines through `extend`.
    pub(super) fn fixture(&self, name: &str, excluded: Option<&str>, at: At<'a>) -> Value<'a> {
        if matches!(name, "page" | "context" | "browser") {
            return Value::Root;
        }
        if excluded == Some(name) {
            return Value::Unknown(Reason::Computed, at);
        }
        let env = Env::of_frame(self.frames.len());
        let mut values = Vec::new();
        for file in self.project.files().filter(|file| file.text.contains("extend")) {
            let definitions = file.root().descendants().filter(|node| {
                node.kind() == "call_expression" && node.method().is_some_and(|method| method.text() == "extend")
            });
            for call in definitions {
                let object = call.arguments().first().map(|argument| argument.bare());
                let Some(object) = object.filter(|object| object.kind() == "object") else { continue };
                let Some(definition) = scope::property(object, name) else { continue };
                let value = self.fixture_value(definition, &env);
                values.push(value.via(&Hop::new(definition, format!("fixture `{name}`"))));
            }
        }
        Value::one_of(values, at)
    }

    /// What a fixture hands to `use`.
    fn fixture_value(&self, definition: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let mut definition = definition.bare();
        if definition.kind() == "array" {
            let Some(first) = definition.children().into_iter().next() else {
                return Value::Unknown(Reason::Computed, definition);
            };
            definition = first.bare();
        }
        if !definition.is_function() {
            return self.eval(definition, env);
        }
        let parameters = definition.parameters();
        let Some(hand_over) = parameters.get(1).map(|parameter| parameter.field("pattern").unwrap_or(*parameter))
        else {
            return Value::Unknown(Reason::Computed, definition);
        };
        let values = definition
            .descendants()
            .filter(|at| at.kind() == "call_expression")
            .filter(|at| at.field("function").is_some_and(|function| function.text() == hand_over.text()))
            .filter_map(|call| call.arguments().into_iter().next())
            .map(|value| self.eval(value, env))
            .collect();
        Value::one_of(values, definition)
    }
}

/// A value that could be followed, else what `fallback` knows.
fn followed<'a>(value: Value<'a>, fallback: impl FnOnce() -> Option<Value<'a>>) -> Value<'a> {
    match value {
        Value::Unknown(..) | Value::Method(..) | Value::Global(_) => fallback().unwrap_or(value),
        value => value,
    }
}

/// JavaScript has no annotations: a thing called `page` is a page.
fn followable(name: At<'_>) -> Option<Value<'_>> {
    (name.text() == "page").then_some(Value::Root)
}

/// Whether a definition says nothing yet: `null`, `undefined`.
fn is_nothing(at: At<'_>) -> bool {
    matches!(at.bare().kind(), "null" | "undefined")
}

/// What is assigned to a variable after its declaration.
fn assignments<'a>(declarator: At<'a>, name: &str) -> Vec<At<'a>> {
    let scope = declarator
        .ancestors()
        .find(|at| matches!(at.kind(), "program" | "statement_block" | "switch_body" | "for_statement"));
    let Some(scope) = scope else { return Vec::new() };
    scope
        .descendants()
        .filter(|at| matches!(at.kind(), "assignment_expression" | "augmented_assignment_expression"))
        .filter(|at| at.field("left").is_some_and(|left| left.text() == name))
        .filter_map(|at| at.field("right"))
        .filter(|at| !is_nothing(*at))
        .collect()
}

/// Whether a function stands as an argument of a call or as a property of an object in one: the runner calls it.
fn is_callback(function: At<'_>) -> bool {
    if function.kind() == "method_definition" {
        return function.parent().is_some_and(|parent| parent.kind() == "object");
    }
    function.parent().is_some_and(|parent| matches!(parent.kind(), "arguments" | "pair" | "array"))
}

/// The fixture whose definition a function is.
fn fixture_defined_by(function: At<'_>) -> Option<String> {
    let entry = std::iter::once(function)
        .chain(function.ancestors().take(2))
        .find(|at| matches!(at.kind(), "pair" | "method_definition"))?;
    let is_extend = entry.ancestors().find(|at| at.kind() == "call_expression").and_then(At::method);
    is_extend.filter(|method| method.text() == "extend")?;
    entry.field("key").or_else(|| entry.field("name"))?.key_name()
}

/// The name a function is called by.
fn name_of(function: At<'_>) -> Option<At<'_>> {
    function.field("name").or_else(|| {
        let parent = function.parent()?;
        match parent.kind() {
            "variable_declarator" | "public_field_definition" => parent.field("name"),
            "pair" => parent.field("key"),
            _ => None,
        }
    })
}

/// Whether a call may be the one that ran a function: the names agree, or the function came under another name.
fn is_called_by(function: At<'_>, call: At<'_>) -> bool {
    let called = call.method().or_else(|| call.field("function"));
    // An imported function may have been renamed by the import.
    let renamed = call.kind() != "new_expression"
        && call.method().is_none()
        && called.is_some_and(|called| matches!(called.kind(), "identifier" | "super"));
    is_called_by_name(function, call) || (renamed && name_of(function).is_some())
}

fn is_called_by_name(function: At<'_>, call: At<'_>) -> bool {
    let Some(own) = name_of(function) else { return false };
    if call.kind() == "new_expression" {
        return own.text() == "constructor";
    }
    let called = call.method().or_else(|| call.field("function"));
    called.is_some_and(|called| called.text() == own.text())
}
