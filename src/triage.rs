//! Triage: the reports of a red suite, read into groups of one root cause each, with what is known of every group.
//!
//! The service behind `relocator triage` and the start of `relocator heal --from`. Reads reports, traces and sources; runs no
//! test, edits nothing, asks no model. What belongs together is for `domain::triage` to say.

pub mod blame;
mod digest;
pub mod look;
mod paths;
pub mod read;
mod reported;

use camino::Utf8PathBuf;

pub use self::digest::{Cache, Kept};
pub use self::paths::Roots;
use crate::adapters::playwright::report::{Outline, Problem, Test};
use crate::domain::failure::SourceSite;
use crate::domain::triage::{Failure, Group, Ledger, Seen, Site, TestId, Totals, group};

use self::digest::{Digest, Reading};

/// What the reports say.
#[derive(Debug, Clone, Default)]
pub struct Triage {
    /// How many tests ended how.
    pub totals: Totals,
    /// Every failure, sorted by test and project.
    pub failures: Vec<Failure>,
    /// What is kept of each failure besides, in the same order.
    pub kept: Vec<Kept>,
    /// The groups; their members are indexes into `failures`.
    pub groups: Vec<Group>,
    /// How many reports were read.
    pub reports: usize,
    /// The versions of Playwright that wrote them, sorted.
    pub versions: Vec<String>,
    /// The roots of the project where they were written, sorted.
    pub roots: Vec<String>,
}

/// Reports on their way into a [`Triage`].
#[derive(Debug, Default)]
pub struct Reports {
    ledger: Ledger<Kept>,
    read: usize,
    versions: Vec<String>,
    roots: Vec<String>,
}

impl Reports {
    /// Adds one report; its paths become relative to the project at `local`.
    pub fn add(&mut self, read: read::Read, local: Option<&Utf8PathBuf>) {
        let read::Read { outline, digests, folder } = read;
        let roots = Roots::of(&outline, local.map(Utf8PathBuf::as_path), &folder);
        for (number, digest) in digests {
            let Digest { test, ended, reading } = digest;
            let test = outline.place(number, test);
            let id = id(&test, &roots);
            let failure = reading.map(|reading| {
                let (failure, kept) = placed(reading, Some(id.clone()), &test.project, &roots);
                let made_here = outline.started.filter(|_| roots.is_here());
                (failure, Kept { made_here, ..kept })
            });
            self.ledger.note(id, test.project, Seen { ended, failure });
        }
        self.whole(&outline, &roots);
        self.read += 1;
        self.versions.extend(outline.version);
        self.roots.push(roots.there().to_owned());
    }

    fn whole(&mut self, outline: &Outline, roots: &Roots) {
        for problem in &outline.errors {
            let (failure, kept) = placed(Reading::of_problem(problem), None, "", roots);
            self.ledger.note_whole(failure, kept);
        }
    }

    /// All reports are in.
    pub fn finish(mut self) -> Triage {
        self.versions.sort_unstable();
        self.versions.dedup();
        self.roots.sort_unstable();
        self.roots.dedup();
        let (totals, failures) = self.ledger.finish();
        let (failures, kept): (Vec<Failure>, Vec<Kept>) = failures.into_iter().unzip();
        let groups = group(&failures);
        Triage { totals, groups, failures, kept, reports: self.read, versions: self.versions, roots: self.roots }
    }
}

fn id(test: &Test, roots: &Roots) -> TestId {
    TestId { file: roots.relative(test.file.as_str()), line: test.line, titles: test.titles.clone() }
}

/// A failure with its places relative to the project.
fn placed(reading: Reading, test: Option<TestId>, project: &str, roots: &Roots) -> (Failure, Kept) {
    let Reading { classification, site, said, mut kept } = reading;
    let flaky = kept.passed_later;
    let site = site
        .map(|site| Site { file: roots.relative(&site.file), line: site.line, column: site.column })
        .or_else(|| test.as_ref().map(|test| Site { file: test.file.clone(), line: test.line, column: None }));
    for frame in &mut kept.frames {
        *frame = SourceSite { file: roots.relative(&frame.file), ..frame.clone() };
    }
    for path in kept.traces.iter_mut().chain(&mut kept.screenshots) {
        *path = roots.local(path);
    }
    (Failure { test, project: project.to_owned(), flaky, reading: classification, site, said }, kept)
}

impl Reading {
    fn of_problem(problem: &Problem) -> Self {
        digest::read_problem(problem)
    }
}
