//! The document of a red suite: what `triage --json` prints, what a run folder keeps, and what every other form is
//! rendered from. Documented fields, its own types, apart from the core's; its JSON Schema is `schema/suite.json`.
//!
//! Additive changes only within a major version of the schema. Foreign texts in it are cut and redacted; they are still
//! foreign: whoever prints one escapes it.

mod build;
mod check;
mod matrix;
mod merge;
mod patch;
mod record;
mod repair;
mod single;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::build::{Clean, build};
pub use self::matrix::System;
pub use self::repair::{Asked, Candidate, Further, Proof, Repair, Start};
pub use self::single::of_test;
use crate::ui::printable;

/// Version of the document's shape.
pub const SCHEMA_VERSION: &str = "1.0";

/// The outcomes that a group can have, in the order shown.
pub const OUTCOMES: [&str; 7] = ["healed", "proposed", "candidate", "declined", "escalated", "blocked", "flaky"];

/// The JSON Schema of [`Document`], as it is committed.
pub const SCHEMA: &str = include_str!("schema/suite.json");

/// A red suite, by root cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// Version of this shape.
    pub schema_version: String,
    /// What wrote it.
    pub tool: Tool,
    /// The run of relocator, where tests were run.
    #[serde(default)]
    pub run: Option<String>,
    /// How many reports were read.
    pub reports: usize,
    /// The versions of Playwright that wrote them.
    pub playwright: Vec<String>,
    /// How many tests ended how; a test counts once for each project.
    pub totals: Totals,
    /// The root causes, the one that unblocks most tests first.
    pub groups: Vec<Group>,
    /// Things a reader should know, which decided nothing.
    pub notes: Vec<String>,
    /// How many secrets were taken out of the texts.
    pub redactions: u64,
}

/// What wrote the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// How many tests ended how.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// How many tests failed where a test of several projects counts once; zero where that is not known.
    #[serde(default)]
    pub failed_tests: usize,
    /// The Playwright projects in which they failed.
    #[serde(default)]
    pub failed_projects: Vec<String>,
}

/// One root cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// The same cause has the same id in every run and on every machine.
    pub id: String,
    /// The ids of groups that turned out to be this one; where no traces are at hand they are groups of their own.
    #[serde(default)]
    pub also: Vec<String>,
    /// `candidate` (a repair may be tried), `escalated` (for a person), `blocked`, `flaky`; after a repair was tried also
    /// `healed`, `proposed`, `declined`.
    pub outcome: String,
    /// Gate one's category.
    pub category: String,
    /// Gate one's signature.
    pub signature: String,
    /// What is wrong and where, in one line.
    pub headline: String,
    /// Why it is what it is.
    pub why: String,
    /// What a person would look at, most telling first.
    pub look_at: Vec<String>,
    /// How many tests it holds; a test of several projects counts once. Zero for an error of the whole run.
    pub tests: usize,
    /// Their files.
    pub files: Vec<String>,
    /// Their Playwright projects.
    pub projects: Vec<String>,
    /// The tests, by file and line; the first hundred.
    pub members: Vec<Member>,
    /// How many more there are.
    pub members_left_out: usize,
    /// The failed locator.
    pub locator: Option<Locator>,
    /// Where the failing call of the first test stands.
    pub at: Option<Place>,
    /// The error's text, of the first test.
    pub message: String,
    /// What was seen at the failing moment of the first test.
    pub evidence: Evidence,
    /// How long its tests took, in milliseconds.
    pub milliseconds: u64,
    /// Since when its locator is stale, where the repository says so.
    #[serde(default)]
    pub first_bad: Option<FirstBad>,
    /// What became of the repair, where one was tried.
    #[serde(default)]
    pub repair: Option<Repair>,
}

/// The first bad commit: the one that took away what a locator looks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstBad {
    /// From the last good commit to the first bad one, as git takes it: `1a2b3c4^..1a2b3c4`; `HEAD..` for what is not committed.
    pub range: String,
    /// The commit, short; empty for what is not committed.
    pub commit: String,
    /// Its author date, `2026-11-30`.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
    /// The file of the application that shows it, from the top of the repository.
    pub file: String,
    /// What the locator looks for.
    pub old: String,
    /// What stands in its place; empty where nothing does.
    pub new: String,
}

impl std::fmt::Display for FirstBad {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.commit.is_empty() {
            write!(f, "stale since a change that is not committed, in {}", self.file)?;
        } else {
            write!(f, "stale since {} ({}, {:?}), in {}", self.commit, self.date, self.subject, self.file)?;
        }
        match self.new.as_str() {
            "" => write!(f, ": {:?} went", self.old),
            new if new == self.old => write!(f, ": {new:?} is another attribute now"),
            new => write!(f, ": {:?} became {new:?}", self.old),
        }
    }
}

/// A test of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Member {
    /// Project-relative file.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// Describe titles and the test's own.
    pub titles: Vec<String>,
    /// The Playwright project; may be empty.
    pub project: String,
    /// How many attempts there were.
    pub attempts: usize,
}

/// The failed locator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Locator {
    /// As Playwright prints it.
    pub text: String,
    /// Its links, measured against the page of the trace; empty without one.
    pub links: Vec<Link>,
    /// The link that stopped matching.
    pub broken: Option<String>,
    /// Where it is defined.
    pub definition: Option<Place>,
    /// How the definition is held: inline, variable, getter …
    pub shape: Option<String>,
}

/// A link of a locator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// As Playwright prints it.
    pub link: String,
    /// How many elements the chain up to and with it matched; null where the snapshot cannot say.
    pub count: Option<usize>,
}

/// A place in a source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Project-relative file.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, where it is known.
    pub column: Option<u32>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// What was seen at the failing moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The page's address, without query and fragment.
    pub url: Option<String>,
    /// Errors on the console near the failing call.
    pub console: Vec<String>,
    /// Requests that failed near the failing call.
    pub requests: Vec<Request>,
    /// The trace that was read, relative to the project.
    pub trace: Option<String>,
    /// The page at the failing moment.
    pub picture: Option<PictureName>,
}

/// A request that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// `GET`, `POST` …
    pub method: String,
    /// The address, without query and fragment.
    pub url: String,
    /// The status, or why no answer came.
    pub ended: String,
}

/// A picture of a page. The picture itself is a file of the run folder, or stands in the HTML report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PictureName {
    /// The file's name.
    pub name: String,
    /// Where the element is in it, in hundredths of its width and height.
    #[serde(default)]
    pub element: Option<Boxed>,
}

impl Eq for PictureName {}

/// A rectangle, in hundredths of the picture's width and height.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Boxed {
    /// From the left.
    pub left: f64,
    /// From the top.
    pub top: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Document {
    /// One JSON document, on one line.
    pub fn json(&self) -> String {
        // Strings and numbers only: nothing in the document can fail to serialise.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The repairs that were made, as one patch that `git apply` takes. One whose line holds a secret, or stands between
    /// lines that do, is only named in it.
    pub fn patch(&self) -> String {
        let all: Vec<&Repair> = self.groups.iter().flat_map(Group::applied).collect();
        let mut made: Vec<&Repair> = Vec::new();
        let mut pieces = String::new();
        for group in &self.groups {
            // Each is made over those before it: behind one that is left out none can stand.
            let mut whole = true;
            for one in group.applied() {
                let (Some(diff), Some(file), Some(line)) = (&one.diff, &one.file, one.line) else { continue };
                whole &= patch::applies(diff) && patch::is_of(diff, one);
                if whole {
                    pieces.push_str(&patch::upon(diff, one, &made, &all));
                    made.push(one);
                } else {
                    _ = writeln!(pieces, "# {}:{line}: left out, there is a secret in or around it", printable(file));
                }
            }
        }
        pieces
    }

    /// How many groups have this outcome.
    pub fn count(&self, outcome: &str) -> usize {
        self.groups.iter().filter(|group| group.outcome == outcome).count()
    }
}

impl Group {
    /// The repairs of it whose lines stand in the source, in the order they were made.
    pub fn applied(&self) -> impl Iterator<Item = &Repair> {
        self.repair.iter().flat_map(Repair::chain).filter(|repair| self.is_applied(repair))
    }

    /// Whether the line of `repair`, one of this group's, stands in the source.
    pub fn is_applied(&self, repair: &Repair) -> bool {
        repair.applied || self.outcome == "healed"
    }

    /// Its repairs do not stand after all: they are proposed.
    pub fn withdraw(&mut self, reason: &str, sentence: String) {
        if self.outcome == "healed" {
            "proposed".clone_into(&mut self.outcome);
        }
        let Some(repair) = &mut self.repair else { return };
        reason.clone_into(&mut repair.reason);
        repair.sentence = sentence;
        repair.applied = false;
        repair.further.iter_mut().for_each(|further| further.repair.applied = false);
    }

    /// How many tests in how many files, in words.
    pub fn extent(&self) -> String {
        let count = |number: usize, one: &str| {
            if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
        };
        if self.tests == 0 {
            return "the whole run".to_owned();
        }
        let mut extent = format!("{}, {}", count(self.tests, "test"), count(self.files.len(), "file"));
        if self.projects.len() > 1 {
            extent.push_str(", ");
            extent.push_str(&count(self.projects.len(), "project"));
        }
        extent
    }

    /// Whether `id` is the group's own, or that of one that turned out to be it.
    pub fn is(&self, id: &str) -> bool {
        self.id == id || self.also.iter().any(|also| also == id)
    }

    /// The tests that are listed, each once, with the projects in which it failed.
    pub fn listed(&self) -> Vec<(&Member, Vec<&str>)> {
        let mut tests: Vec<(&Member, Vec<&str>)> = Vec::new();
        for member in &self.members {
            let same = |(test, _): &&mut (&Member, Vec<&str>)| {
                (&test.file, test.line, &test.titles) == (&member.file, member.line, &member.titles)
            };
            let project = Some(member.project.as_str()).filter(|name| !name.is_empty());
            match tests.iter_mut().find(same) {
                Some((_, projects)) => projects.extend(project),
                None => tests.push((member, project.into_iter().collect())),
            }
        }
        tests
    }
}
