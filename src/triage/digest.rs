//! What is kept of one test of a report: how it ended, what gate one says, where to look further. The rest is let go, so
//! that a report of any size fits.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use crate::adapters::playwright::report::{Attempt, AttemptStatus, Location, Problem, Status, Test};
use crate::domain::classify::{Classification, classify_errors};
use crate::domain::failure::{SourceSite, frames};
use crate::domain::triage::{Ended, said};

/// How much of a failure's text is kept, in bytes: what a person reads of it.
const MESSAGE: usize = 4 * 1024;

/// How many frames of a stack are kept.
const FRAMES: usize = 8;

/// How many files of one kind are kept of a test.
const FILES: usize = 4;

/// What is kept of a failure besides what it is grouped by. All of it is untrusted.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// The text of its errors, cut.
    pub message: String,
    /// The stack of the error, innermost first.
    pub frames: Vec<SourceSite>,
    /// Paths of traces, of the attempt that was read first.
    pub traces: Vec<String>,
    /// Paths of pictures of the page.
    pub screenshots: Vec<String>,
    /// How many attempts there were.
    pub attempts: usize,
    /// How long all attempts took, in milliseconds.
    pub milliseconds: u64,
    /// Whether a retry passed.
    pub passed_later: bool,
    /// When the run of the report began, if it was made in this project on this machine.
    pub made_here: Option<jiff::Timestamp>,
}

/// A test without its attempts.
#[derive(Debug)]
pub(super) struct Digest {
    /// The test.
    pub(super) test: Test,
    /// How it ended.
    pub(super) ended: Ended,
    /// What its failure says, if it failed.
    pub(super) reading: Option<Reading>,
}

/// A failure whose places are still those of the report.
#[derive(Debug)]
pub(super) struct Reading {
    /// What gate one says.
    pub(super) classification: Arc<Classification>,
    /// Where it happened.
    pub(super) site: Option<SourceSite>,
    /// The first line.
    pub(super) said: String,
    /// The rest.
    pub(super) kept: Kept,
}

/// What gate one said of texts so far: in a red suite the same text comes again and again.
#[derive(Debug, Default)]
pub struct Cache {
    known: Mutex<HashMap<(u64, u64), Arc<Classification>>>,
    hashers: (RandomState, RandomState),
}

impl Cache {
    fn classify(&self, texts: &[&str]) -> Arc<Classification> {
        // Two independent keyed hashes: no text can be made to be taken for another.
        let key = (self.hashers.0.hash_one(texts), self.hashers.1.hash_one(texts));
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&key) {
            return Arc::clone(found);
        }
        let found = Arc::new(classify_errors(texts));
        known().insert(key, Arc::clone(&found));
        found
    }
}

/// Reads `test` and lets go of its attempts.
pub(super) fn digest(mut test: Test, cache: &Cache) -> Digest {
    let attempts = std::mem::take(&mut test.attempts);
    let ended = match test.status {
        Status::Expected => Ended::Passed,
        Status::Unexpected => Ended::Failed,
        Status::Flaky => Ended::Flaky,
        Status::Skipped if attempts.iter().any(|attempt| attempt.status == AttemptStatus::Skipped) => Ended::Skipped,
        Status::Skipped => Ended::NotRun,
    };
    let failed = matches!(ended, Ended::Failed | Ended::Flaky);
    let reading = failed.then(|| read(&attempts, ended == Ended::Flaky, cache));
    Digest { test, ended, reading }
}

fn read(attempts: &[Attempt], passed_later: bool, cache: &Cache) -> Reading {
    let failed: Vec<&Attempt> = attempts.iter().filter(|attempt| attempt.status != AttemptStatus::Passed).collect();
    let classified: Vec<Arc<Classification>> = failed.iter().map(|attempt| cache.classify(&texts(attempt))).collect();
    // The first attempt says what happened. But a retry that fails in a way that no locator explains counts more.
    let at = classified.iter().position(|reading| !reading.is_eligible()).unwrap_or_default();
    let mut kept = Kept {
        attempts: attempts.len(),
        milliseconds: attempts.iter().map(|attempt| u64::try_from(attempt.duration.as_millis()).unwrap_or(0)).sum(),
        passed_later,
        ..Kept::default()
    };
    let (Some(attempt), Some(reading)) = (failed.get(at), classified.get(at)) else {
        let said = "the test is declared to fail, and passed".to_owned();
        return Reading { classification: cache.classify(&[]), site: None, said, kept };
    };
    let texts = texts(attempt);
    let problem = decisive(&attempt.errors, reading);
    kept.message = cut(&texts.join("\n\n"), MESSAGE);
    kept.frames = problem.map(|problem| frames(&problem.message)).unwrap_or_default();
    if kept.frames.is_empty() {
        kept.frames = attempt.stack.as_deref().map(frames).unwrap_or_default();
    }
    if kept.frames.iter().any(|frame| frame.column.is_some()) {
        // The headline of a code frame names its place once more, less precisely.
        kept.frames.retain(|frame| frame.column.is_some());
    }
    kept.frames.truncate(FRAMES);
    for other in std::iter::once(attempt).chain(&failed) {
        for file in &other.attachments {
            let Some(path) = &file.path else { continue };
            let list = match file.name.as_str() {
                "trace" => &mut kept.traces,
                "screenshot" if file.content_type.starts_with("image/") => &mut kept.screenshots,
                _ => continue,
            };
            if list.len() < FILES && !list.contains(path) {
                list.push(path.clone());
            }
        }
    }
    Reading {
        site: site(reading, problem, attempt, &kept.frames),
        said: said(problem.map_or("", |problem| &problem.message)),
        classification: Arc::clone(reading),
        kept,
    }
}

/// An error that belongs to no test.
pub(super) fn read_problem(problem: &Problem) -> Reading {
    let reading = Arc::new(classify_errors(&[&problem.message]));
    let frames = frames(&problem.message);
    let site = problem.location.as_ref().map(of_location).or_else(|| frames.first().cloned());
    let kept = Kept { message: cut(&problem.message, MESSAGE), frames, ..Kept::default() };
    Reading { classification: reading, site, said: said(&problem.message), kept }
}

fn texts(attempt: &Attempt) -> Vec<&str> {
    attempt.errors.iter().map(|error| error.message.as_str()).collect()
}

/// The error that `reading` is about: the one that names its place, else the first.
fn decisive<'a>(errors: &'a [Problem], reading: &Classification) -> Option<&'a Problem> {
    let line = reading.site.as_ref().map(|site| site.line);
    let names = |problem: &&Problem| line.is_some() && problem.location.as_ref().map(|at| at.line) == line;
    errors.iter().find(names).or_else(|| errors.first())
}

/// Where it happened: as precise as the report has it.
fn site(
    reading: &Classification,
    problem: Option<&Problem>,
    attempt: &Attempt,
    frames: &[SourceSite],
) -> Option<SourceSite> {
    let named = reading.site.as_ref();
    let reported = problem.and_then(|problem| problem.location.as_ref()).or(attempt.location.as_ref());
    let same_line = |line: u32| named.is_none_or(|site| site.line == line);
    reported
        .filter(|at| same_line(at.line))
        .map(of_location)
        .or_else(|| frames.iter().find(|frame| same_line(frame.line)).cloned())
        .or_else(|| named.cloned())
        .or_else(|| reported.map(of_location))
}

fn of_location(at: &Location) -> SourceSite {
    SourceSite { file: at.file.clone(), line: at.line, column: Some(at.column) }
}

fn cut(text: &str, longest: usize) -> String {
    text.get(..text.floor_char_boundary(longest)).unwrap_or_default().to_owned()
}
