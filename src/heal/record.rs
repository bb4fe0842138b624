//! What one repair attempt did and saw: the record from which every report is rendered.
//!
//! Filled by the loop while it goes; it decides nothing. Times are wall times.

use std::time::{Duration, Instant};

use camino::Utf8PathBuf;

use super::agent::Conversation;
use crate::adapters::playwright::runner::RunOutcome;
use crate::adapters::process::Exit;
use crate::domain::classify::Classification;
use crate::domain::verdict::{Basis, Outcome, Proofs, Reason};

/// The record of one root cause, and of those that showed behind it in the same test.
#[derive(Debug, Clone)]
pub struct HealRun {
    /// The test that failed.
    pub test: Option<TestName>,
    /// How it ended.
    pub reason: Reason,
    /// What gate one read.
    pub gate_one: Option<Classification>,
    /// The stale locator and where it is defined.
    pub stale: Option<Stale>,
    /// The elements that were ranked, best first.
    pub candidates: Vec<Candidate>,
    /// The probability that the element is gone, between 0 and 1.
    pub none_of_these: Option<f64>,
    /// The swap that was applied or is proposed.
    pub proposal: Option<Proposal>,
    /// Edits that gate two refused: `reason: sentence`.
    pub refused: Vec<String>,
    /// The proofs, as far as they were made.
    pub proofs: Proofs,
    /// What identity rests on.
    pub basis: Basis,
    /// The mark of the page that the failing step saw ([`crate::domain::page_mark`]).
    pub page: Option<String>,
    /// Every start of Playwright.
    pub attempts: Vec<Attempt>,
    /// Own time by stage, in the order of the stages.
    pub stages: Vec<(&'static str, Duration)>,
    /// Things a reader should know, which decided nothing.
    pub notes: Vec<String>,
    /// The conversation with a model, where one was asked.
    pub model: Option<ModelUse>,
    /// The root causes that showed once the step of the one before worked, in the order they were met; each stands for
    /// itself, and none of them has further ones.
    pub further: Vec<HealRun>,
}

/// What a model was asked and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelUse {
    /// What was said.
    pub conversation: Conversation,
    /// The address it was asked at.
    pub endpoint: String,
    /// How calls were asked for.
    pub mode: Option<&'static str>,
    /// How many requests were sent, those that were repeated included.
    pub requests: u32,
    /// What it cost, in the currency of the configured prices.
    pub cost: Option<f64>,
}

/// Which test it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestName {
    /// Project-relative file.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// Describe titles and the test's own.
    pub titles: Vec<String>,
    /// Playwright's project name; may be empty.
    pub project: String,
}

impl std::fmt::Display for TestName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The stale locator.
#[derive(Debug, Clone)]
pub struct Stale {
    /// As Playwright prints it.
    pub locator: String,
    /// Each link of the chain, and how many elements the chain up to it matched.
    pub links: Vec<Link>,
    /// Where the broken link is defined.
    pub definition: Option<Definition>,
}

/// A link of a chain, measured against the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The link, as Playwright prints it.
    pub text: String,
    /// How many elements the chain up to and with it matched; `None` where the snapshot cannot say.
    pub count: Option<usize>,
}

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Project-relative path.
    pub path: String,
    /// 1-based line.
    pub line: usize,
    /// What kind of definition: inline, constant, field …
    pub shape: String,
}

/// A ranked element.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The element in words: role, name, the attribute that tells it apart.
    pub description: String,
    /// Its share of the posterior, between 0 and 1.
    pub probability: f64,
    /// What speaks for and against it.
    pub evidence: Vec<Evidence>,
}

/// One piece of evidence.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// Stable name of the kind.
    pub id: String,
    /// Weight in bits; negative speaks against.
    pub bits: f64,
    /// What was seen, in a sentence.
    pub sentence: String,
}

/// The swap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Project-relative path.
    pub path: String,
    /// 1-based line.
    pub line: usize,
    /// The line before.
    pub before: String,
    /// The line after.
    pub after: String,
    /// Why this locator.
    pub why: String,
    /// Gate two's flags.
    pub flags: Vec<String>,
    /// Unified diff, project-relative.
    pub diff: String,
}

/// One start of Playwright.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// What it was for.
    pub purpose: &'static str,
    /// Whether an edit was in place.
    pub edited: bool,
    /// The command.
    pub argv: Vec<String>,
    /// How the process ended.
    pub exit: Exit,
    /// Wall time of the process.
    pub duration: Duration,
    /// Whether the tests it was started for all passed.
    pub passed: bool,
    /// Where its artefacts are.
    pub folder: Utf8PathBuf,
}

impl HealRun {
    /// An empty record that ends in `reason`, until something better is known.
    pub fn new(reason: Reason) -> Self {
        Self {
            test: None,
            reason,
            gate_one: None,
            stale: None,
            candidates: Vec::new(),
            none_of_these: None,
            proposal: None,
            refused: Vec::new(),
            proofs: Proofs::default(),
            basis: Basis::default(),
            page: None,
            attempts: Vec::new(),
            stages: Vec::new(),
            notes: Vec::new(),
            model: None,
            further: Vec::new(),
        }
    }

    /// This root cause and those behind it.
    pub fn causes(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.further)
    }

    /// Where its locator is defined; else where the test stands.
    pub fn place(&self) -> String {
        if let Some(swap) = &self.proposal {
            return format!("{}:{}", swap.path, swap.line);
        }
        let defined = self.stale.as_ref().and_then(|stale| stale.definition.as_ref());
        let failed = self.gate_one.as_ref().and_then(|seen| seen.site.as_ref());
        match (defined, failed, &self.test) {
            (Some(at), ..) => format!("{}:{}", at.path, at.line),
            (None, Some(site), Some(test)) if site.file.ends_with(&test.file) => format!("{}:{}", test.file, site.line),
            (None, _, Some(test)) => test.to_string(),
            (None, _, None) => String::new(),
        }
    }

    /// Every start of Playwright, for whichever root cause, in order.
    pub fn starts(&self) -> impl Iterator<Item = &Attempt> {
        self.causes().flat_map(|cause| &cause.attempts)
    }

    /// How the test ended: as its first root cause, or as the first one behind it that is not healed.
    pub fn ended(&self) -> &Reason {
        let reasons = || self.causes().map(|cause| &cause.reason);
        reasons().find(|reason| reason.outcome() != Outcome::Healed).unwrap_or(&self.reason)
    }

    /// The outcome for the test.
    pub fn outcome(&self) -> Outcome {
        self.ended().outcome()
    }

    /// Whether the edit of this root cause stands in the source, whatever became of those behind it.
    pub fn is_applied(&self) -> bool {
        self.reason.outcome() == Outcome::Healed
    }

    /// Starts of Playwright with the edit of this root cause in place that count against its cap.
    pub fn edited_runs(&self) -> u32 {
        let runs = self.attempts.iter().filter(|attempt| attempt.edited && attempt.purpose == RUN).count();
        u32::try_from(runs).unwrap_or(u32::MAX)
    }

    /// Time spent inside Playwright's own processes, for all root causes.
    pub fn playwright_time(&self) -> Duration {
        self.starts().map(|attempt| attempt.duration).sum()
    }

    /// Time spent in relocator itself, for all root causes.
    pub fn own_time(&self) -> Duration {
        self.causes().flat_map(|cause| &cause.stages).map(|(_, time)| *time).sum()
    }

    /// Notes a start of Playwright.
    pub fn ran(&mut self, purpose: &'static str, edited: bool, passed: bool, outcome: &RunOutcome) {
        self.attempts.push(Attempt {
            purpose,
            edited,
            argv: outcome.argv.clone(),
            exit: outcome.exit,
            duration: outcome.duration,
            passed,
            folder: outcome.artefacts.folder().to_owned(),
        });
    }

    /// Adds wall time to `stage`.
    pub fn spent(&mut self, stage: &'static str, spent: Duration) {
        match self.stages.iter_mut().find(|(name, _)| *name == stage) {
            Some((_, time)) => *time += spent,
            None => self.stages.push((stage, spent)),
        }
    }

    /// Runs `work` and adds its wall time to `stage`.
    pub fn timed<T>(&mut self, stage: &'static str, work: impl FnOnce(&mut Self) -> T) -> T {
        let start = Instant::now();
        let done = work(self);
        self.spent(stage, start.elapsed());
        done
    }
}

/// The purpose of a run with the edit in place: the one that counts against the cap.
pub const RUN: &str = "run";
/// The purpose of a run with the old line.
pub const REPRODUCE: &str = "reproduce";
/// The purpose of the run that makes the remaining proofs.
pub const PROVE: &str = "prove";
