//! How each test ended over all reports: a test may be in several, as several projects, shards, repeats or runs have it.

use std::collections::BTreeMap;

use super::{Failure, TestId};

/// How a test of one project ended. Of several reports of it the worst counts: a failure that another run did not have is
/// still a failure, and a repair begins with making sure that it happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ended {
    /// Never reached.
    NotRun,
    /// Skipped, as declared.
    Skipped,
    /// As declared.
    Passed,
    /// Failed, then passed on a retry.
    Flaky,
    /// Failed.
    Failed,
}

/// What is known of one test of one project.
#[derive(Debug, Clone)]
pub struct Seen<T> {
    /// How it ended.
    pub ended: Ended,
    /// The failure, with what the caller keeps of it.
    pub failure: Option<(Failure, T)>,
}

/// All tests of all reports.
#[derive(Debug, Clone)]
pub struct Ledger<T> {
    tests: BTreeMap<(TestId, String), Seen<T>>,
    whole: Vec<(Failure, T)>,
}

/// How many tests ended how; a test counts once for each project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// All.
    pub tests: usize,
    /// As declared.
    pub passed: usize,
    /// Failed.
    pub failed: usize,
    /// Failed, then passed on a retry.
    pub flaky: usize,
    /// Skipped, as declared.
    pub skipped: usize,
    /// Never reached.
    pub not_run: usize,
}

impl<T> Default for Ledger<T> {
    fn default() -> Self {
        Self { tests: BTreeMap::new(), whole: Vec::new() }
    }
}

impl<T> Ledger<T> {
    /// Notes a test of one project.
    pub fn note(&mut self, test: TestId, project: String, seen: Seen<T>) {
        match self.tests.entry((test, project)) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(seen);
            }
            std::collections::btree_map::Entry::Occupied(mut entry) => {
                let order = |seen: &Seen<T>| {
                    let failure = seen.failure.as_ref().map(|(failure, _)| failure);
                    let of = |failure: &Failure| {
                        let reading = &failure.reading;
                        (reading.signature, failure.site.clone(), reading.locator.clone(), failure.said.clone())
                    };
                    (seen.ended, failure.map(of))
                };
                if order(&seen) > order(entry.get()) {
                    entry.insert(seen);
                }
            }
        }
    }

    /// Notes an error that belongs to no test.
    pub fn note_whole(&mut self, failure: Failure, kept: T) {
        if !self.whole.iter().any(|(other, _)| other.said == failure.said && other.site == failure.site) {
            self.whole.push((failure, kept));
        }
    }

    /// The totals, and all failures with what was kept of them, sorted by test and project.
    pub fn finish(mut self) -> (Totals, Vec<(Failure, T)>) {
        let mut totals = Totals { tests: self.tests.len(), ..Totals::default() };
        self.whole.sort_by(|(a, _), (b, _)| (&a.said, &a.site).cmp(&(&b.said, &b.site)));
        let mut failures = self.whole;
        for seen in self.tests.into_values() {
            let count = match seen.ended {
                Ended::NotRun => &mut totals.not_run,
                Ended::Skipped => &mut totals.skipped,
                Ended::Passed => &mut totals.passed,
                Ended::Flaky => &mut totals.flaky,
                Ended::Failed => &mut totals.failed,
            };
            *count += 1;
            failures.extend(seen.failure.filter(|_| matches!(seen.ended, Ended::Flaky | Ended::Failed)));
        }
        (totals, failures)
    }
}
