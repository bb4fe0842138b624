//! Which repairs of a suite may go on at the same time: those whose edits no run of another one would see.
//!
//! Holds who may change what, and nothing else: it starts nothing and writes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::source::graph::Graph;
use crate::source::reach::Reach;

/// The repairs under way.
#[derive(Debug)]
pub struct Turns {
    graph: Graph,
    under_way: Mutex<BTreeMap<u32, Reach>>,
}

/// One repair's turn, until it is dropped.
#[derive(Debug)]
pub struct Turn<'t> {
    turns: &'t Turns,
    number: u32,
    test: &'t str,
    crowded: AtomicBool,
}

impl Turns {
    /// For the tests of the project with these imports.
    pub fn new(graph: Graph) -> Self {
        Self { graph, under_way: Mutex::default() }
    }

    /// A turn for the repair of a test in the file `test` that is expected to change the files `changed`; `None` as long as
    /// one that is under way would meet it.
    pub fn begin<'t>(&'t self, test: &'t str, changed: &BTreeSet<String>) -> Option<Turn<'t>> {
        self.take(test, Reach::of(&self.graph, test, changed))
    }

    /// A turn beside which nothing else is under way; `None` as long as something is.
    pub fn alone<'t>(&'t self, test: &'t str) -> Option<Turn<'t>> {
        self.take(test, Reach::everything())
    }

    fn take<'t>(&'t self, test: &'t str, reach: Reach) -> Option<Turn<'t>> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if under_way.values().any(|other| other.meets(&reach)) {
            return None;
        }
        let number = under_way.last_key_value().map_or(0, |(last, _)| last + 1);
        under_way.insert(number, reach);
        Some(Turn { turns: self, number, test, crowded: AtomicBool::new(false) })
    }
}

impl Turn<'_> {
    /// Whether an edit in `path` is in nobody's way; it is within this turn from then on.
    pub fn may_change(&self, path: &str) -> bool {
        let mut under_way = self.turns.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(own) = under_way.get(&self.number) else { return false };
        if own.may_change(path) {
            return true;
        }
        let mut changed = own.changed().clone();
        changed.insert(path.to_owned());
        let wider = Reach::of(&self.turns.graph, self.test, &changed);
        let free = !under_way.iter().any(|(number, other)| *number != self.number && other.meets(&wider));
        if free {
            under_way.insert(self.number, wider);
        } else {
            self.crowded.store(true, Ordering::Relaxed);
        }
        free
    }

    /// Whether an edit would have been in the way of another repair, so that this one has to be begun again alone.
    pub fn was_crowded(&self) -> bool {
        self.crowded.load(Ordering::Relaxed)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::imports::Aliases;

    fn turns() -> Turns {
        let files =
            [("a.spec.ts", "import './page';"), ("b.spec.ts", "import './page';"), ("c.spec.ts", ""), ("page.ts", "")];
        let names = files.map(|(path, _)| path);
        let mut read = |path: &str| files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned());
        Turns::new(Graph::of(&names, &Aliases::default(), &mut read))
    }

    #[test]
    fn an_edit_that_another_repair_would_see_is_refused_and_possible_alone() {
        let (turns, none) = (turns(), BTreeSet::new());
        let a = turns.begin("a.spec.ts", &none).unwrap();
        let b = turns.begin("b.spec.ts", &none).unwrap();
        let c = turns.begin("c.spec.ts", &none).unwrap();
        assert!(turns.begin("a.spec.ts", &none).is_none() && turns.alone("a.spec.ts").is_none());
        assert!(a.may_change("a.spec.ts") && !a.may_change("page.ts"));
        assert!(a.was_crowded() && !b.was_crowded());
        drop(b);
        assert!(a.may_change("page.ts"), "the other one has ended");
        assert!(turns.begin("b.spec.ts", &none).is_none(), "its page is being changed");
        drop((a, c));
        let alone = turns.alone("a.spec.ts").unwrap();
        assert!(alone.may_change("page.ts") && turns.begin("c.spec.ts", &none).is_none());
    }
}
