//! What an expression of a test stands for, as far as the syntax says: a page, a chain of building calls, a string.

use std::rc::Rc;

use crate::source::tree::At;

use super::{Hop, Reason};

/// What an expression stands for.
#[derive(Debug, Clone)]
pub(super) enum Value<'a> {
    /// A page, frame or context: where chains start.
    Root,
    /// A chain of building calls.
    Chain(Chain<'a>),
    /// A string, with the places its pieces come from.
    Text(Text<'a>),
    /// A regular expression, number, boolean or `null`: what its source text says.
    Plain(At<'a>),
    /// An object literal or enum, and where it was made.
    Object(At<'a>, Rc<Env<'a>>),
    /// An array literal, and where it was made.
    Array(At<'a>, Rc<Env<'a>>),
    /// A function, and where it was made.
    Function(At<'a>, Rc<Env<'a>>),
    /// A class, and where it was declared.
    Class(At<'a>, Rc<Env<'a>>),
    /// An instance of a class of the project.
    Instance(Rc<Instance<'a>>),
    /// All exports of a file.
    Module(At<'a>),
    /// What the test runner hands to a test function: the fixtures by name, without the one being defined.
    Fixtures(Option<String>),
    /// The runner's third kind of value: a name nobody in the project declares (`Object`, `expect`).
    Global(&'a str),
    /// A method that was named, not yet called.
    Method(Box<Value<'a>>, At<'a>),
    /// One of several, and the syntax does not say which.
    Several(Vec<Value<'a>>),
    /// Nothing that could be followed.
    Unknown(Reason, At<'a>),
}

/// An object made by `new`, or the `this` of a class nobody was seen to instantiate.
#[derive(Debug)]
pub(super) struct Instance<'a> {
    pub(super) class: At<'a>,
    pub(super) env: Rc<Env<'a>>,
    /// The constructor's arguments, where the `new` was seen.
    pub(super) arguments: Option<Vec<Value<'a>>>,
}

/// A locator as built: what it starts from and the calls that narrowed it.
#[derive(Debug, Clone)]
pub(super) struct Chain<'a> {
    /// `None` when it starts at a page; else why the start could not be followed.
    pub(super) head: Option<(Reason, At<'a>)>,
    pub(super) links: Vec<Link<'a>>,
}

/// One building call, or the selector argument of a legacy call.
#[derive(Debug, Clone)]
pub(super) struct Link<'a> {
    /// The call; `None` for a step that no call wrote (an item of `all()`).
    pub(super) call: Option<At<'a>>,
    pub(super) method: String,
    pub(super) arguments: Vec<Value<'a>>,
    /// Whether the call is an action that takes a selector (`page.click('#a')`).
    pub(super) legacy: bool,
    /// How the reader gets from the failing call to this one, nearest definition first.
    pub(super) hops: Vec<Hop>,
}

/// A string put together from literals and holes.
#[derive(Debug, Clone, Default)]
pub(super) struct Text<'a> {
    pub(super) parts: Vec<Part<'a>>,
    pub(super) hops: Vec<Hop>,
}

/// A piece of a string.
#[derive(Debug, Clone)]
pub(super) enum Part<'a> {
    /// Literal text and the `string` or `template_string` it stands in.
    Literal(String, At<'a>),
    /// Something only the run knows.
    Hole,
}

/// Where code runs: the calls that were followed into, and the stack frame it belongs to.
#[derive(Debug)]
pub(super) struct Env<'a> {
    pub(super) frame: usize,
    pub(super) call: Option<Call<'a>>,
    pub(super) outer: Option<Rc<Env<'a>>>,
}

/// A call that was followed into: what its function's parameters and `this` stand for.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// The function, or the class body whose initialisers run.
    pub(super) function: At<'a>,
    pub(super) arguments: Vec<Value<'a>>,
    pub(super) this: Option<Value<'a>>,
}

impl<'a> Env<'a> {
    /// Code of a stack frame, at module level.
    pub(super) fn of_frame(frame: usize) -> Rc<Self> {
        Rc::new(Self { frame, call: None, outer: None })
    }

    /// This environment inside one more call.
    pub(super) fn within(self: &Rc<Self>, call: Call<'a>) -> Rc<Self> {
        Rc::new(Self { frame: self.frame, call: Some(call), outer: Some(Rc::clone(self)) })
    }

    /// The call of `function` that was followed into, the latest first.
    pub(super) fn call_of(&self, function: At<'a>) -> Option<&Call<'a>> {
        let mut env = Some(self);
        while let Some(at) = env {
            if let Some(call) = at.call.as_ref().filter(|call| call.function == function) {
                return Some(call);
            }
            env = at.outer.as_deref();
        }
        None
    }
}

impl<'a> Value<'a> {
    /// A string literal.
    pub(super) fn literal(value: String, at: At<'a>) -> Self {
        Self::Text(Text { parts: vec![Part::Literal(value, at)], hops: Vec::new() })
    }

    /// Notes that the value was reached through a definition.
    pub(super) fn via(mut self, hop: &Hop) -> Self {
        match &mut self {
            Self::Chain(chain) => chain.links.iter_mut().for_each(|link| link.hops.push(hop.clone())),
            Self::Text(text) => text.hops.push(hop.clone()),
            Self::Several(values) => {
                let taken = std::mem::take(values);
                *values = taken.into_iter().map(|value| value.via(hop)).collect();
            }
            _ => {}
        }
        self
    }

    /// The plain alternatives: `Several` taken apart.
    pub(super) fn alternatives(self) -> Vec<Self> {
        let mut out = Vec::new();
        let mut queue = vec![self];
        while let Some(value) = queue.pop() {
            match value {
                Self::Several(values) => queue.extend(values.into_iter().rev()),
                other => out.push(other),
            }
        }
        out
    }

    /// One of several; a single one is itself.
    pub(super) fn one_of(mut values: Vec<Self>, at: At<'a>) -> Self {
        match values.len() {
            0 => Self::Unknown(Reason::NotFound, at),
            1 => values.remove(0),
            _ => Self::Several(values),
        }
    }

    /// The string, when every part of it is known.
    pub(super) fn known_text(&self) -> Option<String> {
        let Self::Text(text) = self else { return None };
        text.parts
            .iter()
            .map(|part| match part {
                Part::Literal(value, _) => Some(value.as_str()),
                Part::Hole => None,
            })
            .collect()
    }
}
