//! Examines what a repair needs, and says for everything that is missing whose fault it is and what to do.
//!
//! Changes nothing in the project; its own probes live in a folder that is removed again.

use std::time::Duration;

use camino::Utf8Path;

use crate::adapters::playwright::command::{Artefacts, Request};
use crate::adapters::playwright::ending::{Blocker, Ending};
use crate::adapters::playwright::probe::Probe;
use crate::adapters::playwright::project::Project;
use crate::adapters::playwright::report::Status;
use crate::adapters::playwright::runner::{Playwright, RunOutcome};
use crate::adapters::playwright::version::Version;
use crate::adapters::process::{self, Cancel, Command, Exit, find_program};
use crate::adapters::workspace::Workspace;
use crate::config::{Flags, Place};
use crate::error::Error;

/// The oldest Node that Playwright 1.65 runs on, and every release since 1.30 as well.
const OLDEST_NODE: Version = Version { major: 18, minor: 0, patch: 0 };

/// Whom a failed check points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The machine: something is not installed, or not running.
    Environment,
    /// The project: its config, its tests, its server.
    Project,
    /// The way relocator was called.
    Call,
}

impl Fault {
    /// The word printed and serialised.
    pub fn word(self) -> &'static str {
        match self {
            Self::Environment => "environment",
            Self::Project => "project",
            Self::Call => "call",
        }
    }
}

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// As it should be; what was seen.
    Good(String),
    /// Not as it should be.
    Bad {
        /// Whose it is to repair.
        fault: Fault,
        /// What was seen.
        seen: String,
        /// What to do, as commands or sentences.
        fixes: Vec<String>,
    },
    /// Could not be looked at; why.
    Skipped(String),
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What.
    pub name: &'static str,
    /// What it came to.
    pub finding: Finding,
}

impl Check {
    fn bad(name: &'static str, fault: Fault, error: &Error) -> Self {
        let seen =
            std::iter::once(error.to_string()).chain(error.causes().iter().cloned()).collect::<Vec<_>>().join(": ");
        Self { name, finding: Finding::Bad { fault, seen, fixes: error.hints().to_vec() } }
    }

    fn good(name: &'static str, seen: impl Into<String>) -> Self {
        Self { name, finding: Finding::Good(seen.into()) }
    }

    /// Whether it is not as it should be.
    pub fn is_bad(&self) -> bool {
        matches!(self.finding, Finding::Bad { .. })
    }
}

/// Looks at everything that a repair in the project of `start` needs, in the order in which a repair needs it, and
/// hands each check to `tell` as soon as it is made.
pub async fn examine(flags: &Flags, start: &Utf8Path, cancel: &Cancel, mut tell: impl FnMut(Check)) {
    tell(node(start, cancel).await);
    let (root, settings) = match Place::settings(flags, start) {
        Ok(found) => found,
        Err(error) => {
            tell(Check::bad("project", Fault::Call, &error));
            return;
        }
    };
    let project = match Project::discover(start, settings.runner) {
        Ok(project) => project,
        Err(error) => {
            tell(Check::bad("Playwright", Fault::Environment, &error.into()));
            return;
        }
    };
    tell(Check::good("project", project.config.to_string()));
    let runner = runner(&project, cancel).await;
    let can_start = !runner.is_bad();
    tell(runner);
    tell(version(&project));
    match Workspace::open(&root).and_then(|workspace| workspace.temporary_folder().map(|folder| (workspace, folder))) {
        Ok((workspace, scratch)) => {
            tell(files(&workspace));
            if can_start {
                let playwright =
                    Playwright { project, deadline: settings.timeout, secrets: Vec::new(), cancel: cancel.clone() };
                with_playwright(&playwright, scratch.path(), &mut tell).await;
            }
        }
        Err(error) => tell(Check::bad("files", Fault::Environment, &error.into())),
    }
}

async fn node(cwd: &Utf8Path, cancel: &Cancel) -> Check {
    const NAME: &str = "Node.js";
    let newer = "install Node.js 20 or newer".to_owned();
    let bad = |seen: String| Check {
        name: NAME,
        finding: Finding::Bad { fault: Fault::Environment, seen, fixes: vec![newer] },
    };
    match says_version("node", cwd, cancel).await {
        Err(error) => bad(error),
        Ok(text) => match text.trim_start_matches('v').parse::<Version>() {
            Ok(version) if version >= OLDEST_NODE => Check::good(NAME, version.to_string()),
            Ok(version) => bad(format!("{version} is too old")),
            Err(_) => bad(format!("`node --version` says {text:?}")),
        },
    }
}

async fn runner(project: &Project, cancel: &Cancel) -> Check {
    const NAME: &str = "package manager";
    let program = project.runner.program();
    match says_version(program, &project.root, cancel).await {
        Ok(version) => Check::good(NAME, format!("{program} {version}")),
        Err(seen) => Check {
            name: NAME,
            finding: Finding::Bad { fault: Fault::Environment, seen, fixes: vec![project.runner.get().to_owned()] },
        },
    }
}

/// The first line that `program --version` prints.
async fn says_version(program: &str, cwd: &Utf8Path, cancel: &Cancel) -> Result<String, String> {
    if find_program(program).is_none() {
        return Err(format!("`{program}` is not installed"));
    }
    let folder = cwd.ancestors().find(|folder| folder.is_dir()).unwrap_or(Utf8Path::new("/"));
    let command = Command::new(program, vec!["--version".to_owned()], folder, Duration::from_mins(1));
    let finished = process::run(&command, cancel).await.map_err(|error| error.to_string())?;
    let text = finished.stdout.text();
    match finished.exit {
        Exit::Success => Ok(text.lines().next().unwrap_or_default().trim().to_owned()),
        exit => Err(format!("`{program} --version` ended with {exit:?}: {}", finished.stderr.text().trim())),
    }
}

fn version(project: &Project) -> Check {
    const NAME: &str = "Playwright";
    match project.playwright {
        Some(version) if version < Version::OLDEST_TRIED => Check {
            name: NAME,
            finding: Finding::Bad {
                fault: Fault::Environment,
                seen: format!("{version}; relocator has been tried with {} and newer", Version::OLDEST_TRIED),
                fixes: vec![project.runner.add_playwright().to_owned()],
            },
        },
        Some(version) => Check::good(NAME, version.to_string()),
        None => Check::good(NAME, "a version that cannot be read from folders (Plug'n'Play)"),
    }
}

/// Whether an interrupted run left something to put back.
fn files(workspace: &Workspace) -> Check {
    const NAME: &str = "files";
    match workspace.in_flight() {
        Ok(0) => Check::good(NAME, "nothing is half-done"),
        Ok(count) => Check {
            name: NAME,
            finding: Finding::Bad {
                fault: Fault::Project,
                seen: format!("an edit of a run that was interrupted, or still goes on, is in place ({count})"),
                fixes: vec!["relocator undo".to_owned()],
            },
        },
        Err(error) => Check::bad(NAME, Fault::Environment, &error.into()),
    }
}

/// Whether the config loads, the browser starts, and the application answers; each only if the one before does.
async fn with_playwright(playwright: &Playwright, scratch: &Utf8Path, tell: &mut impl FnMut(Check)) {
    const LIST: &str = "config and tests";
    const BROWSER: &str = "browser";
    const SERVER: &str = "web server";
    let list = Request { list: true, ..Request::default() };
    let listed = playwright.run(&list, &Artefacts::in_folder(scratch.join("list"))).await;
    match trouble(LIST, &listed, playwright) {
        Some(check) => return tell(check),
        None => tell(Check::good(LIST, format!("{} tests found", listed.tests.len()))),
    }
    for (name, probe) in [(BROWSER, Probe::Browser), (SERVER, Probe::Server)] {
        let outcome = match probe.run(playwright, scratch).await {
            Ok(outcome) => outcome,
            Err(error) => {
                let error = Error::blocked(format!("cannot write a probe to {scratch}")).caused_by(&error);
                return tell(Check::bad(name, Fault::Environment, &error));
            }
        };
        let nothing_to_try = outcome.tests.iter().all(|test| test.status == Status::Skipped);
        tell(trouble(name, &outcome, playwright).unwrap_or_else(|| match probe {
            Probe::Browser => Check::good(name, "starts"),
            Probe::Server if nothing_to_try => {
                Check { name, finding: Finding::Skipped("the config names no base URL".to_owned()) }
            }
            Probe::Server => Check::good(name, "the base URL answers"),
        }));
    }
}

/// What is wrong with a start of Playwright, if anything is.
fn trouble(name: &'static str, outcome: &RunOutcome, playwright: &Playwright) -> Option<Check> {
    if let Some(error) = outcome.error(&playwright.project) {
        let fault = match &outcome.ending {
            Ending::Blocked(blocker, _) => match blocker {
                Blocker::WebServer => Fault::Project,
                _ => Fault::Environment,
            },
            Ending::TimedOut => Fault::Environment,
            Ending::Cancelled => Fault::Call,
            Ending::Ran | Ending::NoTests | Ending::BadArguments(_) | Ending::DidNotLoad(_) => Fault::Project,
        };
        return Some(Check::bad(name, fault, &error));
    }
    let problem = outcome.tests.iter().filter(|test| !test.passed()).find_map(|test| test.first()?.errors.first())?;
    let line = problem.message.lines().next().unwrap_or_default();
    let shown: String = line.strip_prefix("Error: ").unwrap_or(line).chars().take(300).collect();
    let error =
        Error::blocked(shown).hinted("start the application under test, or let the config start it (`webServer`)");
    Some(Check::bad(name, Fault::Environment, &error))
}
