//! Rule D1 and D2: which calls assert, under any name, and whether a place lies inside of one.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tree_sitter::Node;

use super::chain::root_of;
use super::names;
use super::violation::{Prohibition, Violation};
use crate::source::language::{Kind, kind};
use crate::source::syntax::Source;

/// How many calls around a place are looked at before the nesting counts as too deep.
const MAX_CALLS: usize = 256;

/// Modules whose every export asserts.
const MODULES: [&str; 12] = [
    "assert",
    "assert/strict",
    "node:assert",
    "node:assert/strict",
    "chai",
    "expect",
    "should",
    "power-assert",
    "@jest/expect",
    "expect.js",
    "unexpected",
    "expect-webdriverio",
];

/// Names that assert wherever they come from.
const GLOBALS: [&str; 4] = ["expect", "assert", "chai", "should"];

/// What a name means to an assertion.
#[derive(Debug, Clone, Default)]
struct Meaning {
    /// It is an assertion function by origin.
    asserts: bool,
    /// The bodies of the functions of this file that it names.
    bodies: Vec<Range<usize>>,
}

/// Knows the assertion functions of one file.
#[derive(Debug)]
pub(super) struct Assertions<'s, 't> {
    source: &'s Source<'t>,
    known: RefCell<BTreeMap<String, Meaning>>,
}

impl<'s, 't> Assertions<'s, 't> {
    /// Nothing is looked up before it is asked for.
    pub(super) fn of(source: &'s Source<'t>) -> Self {
        Self { source, known: RefCell::default() }
    }

    /// The innermost assertion that the last node of `path` lies in: the index of its call in `path`.
    pub(super) fn around(&self, path: &[Node<'s>]) -> Result<Option<usize>, Violation> {
        let mut calls = 0;
        for (at, pair) in path.windows(2).enumerate().rev() {
            let [parent, child] = pair else { continue };
            let inside = match kind(*parent) {
                Kind::Call => {
                    calls += 1;
                    let callee = parent.child_by_field_name("function");
                    callee.is_some_and(|callee| {
                        if callee == *child {
                            self.is_expect(callee)
                        } else {
                            self.is_assertion(callee) || self.is_matched(path, at)
                        }
                    })
                }
                Kind::New => parent.child_by_field_name("constructor").is_some_and(|callee| self.is_assertion(callee)),
                Kind::Member => {
                    parent.child_by_field_name("property").is_some_and(|name| self.source.of(name) == "should")
                }
                _ => false,
            };
            if inside {
                return Ok(Some(at));
            }
            if calls > MAX_CALLS {
                return Err(Prohibition::Size.into());
            }
        }
        Ok(None)
    }

    /// Whether any assertion overlaps `range` by at least a byte, or touches an empty range.
    pub(super) fn overlaps(&self, range: &Range<usize>) -> bool {
        let mut found = false;
        let mut looked = 0;
        self.source.walk(range, |node| {
            let overlaps = node.start_byte() < range.end.max(range.start + 1) && node.end_byte() > range.start;
            if !found && overlaps && kind(node) == Kind::Call {
                looked += 1;
                found = looked > MAX_CALLS || self.is_direct(node);
            }
            !found
        });
        found
    }

    /// Whether code in `range` asserts, itself or through functions of this file.
    pub(super) fn within(&self, range: Range<usize>) -> bool {
        let mut left = vec![range];
        let mut seen: BTreeSet<(usize, usize)> = BTreeSet::new();
        while let Some(range) = left.pop() {
            if !seen.insert((range.start, range.end)) {
                continue;
            }
            let mut found = false;
            self.source.walk(&range, |node| {
                let inside = node.start_byte() >= range.start && node.end_byte() <= range.end;
                if inside && kind(node) == Kind::Call && !found {
                    found = self.is_direct(node);
                    if let Some(name) = self.called(node) {
                        left.extend(self.meaning(name).bodies);
                    }
                }
                !found
            });
            if found {
                return true;
            }
        }
        false
    }

    /// The name that a call calls something of this file by.
    fn called(&self, call: Node<'s>) -> Option<&'t str> {
        let function = call.child_by_field_name("function")?;
        match kind(function) {
            Kind::Identifier => Some(self.source.of(function)),
            Kind::Member => {
                let object = function.child_by_field_name("object")?;
                matches!(kind(object), Kind::This | Kind::Super | Kind::Identifier)
                    .then(|| function.child_by_field_name("property"))
                    .flatten()
                    .map(|property| self.source.of(property))
            }
            _ => None,
        }
    }

    /// Whether a call asserts by its own name, without looking into functions of this file. Looks at two names at most.
    fn is_direct(&self, call: Node<'s>) -> bool {
        let Some(function) = call.child_by_field_name("function") else { return false };
        match kind(function) {
            Kind::Identifier => {
                let name = self.source.of(function);
                self.is_assertion_name(name) || self.is_named_like_one(name)
            }
            Kind::Member | Kind::Subscript => {
                let text = |field: &str| function.child_by_field_name(field).map_or("", |node| self.source.of(node));
                let name = if kind(function) == Kind::Member {
                    text("property")
                } else {
                    text("index").trim_matches(['"', '\'', '`'])
                };
                let object = function.child_by_field_name("object");
                let of_assertion = object.is_some_and(|object| match kind(object) {
                    Kind::Identifier => self.is_assertion_name(self.source.of(object)),
                    Kind::Member => object
                        .child_by_field_name("property")
                        .is_some_and(|property| GLOBALS.contains(&self.source.of(property))),
                    _ => false,
                });
                of_assertion || GLOBALS.contains(&name) || is_matcher(name) || self.is_named_like_one(name)
            }
            _ => false,
        }
    }

    /// Whether a callee is an assertion function: `expect`, `test.expect`, `verifyTotal`, `this.helper` that asserts.
    fn is_assertion(&self, callee: Node<'s>) -> bool {
        let (root, names) = root_of(self.source, callee);
        let rooted = kind(root) == Kind::Identifier;
        if self.is_expect(callee) {
            return true;
        }
        let own = if rooted && names.is_empty() { Some(self.source.of(root)) } else { None };
        let Some(name) = own.or_else(|| names.last().copied()) else { return false };
        if self.is_named_like_one(name) {
            return true;
        }
        // `test.step` is no function of this file, even if some class has a `step`.
        let reachable = own.is_some() || matches!(kind(root), Kind::This | Kind::Super) || rooted && names.len() == 1;
        reachable
            && !matches!(self.source.of(root), "test" | "it" | "describe" | "page" | "Promise")
            && self.meaning(name).bodies.into_iter().any(|body| self.within(body))
    }

    /// Whether what is called on a call's result reads like a matcher: `mine(locator).not.toBeVisible()`.
    fn is_matched(&self, path: &[Node<'s>], call: usize) -> bool {
        let next = path.get(call.wrapping_sub(1)).filter(|node| kind(**node) == Kind::Member);
        let name =
            next.and_then(|member| member.child_by_field_name("property")).map_or("", |name| self.source.of(name));
        is_matcher(name) || matches!(name, "not" | "resolves" | "rejects")
    }

    /// Whether a callee starts from an assertion function by origin.
    fn is_expect(&self, callee: Node<'s>) -> bool {
        let (root, names) = root_of(self.source, callee);
        names.iter().any(|name| GLOBALS.contains(name))
            || kind(root) == Kind::Identifier && self.is_assertion_name(self.source.of(root))
    }

    /// Whether a name is an assertion function by where it comes from.
    fn is_assertion_name(&self, name: &str) -> bool {
        GLOBALS.contains(&name) || self.meaning(name).asserts
    }

    /// Whether a name that is not defined in this file, or is and asserts, is that of an assertion helper.
    fn is_named_like_one(&self, name: &str) -> bool {
        if !reads_like_assertion(name) {
            return false;
        }
        let bodies = self.meaning(name).bodies;
        bodies.is_empty()
            || bodies.into_iter().any(|body| !self.source.slice(body.clone()).contains(name) && self.within(body))
    }

    fn meaning(&self, name: &str) -> Meaning {
        if let Some(known) = self.known.borrow().get(name) {
            return known.clone();
        }
        let meaning = self.look_up(name);
        self.known.borrow_mut().insert(name.to_owned(), meaning.clone());
        meaning
    }

    fn look_up(&self, name: &str) -> Meaning {
        let mut meaning = Meaning::default();
        let mut left = vec![name.to_owned()];
        let mut seen = BTreeSet::new();
        while let Some(name) = left.pop() {
            if seen.len() > 16 || !seen.insert(name.clone()) {
                continue;
            }
            // A name that cannot be looked up may be anything.
            let Some(bindings) = names::bindings(self.source, &name) else {
                meaning.asserts = true;
                continue;
            };
            for binding in bindings {
                meaning.asserts |= binding.imported.is_some_and(|name| GLOBALS.contains(&name))
                    || binding.module.is_some_and(|module| MODULES.contains(&module));
                if let Some(body) = binding.body {
                    if seen.len() == 1 {
                        meaning.bodies.push(body.byte_range());
                    }
                } else if let Some(value) = binding.value {
                    meaning.asserts |= self.is_made_of_assertion(value);
                    let (root, _) = root_of(self.source, value);
                    if kind(root) == Kind::Identifier {
                        left.push(self.source.of(root).to_owned());
                    }
                }
            }
        }
        meaning
    }

    /// Whether a value is an assertion function: it names one, or is made from one.
    fn is_made_of_assertion(&self, value: Node<'s>) -> bool {
        let text = self.source.of(value);
        if text.len() > 4096 {
            return false;
        }
        let mentions = |word: &str| names::occurrences(text, word).is_none_or(|found| !found.is_empty());
        GLOBALS.iter().any(|name| mentions(name)) && !text.contains("=>") && !text.contains("function")
            || MODULES.iter().any(|module| {
                text.contains(&format!("require('{module}')")) || text.contains(&format!("require(\"{module}\")"))
            })
    }
}

/// Whether a method's name reads like that of a matcher: `toBeVisible`, `toHaveText`, `toEqual`.
fn is_matcher(name: &str) -> bool {
    ["toBe", "toHave", "toEqual", "toMatch", "toContain", "toPass", "toStrictEqual", "toThrow"]
        .iter()
        .any(|matcher| name.starts_with(matcher))
}

/// Whether a name reads like that of an assertion helper: `verifyTotal`, `assert_row`, `expectVisible`.
fn reads_like_assertion(name: &str) -> bool {
    let name = name.trim_start_matches(['_', '#', '$']);
    ["expect", "assert", "verify", "should", "must", "ensure", "validate", "check"].iter().any(|word| {
        name.strip_prefix(word).is_some_and(|rest| match rest.chars().next() {
            None => *word != "check",
            Some(next) => next.is_uppercase() || next == '_',
        })
    })
}

#[cfg(test)]
mod tests {
    use super::reads_like_assertion;

    #[test]
    fn an_assertion_helper_is_known_by_its_name() {
        for (name, expected) in [
            ("verifyVisible", true),
            ("assert_row", true),
            ("_expectText", true),
            ("verify", true),
            ("checkTotals", true),
            ("check", false),
            ("checkbox", false),
            ("expected", false),
            ("validator", false),
            ("clickWhenStable", false),
        ] {
            assert_eq!(reads_like_assertion(name), expected, "{name}");
        }
    }
}
