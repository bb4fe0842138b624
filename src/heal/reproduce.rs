//! The first stage: run the test with the old line, and have gate one read what comes out.

use camino::Utf8PathBuf;

use super::record::{HealRun, REPRODUCE, TestName};
use super::sources::{Sources, inside};
use super::{Healer, Stop};
use crate::adapters::playwright::command::{Artefacts, Request, grep_titles};
use crate::adapters::playwright::project::Project;
use crate::adapters::playwright::report::{Attempt, AttemptStatus, Test};
use crate::adapters::playwright::runner::RunOutcome;
use crate::domain::classify::{Category, Classification, classify_errors};
use crate::domain::event::Event;
use crate::domain::verdict::{Proof, Reason, ReasonCode};
use crate::error::{Error, ErrorKind};

/// How many of several tests are named.
const NAMED: usize = 5;

/// A failure that was reproduced and may be repaired.
pub(super) struct Failing {
    /// The test, as reported.
    pub(super) test: Test,
    /// The attempt that failed.
    pub(super) attempt: Attempt,
    /// What gate one read.
    pub(super) classification: Classification,
    /// The trace, if there is one.
    pub(super) trace: Option<Utf8PathBuf>,
    /// Runs exactly this test.
    pub(super) request: Request,
    /// Whether a report has it, and no run of ours.
    pub(super) is_reported: bool,
}

/// A failure as a report has it, in this project on this machine.
#[derive(Debug, Clone)]
pub struct Reported {
    /// When the run began that was reported.
    pub made: jiff::Timestamp,
    /// The test.
    pub test: Test,
    /// The attempt that failed.
    pub attempt: Attempt,
    /// What gate one read.
    pub classification: Classification,
    /// The trace.
    pub trace: Utf8PathBuf,
}

/// What of a run is looked at.
struct Seen {
    test: Test,
    attempt: Attempt,
    classification: Classification,
    trace: Option<Utf8PathBuf>,
}

impl Reported {
    /// Whether it still says how things are in `project`: its trace is there, and everything that the test is made of, and the
    /// configuration, is older than the reported run.
    fn still_holds(&self, project: &Project) -> bool {
        let sources = Sources { root: &project.root };
        let Some(spec) = inside(&project.root, &self.test.file) else { return false };
        let used = sources.load(&[&spec]);
        let older = |path: Utf8PathBuf| {
            let changed = std::fs::metadata(path).and_then(|meta| meta.modified()).ok();
            let changed = changed.and_then(|changed| jiff::Timestamp::try_from(changed).ok());
            changed.is_some_and(|changed| changed < self.made)
        };
        let mut files = used.files().map(|file| project.root.join(&file.path)).chain([project.config.clone()]);
        self.trace.is_file() && used.file(&spec).is_some() && files.all(older)
    }
}

impl Healer<'_> {
    /// The failure as the report has it, where that still says how things are: no source that the test uses, and no
    /// configuration, has changed since the run began, and its trace is there.
    pub(super) fn as_reported(&mut self, run: &mut HealRun, request: &Request) -> Result<Option<Failing>, Stop> {
        let Some(reported) = self.reported.cloned() else { return Ok(None) };
        if !run.timed("reproduce", |_| reported.still_holds(&self.playwright.project)) {
            return Ok(None);
        }
        run.test = Some(self.name(&reported.test));
        run.proofs.reproduced = Proof::Held(format!(
            "the test failed with the old line in the reported run of {:.0}; no source of it has changed since",
            reported.made
        ));
        let Reported { test, attempt, classification, trace, .. } = reported;
        let seen = Seen { test, attempt, classification, trace: Some(trace) };
        let failing = self.judge_failure(run, request, seen)?;
        Ok(Some(Failing { is_reported: true, ..failing }))
    }

    /// Runs the test until it fails, at most `tries` times.
    pub(super) async fn reproduce(&mut self, run: &mut HealRun, request: &Request) -> Result<Failing, Stop> {
        let tries = self.settings.reproduce.max(1);
        for _ in 0..tries {
            (self.report)(&Event::RunStarted { purpose: "reproducing the failure".to_owned() });
            let outcome = self.playwright.run(request, &self.next_start()).await;
            let failing = outcome.targets(&request.places).find(|test| test.failed()).cloned();
            run.ran(REPRODUCE, false, failing.is_none(), &outcome);
            if let Some(error) = outcome.error(&self.playwright.project) {
                return Err(stop_for(error));
            }
            let Some(test) = failing else {
                if outcome.targets(&request.places).any(Test::unfinished) {
                    return Err(Stop::Ended(Reason::new(
                        ReasonCode::Environment,
                        "the run was cut short before the test had ended, so it neither passed nor failed",
                    )));
                }
                continue;
            };
            let others = outcome.targets(&request.places).filter(|other| other.failed() && !other.is_same_test(&test));
            let others: Vec<TestName> = others.map(|other| self.name(other)).collect();
            if !others.is_empty() {
                return Err(several(&self.name(&test), &others));
            }
            run.test = Some(self.name(&test));
            return self.read_failure(run, request, &outcome, test);
        }
        let times = if tries == 1 { "once".to_owned() } else { format!("{tries} times") };
        let seen = format!("the test passed unchanged, tried {times}");
        run.proofs.reproduced = Proof::Failed(seen.clone());
        Err(Stop::Ended(Reason::new(ReasonCode::NotReproduced, seen)))
    }

    /// Has gate one read why `test` failed in `outcome`.
    pub(super) fn read_failure(
        &mut self,
        run: &mut HealRun,
        request: &Request,
        outcome: &RunOutcome,
        test: Test,
    ) -> Result<Failing, Stop> {
        let attempt = test.attempts.iter().find(|attempt| attempt.status != AttemptStatus::Passed);
        let Some(attempt) = attempt.cloned() else {
            // `test.fail()` that passed: there is no failure text at all.
            return Err(Stop::Ended(Reason::new(
                ReasonCode::NotDrift,
                "the test is marked to fail and passed; no error was reported",
            )));
        };
        run.proofs.reproduced = Proof::Held("the test failed with the old line".to_owned());
        let classification = run.timed("classify", |_| {
            let texts: Vec<&str> = attempt.errors.iter().map(|error| error.message.as_str()).collect();
            classify_errors(&texts)
        });
        let trace = outcome.trace(&attempt);
        self.judge_failure(run, request, Seen { test, attempt, classification, trace })
    }

    /// Tells what gate one says, and goes on with what it lets through.
    fn judge_failure(&mut self, run: &mut HealRun, request: &Request, seen: Seen) -> Result<Failing, Stop> {
        let Seen { test, attempt, classification, trace } = seen;
        (self.report)(&Event::GateOne {
            category: classification.category.as_str().to_owned(),
            eligible: classification.is_eligible(),
            why: sentence(&classification),
        });
        run.gate_one = Some(classification.clone());
        if !classification.is_eligible() && classification.category != Category::StrictModeViolation {
            return Err(Stop::Ended(ineligible(&classification)));
        }
        let mut request = request.clone();
        request.grep = Some(grep_titles(&test.titles));
        request.projects = vec![test.project.clone()].into_iter().filter(|name| !name.is_empty()).collect();
        Ok(Failing { test, attempt, classification, trace, request, is_reported: false })
    }

    /// The test under its project-relative name.
    pub(super) fn name(&self, test: &Test) -> TestName {
        let root = &self.playwright.project.root;
        TestName {
            file: test.file.strip_prefix(root).unwrap_or(&test.file).to_string(),
            line: test.line,
            titles: test.titles.clone(),
            project: test.project.clone(),
        }
    }

    /// A folder for the next start's artefacts.
    pub(super) fn next_start(&self) -> Artefacts {
        Artefacts::in_folder(self.run.next_start())
    }
}

fn several(first: &TestName, others: &[TestName]) -> Stop {
    let name = |test: &TestName| format!("{test} \"{}\"", test.titles.join(" "));
    let mut error =
        Error::usage(format!("{} tests that match fail; relocator repairs one test at a time", others.len() + 1));
    for test in std::iter::once(first).chain(others).take(NAMED) {
        error = error.hinted(name(test));
    }
    Stop::Error(error.hinted("name one of them by its line, or by its title with --grep"))
}

/// What became of a start that executed no test: the environment's fault is an outcome, everything else an error.
pub(super) fn stop_for(error: Error) -> Stop {
    if error.kind() == ErrorKind::Blocked { Stop::Blocked(error) } else { Stop::Error(error) }
}

fn ineligible(classification: &Classification) -> Reason {
    let code = if classification.is_environment() { ReasonCode::Environment } else { ReasonCode::NotDrift };
    Reason::new(
        code,
        format!("{} / {}: {}", classification.category.as_str(), classification.signature, classification.why),
    )
}

/// What gate one saw, in a sentence about this failure.
fn sentence(classification: &Classification) -> String {
    let mut seen = String::new();
    if let Some(action) = &classification.action {
        seen.push_str(action);
        seen.push_str(": ");
    }
    seen.push_str(classification.why);
    if let Some(locator) = &classification.locator {
        seen.push_str(": ");
        seen.push_str(locator);
    }
    seen
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::adapters::playwright::project::Runner;

    #[test]
    fn a_report_holds_as_long_as_its_trace_is_there_and_nothing_that_the_test_is_made_of_is_younger() {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(guard.path().canonicalize().unwrap()).unwrap();
        let made = SystemTime::now() - Duration::from_hours(1);
        let touch = |name: &str, text: &str, time: SystemTime| {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), text).unwrap();
            std::fs::File::options().write(true).open(root.join(name)).unwrap().set_modified(time).unwrap();
        };
        let (older, younger) = (made - Duration::from_mins(1), made + Duration::from_mins(1));
        let project = Project {
            root: root.clone(),
            config: root.join("playwright.config.ts"),
            runner: Runner::Npx,
            playwright: None,
        };
        let reported = Reported {
            made: made.try_into().unwrap(),
            test: Test { file: root.join("tests/a.spec.ts"), ..Test::default() },
            attempt: Attempt::default(),
            classification: classify_errors(&[]),
            trace: root.join("trace.zip"),
        };
        let files = [
            ("playwright.config.ts", ""),
            ("tests/a.spec.ts", "import { page } from '../pages';"),
            ("pages/index.ts", "export * from './cart';"),
            ("pages/cart.ts", ""),
            ("pages/other.ts", ""),
            ("trace.zip", ""),
        ];
        for (name, text) in files {
            touch(name, text, older);
        }
        assert!(reported.still_holds(&project));
        for (name, text) in files {
            touch(name, text, younger);
            let matters = !matches!(name, "pages/other.ts" | "trace.zip");
            assert_eq!(reported.still_holds(&project), !matters, "{name} is younger");
            touch(name, text, older);
        }
        for gone in ["trace.zip", "tests/a.spec.ts"] {
            std::fs::remove_file(root.join(gone)).unwrap();
            assert!(!reported.still_holds(&project), "{gone} is gone");
            touch(gone, files.iter().find(|(name, _)| *name == gone).unwrap().1, older);
        }
        let elsewhere = Reported { test: Test { file: "/elsewhere/a.spec.ts".into(), ..Test::default() }, ..reported };
        assert!(!elsewhere.still_holds(&project));
    }
}
