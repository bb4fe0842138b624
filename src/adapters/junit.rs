//! Reads JUnit XML, as Playwright and tools like it write it, into the same tests as the JSON report.
//!
//! A test case says less than a report: its file, its title, the text of its failure. The line and the folder of the suite
//! are taken from that text. Tolerant of everything but broken XML; all of it is untrusted.

use std::borrow::Cow;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::adapters::playwright::report::{Attachment, Attempt, AttemptStatus, Problem, Report, Status, Test};
use crate::domain::failure::frames;

/// What stands between titles.
const ARROW: &str = " › ";

/// Longest text that is kept of one element, in bytes.
const TEXT: usize = 64 * 1024;

/// Why a file is no JUnit report.
#[derive(Debug, thiserror::Error)]
pub enum JUnitError {
    /// The XML is broken.
    #[error("not an XML document")]
    Xml(#[source] quick_xml::Error),
    /// XML of another kind.
    #[error("not a JUnit report: it has no `testsuite`")]
    NoSuite,
}

/// Where the reader is.
#[derive(Debug, Default)]
struct Walk {
    /// Names and host names of the suites around, outermost first.
    suites: Vec<(String, String)>,
    test: Option<Test>,
    /// The element whose text is read.
    element: String,
    text: String,
    found: bool,
    tests: Vec<Test>,
}

/// Reads a report.
///
/// # Errors
/// It is no XML, or no JUnit report.
pub fn parse(bytes: &[u8]) -> Result<Report, JUnitError> {
    let mut reader = Reader::from_reader(bytes);
    reader.config_mut().expand_empty_elements = true;
    let mut walk = Walk::default();
    let mut buffer = Vec::new();
    loop {
        match reader.read_event_into(&mut buffer).map_err(JUnitError::Xml)? {
            Event::Start(element) => walk.start(&element),
            Event::End(element) => walk.end(&String::from_utf8_lossy(element.name().as_ref())),
            Event::Text(text) => walk.text(&String::from_utf8_lossy(&text)),
            Event::CData(text) => walk.text(&String::from_utf8_lossy(&text)),
            Event::GeneralRef(name) => walk.text(&entity(&String::from_utf8_lossy(&name))),
            Event::Eof => break,
            _ => {}
        }
        buffer.clear();
    }
    if !walk.found {
        return Err(JUnitError::NoSuite);
    }
    let root = walk.tests.iter().find_map(root_of).unwrap_or_default();
    for test in &mut walk.tests {
        test.file = root.join(&test.file);
    }
    Ok(Report { root, tests: walk.tests, ..Report::default() })
}

impl Walk {
    fn start(&mut self, element: &BytesStart<'_>) {
        let name = String::from_utf8_lossy(element.name().as_ref()).into_owned();
        match name.as_str() {
            "testsuite" => {
                self.found = true;
                self.suites.push((attribute(element, "name"), attribute(element, "hostname")));
            }
            "testcase" => self.test = Some(self.case(element)),
            "failure" | "error" | "rerunFailure" | "rerunError" | "flakyFailure" | "flakyError" => self.failed(&name),
            "skipped" => {
                if let Some(test) = &mut self.test {
                    test.status = Status::Skipped;
                    test.attempts = vec![Attempt { status: AttemptStatus::Skipped, ..Attempt::default() }];
                }
            }
            _ => {}
        }
        self.element = name;
        self.text.clear();
    }

    fn case(&self, element: &BytesStart<'_>) -> Test {
        let (suite, host) = self.suites.last().cloned().unwrap_or_default();
        let file = Some(attribute(element, "classname")).filter(|name| !name.is_empty()).unwrap_or(suite);
        let seconds = attribute(element, "time").parse().unwrap_or(0.0);
        Test {
            titles: attribute(element, "name").split(ARROW).map(str::to_owned).collect(),
            file: Utf8PathBuf::from(file),
            project: host,
            status: Status::Expected,
            attempts: vec![Attempt {
                status: AttemptStatus::Passed,
                duration: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
                ..Attempt::default()
            }],
            ..Test::default()
        }
    }

    /// A failing attempt of the test begins.
    fn failed(&mut self, element: &str) {
        let Some(test) = &mut self.test else { return };
        let flaky = element.starts_with("flaky");
        test.status = if flaky { Status::Flaky } else { Status::Unexpected };
        let attempt = Attempt { status: AttemptStatus::Failed, ..Attempt::default() };
        if flaky {
            // The passing attempt is the last.
            let at = test.attempts.len().saturating_sub(1);
            test.attempts.insert(at, attempt);
        } else if element.starts_with("rerun") {
            test.attempts.push(attempt);
        } else if let Some(first) = test.attempts.first_mut() {
            first.status = AttemptStatus::Failed;
        }
    }

    fn text(&mut self, text: &str) {
        if self.text.len() < TEXT {
            self.text.push_str(text);
        }
    }

    fn end(&mut self, name: &str) {
        let text = std::mem::take(&mut self.text);
        match name {
            "testsuite" => drop(self.suites.pop()),
            "testcase" => self.tests.extend(self.test.take()),
            "failure" | "error" | "stackTrace" if self.element == name => self.message(&text),
            "system-out" => self.files(&text),
            _ => {}
        }
    }

    /// The text of the failing attempt that began last.
    fn message(&mut self, message: &str) {
        let Some(test) = &mut self.test else { return };
        let (line, message) = without_header(message, test.file.as_str());
        if test.line == 0 {
            test.line = line.unwrap_or_default();
        }
        let message = message.to_owned();
        let failing = test.attempts.iter_mut().rev().find(|attempt| attempt.status == AttemptStatus::Failed);
        if let Some(attempt) = failing {
            attempt.errors.push(Problem { message, location: None });
        }
    }

    /// Files that the test left behind, as Playwright prints them: `[[ATTACHMENT|path]]`.
    fn files(&mut self, text: &str) {
        let Some(test) = &mut self.test else { return };
        let paths = text.split("[[ATTACHMENT|").skip(1).filter_map(|rest| Some(rest.split_once("]]")?.0));
        let files = paths.filter_map(|path| {
            let (name, content_type) = if path.ends_with("trace.zip") {
                ("trace", "application/zip")
            } else if Utf8Path::new(path).extension() == Some("png") {
                ("screenshot", "image/png")
            } else {
                return None;
            };
            Some(Attachment {
                name: name.to_owned(),
                content_type: content_type.to_owned(),
                path: Some(path.to_owned()),
            })
        });
        let files: Vec<_> = files.collect();
        if let Some(attempt) = test.attempts.iter_mut().find(|attempt| attempt.status == AttemptStatus::Failed) {
            attempt.attachments.extend(files);
        }
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> String {
    let found = element.attributes().flatten().find(|attribute| attribute.key.as_ref() == name.as_bytes());
    found
        .and_then(|attribute| attribute.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned))
        .unwrap_or_default()
}

/// The text of `&name;`.
fn entity(name: &str) -> String {
    let number = name.strip_prefix('#').and_then(|digits| match digits.strip_prefix('x') {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok(),
        None => digits.parse().ok(),
    });
    if let Some(c) = number.and_then(char::from_u32) {
        return c.to_string();
    }
    quick_xml::escape::resolve_xml_entity(name).unwrap_or_default().to_owned()
}

/// A failure without its first line where that only names the test, `[chromium] › cart.spec.ts:13:7 › cart › empties`, and
/// the line of the test in it.
fn without_header<'m>(message: &'m str, file: &str) -> (Option<u32>, &'m str) {
    let text = message.trim_start_matches(['\n', '\r']);
    let (header, rest) = text.split_once('\n').unwrap_or((text, ""));
    let line = header.split_once(&format!("{file}:")).and_then(|(_, rest)| {
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    });
    if line.is_some() && header.contains(ARROW.trim()) { (line, rest) } else { (line, message) }
}

/// The folder that the file of `test` is relative to, where a frame of its stack lies in that file.
fn root_of(test: &Test) -> Option<Utf8PathBuf> {
    let end = format!("/{}", test.file);
    let texts = test.attempts.iter().flat_map(|attempt| &attempt.errors);
    texts
        .flat_map(|error| frames(&error.message))
        .find_map(|frame| frame.file.replace('\\', "/").strip_suffix(&end).map(Utf8PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::{JUnitError, parse};
    use crate::adapters::playwright::report::Status;

    const REPORT: &str = r#"<testsuites id="" name="" tests="3" failures="1">
<testsuite name="cart.spec.ts" timestamp="2026-11-30T11:43:27.688Z" hostname="chromium" tests="3" failures="1">
<testcase name="cart › goes on &amp; on" classname="cart.spec.ts" time="2.5">
<failure message="cart.spec.ts:13:7 goes on" type="FAILURE">
<![CDATA[  [chromium] › cart.spec.ts:13:7 › cart › goes on & on ─────

    TimeoutError: locator.click: Timeout 2500ms exceeded.
    Call log:
      - waiting for locator('.btn')

        at CartPage.checkout (/repo/pages/cart-page.ts:12:60)
        at /repo/tests/cart.spec.ts:14:30
]]>
</failure>
<system-out>
<![CDATA[
[[ATTACHMENT|../test-results/cart/trace.zip]]

[[ATTACHMENT|../test-results/cart/test-failed-1.png]]
]]>
</system-out>
</testcase>
<testcase name="cart › is flaky" classname="cart.spec.ts" time="1">
<flakyFailure message="m" type="t" time="1"><stackTrace>Error: a &lt; b</stackTrace></flakyFailure>
</testcase>
<testcase name="cart › later" classname="cart.spec.ts" time="0"><skipped/></testcase>
</testsuite>
</testsuites>"#;

    #[test]
    fn a_test_case_says_its_file_its_line_and_its_failure() {
        let report = parse(REPORT.as_bytes()).unwrap();
        let [red, flaky, skipped] = report.tests.as_slice() else { panic!("{report:?}") };
        assert_eq!((red.file.as_str(), red.line), ("/repo/tests/cart.spec.ts", 13));
        assert_eq!((red.titles.join("|"), red.project.as_str()), ("cart|goes on & on".to_owned(), "chromium"));
        assert_eq!((red.status, flaky.status, skipped.status), (Status::Unexpected, Status::Flaky, Status::Skipped));
        let attempt = red.first().unwrap();
        let message = &attempt.errors[0].message;
        assert!(message.contains("waiting for locator('.btn')") && !message.contains('›'), "{message}");
        assert_eq!(attempt.attached("trace"), Some("../test-results/cart/trace.zip"));
        assert_eq!(flaky.attempts.len(), 2);
        assert_eq!(flaky.attempts[0].errors[0].message, "Error: a < b");
    }

    #[test]
    fn what_is_no_junit_report_is_refused() {
        assert!(matches!(parse(b"<html><body/></html>"), Err(JUnitError::NoSuite)));
        assert!(matches!(parse(b"<testsuites><testsuite"), Err(JUnitError::Xml(_))));
        assert!(matches!(parse(b"no xml"), Err(JUnitError::NoSuite)));
    }
}
