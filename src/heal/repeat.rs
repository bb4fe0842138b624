//! Runs one unchanged test several times, alone and once with the rest of its file, and records what each run saw.
//!
//! Edits nothing and repairs nothing; what the runs say together, [`crate::domain::flaky`] says.

use camino::Utf8PathBuf;

use super::look::describe;
use super::record::TestName;
use super::scene::Scene;
use crate::adapters::fingerprints::learn;
use crate::adapters::playwright::command::{Artefacts, Request, grep_titles};
use crate::adapters::playwright::report::{Attempt, AttemptStatus, Test};
use crate::adapters::playwright::runner::{Playwright, RunOutcome};
use crate::adapters::playwright::trace::{FailedRequest, Hint, Trace};
use crate::adapters::workspace::Run;
use crate::domain::classify::{Category, classify_errors};
use crate::domain::event::Event;
use crate::domain::flaky::{Ending, Observed, Stopped};
use crate::domain::locator::Locator;
use crate::domain::locator::render::Style;
use crate::error::{Error, ErrorKind};

/// How many failed requests of one run are kept.
const REQUESTS: usize = 20;

/// A test to be run again and again.
pub struct Repeat<'a> {
    /// The project's Playwright.
    pub playwright: &'a Playwright,
    /// The folder of this run of relocator.
    pub run: &'a Run,
    /// How often the test runs alone.
    pub times: u32,
    /// Who is told what happens.
    pub report: &'a mut dyn FnMut(&Event),
}

/// What came of the runs.
#[derive(Debug, Clone)]
pub struct Repeated {
    /// The test.
    pub test: TestName,
    /// The runs, in order; the last one is the one with the other tests of the file, where there are any.
    pub runs: Vec<Observed>,
    /// How many other tests the file has.
    pub others: usize,
}

impl Repeat<'_> {
    /// Runs the one test that `request` names.
    ///
    /// # Errors
    /// No such test, several tests, an environment that lets no run come about at all, Ctrl-C.
    pub async fn run(&mut self, request: &Request) -> Result<Repeated, Error> {
        let mut request = request.clone();
        let mut known: Option<Test> = None;
        let mut runs = Vec::new();
        let mut blocked = None;
        for number in 1..=self.times.max(1) {
            let outcome = self.start(&request, &format!("run {number} of {}", self.times)).await;
            match outcome.error(&self.playwright.project) {
                Some(error) if error.kind() == ErrorKind::Blocked => {
                    blocked = Some(error);
                    runs.push(Observed::default());
                    continue;
                }
                Some(error) => return Err(error),
                None => {}
            }
            let test = one(&outcome, &request)?;
            runs.push(observe(&outcome, &test));
            request.grep = Some(grep_titles(&test.titles));
            request.projects = vec![test.project.clone()].into_iter().filter(|name| !name.is_empty()).collect();
            known = Some(test);
        }
        let Some(test) = known else {
            return Err(blocked.unwrap_or_else(|| Error::internal("no run came about")));
        };
        let others = self.with_others(&request, &test, &mut runs).await?;
        let root = &self.playwright.project.root;
        let name = TestName {
            file: test.file.strip_prefix(root).unwrap_or(&test.file).to_string(),
            line: test.line,
            titles: test.titles.clone(),
            project: test.project.clone(),
        };
        Ok(Repeated { test: name, runs, others })
    }

    /// One more run, of the whole file; returns how many other tests it has.
    async fn with_others(&mut self, request: &Request, test: &Test, runs: &mut Vec<Observed>) -> Result<usize, Error> {
        let mut whole = Request { grep: None, ..request.clone() };
        whole.places.iter_mut().for_each(|place| place.line = None);
        let outcome = self.start(&whole, "one run with the other tests of the file").await;
        match outcome.error(&self.playwright.project) {
            Some(error) if error.kind() == ErrorKind::Blocked => return Ok(0),
            Some(error) => return Err(error),
            None => {}
        }
        let others = outcome.targets(&whole.places).filter(|other| !other.is_same(test)).count();
        if others > 0
            && let Some(seen) = outcome.targets(&whole.places).find(|other| other.is_same(test))
        {
            runs.push(Observed { with_others: true, ..observe(&outcome, seen) });
        }
        Ok(others)
    }

    async fn start(&mut self, request: &Request, purpose: &str) -> RunOutcome {
        (self.report)(&Event::RunStarted { purpose: purpose.to_owned() });
        self.playwright.run(request, &Artefacts::in_folder(self.run.next_start())).await
    }
}

/// The one test of a run that was asked for; of the same test in several Playwright projects, the first.
fn one(outcome: &RunOutcome, request: &Request) -> Result<Test, Error> {
    let mut found = outcome.targets(&request.places);
    let first =
        found.next().cloned().ok_or_else(|| Error::new(ErrorKind::NoTests, "no test matches what was asked for"))?;
    if found.all(|other| other.is_same_test(&first)) {
        Ok(first)
    } else {
        Err(Error::usage("several tests match; name one of them by its own line"))
    }
}

/// What one run of the test saw.
fn observe(outcome: &RunOutcome, test: &Test) -> Observed {
    let Some(attempt) = test.attempts.first() else { return Observed::default() };
    let trace: Option<Utf8PathBuf> = outcome.trace(attempt);
    let mut observed = if test.passed() {
        Observed { ending: Ending::Passed, ..Observed::default() }
    } else if attempt.status == AttemptStatus::Skipped {
        return Observed::default();
    } else {
        failure(attempt, trace.as_ref())
    };
    let Some(trace) = trace.and_then(|path| Trace::open(path.as_std_path()).ok()) else { return observed };
    observed.requests = trace.failed_requests.iter().take(REQUESTS).map(request).collect();
    for (key, facts) in learn(&trace).entries() {
        let locator = Locator::from_internal(&key.selector)
            .map_or_else(|_| key.selector.clone(), |locator| locator.to_js(Style::default()));
        // The same locator may be used for several calls; each use is compared with itself.
        let name = if key.nth == 0 { locator } else { format!("{locator} (use {})", key.nth + 1) };
        observed.resolved.insert(name, describe(facts));
    }
    observed
}

fn failure(attempt: &Attempt, trace: Option<&Utf8PathBuf>) -> Observed {
    let texts: Vec<&str> = attempt.errors.iter().map(|error| error.message.as_str()).collect();
    let found = classify_errors(&texts);
    let message = texts.join("\n\n");
    let hint = Hint { message: Some(&message), locator: found.locator.as_deref(), line: None };
    let scene = trace.and_then(|path| Scene::open(path, &hint).ok());
    let stopped_at = scene.map(|scene| Stopped {
        locator: scene.printed.clone(),
        matches: scene.links.last().and_then(|link| link.count),
    });
    Observed {
        ending: Ending::Failed,
        environment: found.category == Category::NavigationError,
        failure: Some(format!("{} / {}", found.category.as_str(), found.signature)),
        stopped_at,
        ..Observed::default()
    }
}

fn request(request: &FailedRequest) -> String {
    let status = request.status.map_or_else(|| request.failure.clone(), |status| status.to_string());
    format!("{} {} {status}", request.method, request.url)
}
