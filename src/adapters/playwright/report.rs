//! Reads Playwright's JSON report into the few things a run is judged by.
//!
//! Tolerant: unknown fields are skipped, missing ones have defaults, so that the reports of every release since 1.30
//! can be read. All text in it is untrusted, and a path in it is only text until the caller has confined it. A report of
//! any size can be read in pieces ([`Pieces`]), spec by spec.

mod pieces;
mod split;
mod wire;

use std::time::Duration;

use camino::Utf8PathBuf;
use serde::Deserialize;

pub use self::pieces::{Outline, Pieces, tests_of};
use crate::domain::failure::{frames, is_cut, plain};

/// A larger report of one start of ours is cut, and so refused: 20,000 failing tests with their messages stay far below it.
pub const REPORT_CAP: u64 = 256 * 1024 * 1024;

/// A longer message is cut: Playwright's own are a few kilobytes, a diff of two pages may be anything.
const MESSAGE_CAP: usize = 64 * 1024;

/// What stands at the end of a message that was cut.
const CUT: &str = "\n… (longer than 64 KiB: cut by relocator)";

/// What a report says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The version that wrote it.
    pub version: Option<String>,
    /// The folder that file names are relative to.
    pub root: Utf8PathBuf,
    /// The names of the configuration's projects, in its order.
    pub projects: Vec<String>,
    /// All tests, in the report's order.
    pub tests: Vec<Test>,
    /// Errors that belong to no test.
    pub errors: Vec<Problem>,
}

/// One test in one Playwright project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Test {
    /// Describe titles, then its own.
    pub titles: Vec<String>,
    /// The file, absolute when the report gives its root.
    pub file: Utf8PathBuf,
    /// One-based line of the test.
    pub line: u32,
    /// One-based lines of the describe blocks around it, outermost first.
    pub describe_lines: Vec<u32>,
    /// The name of the Playwright project; may be empty.
    pub project: String,
    /// Playwright's verdict over all attempts.
    pub status: Status,
    /// Whether the test is declared to fail (`test.fail()`).
    pub expected_to_fail: bool,
    /// What happened, first attempt first; empty when it was only listed or never reached.
    pub attempts: Vec<Attempt>,
}

/// Playwright's verdict on a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// As declared.
    Expected,
    /// Not as declared.
    Unexpected,
    /// Failed, then passed on a retry.
    Flaky,
    /// Not run.
    #[default]
    Skipped,
}

/// One execution of a test.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attempt {
    /// How it ended.
    pub status: AttemptStatus,
    /// Zero for the first, then counted up.
    pub retry: u32,
    /// How long it took.
    pub duration: Duration,
    /// Its errors, in order.
    pub errors: Vec<Problem>,
    /// The stack of the first error, where there is one.
    pub stack: Option<String>,
    /// Where the first error was thrown.
    pub location: Option<Location>,
    /// Files it left behind.
    pub attachments: Vec<Attachment>,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AttemptStatus {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It ran into its timeout.
    TimedOut,
    /// It skipped itself.
    Skipped,
    /// It was cut short, or the report says something unknown.
    #[default]
    Interrupted,
}

/// An error as Playwright words it, colour codes included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// The message, perhaps with a code frame and a stack; capped.
    pub message: String,
    /// Where it was thrown.
    pub location: Option<Location>,
}

/// A place in a source file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Location {
    /// Absolute path.
    pub file: String,
    /// One-based.
    pub line: u32,
    /// One-based, in UTF-16 code units.
    pub column: u32,
}

impl Location {
    /// The place with its whole path, where Playwright has cut the path at a bracket: as the stack in `said` has it.
    fn whole(self, said: &str) -> Option<Self> {
        if !is_cut(&self.file) {
            return Some(self);
        }
        let sites = frames(&plain(said));
        let site = sites.into_iter().find(|site| site.line == self.line && site.file.ends_with(&self.file))?;
        Some(Self { file: site.file, ..self })
    }
}

/// A file that an attempt left behind; bodies inside the report are not kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Attachment {
    /// `trace`, `error-context`, or what the test calls it.
    pub name: String,
    /// MIME type.
    pub content_type: String,
    /// Where it is, when it is a file.
    pub path: Option<String>,
}

/// Why a report cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// No JSON in it.
    #[error("not a Playwright JSON report")]
    NotJson(#[source] serde_json::Error),
    /// JSON of another kind.
    #[error("not a Playwright JSON report: it has no `suites`")]
    NoSuites,
    /// A part that cannot be taken apart further is too large.
    #[error("one part of the report has more than {} MB", pieces::HELD_CAP / 1024 / 1024)]
    TooLarge,
}

impl Test {
    /// Whether `line` of its file is its own or that of a describe block around it.
    pub fn is_at_line(&self, line: u32) -> bool {
        self.line == line || self.describe_lines.contains(&line)
    }

    /// Whether it ran and ended as declared, at the first attempt.
    pub fn passed(&self) -> bool {
        self.status == Status::Expected && self.attempts.len() == 1
    }

    /// Whether it ran to its end and did not end as declared.
    pub fn failed(&self) -> bool {
        let ended = |attempt: &Attempt| !matches!(attempt.status, AttemptStatus::Skipped | AttemptStatus::Interrupted);
        !self.passed() && self.attempts.iter().any(ended)
    }

    /// Whether it was to run and did not come to an end: cut short, or never begun.
    pub fn unfinished(&self) -> bool {
        let cut = |attempt: &Attempt| attempt.status == AttemptStatus::Interrupted;
        !self.failed() && (self.attempts.is_empty() || self.attempts.iter().any(cut))
    }

    /// Whether both are one test, perhaps of two projects (browsers).
    pub fn is_same_test(&self, other: &Self) -> bool {
        (&self.file, self.line, &self.titles) == (&other.file, other.line, &other.titles)
    }

    /// Whether both are one test of one project (browser).
    pub fn is_same(&self, other: &Self) -> bool {
        self.is_same_test(other) && self.project == other.project
    }

    /// The first attempt: the one that says what happened, before retries blur it.
    pub fn first(&self) -> Option<&Attempt> {
        self.attempts.first()
    }
}

impl Attempt {
    /// The file attached under `name`, the last of them if there are several.
    pub fn attached(&self, name: &str) -> Option<&str> {
        self.attachments.iter().rev().find(|attachment| attachment.name == name)?.path.as_deref()
    }
}

impl Report {
    /// Reads a report, also one that was redirected from stdout and has other output before it, or that a Windows
    /// shell has written in UTF-16.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReportError> {
        let text;
        let bytes = match bytes {
            [0xef, 0xbb, 0xbf, rest @ ..] => rest,
            [0xff, 0xfe, rest @ ..] => {
                let units: Vec<u16> = rest.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
                text = String::from_utf16_lossy(&units);
                text.as_bytes()
            }
            _ => bytes,
        };
        Self::parse_at(bytes).or_else(|error| after_noise(bytes).ok_or(error))
    }

    /// Reads a report that begins where `bytes` do.
    fn parse_at(bytes: &[u8]) -> Result<Self, ReportError> {
        let mut specs = Vec::new();
        let mut pieces = Pieces::new();
        pieces.feed(bytes, &mut |number, spec| specs.push((number, tests_of(&spec))))?;
        let outline = pieces.finish()?;
        let mut tests = Vec::new();
        for (number, of_spec) in specs {
            tests.extend(of_spec?.into_iter().map(|test| outline.place(number, test)));
        }
        Ok(Self {
            version: outline.version,
            root: outline.root,
            projects: outline.projects,
            tests,
            errors: outline.errors,
        })
    }
}

/// The report that starts at the first line with an opening brace from which one can be read.
fn after_noise(bytes: &[u8]) -> Option<Report> {
    let mut rest = bytes;
    // A few tries only: a log may hold any number of such lines.
    for _ in 0..8 {
        let at = rest.windows(2).position(|pair| pair == b"\n{")?;
        rest = rest.get(at + 1..)?;
        if let Ok(report) = Report::parse_at(rest) {
            return Some(report);
        }
    }
    None
}

impl From<wire::Outcome> for Attempt {
    fn from(wire: wire::Outcome) -> Self {
        let (stack, thrown) = wire.error.map_or((None, None), |error| (error.stack, error.location));
        let location = wire.error_location.or(thrown);
        let location = location.and_then(|at| at.whole(stack.as_deref().unwrap_or_default()));
        Self {
            status: match wire.status.as_deref() {
                Some("passed") => AttemptStatus::Passed,
                Some("failed") => AttemptStatus::Failed,
                Some("timedOut") => AttemptStatus::TimedOut,
                Some("skipped") => AttemptStatus::Skipped,
                _ => AttemptStatus::Interrupted,
            },
            retry: wire.retry,
            duration: Duration::try_from_secs_f64(wire.duration / 1000.0).unwrap_or_default(),
            errors: wire.errors.into_iter().map(Problem::from).collect(),
            stack: stack.map(cut),
            location,
            attachments: wire.attachments,
        }
    }
}

impl From<wire::Problem> for Problem {
    fn from(wire: wire::Problem) -> Self {
        let message = wire.message.or(wire.value).unwrap_or_default();
        let location = wire.location.and_then(|at| at.whole(&message));
        Self { message: cut(message), location }
    }
}

/// `text`, at most [`MESSAGE_CAP`] bytes of it; a text that was longer says so at its end.
fn cut(mut text: String) -> String {
    if text.len() > MESSAGE_CAP {
        text.truncate(text.floor_char_boundary(MESSAGE_CAP - CUT.len()));
        text.push_str(CUT);
    }
    text
}

#[cfg(test)]
mod tests;
