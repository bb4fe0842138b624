//! From an expression to what it stands for: names are followed to their definitions, through calls, classes, fixtures
//! and files. Everything is bounded; what cannot be followed becomes a reasoned [`Value::Unknown`].

use std::cell::Cell;
use std::rc::Rc;

use crate::source::imports;
use crate::source::project::Project;
use crate::source::tree::At;

use super::scope::{self, Declaration, Export, Imported, Key};
use super::value::{Call, Env, Part, Text, Value};
use super::{Hop, Reason};

/// How deep definitions are followed: real suites need four or five hops, each a few levels.
const MAX_DEPTH: u32 = 60;
/// How many expressions one question may evaluate, so that no cleverly tangled source takes long.
const MAX_STEPS: u32 = 50_000;

/// Follows expressions inside one project, with the stack of the failing call at hand.
pub(super) struct Evaluator<'a> {
    pub(super) project: &'a Project,
    pub(super) frames: &'a [FrameSite<'a>],
    depth: Cell<u32>,
    steps: Cell<u32>,
}

/// A stack frame as syntax: the call that was running and the function around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrameSite<'a> {
    pub(super) call: Option<At<'a>>,
    pub(super) function: Option<At<'a>>,
}

/// What is written behind an expression: `.name`, `[index]`, `(…)`.
enum Suffix<'a> {
    Member(At<'a>),
    Index(At<'a>),
    Call(At<'a>),
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(project: &'a Project, frames: &'a [FrameSite<'a>]) -> Self {
        Self { project, frames, depth: Cell::new(0), steps: Cell::new(0) }
    }

    /// Whether the question was cut short, so that "the only one" cannot be said.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps.get() >= MAX_STEPS
    }

    /// What `at` stands for in `env`.
    pub(super) fn eval(&self, at: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        if self.depth.get() >= MAX_DEPTH || self.steps.get() >= MAX_STEPS {
            return Value::Unknown(Reason::TooDeep, at);
        }
        self.depth.set(self.depth.get() + 1);
        self.steps.set(self.steps.get() + 1);
        let value = self.eval_chain(at, env);
        self.depth.set(self.depth.get() - 1);
        value
    }

    /// Takes `a.b(c)[d].e()` apart in a loop: chains may be long, the stack is not.
    fn eval_chain(&self, at: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let mut suffixes = Vec::new();
        let mut base = at.bare();
        loop {
            let (inner, suffix) = match base.kind() {
                "member_expression" => (base.field("object"), base.field("property").map(Suffix::Member)),
                "subscript_expression" => (base.field("object"), base.field("index").map(Suffix::Index)),
                "call_expression" => (base.field("function"), Some(Suffix::Call(base))),
                _ => break,
            };
            let (Some(inner), Some(suffix)) = (inner, suffix) else { break };
            suffixes.push(suffix);
            base = inner.bare();
        }
        let mut value = self.eval_base(base, env);
        for suffix in suffixes.into_iter().rev() {
            value = match suffix {
                Suffix::Member(name) => self.member(value, name.text(), name, env),
                Suffix::Index(index) => self.index(value, index, env),
                Suffix::Call(call) => self.call(value, call, env),
            };
        }
        value
    }

    fn eval_base(&self, at: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        match at.kind() {
            "identifier" | "shorthand_property_identifier" => self.identifier(at, at.text(), env),
            "this" | "super" => self.this(at, env),
            "string" => at.string_value().map_or(Value::Unknown(Reason::Computed, at), |text| Value::literal(text, at)),
            "template_string" => self.template(at, env),
            "regex" | "number" | "true" | "false" | "null" | "undefined" | "unary_expression" => Value::Plain(at),
            "object" => Value::Object(at, Rc::clone(env)),
            "array" => Value::Array(at, Rc::clone(env)),
            "class" => Value::Class(at, Rc::clone(env)),
            "import" => Value::Global("import"),
            "new_expression" => self.instantiate(at, env),
            "binary_expression" => self.binary(at, env),
            "assignment_expression" => self.eval_field(at, "right", env),
            "ternary_expression" => {
                let branches = ["consequence", "alternative"].map(|name| self.eval_field(at, name, env));
                Value::Several(branches.into())
            }
            _ if at.is_function() => Value::Function(at, Rc::clone(env)),
            _ => Value::Unknown(Reason::Computed, at),
        }
    }

    fn eval_field(&self, at: At<'a>, name: &str, env: &Rc<Env<'a>>) -> Value<'a> {
        at.field(name).map_or(Value::Unknown(Reason::Computed, at), |inner| self.eval(inner, env))
    }

    fn template(&self, at: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let mut text = Text::default();
        let mut from = at.node.start_byte() + 1;
        for child in at.children().into_iter().filter(|child| child.kind() == "template_substitution") {
            text.parts.extend(chunk(at, from..child.node.start_byte()));
            match child.children().first().map(|&inner| self.eval(inner, env)) {
                Some(Value::Text(inner)) => {
                    text.parts.extend(inner.parts);
                    text.hops.extend(inner.hops);
                }
                _ => text.parts.push(Part::Hole),
            }
            from = child.node.end_byte();
        }
        text.parts.extend(chunk(at, from..at.node.end_byte().saturating_sub(1)));
        Value::Text(text)
    }

    fn binary(&self, at: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let operator = at.field("operator").map(At::text);
        let sides = ["left", "right"].map(|name| self.eval_field(at, name, env));
        match operator {
            Some("||" | "??") => Value::Several(sides.into()),
            Some("+") => {
                let mut text = Text::default();
                for side in sides {
                    match side {
                        Value::Text(inner) => {
                            text.parts.extend(inner.parts);
                            text.hops.extend(inner.hops);
                        }
                        _ => text.parts.push(Part::Hole),
                    }
                }
                Value::Text(text)
            }
            _ => Value::Unknown(Reason::Computed, at),
        }
    }

    /// `value[index]`, for a string or a number that is written there.
    fn index(&self, value: Value<'a>, index: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let key = self.eval(index, env);
        if let Some(name) = key.known_text() {
            return self.member(value, &name, index, env);
        }
        let number = match key {
            Value::Plain(at) => at.text().parse().ok(),
            _ => None,
        };
        number.map_or(Value::Unknown(Reason::Computed, index), |number| self.element(value, number, index))
    }

    /// The element of an array; a list of locators stands for each of its items.
    pub(super) fn element(&self, value: Value<'a>, number: usize, at: At<'a>) -> Value<'a> {
        match value {
            Value::Array(array, env) => {
                let element = array.children().get(number).copied();
                element.map_or(Value::Unknown(Reason::NotFound, at), |element| self.eval(element, &env))
            }
            _ => Value::Unknown(Reason::Computed, at),
        }
    }

    /// The part of `value` that a destructuring pattern takes.
    pub(super) fn taken(&self, value: Value<'a>, path: &[Key], at: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        path.iter().fold(value, |value, key| match key {
            Key::Name(name) => self.member(value, name, at, env),
            Key::Index(number) => self.element(value, *number, at),
            Key::Rest => Value::Unknown(Reason::Computed, at),
        })
    }

    /// What `value.name` is. `at` is where the name stands.
    pub(super) fn member(&self, value: Value<'a>, name: &str, at: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        match value {
            Value::Several(values) => {
                Value::Several(values.into_iter().map(|value| self.member(value, name, at, env)).collect())
            }
            Value::Instance(instance) => self.instance_member(&instance, name, at),
            Value::Class(class, class_env) => self.static_member(class, &class_env, name, at),
            Value::Object(object, object_env) => self.object_member(object, &object_env, name, at),
            Value::Module(root) => self.exported(root, &Imported::Named(name.to_owned()), at, env),
            Value::Fixtures(excluded) => self.fixture(name, excluded.as_deref(), at),
            other => match name {
                // A page by any owner: `world.page`, `app.page`, `this.page`.
                "page" if !matches!(other, Value::Chain(_)) => Value::Root,
                _ => Value::Method(Box::new(other), at),
            },
        }
    }

    fn object_member(&self, object: At<'a>, env: &Rc<Env<'a>>, name: &str, at: At<'a>) -> Value<'a> {
        let hop = |target: At<'a>| Hop::new(target, format!("`{name}` of an object"));
        if object.kind() == "enum_declaration" {
            let body = object.field("body").map(At::children).unwrap_or_default();
            let value = body
                .into_iter()
                .filter(|entry| entry.field("name").and_then(At::key_name).as_deref() == Some(name))
                .find_map(|entry| entry.field("value"));
            return value.map_or(Value::Unknown(Reason::NotFound, at), |value| self.eval(value, env).via(&hop(value)));
        }
        if let Some(value) = scope::property(object, name) {
            let is_getter = value.kind() == "method_definition" && value.has_token("get");
            let result = if is_getter { self.returned(value, env) } else { self.eval(value, env) };
            return result.via(&hop(value));
        }
        let spreads = object.children().into_iter().rev().filter(|entry| entry.kind() == "spread_element");
        for spread in spreads {
            let Some(&inner) = spread.children().first() else { continue };
            match self.member(self.eval(inner, env), name, at, env) {
                Value::Unknown(..) | Value::Method(..) => {}
                found => return found,
            }
        }
        Value::Unknown(Reason::NotFound, at)
    }

    /// What a file exports.
    pub(super) fn exported(&self, root: At<'a>, what: &Imported, at: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        match scope::export(self.project, root.file, what) {
            Some(Export::Declared(declaration)) => self.declared(&declaration, at, env),
            Some(Export::Expression(value)) => self.eval(value, env),
            None if *what == Imported::All => Value::Module(root),
            None => Value::Unknown(Reason::NotFound, at),
        }
    }

    /// What a name stands for at a place.
    pub(super) fn identifier(&self, at: At<'a>, name: &'a str, env: &Rc<Env<'a>>) -> Value<'a> {
        match scope::declaration(at, name) {
            Some(declaration) => self.declared(&declaration, at, env),
            None if name == "page" => Value::Root,
            None => Value::Global(name),
        }
    }

    /// What a declaration stands for.
    pub(super) fn declared(&self, declaration: &Declaration<'a>, at: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        match declaration {
            Declaration::Variable(declarator, name) => self.variable(*declarator, *name, env),
            Declaration::Loop(statement, name) => self.loop_variable(*statement, *name, env),
            Declaration::Parameter(function, index, parameter, name) => {
                let place =
                    super::names::Parameter { function: *function, index: *index, node: *parameter, name: *name };
                self.parameter(&place, env)
            }
            Declaration::Item(item) if item.is_function() => Value::Function(*item, Rc::clone(env)),
            Declaration::Item(item) if item.kind() == "enum_declaration" => Value::Object(*item, Rc::clone(env)),
            Declaration::Item(item) => Value::Class(*item, Rc::clone(env)),
            Declaration::Import(statement, specifier, what) => match self.project.imported(statement.file, specifier) {
                Some(file) => self.exported(file.root(), what, at, env),
                None => Value::Global(at.text()),
            },
        }
    }

    /// What a call's function gives back for these arguments.
    pub(super) fn invoke(&self, function: At<'a>, env: &Rc<Env<'a>>, arguments: Vec<Value<'a>>) -> Value<'a> {
        let inner = env.within(Call { function, arguments, this: None });
        let name = function.field("name").map_or("a function", At::text);
        self.returned(function, &inner).via(&Hop::new(function, format!("`{name}` returns it")))
    }

    /// What a function's body returns, run in `env`.
    pub(super) fn returned(&self, function: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let Some(body) = function.field("body") else { return Value::Unknown(Reason::Computed, function) };
        if body.kind() != "statement_block" {
            return self.eval(body, env);
        }
        let values = body
            .descendants()
            .filter(|at| at.kind() == "return_statement" && at.function() == Some(function))
            .filter_map(|at| at.children().into_iter().next())
            .map(|value| self.eval(value, env))
            .collect();
        Value::one_of(values, function)
    }

    /// The module that `require(…)` or `import(…)` gives.
    pub(super) fn required(&self, call: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let specifier = call.arguments().first().and_then(|at| at.string_value());
        let file =
            specifier.filter(|_| imports::is_require(call)).and_then(|name| self.project.imported(call.file, &name));
        file.map_or(Value::Global("module"), |file| self.exported(file.root(), &Imported::All, call, env))
    }
}

fn chunk(template: At<'_>, range: std::ops::Range<usize>) -> Option<Part<'_>> {
    let value = crate::source::literal::cook(template.file.text.get(range)?)?;
    (!value.is_empty()).then_some(Part::Literal(value, template))
}
