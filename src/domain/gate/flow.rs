//! Rules D3 to D5: what becomes of a locator: whether it decides over an assertion, and what asserts on it.
//!
//! Follows a value through variables, members and functions of the same file, a few hops far.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::assertions::Assertions;
use super::chain::{method_call, root_of};
use super::method::is_action;
use super::uses::{Bound, bound_by, uses};
use super::violation::{Flag, Prohibition, Violation};
use crate::source::language::{Kind, kind};
use crate::source::syntax::{Source, named};

/// How many variables a value is followed through.
const MAX_HOPS: usize = 4;
/// How many mentions are looked at in all.
const MAX_USES: usize = 512;

/// Array methods that run their callback once per element: loops in another form.
const LOOPS: [&str; 12] = [
    "forEach",
    "map",
    "flatMap",
    "filter",
    "find",
    "findIndex",
    "findLast",
    "some",
    "every",
    "reduce",
    "reduceRight",
    "entries",
];

/// What was found on the way.
#[derive(Debug, Default)]
pub(super) struct Flow {
    pub(super) flags: BTreeSet<Flag>,
    /// Mentions that are absence checks.
    pub(super) absences: usize,
    /// Mentions that are anything else.
    pub(super) others: usize,
}

/// Follows a locator, or a value, from where it stands.
pub(super) struct Follower<'a, 's, 't> {
    pub(super) source: &'s Source<'t>,
    pub(super) assertions: &'a Assertions<'s, 't>,
    pub(super) flow: Flow,
}

impl<'s> Follower<'_, 's, '_> {
    /// Follows what the last node of `path` stands for. Fails where it decides over an assertion.
    pub(super) fn follow(&mut self, path: Vec<Node<'s>>) -> Result<(), Violation> {
        let mut left = vec![(path, 0_usize)];
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut looked = 0;
        while let Some((path, hops)) = left.pop() {
            self.guard(&path)?;
            if hops >= MAX_HOPS {
                continue;
            }
            for bound in self.bound(&path) {
                if !seen.insert(format!("{bound:?}")) {
                    continue;
                }
                for mention in uses(self.source, &bound).ok_or(Prohibition::Size)? {
                    looked += 1;
                    if looked > MAX_USES {
                        return Err(Prohibition::Size.into());
                    }
                    if !mention.whole {
                        self.mention(&mention.path)?;
                    }
                    left.push((mention.path, hops + 1));
                }
            }
        }
        Ok(())
    }

    /// Notes what one mention does.
    pub(super) fn mention(&mut self, path: &[Node<'s>]) -> Result<(), Violation> {
        if let Some(at) = self.assertions.around(path)? {
            self.flow.flags.insert(Flag::FeedsExpect);
            if self.is_absence(path, at) {
                self.flow.flags.insert(Flag::FeedsAbsence);
                self.flow.absences += 1;
            } else {
                self.flow.others += 1;
            }
        } else if let Some(wait) = self.wait(path) {
            if wait == Wait::Absence {
                self.flow.absences += 1;
            } else {
                self.flow.others += 1;
            }
        } else {
            self.flow.others += 1;
        }
        Ok(())
    }

    /// Rule D3.
    fn guard(&mut self, path: &[Node<'s>]) -> Result<(), Violation> {
        for (at, pair) in path.windows(2).enumerate().rev() {
            let [parent, child] = pair else { continue };
            let Some(bodies) = self.decides(*parent, *child) else { continue };
            let mut leaves = false;
            for body in &bodies {
                if self.assertions.within(body.byte_range()) {
                    return Err(Prohibition::Guard.into());
                }
                leaves |= self.leaves(*body);
            }
            if kind(*parent) == Kind::Call && bodies.is_empty() {
                // `test.skip(condition)` leaves the test.
                leaves = true;
            }
            if leaves && self.asserts_after(path, at) {
                return Err(Violation::new(Prohibition::Guard, "leaves before an assertion"));
            }
            self.flow.flags.insert(Flag::FeedsCondition);
        }
        Ok(())
    }

    /// What runs or does not run depending on `child`, if `parent` is where that is decided.
    fn decides(&self, parent: Node<'s>, child: Node<'s>) -> Option<Vec<Node<'s>>> {
        let field = |name: &str| parent.child_by_field_name(name);
        let is = |name: &str| field(name) == Some(child);
        let some = |names: &[&str]| names.iter().filter_map(|name| field(name)).collect::<Vec<_>>();
        match kind(parent) {
            Kind::If | Kind::Ternary if is("condition") => Some(some(&["consequence", "alternative"])),
            Kind::While | Kind::For if is("condition") => Some(some(&["body"])),
            Kind::Switch if is("value") => Some(some(&["body"])),
            Kind::ForIn if is("right") => Some(some(&["body"])),
            Kind::Binary if is("left") => {
                let operator = field("operator").map_or("", |operator| self.source.of(operator));
                matches!(operator, "&&" | "||" | "??").then(|| some(&["right"]))
            }
            Kind::Call => {
                let (receiver, name, arguments) = method_call(parent)?;
                let function = field("function")?;
                // What a value is handed to by `then` decides like a loop does; after an action there is no value.
                let action = method_call(receiver).is_some_and(|(_, name, _)| is_action(self.source.of(name)));
                let handed = self.source.of(name) == "then" && !action;
                if function == child && (handed || LOOPS.contains(&self.source.of(name))) {
                    let callbacks: Vec<_> =
                        named(arguments).into_iter().filter(|node| kind(*node).is_function()).collect();
                    return (!callbacks.is_empty()).then_some(callbacks);
                }
                // `test.skip(condition, why)`; with a title first it declares a test.
                let (root, _) = root_of(self.source, receiver);
                let skips = arguments == child
                    && matches!(self.source.of(name), "skip" | "fixme" | "fail")
                    && matches!(self.source.of(root), "test" | "it" | "testInfo");
                let declares =
                    named(arguments).first().is_some_and(|first| matches!(kind(*first), Kind::String | Kind::Template));
                (skips && !declares).then(Vec::new)
            }
            _ => None,
        }
    }

    /// Whether a body may end what comes after it.
    fn leaves(&self, body: Node<'s>) -> bool {
        let range = body.byte_range();
        let mut found = false;
        self.source.walk(&range, |node| {
            let inside = node.start_byte() >= range.start && node.end_byte() <= range.end;
            if inside {
                found |= matches!(kind(node), Kind::Return | Kind::Break | Kind::Continue);
                found |= method_call(node).is_some_and(|(receiver, name, _)| {
                    matches!(self.source.of(name), "skip" | "fixme" | "exit")
                        && matches!(self.source.of(receiver), "test" | "it" | "testInfo" | "process")
                });
            }
            !found && (!inside || !kind(node).is_function() || node == body)
        });
        found
    }

    /// Whether an assertion follows `path[at]` in the function around it.
    fn asserts_after(&self, path: &[Node<'s>], at: usize) -> bool {
        let Some(from) = path.get(at) else { return false };
        let around = path.get(..at).unwrap_or_default().iter().rev();
        let end = around
            .clone()
            .find(|node| kind(**node).is_function())
            .map_or(self.source.text().len(), tree_sitter::Node::end_byte);
        self.assertions.within(from.end_byte()..end)
    }

    /// What the value at the end of `path` is bound to, if it is.
    fn bound(&self, path: &[Node<'s>]) -> Vec<Bound> {
        let mut action = None;
        for (at, pair) in path.windows(2).enumerate().rev() {
            let [parent, child] = pair else { continue };
            match kind(*parent) {
                Kind::Call if parent.child_by_field_name("function") == Some(*child) => {
                    action = method_call(*parent).map(|(_, name, _)| self.source.of(name)).or(action);
                    if action.is_some_and(is_action) {
                        return Vec::new();
                    }
                }
                Kind::Declarator | Kind::Field | Kind::Assignment | Kind::Pair => {
                    let bound = bound_by(self.source, path, at);
                    if !bound.is_empty() || kind(*parent) != Kind::Pair {
                        return bound;
                    }
                }
                // What a function returns is known by the function's name.
                Kind::Return => {
                    let function =
                        path.get(..at).unwrap_or_default().iter().rposition(|node| kind(*node).is_function());
                    let Some(function) = function else { return Vec::new() };
                    return self.named_function(path, function);
                }
                Kind::Arrow if parent.child_by_field_name("body") == Some(*child) => {
                    return self.named_function(path, at);
                }
                Kind::Block
                | Kind::ExpressionStatement
                | Kind::If
                | Kind::While
                | Kind::For
                | Kind::ForIn
                | Kind::Switch => {
                    return Vec::new();
                }
                _ => {}
            }
        }
        Vec::new()
    }

    fn named_function(&self, path: &[Node<'s>], at: usize) -> Vec<Bound> {
        let own = bound_by(self.source, path, at);
        if !own.is_empty() {
            return own;
        }
        // Past wrappers to what the function is the value of.
        let mut above = at;
        while let Some(next) = above.checked_sub(1) {
            above = next;
            match path.get(above).map(|node| kind(*node)) {
                Some(Kind::Declarator | Kind::Field | Kind::Assignment | Kind::Pair) => {
                    return bound_by(self.source, path, above);
                }
                Some(wrapper) if wrapper.is_wrapper() => {}
                _ => return Vec::new(),
            }
        }
        Vec::new()
    }

    /// Whether the assertion at `path[at]` expects what is at the end of `path` to be absent.
    fn is_absence(&self, path: &[Node<'s>], at: usize) -> bool {
        let mut names = Vec::new();
        let mut arguments: Option<Node<'s>> = None;
        for pair in path.get(..=at).unwrap_or_default().windows(2).rev() {
            let [parent, child] = pair else { break };
            match kind(*parent) {
                Kind::Member if parent.child_by_field_name("object") == Some(*child) => {
                    names.push(parent.child_by_field_name("property").map_or("", |property| self.source.of(property)));
                }
                Kind::Call if parent.child_by_field_name("function") == Some(*child) => {
                    arguments = parent.child_by_field_name("arguments");
                    break;
                }
                _ => break,
            }
        }
        let Some((matcher, before)) = names.split_last() else { return false };
        let negated = before.contains(&"not");
        let argument =
            arguments.and_then(|arguments| named(arguments).first().copied()).map_or("", |node| self.source.of(node));
        // A value that is read through the locator, or the locator itself.
        let subject = path.get(at).map_or("", |call| self.source.of(*call));
        let hidden = subject.contains(".isHidden(");
        let nothing = matches!(argument, "0" | "[]" | "''" | "\"\"" | "null")
            || argument == if hidden { "true" } else { "false" };
        let compact: String = argument.chars().filter(|c| !c.is_whitespace()).collect();
        match (*matcher, negated) {
            ("toBeHidden", false) | ("toBeVisible" | "toBeAttached", true) => true,
            ("toHaveCount" | "toHaveLength", false) => argument == "0",
            ("toHaveCount" | "toHaveLength", true) => argument != "0",
            ("toBeVisible", false) => compact.contains("visible:false"),
            ("toBeAttached", false) => compact.contains("attached:false"),
            ("toBe" | "toEqual" | "toStrictEqual", false) => nothing,
            ("toBeFalsy", false) | ("toBeTruthy", true) => !hidden,
            ("toBeTruthy", false) | ("toBeFalsy", true) => hidden,
            _ => false,
        }
    }

    /// Whether the locator at the end of `path` is waited for, and how.
    pub(super) fn wait(&self, path: &[Node<'s>]) -> Option<Wait> {
        for pair in path.windows(2).rev() {
            let [parent, child] = pair else { break };
            match kind(*parent) {
                Kind::Member | Kind::NonNull => {}
                Kind::Call if parent.child_by_field_name("function") == Some(*child) => {
                    let (_, name, arguments) = method_call(*parent)?;
                    if self.source.of(name) == "waitFor" {
                        return Some(self.wait_state(named(arguments).first().copied()));
                    }
                }
                _ => break,
            }
        }
        None
    }

    /// Whether a call is a page's `waitForSelector`, and what it waits for.
    pub(super) fn legacy_wait(&self, call: Node<'s>) -> Option<Wait> {
        let (_, name, arguments) = method_call(call)?;
        (self.source.of(name) == "waitForSelector").then(|| self.wait_state(named(arguments).get(1).copied()))
    }

    /// Which state the options of a wait ask for. What cannot be read may be absence.
    fn wait_state(&self, options: Option<Node<'s>>) -> Wait {
        let Some(options) = options else { return Wait::Presence };
        if kind(options) != Kind::Object {
            return Wait::Absence;
        }
        let mut wait = Wait::Presence;
        for member in named(options) {
            let key = member.child_by_field_name("key").map_or("", |key| self.source.of(key).trim_matches(['"', '\'']));
            let value = member
                .child_by_field_name("value")
                .map_or("", |value| self.source.of(value).trim_matches(['"', '\'', '`']));
            let readable = kind(member) == Kind::Pair;
            if !readable && self.source.of(member) != "timeout"
                || key == "state" && !matches!(value, "visible" | "attached")
            {
                wait = Wait::Absence;
            }
        }
        wait
    }
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// That it is there.
    Presence,
    /// That it is not, or nobody can tell.
    Absence,
}
