//! What the locators of a green run resolved to, kept so that a lost element can be known again.
//!
//! Values only: a book of facts by test, locator and call. Reading traces and files is the adapters' business.

use std::collections::BTreeMap;

use super::identity::Facts;

/// Which call of which test: no line number, so that moved lines keep theirs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// File and titles of the test, as the trace names it, without the line.
    pub test: String,
    /// The locator in Playwright's internal form.
    pub selector: String,
    /// The call's method.
    pub method: String,
    /// Which call of this method with this locator in the test, from 0.
    pub nth: u32,
}

/// The recorded elements.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Book {
    entries: BTreeMap<Key, Facts>,
}

impl Book {
    /// Records an element; a later record of the same call takes the place of the earlier.
    pub fn insert(&mut self, key: Key, facts: Facts) {
        self.entries.insert(key, facts);
    }

    /// Takes over all records of `newer`. A test that `newer` has seen loses what it no longer does.
    pub fn merge(&mut self, newer: Self) {
        let renewed: Vec<String> = newer.entries.keys().map(|key| key.test.clone()).collect();
        self.entries.retain(|key, _| renewed.binary_search(&key.test).is_err());
        self.entries.extend(newer.entries);
    }

    /// The records in the order of their keys.
    pub fn entries(&self) -> impl Iterator<Item = (&Key, &Facts)> {
        self.entries.iter()
    }

    /// How many elements are recorded.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The element that a call meant: of this very call, else of another call with this locator in the test, else of any
    /// test if all of them recorded the same element.
    pub fn find(&self, wanted: &Key) -> Option<&Facts> {
        if let Some(facts) = self.entries.get(wanted) {
            return Some(facts);
        }
        let having: Vec<(&Key, &Facts)> =
            self.entries.iter().filter(|(key, _)| key.selector == wanted.selector).collect();
        let here = having.iter().find(|(key, _)| key.test == wanted.test);
        let (_, first) = here.or(having.first())?;
        let agree = here.is_some() || having.iter().all(|(_, facts)| same_element(facts, first));
        agree.then_some(*first)
    }
}

/// Whether two records show one element, as far as what a person sees and what a locator names.
fn same_element(one: &Facts, other: &Facts) -> bool {
    let named = |facts: &Facts| [&facts.tag, &facts.role, &facts.name, &facts.id, &facts.test_id].map(String::clone);
    named(one) == named(other) && one.landmarks == other.landmarks
}

/// A test's name as a trace has it, without the line: `a.spec.ts:12 › suite › title`.
pub fn without_line(title: &str) -> String {
    let (place, rest) = title.split_once(" › ").unwrap_or((title, ""));
    let file = match place.rsplit_once(':') {
        Some((file, line)) if !line.is_empty() && line.chars().all(|c| c.is_ascii_digit()) => file,
        _ => place,
    };
    if rest.is_empty() { file.to_owned() } else { format!("{file} › {rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(test: &str, selector: &str, nth: u32) -> Key {
        Key { test: test.into(), selector: selector.into(), method: "click".into(), nth }
    }

    fn facts(id: &str) -> Facts {
        Facts { id: id.into(), ..Facts::default() }
    }

    #[test]
    fn a_moved_line_keeps_its_record() {
        assert_eq!(without_line("a.spec.ts:12 › suite › adds 3:4"), "a.spec.ts › suite › adds 3:4");
        assert_eq!(without_line("adds"), "adds");
    }

    #[test]
    fn the_very_call_comes_before_other_calls_and_other_tests_must_agree() {
        let mut book = Book::default();
        book.insert(key("t", "#a", 0), facts("one"));
        book.insert(key("t", "#a", 1), facts("two"));
        book.insert(key("u", "#b", 0), facts("three"));
        book.insert(key("v", "#b", 0), facts("four"));
        assert_eq!(book.find(&key("t", "#a", 1)).map(|facts| facts.id.as_str()), Some("two"));
        assert_eq!(book.find(&key("t", "#a", 7)).map(|facts| facts.id.as_str()), Some("one"));
        assert_eq!(book.find(&key("w", "#b", 0)), None);
        assert_eq!(book.find(&key("u", "#b", 3)).map(|facts| facts.id.as_str()), Some("three"));
    }

    #[test]
    fn merging_renews_the_tests_that_were_seen_and_keeps_the_others() {
        let mut book = Book::default();
        book.insert(key("t", "#gone", 0), facts("gone"));
        book.insert(key("u", "#b", 0), facts("kept"));
        let mut newer = Book::default();
        newer.insert(key("t", "#a", 0), facts("new"));
        book.merge(newer);
        let selectors: Vec<&str> = book.entries().map(|(key, _)| key.selector.as_str()).collect();
        assert_eq!(selectors, ["#a", "#b"]);
    }
}
