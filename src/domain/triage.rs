//! The failures of a red suite, grouped by root cause.
//!
//! Pure: values in, groups out, the same whatever the order of the failures and however the suite was sharded. What a cause
//! is stands in `cause`; which of several reports of one test counts, in `ledger`; what a person would look at, in `advice`.

pub mod advice;
mod cause;
mod ledger;
pub mod matrix;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use self::cause::{Cause, said};
pub use self::ledger::{Ended, Ledger, Seen, Totals};
use super::classify::Classification;

/// A test, whatever project (browser) it ran in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestId {
    /// Its file, relative to the project root.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// Describe titles and its own.
    pub titles: Vec<String>,
}

/// A place in a source file of the suite.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The file, relative to the project root.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, where it is known.
    pub column: Option<u32>,
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// One test of one project that failed, perhaps to pass on a retry; or an error that belongs to no test.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The test; `None` for an error of the whole run.
    pub test: Option<TestId>,
    /// The Playwright project; may be empty.
    pub project: String,
    /// Whether a retry passed.
    pub flaky: bool,
    /// What gate one says of it.
    pub reading: Arc<Classification>,
    /// Where the failing call stands.
    pub site: Option<Site>,
    /// The first line of the error, see [`said`].
    pub said: String,
}

/// What has to happen to a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The environment is at fault.
    Blocked,
    /// A stale locator may be the cause: a repair may be tried.
    Candidate,
    /// Not a stale locator: for a person.
    Escalated,
    /// Passed on a retry.
    Flaky,
}

impl Kind {
    /// The word printed and serialised.
    pub fn word(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Candidate => "candidate",
            Self::Escalated => "escalated",
            Self::Flaky => "flaky",
        }
    }
}

/// Failures of one root cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Stable: the same cause has the same id in every run and on every machine, whatever else is at hand there.
    pub id: String,
    /// The ids of the groups that turned out to be this one: where less is at hand they are groups of their own.
    pub also: Vec<String>,
    /// What has to happen.
    pub kind: Kind,
    /// The cause.
    pub cause: Cause,
    /// The failures, by their index, in the order of file, line, title and project.
    pub members: Vec<usize>,
    /// How many tests it holds, a test of several projects counted once.
    pub tests: usize,
    /// Their files, sorted.
    pub files: Vec<String>,
    /// Their projects, sorted; without the nameless one.
    pub projects: Vec<String>,
}

/// Where the link of a locator that stopped matching is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The place.
    pub site: Site,
    /// The link as Playwright prints it.
    pub link: String,
}

/// The groups of `failures`, the one that unblocks most tests first.
pub fn group(failures: &[Failure]) -> Vec<Group> {
    let causes = failures.iter().map(Cause::of);
    collect(failures, causes)
}

/// Joins the groups whose locators turn out to have one definition, by what every machine has: report and sources. `found`
/// has what is known of each of `groups`.
pub fn join(failures: &[Failure], groups: &[Group], found: &[Option<Definition>]) -> Vec<Group> {
    let mut causes: Vec<Option<Cause>> = vec![None; failures.len()];
    for (index, group) in groups.iter().enumerate() {
        let cause = match (found.get(index), &group.cause) {
            (Some(Some(definition)), Cause::Locator { .. }) => {
                Cause::Locator { place: Some(definition.site.clone()), locator: definition.link.clone() }
            }
            (_, cause) => cause.clone(),
        };
        for &member in &group.members {
            if let Some(known) = causes.get_mut(member) {
                *known = Some(cause.clone());
            }
        }
    }
    let causes = causes.into_iter().zip(failures).map(|(cause, failure)| cause.unwrap_or_else(|| Cause::of(failure)));
    collect(failures, causes)
}

/// As [`join`], by what not every machine has: traces. A group that others are joined with keeps the id of the first of them,
/// and knows those of the others.
pub fn join_further(failures: &[Failure], groups: &[Group], found: &[Option<Definition>]) -> Vec<Group> {
    let mut joined = join(failures, groups, found);
    for group in &mut joined {
        let part = |one: &&Group| one.members.iter().any(|member| group.members.contains(member));
        let mut ids: Vec<&String> = groups.iter().filter(part).map(|one| &one.id).collect();
        ids.sort_unstable();
        if let Some((first, others)) = ids.split_first() {
            let (id, also) = ((*first).clone(), others.iter().map(|&id| id.clone()).collect());
            (group.id, group.also) = (id, also);
        }
    }
    joined
}

fn collect(failures: &[Failure], causes: impl Iterator<Item = Cause>) -> Vec<Group> {
    let mut by_cause: BTreeMap<(bool, Cause), Vec<usize>> = BTreeMap::new();
    for ((index, failure), cause) in failures.iter().enumerate().zip(causes) {
        by_cause.entry((failure.flaky, cause)).or_default().push(index);
    }
    let mut groups: Vec<Group> =
        by_cause.into_iter().map(|((flaky, cause), members)| make(failures, flaky, cause, members)).collect();
    groups.sort_by_cached_key(Group::rank);
    groups
}

fn make(failures: &[Failure], flaky: bool, cause: Cause, mut members: Vec<usize>) -> Group {
    members.sort_by_key(|&member| failures.get(member).map(|failure| (&failure.test, &failure.project, member)));
    let of = || members.iter().filter_map(|&member| failures.get(member));
    let tests: BTreeSet<&TestId> = of().filter_map(|failure| failure.test.as_ref()).collect();
    let files: BTreeSet<&String> = tests.iter().map(|test| &test.file).collect();
    let projects: BTreeSet<&String> = of().map(|failure| &failure.project).filter(|name| !name.is_empty()).collect();
    let kind = if flaky {
        Kind::Flaky
    } else {
        match cause {
            Cause::Unreached { .. } | Cause::Environment { .. } => Kind::Blocked,
            Cause::Locator { .. } => Kind::Candidate,
            Cause::Several { .. } | Cause::Assertion { .. } | Cause::Other { .. } => Kind::Escalated,
        }
    };
    Group {
        id: cause.id(flaky),
        also: Vec::new(),
        kind,
        tests: tests.len(),
        files: files.into_iter().cloned().collect(),
        projects: projects.into_iter().cloned().collect(),
        cause,
        members,
    }
}

impl Group {
    /// Sorts what unblocks most tests to the front: an error of the whole run first, then by tests, then what blocks before
    /// what is healed before what is for a person, then by files, then by cause. Flaky tests keep nobody waiting: last.
    fn rank(&self) -> (bool, Reverse<usize>, Kind, Reverse<usize>, Cause) {
        let tests = if self.tests == 0 { usize::MAX } else { self.tests };
        (self.kind == Kind::Flaky, Reverse(tests), self.kind, Reverse(self.files.len()), self.cause.clone())
    }
}
