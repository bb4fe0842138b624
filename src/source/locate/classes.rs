//! Page objects: `this`, instances, their fields, getters, methods, constructors and base classes.

use std::rc::Rc;

use crate::source::tree::At;

use super::eval::Evaluator;
use super::value::{Call, Env, Instance, Value};
use super::{Hop, Reason};

/// How many base classes are followed.
const MAX_BASES: usize = 16;

impl<'a> Evaluator<'a> {
    pub(super) fn instantiate(&self, at: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let Some(constructor) = at.field("constructor") else { return Value::Unknown(Reason::Computed, at) };
        let made = |class: Value<'a>| match class {
            Value::Class(class, class_env) => {
                let arguments = at.arguments().into_iter().map(|argument| self.eval(argument, env)).collect();
                Value::Instance(Rc::new(Instance { class, env: class_env, arguments: Some(arguments) }))
            }
            _ => Value::Unknown(Reason::Computed, at),
        };
        let classes = self.eval(constructor, env).alternatives();
        Value::one_of(classes.into_iter().map(made).collect(), at)
    }

    /// What `this` is at a place: known when the code was followed into, else what the stack says, else an instance of
    /// the class around it.
    pub(super) fn this(&self, at: At<'a>, env: &Rc<Env<'a>>) -> Value<'a> {
        let unknown = Value::Unknown(Reason::Computed, at);
        let owner = at.ancestors().find(|above| {
            (above.is_function() && above.kind() != "arrow_function") || above.kind() == "public_field_definition"
        });
        let Some(owner) = owner else { return unknown };
        let Some(body) = owner.parent() else { return unknown };
        if body.kind() == "object" {
            return Value::Object(body, Rc::clone(env));
        }
        let Some(class) = body.parent().filter(|_| body.kind() == "class_body") else { return unknown };
        if let Some(this) = env.call_of(body).and_then(|call| call.this.clone()) {
            return this;
        }
        if owner.has_token("static") {
            return Value::Class(class, Rc::clone(env));
        }
        self.receiver_in_stack(owner, env.frame)
            .unwrap_or_else(|| Value::Instance(Rc::new(Instance { class, env: Rc::clone(env), arguments: None })))
    }

    /// The instance on which the stack shows `method` being called.
    fn receiver_in_stack(&self, method: At<'a>, frame: usize) -> Option<Value<'a>> {
        let (call, caller) = self.caller_of(method, frame)?;
        let env = Env::of_frame(caller);
        let value = if call.kind() == "new_expression" {
            self.instantiate(call, &env)
        } else {
            self.eval(call.field("function")?.bare().field("object")?, &env)
        };
        matches!(value, Value::Instance(_)).then_some(value)
    }

    pub(super) fn instance_member(&self, instance: &Rc<Instance<'a>>, name: &str, at: At<'a>) -> Value<'a> {
        let mut class = instance.class;
        let mut env = Rc::clone(&instance.env);
        let mut arguments = instance.arguments.clone();
        let mut declared = None;
        for _ in 0..MAX_BASES {
            let Some(body) = class.field("body") else { break };
            let this = Some(Value::Instance(Rc::clone(instance)));
            let inside = env.within(Call { function: body, arguments: Vec::new(), this });
            let constructor = member_named(body, "constructor", false);
            let constructing = match (constructor, &arguments) {
                (Some(function), Some(values)) => {
                    inside.within(Call { function, arguments: values.clone(), this: None })
                }
                _ => Rc::clone(&inside),
            };
            let here = ClassBody { body, inside: &inside, constructing: &constructing, constructor };
            if let Some(value) = self.own_member(&here, name, at) {
                return value;
            }
            declared = declared.or_else(|| member_named(body, name, false).and_then(|member| member.field("type")));
            let Some((base, base_env)) = self.base_of(class, &env) else { break };
            arguments = self.base_arguments(&here, arguments);
            class = base;
            env = base_env;
        }
        let typed = self.typed(declared, at, &instance.env);
        let guessed = instance.arguments.is_none();
        if let Some(value) = typed.clone().filter(|value| matches!(value, Value::Root | Value::Instance(_))) {
            return value;
        }
        if name == "page" {
            return Value::Root;
        }
        let derived = if guessed { self.derived_members(instance, name, at) } else { Vec::new() };
        match (derived.is_empty(), typed) {
            (false, _) => Value::one_of(derived, at),
            (true, Some(value)) => value,
            (true, None) => Value::Unknown(Reason::NotFound, at),
        }
    }

    /// What one class itself says about a member: `None` when it defines no value for it.
    fn own_member(&self, here: &ClassBody<'a, '_>, name: &str, at: At<'a>) -> Option<Value<'a>> {
        let mut values = Vec::new();
        for member in here.body.children() {
            if member.has_token("static") || member.field("name").is_none_or(|own| own.text() != name) {
                continue;
            }
            match member.kind() {
                "method_definition" if member.has_token("get") => {
                    let value = self.returned(member, here.inside);
                    values.push(value.via(&Hop::new(member, format!("getter `{name}`"))));
                }
                "method_definition" if member.has_token("set") => {}
                "method_definition" => values.push(Value::Function(member, Rc::clone(here.inside))),
                "public_field_definition" => values.extend(member.field("value").map(|value| {
                    self.eval(value, here.constructing).via(&Hop::new(value, format!("class field `{name}`")))
                })),
                _ => {}
            }
        }
        for (method, value) in assigned_to_this(here.body, name) {
            let env = if Some(method) == here.constructor { here.constructing } else { here.inside };
            let hop = Hop::new(value, format!("field `{name}`"));
            let value = self.eval(value, env);
            values.push(value.via(&hop));
        }
        if values.is_empty() {
            return self.parameter_property(here, name, at);
        }
        Some(if values.len() == 1 { values.remove(0) } else { Value::Unknown(Reason::SeveralDefinitions, at) })
    }

    /// `constructor(private readonly page: Page)`.
    fn parameter_property(&self, here: &ClassBody<'a, '_>, name: &str, at: At<'a>) -> Option<Value<'a>> {
        let parameter = here.constructor?.parameters().into_iter().find(|parameter| {
            let is_property = parameter.has_token("readonly")
                || parameter.has_token("accessibility_modifier")
                || parameter.has_token("override_modifier");
            is_property && parameter.field("pattern").is_some_and(|pattern| pattern.text() == name)
        })?;
        let pattern = parameter.field("pattern")?;
        let declaration = super::scope::declaration(here.constructor?.field("body")?, pattern.text())?;
        Some(self.declared(&declaration, at, here.constructing))
    }

    /// The class that a class extends, where the project has it.
    fn base_of(&self, class: At<'a>, env: &Rc<Env<'a>>) -> Option<(At<'a>, Rc<Env<'a>>)> {
        let heritage = class.children().into_iter().find(|child| child.kind() == "class_heritage")?;
        let clause = heritage.children().into_iter().find(|child| child.kind() == "extends_clause");
        let base = clause.map_or_else(|| heritage.children().into_iter().next(), |clause| clause.field("value"))?;
        match self.eval(base, env) {
            Value::Class(class, env) => Some((class, env)),
            _ => None,
        }
    }

    /// What reaches the base's constructor: what `super(…)` is called with, or the same where there is no constructor.
    fn base_arguments(&self, here: &ClassBody<'a, '_>, own: Option<Vec<Value<'a>>>) -> Option<Vec<Value<'a>>> {
        let Some(constructor) = here.constructor else { return own };
        let call = constructor.descendants().find(|at| {
            at.kind() == "call_expression" && at.field("function").is_some_and(|function| function.kind() == "super")
        })?;
        Some(call.arguments().into_iter().map(|argument| self.eval(argument, here.constructing)).collect())
    }

    /// The member in the classes that extend this one: a base class uses what its children define.
    fn derived_members(&self, instance: &Rc<Instance<'a>>, name: &str, at: At<'a>) -> Vec<Value<'a>> {
        let mut out = Vec::new();
        for file in self.project.files().filter(|file| file.text.contains("extends")) {
            let classes = file
                .root()
                .descendants()
                .filter(|node| matches!(node.kind(), "class" | "class_declaration" | "abstract_class_declaration"));
            for class in classes.filter(|class| *class != instance.class) {
                let env = Env::of_frame(self.frames.len());
                let Some(body) = class.field("body") else { continue };
                if self.base_of(class, &env).is_none_or(|(base, _)| base != instance.class) {
                    continue;
                }
                let derived = Rc::new(Instance { class, env: Rc::clone(&env), arguments: None });
                let inside =
                    env.within(Call { function: body, arguments: Vec::new(), this: Some(Value::Instance(derived)) });
                let constructor = member_named(body, "constructor", false);
                let here = ClassBody { body, inside: &inside, constructing: &inside, constructor };
                out.extend(self.own_member(&here, name, at));
            }
        }
        out
    }

    pub(super) fn static_member(&self, class: At<'a>, env: &Rc<Env<'a>>, name: &str, at: At<'a>) -> Value<'a> {
        let mut class = class;
        let mut env = Rc::clone(env);
        for _ in 0..MAX_BASES {
            let member = class.field("body").and_then(|body| member_named(body, name, true));
            if let Some(member) = member {
                let hop = Hop::new(member, format!("static `{name}`"));
                return match member.kind() {
                    "method_definition" if member.has_token("get") => self.returned(member, &env).via(&hop),
                    "method_definition" => Value::Function(member, env),
                    _ => member
                        .field("value")
                        .map_or(Value::Unknown(Reason::NotFound, at), |value| self.eval(value, &env).via(&hop)),
                };
            }
            let Some((base, base_env)) = self.base_of(class, &env) else { break };
            class = base;
            env = base_env;
        }
        Value::Unknown(Reason::NotFound, at)
    }
}

/// A class body, and the environments its members and its constructor run in.
struct ClassBody<'a, 'e> {
    body: At<'a>,
    inside: &'e Rc<Env<'a>>,
    constructing: &'e Rc<Env<'a>>,
    constructor: Option<At<'a>>,
}

fn member_named<'a>(body: At<'a>, name: &str, is_static: bool) -> Option<At<'a>> {
    body.children().into_iter().find(|member| {
        member.has_token("static") == is_static && member.field("name").is_some_and(|own| own.text() == name)
    })
}

/// Every `this.name = value` of a class, with the method it stands in.
fn assigned_to_this<'a>(body: At<'a>, name: &str) -> Vec<(At<'a>, At<'a>)> {
    let mut out = Vec::new();
    for method in body.children().into_iter().filter(|member| member.kind() == "method_definition") {
        for at in method.descendants().filter(|at| at.kind() == "assignment_expression") {
            let Some(left) = at.field("left").filter(|left| left.kind() == "member_expression") else { continue };
            let is_this = left.field("object").is_some_and(|object| object.kind() == "this");
            let is_name = left.field("property").is_some_and(|property| property.text() == name);
            let value = at.field("right").filter(|value| !matches!(value.bare().kind(), "null" | "undefined"));
            out.extend(value.filter(|_| is_this && is_name).map(|value| (method, value)));
        }
    }
    out
}
