//! Runs Playwright once and says what came of it.

use std::io::Read as _;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::command::{Artefacts, Files, Place, Request, compose};
use super::ending::{Blocker, Ending, judge};
use super::project::Project;
use super::report::{Attempt, Problem, REPORT_CAP, Report, Test};
use crate::adapters::process::{self, Cancel, Exit, ProcessError};
use crate::error::{Error, ErrorKind};

/// The Playwright of one project, ready to be started.
#[derive(Debug, Clone)]
pub struct Playwright {
    /// Where it runs.
    pub project: Project,
    /// How long one start may take in all.
    pub deadline: Duration,
    /// Variables of ours that no test may see.
    pub secrets: Vec<String>,
    /// What stops it early.
    pub cancel: Cancel,
}

/// What one start of Playwright came to.
#[derive(Debug, Clone)]
pub struct RunOutcome {
    /// The command.
    pub argv: Vec<String>,
    /// The exit of the process.
    pub exit: Exit,
    /// Wall time of the process.
    pub duration: Duration,
    /// How it ended.
    pub ending: Ending,
    /// The names of all projects of the configuration.
    pub projects: Vec<String>,
    /// Every test in the report, also those of projects that ours depend on.
    pub tests: Vec<Test>,
    /// Errors that belong to no test.
    pub errors: Vec<Problem>,
    /// The end of stderr; untrusted.
    pub stderr: String,
    /// Where its artefacts are.
    pub artefacts: Artefacts,
}

impl Playwright {
    /// Runs `request`, leaving its artefacts in `artefacts`.
    ///
    /// The folder is made if need be; whatever goes wrong is an [`Ending`].
    pub async fn run(&self, request: &Request, artefacts: &Artefacts) -> RunOutcome {
        let command = compose(&self.project, request, artefacts, self.deadline).without_env(self.secrets.clone());
        let mut outcome = RunOutcome {
            argv: command.argv(),
            exit: Exit::Cancelled,
            duration: Duration::ZERO,
            ending: Ending::Cancelled,
            projects: Vec::new(),
            tests: Vec::new(),
            errors: Vec::new(),
            stderr: String::new(),
            artefacts: artefacts.clone(),
        };
        if let Err(error) = prepare(artefacts) {
            outcome.ending = Ending::Blocked(Blocker::NoReport, format!("cannot use {}: {error}", artefacts.folder()));
            return outcome;
        }
        match process::run(&command, &self.cancel).await {
            Ok(finished) => {
                let report = read_report(&artefacts.report());
                outcome.exit = finished.exit;
                outcome.duration = finished.duration;
                outcome.stderr = finished.stderr.text();
                outcome.ending = judge(finished.exit, report.as_ref(), &outcome.stderr, request.list);
                let report = report.unwrap_or_default();
                outcome.projects = report.projects;
                outcome.tests = report.tests;
                outcome.errors = report.errors;
            }
            Err(error) => {
                let blocker = match error {
                    ProcessError::NotFound { .. } => Blocker::RunnerMissing,
                    ProcessError::Spawn { .. } | ProcessError::Wait { .. } => Blocker::NoReport,
                };
                outcome.ending = Ending::Blocked(blocker, error.to_string());
            }
        }
        outcome
    }
}

/// Makes the folder, and makes sure that no report of a former start is taken for this one's.
fn prepare(artefacts: &Artefacts) -> std::io::Result<()> {
    std::fs::create_dir_all(artefacts.folder())?;
    match std::fs::remove_file(artefacts.report()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn read_report(path: &Utf8Path) -> Option<Report> {
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(REPORT_CAP).read_to_end(&mut bytes).ok()?;
    Report::parse(&bytes).ok()
}

impl RunOutcome {
    /// The tests that `places` name; those of set-up projects, which Playwright runs as well, are left out.
    pub fn targets<'a>(&'a self, places: &'a [Place]) -> impl Iterator<Item = &'a Test> {
        self.tests.iter().filter(move |test| places.is_empty() || places.iter().any(|place| is_at(test, place)))
    }

    /// The trace of `attempt`, if it lies where Playwright was told to put it.
    pub fn trace(&self, attempt: &Attempt) -> Option<Utf8PathBuf> {
        self.confined(attempt.attached("trace")?)
    }

    /// The error context (an aria snapshot of the page) of `attempt`, if it lies where Playwright was told to put it.
    pub fn error_context(&self, attempt: &Attempt) -> Option<Utf8PathBuf> {
        self.confined(attempt.attached("error-context")?)
    }

    /// `path` from the report, if it is a file in our output folder: a report is text, and text is no path.
    fn confined(&self, path: &str) -> Option<Utf8PathBuf> {
        let output = self.artefacts.output().canonicalize_utf8().ok()?;
        let path = Utf8Path::new(path).canonicalize_utf8().ok()?;
        (path.starts_with(output) && path.is_file()).then_some(path)
    }

    /// The error that ends a command which needed this run; `None` when tests were executed.
    pub fn error(&self, project: &Project) -> Option<Error> {
        let runner = project.runner;
        Some(match &self.ending {
            Ending::Ran => return None,
            Ending::NoTests => Error::new(ErrorKind::NoTests, "no test matches what was asked for")
                .hinted(format!("see what there is: {}", runner.shown("test --list"))),
            Ending::BadArguments(detail) => Error::usage(format!("Playwright does not accept the arguments: {detail}")),
            Ending::DidNotLoad(problem) => did_not_load(problem),
            Ending::Blocked(blocker, detail) => blocked(*blocker, detail, project),
            Ending::TimedOut => Error::blocked(format!("Playwright did not end within {:.0?}", self.duration))
                .hinted("give it longer with --timeout"),
            Ending::Cancelled => Error::new(ErrorKind::Interrupted, "interrupted"),
        })
    }
}

fn is_at(test: &Test, place: &Place) -> bool {
    let in_file = match &place.files {
        Files::Exact(path) => *path == test.file,
        Files::Pattern(pattern) => {
            regex::RegexBuilder::new(pattern).case_insensitive(true).build().map_or_else(
                // What only JavaScript understands is compared as text.
                |_| test.file.as_str().contains(pattern.as_str()),
                |regex| regex.is_match(test.file.as_str()),
            )
        }
    };
    in_file && place.line.is_none_or(|line| test.is_at_line(line))
}

fn did_not_load(problem: &Problem) -> Error {
    let at = problem.location.as_ref().map(|at| format!(" ({}:{})", at.file, at.line)).unwrap_or_default();
    let shown: String = problem.message.lines().take(8).collect::<Vec<_>>().join("\n").chars().take(1000).collect();
    Error::blocked(format!("the suite does not load{at}: {}", shown.trim_end()))
        .hinted("this is for a person to repair; relocator changes locators only")
}

fn blocked(blocker: Blocker, detail: &str, project: &Project) -> Error {
    let runner = project.runner;
    let (what, hint) = match blocker {
        Blocker::RunnerMissing => (format!("cannot start Playwright: {detail}"), runner.get().to_owned()),
        Blocker::NodeMissing => {
            ("cannot start Playwright: Node.js is missing".to_owned(), "install Node.js".to_owned())
        }
        Blocker::PlaywrightMissing => {
            (format!("Playwright is not installed: {detail}"), format!("cd {} && {}", project.root, runner.install()))
        }
        Blocker::BrowserMissing => (format!("the browser is not installed: {detail}"), runner.shown("install")),
        Blocker::BrowserDidNotStart => {
            (format!("the browser does not start: {detail}"), runner.shown("install --with-deps"))
        }
        Blocker::WebServer => (
            format!("the project's web server does not start: {detail}"),
            "run the `webServer.command` of the Playwright config by hand and see what it says".to_owned(),
        ),
        Blocker::NoReport => (detail.to_owned(), format!("see what it says by itself: {}", runner.shown("test"))),
    };
    Error::blocked(what).hinted(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(folder: &Utf8Path) -> RunOutcome {
        RunOutcome {
            argv: Vec::new(),
            exit: Exit::Code(1),
            duration: Duration::ZERO,
            ending: Ending::Ran,
            projects: Vec::new(),
            tests: Vec::new(),
            errors: Vec::new(),
            stderr: String::new(),
            artefacts: Artefacts::in_folder(folder),
        }
    }

    #[test]
    fn a_trace_outside_our_folder_is_not_followed() {
        let guard = tempfile::tempdir().unwrap();
        let folder = Utf8PathBuf::from_path_buf(guard.path().canonicalize().unwrap()).unwrap();
        let outcome = outcome(&folder.join("run"));
        let inside = outcome.artefacts.output().join("t/trace.zip");
        let outside = folder.join("secret.zip");
        std::fs::create_dir_all(inside.parent().unwrap()).unwrap();
        std::fs::write(&inside, "").unwrap();
        std::fs::write(&outside, "").unwrap();
        std::os::unix::fs::symlink(&outside, outcome.artefacts.output().join("link.zip")).unwrap();
        let climbing = outcome.artefacts.output().join("../../secret.zip");
        let linked = outcome.artefacts.output().join("link.zip");
        assert_eq!(outcome.confined(inside.as_str()), Some(inside));
        for path in [outside, climbing, linked, outcome.artefacts.output().join("t")] {
            assert_eq!(outcome.confined(path.as_str()), None, "{path}");
        }
    }

    #[test]
    fn a_set_up_test_of_another_file_is_no_target() {
        let mut outcome = outcome(Utf8Path::new("/r"));
        let test = |file: &str, line| Test { file: file.into(), line, describe_lines: vec![3], ..Test::default() };
        outcome.tests = vec![test("/p/auth.setup.ts", 5), test("/p/a.spec.ts", 5), test("/p/a.spec.ts", 9)];
        let lines = |files: Files, line| {
            let places = [Place { files, line }];
            outcome.targets(&places).map(|test| (test.file.to_string(), test.line)).collect::<Vec<_>>()
        };
        let spec = |line| ("/p/a.spec.ts".to_owned(), line);
        assert_eq!(lines(Files::Exact("/p/a.spec.ts".into()), Some(5)), [spec(5)]);
        assert_eq!(lines(Files::Exact("/p/a.spec.ts".into()), Some(3)), [spec(5), spec(9)]);
        assert_eq!(lines(Files::Pattern("A[.]SPEC".into()), Some(9)), [spec(9)]);
        assert_eq!(lines(Files::Pattern("(?<!x)a".into()), None), []);
        assert_eq!(outcome.targets(&[]).count(), 3);
    }
}
