//! Says how a start of Playwright ended, from its exit, its report and the end of its stderr. Pure.
//!
//! The texts are Playwright's own, of 1.30, 1.44 and 1.65, and those of the package managers; a run that did execute
//! tests is never judged by texts, except that a browser which never started says nothing about the tests.

use std::sync::LazyLock;

use regex::Regex;

use super::report::{AttemptStatus, Problem, Report, Status, Test};
use crate::adapters::process::Exit;

/// How one start of Playwright ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// At least one test was executed (or, when listing, found).
    Ran,
    /// No test matches what was asked for.
    NoTests,
    /// Playwright does not accept the arguments: an unknown option or project.
    BadArguments(String),
    /// Config, test file or global set-up threw before any test was executed.
    DidNotLoad(Problem),
    /// The environment is at fault.
    Blocked(Blocker, String),
    /// Our deadline passed.
    TimedOut,
    /// Ctrl-C.
    Cancelled,
}

/// What in the environment is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocker {
    /// npx, pnpm, yarn or bunx is not on the path.
    RunnerMissing,
    /// Node is not on the path.
    NodeMissing,
    /// Playwright is not installed in the project.
    PlaywrightMissing,
    /// The browser is not installed.
    BrowserMissing,
    /// The browser is there but does not start.
    BrowserDidNotStart,
    /// The project's own web server did not start, or its port is taken.
    WebServer,
    /// There is no report, or it cannot be read, and nothing says why.
    NoReport,
}

/// A text that gives an ending away.
struct Rule {
    pattern: &'static str,
    ending: fn(&Problem) -> Ending,
}

/// For errors of the report and for stderr; the first that matches decides.
const RULES: &[Rule] = &[
    Rule {
        pattern: r"(?i)env: .?node.?: No such file|node: (command )?not found",
        ending: |problem| Ending::Blocked(Blocker::NodeMissing, first_line(problem)),
    },
    Rule {
        pattern: concat!(
            r"npx canceled due to missing packages|could not determine executable|playwright: (command )?not found",
            r#"|Command "playwright" not found|Couldn't find a script named "playwright""#,
            r"|Cannot find (module|package) '(@playwright/test|playwright)'|could not find package playwright",
        ),
        ending: |problem| Ending::Blocked(Blocker::PlaywrightMissing, first_line(problem)),
    },
    Rule { pattern: r"config\.webServer", ending: |problem| Ending::Blocked(Blocker::WebServer, first_line(problem)) },
    Rule {
        pattern: r"(?m)^error: unknown option|^error: option .* argument|^error: too many arguments",
        ending: |problem| Ending::BadArguments(first_line(problem)),
    },
    Rule {
        pattern: r"Project\(s\) .* not found|No named projects are specified|No projects matched",
        ending: |problem| Ending::BadArguments(first_line(problem)),
    },
    Rule { pattern: r"(?im)^\W*(error: )?no tests found", ending: |_| Ending::NoTests },
];

static COMPILED: LazyLock<Vec<(Regex, &'static Rule)>> =
    LazyLock::new(|| RULES.iter().filter_map(|rule| Some((Regex::new(rule.pattern).ok()?, rule))).collect());

/// Colour codes and cursor movements.
static ESCAPES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\x1b\[[0-9;?]*[A-Za-z]").ok());

/// How it ended: `report` is `None` when there is none or it cannot be read.
pub fn judge(exit: Exit, report: Option<&Report>, stderr: &str, listing: bool) -> Ending {
    match exit {
        Exit::TimedOut => return Ending::TimedOut,
        Exit::Cancelled => return Ending::Cancelled,
        Exit::Success | Exit::Code(_) | Exit::Signal(_) => {}
    }
    let Some(report) = report else {
        return by_text(&Problem { message: plain(stderr), location: None })
            .unwrap_or_else(|| without_report(exit, stderr));
    };
    let executed = |test: &&Test| listing || !test.attempts.is_empty();
    let ran: Vec<_> = report.tests.iter().filter(executed).collect();
    if let Some(test) = ran.iter().find(|test| test.status == Status::Unexpected)
        && let Some(ending) = browser_trouble(&ran, test)
    {
        return ending;
    }
    if !ran.is_empty() {
        return Ending::Ran;
    }
    let problems: Vec<Problem> = report
        .errors
        .iter()
        .map(|error| Problem { message: plain(&error.message), location: error.location.clone() })
        .collect();
    // "No tests found" follows whatever kept the files from loading, so it counts only when it stands alone.
    let verdicts: Vec<_> = problems
        .iter()
        .map(|problem| by_text(problem).unwrap_or_else(|| Ending::DidNotLoad(problem.clone())))
        .collect();
    let telling = verdicts.iter().find(|ending| **ending != Ending::NoTests).or(verdicts.first());
    telling.cloned().unwrap_or(Ending::NoTests)
}

/// Every test that failed did so because there was no browser to run it in.
fn browser_trouble(ran: &[&Test], first: &Test) -> Option<Ending> {
    let trouble = |test: &Test| {
        let message = plain(&test.attempts.first()?.errors.first()?.message);
        let launch = message.contains("browserType.launch") || message.contains("browserType.connect");
        launch.then_some(message)
    };
    let message = trouble(first)?;
    let all = ran.iter().all(|test| test.status != Status::Unexpected || trouble(test).is_some());
    let none_passed = ran.iter().all(|test| test.status != Status::Expected || is_skipped(test));
    if !(all && none_passed) {
        return None;
    }
    let missing = message.to_ascii_lowercase().contains("executable doesn't exist");
    let blocker = if missing { Blocker::BrowserMissing } else { Blocker::BrowserDidNotStart };
    Some(Ending::Blocked(blocker, first_line(&Problem { message, location: None })))
}

fn is_skipped(test: &Test) -> bool {
    test.attempts.iter().all(|attempt| attempt.status == AttemptStatus::Skipped)
}

fn by_text(problem: &Problem) -> Option<Ending> {
    COMPILED.iter().find(|(pattern, _)| pattern.is_match(&problem.message)).map(|(_, rule)| (rule.ending)(problem))
}

/// No report and no known text: a config that throws writes its error to stderr and stops.
fn without_report(exit: Exit, stderr: &str) -> Ending {
    let message = plain(stderr).trim().to_owned();
    if exit == Exit::Code(1) && message.contains("Error") {
        return Ending::DidNotLoad(Problem { message, location: None });
    }
    let shown = first_line(&Problem { message, location: None });
    let how = match exit {
        Exit::Code(code) => format!("Playwright ended with status {code} and left no report"),
        Exit::Signal(signal) => format!("Playwright was killed by signal {signal}"),
        Exit::Success | Exit::TimedOut | Exit::Cancelled => "Playwright left no report".to_owned(),
    };
    Ending::Blocked(Blocker::NoReport, if shown.is_empty() { how } else { format!("{how}: {shown}") })
}

/// The first line that says something, at most 300 characters of it.
fn first_line(problem: &Problem) -> String {
    let line = problem.message.lines().map(str::trim).find(|line| line.chars().any(char::is_alphabetic));
    line.unwrap_or_default().chars().take(300).collect()
}

/// `text` without colour codes and cursor movements.
fn plain(text: &str) -> String {
    match ESCAPES.as_ref() {
        Some(escapes) => escapes.replace_all(text, "").into_owned(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(ending: &Ending) -> &'static str {
        match ending {
            Ending::Ran => "ran",
            Ending::NoTests => "no_tests",
            Ending::BadArguments(_) => "bad_arguments",
            Ending::DidNotLoad(_) => "did_not_load",
            Ending::TimedOut => "timed_out",
            Ending::Cancelled => "cancelled",
            Ending::Blocked(blocker, _) => match blocker {
                Blocker::RunnerMissing => "runner_missing",
                Blocker::NodeMissing => "node_missing",
                Blocker::PlaywrightMissing => "playwright_missing",
                Blocker::BrowserMissing => "browser_missing",
                Blocker::BrowserDidNotStart => "browser_did_not_start",
                Blocker::WebServer => "web_server",
                Blocker::NoReport => "no_report",
            },
        }
    }

    #[test]
    fn every_recorded_ending_of_three_releases_is_taken_for_what_it_is() {
        let recorded = include_str!("../../../fixtures/reports/endings.jsonl");
        let mut wrong = Vec::new();
        for line in recorded.lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let report = Some(&case["report"]).filter(|report| !report.is_null());
            let report = report.map(|report| Report::parse(report.to_string().as_bytes()).unwrap());
            let exit = if case["exit"] == 0 { Exit::Success } else { Exit::Code(1) };
            let stderr = case["stderr"].as_str().unwrap();
            let ending = judge(exit, report.as_ref(), stderr, case["case"] == "list");
            if name(&ending) != case["expected"] {
                wrong.push(format!("{} {}: {ending:?}, not {}", case["playwright"], case["case"], case["expected"]));
            }
        }
        assert!(recorded.lines().count() > 55 && wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn what_a_package_manager_says_without_playwright_is_blocked() {
        for (stderr, expected) in [
            (
                "npm error npx canceled due to missing packages and no YES option: [\"playwright@1.65.1\"]",
                "playwright_missing",
            ),
            ("sh: 1: playwright: not found\n", "playwright_missing"),
            (" ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command \"playwright\" not found", "playwright_missing"),
            ("error Command \"playwright\" not found.", "playwright_missing"),
            ("Usage Error: Couldn't find a script named \"playwright\".", "playwright_missing"),
            ("Error: Cannot find module '@playwright/test'\nRequire stack:", "playwright_missing"),
            ("/usr/bin/env: 'node': No such file or directory", "node_missing"),
            ("Killed", "no_report"),
            ("", "no_report"),
        ] {
            assert_eq!(name(&judge(Exit::Code(127), None, stderr, false)), expected, "{stderr}");
        }
    }

    #[test]
    fn our_own_stops_are_neither_a_verdict_nor_a_fault() {
        let report = Report { tests: vec![Test::default()], ..Report::default() };
        assert_eq!(judge(Exit::TimedOut, Some(&report), "", false), Ending::TimedOut);
        assert_eq!(judge(Exit::Cancelled, None, "playwright: not found", false), Ending::Cancelled);
    }
}
