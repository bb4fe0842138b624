//! Reads Playwright's JSON report into the few things a run is judged by.
//!
//! Tolerant: unknown fields are skipped, missing ones have defaults, so that the reports of every release since 1.30
//! can be read. All text in it is untrusted, and a path in it is only text until the caller has confined it.

mod wire;

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

/// A larger report is refused: 20,000 failing tests with their messages stay far below it.
pub const REPORT_CAP: u64 = 256 * 1024 * 1024;

/// A longer message is cut: Playwright's own are a few kilobytes, a diff of two pages may be anything.
const MESSAGE_CAP: usize = 64 * 1024;

/// What a report says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The version that wrote it.
    pub version: Option<String>,
    /// The folder that file names are relative to.
    pub root: Utf8PathBuf,
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
        let wire: wire::Report = match serde_json::from_slice(bytes) {
            Ok(wire) => wire,
            Err(error) => after_noise(bytes).ok_or(ReportError::NotJson(error))?,
        };
        let suites = wire.suites.ok_or(ReportError::NoSuites)?;
        let root = Utf8PathBuf::from(wire.config.root_dir);
        let mut tests = Vec::new();
        for suite in suites {
            // The outermost suite is the file; its title is its name.
            collect(suite, &Path { titles: &[], lines: &[], root: &root }, &mut tests);
        }
        let errors = wire.errors.into_iter().map(Problem::from).collect();
        Ok(Self { version: wire.config.version, root, tests, errors })
    }
}

/// The report that starts at the first line with an opening brace from which one can be read.
fn after_noise(bytes: &[u8]) -> Option<wire::Report> {
    let mut rest = bytes;
    // A few tries only: a log may hold any number of such lines.
    for _ in 0..8 {
        let at = rest.windows(2).position(|pair| pair == b"\n{")?;
        rest = rest.get(at + 1..)?;
        let mut documents = serde_json::Deserializer::from_slice(rest).into_iter::<wire::Report>();
        if let Some(Ok(report)) = documents.next()
            && report.suites.is_some()
        {
            return Some(report);
        }
    }
    None
}

/// Where the walk through the suites is.
struct Path<'a> {
    titles: &'a [String],
    lines: &'a [u32],
    root: &'a Utf8Path,
}

/// Adds the tests of `suite`; as deep as the JSON parser lets suites nest, which is bounded.
fn collect(suite: wire::Suite, path: &Path<'_>, tests: &mut Vec<Test>) {
    for spec in suite.specs {
        for test in spec.tests {
            tests.push(Test {
                titles: path.titles.iter().chain([&spec.title]).cloned().collect(),
                file: path.root.join(&spec.file),
                line: spec.line,
                describe_lines: path.lines.to_vec(),
                project: test.project_name,
                status: match test.status.as_str() {
                    "expected" => Status::Expected,
                    "unexpected" => Status::Unexpected,
                    "flaky" => Status::Flaky,
                    _ => Status::Skipped,
                },
                expected_to_fail: test.expected_status == "failed",
                attempts: test.results.into_iter().map(Attempt::from).collect(),
            });
        }
    }
    for inner in suite.suites {
        let titles: Vec<_> = path.titles.iter().chain([&inner.title]).cloned().collect();
        let lines: Vec<_> = path.lines.iter().chain([&inner.line]).copied().collect();
        collect(inner, &Path { titles: &titles, lines: &lines, root: path.root }, tests);
    }
}

impl From<wire::Outcome> for Attempt {
    fn from(wire: wire::Outcome) -> Self {
        let (stack, thrown) = wire.error.map_or((None, None), |error| (error.stack, error.location));
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
            location: wire.error_location.or(thrown),
            attachments: wire.attachments,
        }
    }
}

impl From<wire::Problem> for Problem {
    fn from(wire: wire::Problem) -> Self {
        let message = wire.message.or(wire.value).unwrap_or_default();
        Self { message: cut(message), location: wire.location }
    }
}

/// `text`, at most [`MESSAGE_CAP`] bytes of it.
fn cut(mut text: String) -> String {
    let end = text.floor_char_boundary(MESSAGE_CAP);
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"{
      "config": { "rootDir": "/p/tests", "version": "1.65.1", "new": { "x": [1] } },
      "suites": [{ "title": "a.spec.ts", "file": "a.spec.ts", "line": 0, "column": 0,
        "specs": [{ "title": "red", "file": "a.spec.ts", "line": 2, "tests": [{ "projectName": "chromium",
          "expectedStatus": "passed", "status": "unexpected", "results": [{ "status": "timedOut", "duration": 12.5,
            "retry": 0, "error": { "message": "m", "stack": "Error: m\n    at /p/pages/x.ts:4:29" },
            "errors": [{ "message": "m" }, { "value": "'thrown'" }],
            "errorLocation": { "file": "/p/pages/x.ts", "line": 4, "column": 29 },
            "attachments": [{ "name": "trace", "contentType": "application/zip", "path": "/o/trace.zip" },
                            { "name": "shot", "contentType": "image/png", "body": "AAAA" }] }] }] }],
        "suites": [{ "title": "group", "file": "a.spec.ts", "line": 6, "specs": [{ "title": "one", "line": 8,
          "file": "a.spec.ts", "tests": [{ "status": "flaky", "results": [{ "status": "failed" }, { "status": "passed" }] }] }] }] }],
      "errors": [{ "message": "Error: No tests found" }]
    }"#;

    #[test]
    fn tests_are_found_at_every_depth_with_what_they_left_behind() {
        let report = Report::parse(REPORT.as_bytes()).unwrap();
        let [red, one] = report.tests.as_slice() else { panic!("{report:?}") };
        assert_eq!((red.file.as_str(), red.line, red.project.as_str()), ("/p/tests/a.spec.ts", 2, "chromium"));
        assert_eq!((red.status, red.passed()), (Status::Unexpected, false));
        let attempt = red.first().unwrap();
        assert_eq!((attempt.status, attempt.duration), (AttemptStatus::TimedOut, Duration::from_micros(12_500)));
        assert_eq!(attempt.attached("trace"), Some("/o/trace.zip"));
        assert_eq!(attempt.attached("shot"), None);
        assert_eq!(attempt.errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>(), ["m", "'thrown'"]);
        assert_eq!(attempt.location, Some(Location { file: "/p/pages/x.ts".into(), line: 4, column: 29 }));
        assert!(attempt.stack.as_ref().is_some_and(|stack| stack.contains("x.ts:4:29")));
        assert_eq!(one.titles, ["group", "one"]);
        assert!(one.is_at_line(6) && one.is_at_line(8) && !one.is_at_line(2));
        assert_eq!((one.status, one.attempts.len(), one.passed()), (Status::Flaky, 2, false));
        assert_eq!(report.errors.len(), 1);
    }

    #[test]
    fn a_redirected_report_is_found_behind_other_output() {
        let plain = Report::parse(REPORT.as_bytes()).unwrap();
        let with_bom = [b"\xef\xbb\xbf".as_slice(), REPORT.as_bytes()].concat();
        let noisy = format!("[WebServer] listening\n{{\"level\":30}}\n{REPORT}\nbye\n");
        let utf_16: Vec<u8> =
            "\u{feff}".encode_utf16().chain(REPORT.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        for bytes in [with_bom.as_slice(), noisy.as_bytes(), &utf_16] {
            assert_eq!(Report::parse(bytes).unwrap(), plain);
        }
    }

    #[test]
    fn what_is_no_report_is_refused() {
        for text in ["", "<html>", "[]", "{\"suites\": 3}", "\n{\n{\n{", REPORT.split_at(400).0] {
            assert!(matches!(Report::parse(text.as_bytes()), Err(ReportError::NotJson(_))), "{text}");
        }
        assert!(matches!(Report::parse(b"{}"), Err(ReportError::NoSuites)));
        let deep = format!("{{\"suites\":{}", "[{\"suites\":".repeat(10_000));
        assert!(Report::parse(deep.as_bytes()).is_err());
    }

    proptest::proptest! {
        #[test]
        fn a_damaged_report_is_read_or_refused(at in 0..REPORT.len(), byte: u8, cut in 0..REPORT.len()) {
            let mut bytes = REPORT.as_bytes().to_vec();
            bytes[at] = byte;
            drop(Report::parse(&bytes));
            proptest::prop_assert!(Report::parse(REPORT.as_bytes().split_at(cut).0).is_err());
        }
    }

    #[test]
    fn a_huge_message_is_cut_between_characters() {
        let text = format!(r#"{{"suites":[],"errors":[{{"message":"{}"}}]}}"#, "ü".repeat(MESSAGE_CAP));
        let report = Report::parse(text.as_bytes()).unwrap();
        assert!(report.errors.iter().all(|error| error.message.len() <= MESSAGE_CAP && !error.message.is_empty()));
    }
}
