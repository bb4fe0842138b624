//! What a repair may change and what its runs read, so that two of them that would see each other's edits are told apart.
//!
//! Names of files only; too much is safe, too little is not. Reads nothing.

use std::collections::BTreeSet;

use super::graph::Graph;

/// The files of one repair, as project-relative paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    changed: BTreeSet<String>,
    /// What its runs read, what it changes included; `None` for anything.
    read: Option<BTreeSet<String>>,
}

impl Reach {
    /// Of the repair of a test in the file `test`, whose edits are in the files `changed`: its runs read what the test uses, and
    /// what every other user of an edited file uses. The file of the test itself counts as changed: tests of one file
    /// run one after the other in Playwright as well.
    pub fn of(graph: &Graph, test: &str, changed: &BTreeSet<String>) -> Self {
        let mut all = changed.clone();
        all.insert(test.to_owned());
        Self { read: read(graph, test, &all), changed: all }
    }

    /// Of a repair that nothing else may run beside.
    pub fn everything() -> Self {
        Self { changed: BTreeSet::new(), read: None }
    }

    /// Whether an edit in `path` is within it.
    pub fn may_change(&self, path: &str) -> bool {
        self.read.is_none() || self.changed.contains(path)
    }

    /// The files it changes.
    pub fn changed(&self) -> &BTreeSet<String> {
        &self.changed
    }

    /// Whether one of the two would run with an edit of the other in place.
    pub fn meets(&self, other: &Self) -> bool {
        let (Some(mine), Some(theirs)) = (&self.read, &other.read) else { return true };
        !self.changed.is_disjoint(theirs) || !other.changed.is_disjoint(mine)
    }
}

fn read(graph: &Graph, test: &str, changed: &BTreeSet<String>) -> Option<BTreeSet<String>> {
    let own = graph.used_by(test)?;
    // An edit where no import leads: what else leads there is not known either.
    if !changed.is_subset(&own) {
        return None;
    }
    let mut read = own;
    for user in changed.iter().flat_map(|path| graph.users_of(path)) {
        read.extend(graph.used_by(&user.path)?);
    }
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::imports::Aliases;

    const FILES: [(&str, &str); 8] = [
        ("fixtures.ts", "import { test } from '@playwright/test';"),
        ("pages/cart.ts", ""),
        ("pages/login.ts", ""),
        ("tests/cart.spec.ts", "import '../fixtures'; import '../pages/cart';"),
        ("tests/login.spec.ts", "import '../fixtures'; import '../pages/login';"),
        ("tests/both.spec.ts", "import '../fixtures'; import '../pages/login'; import '../pages/cart';"),
        ("tests/plain.spec.ts", "import { test } from '@playwright/test';"),
        ("tests/any.spec.ts", "require(process.env.PAGE);"),
    ];

    fn reach(test: &str, changed: &[&str]) -> Reach {
        let names: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
        let mut read = |path: &str| FILES.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned());
        let graph = Graph::of(&names, &Aliases::default(), &mut read);
        Reach::of(&graph, test, &changed.iter().map(|&path| path.to_owned()).collect())
    }

    #[test]
    fn two_repairs_meet_where_a_run_of_one_reads_what_the_other_changes() {
        let in_cart = reach("tests/cart.spec.ts", &["tests/cart.spec.ts"]);
        let in_login = reach("tests/login.spec.ts", &["tests/login.spec.ts"]);
        let page_cart = reach("tests/cart.spec.ts", &["pages/cart.ts"]);
        let page_login = reach("tests/login.spec.ts", &["pages/login.ts"]);
        let fixtures = reach("tests/cart.spec.ts", &["fixtures.ts"]);
        let plain = reach("tests/plain.spec.ts", &[]);
        for (one, other, meets) in [
            (&in_cart, &in_login, false),
            (&in_cart, &in_cart, true),
            (&page_cart, &in_login, false),
            // `both.spec.ts` is run for either and uses both pages.
            (&page_cart, &page_login, true),
            (&fixtures, &in_login, true),
            (&fixtures, &plain, false),
            (&plain, &Reach::everything(), true),
            (&plain, &reach("tests/any.spec.ts", &[]), true),
            // No import leads from the test to the page.
            (&plain, &reach("tests/cart.spec.ts", &["pages/login.ts"]), true),
        ] {
            assert_eq!((one.meets(other), other.meets(one)), (meets, meets), "{one:?} {other:?}");
        }
    }

    #[test]
    fn an_edit_is_within_reach_only_where_it_was_expected() {
        let cart = reach("tests/cart.spec.ts", &["pages/cart.ts"]);
        assert!(cart.may_change("pages/cart.ts") && cart.may_change("tests/cart.spec.ts"));
        assert!(!cart.may_change("fixtures.ts"));
        assert!(Reach::everything().may_change("fixtures.ts"));
    }
}
