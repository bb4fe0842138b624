//! A red suite as JUnit XML, for dashboards: one test case for each root cause.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::suite::{Document, Group, Member};
use crate::error::Error;
use crate::ui::printable;

/// The report.
///
/// # Errors
/// A text cannot be written as XML.
pub fn junit(document: &Document) -> Result<String, Error> {
    let mut report = Report::new("relocator");
    let mut suite = TestSuite::new("root causes");
    suite.add_test_cases(document.groups.iter().map(case));
    report.add_test_suite(suite);
    report.to_string().map_err(|error| Error::internal("cannot write the JUnit report").caused_by(&error))
}

fn case(group: &Group) -> TestCase {
    let status = match group.outcome.as_str() {
        "healed" => TestCaseStatus::success(),
        "blocked" => TestCaseStatus::non_success(NonSuccessKind::Error),
        _ => TestCaseStatus::non_success(NonSuccessKind::Failure),
    };
    let mut case = TestCase::new(format!("{} {}", group.id, printable(&group.headline)), status);
    case.set_classname(format!("relocator.{}", group.category));
    case.set_time(Duration::from_millis(group.milliseconds));
    if group.outcome != "healed" {
        let sentence = group.repair.as_ref().map_or(&group.why, |repair| &repair.sentence);
        case.status.set_type(&*group.outcome);
        case.status.set_message(printable(sentence));
        let line = |(test, projects): &(&Member, Vec<&str>)| {
            let projects = if projects.is_empty() { String::new() } else { format!(" ({})", projects.join(", ")) };
            format!("{}:{} {}{projects}", test.file, test.line, test.titles.join(" › "))
        };
        let tests: Vec<String> = group.listed().iter().map(line).collect();
        case.status.set_description(format!("{}\n\n{}", printable(&tests.join("\n")), printable(&group.message)));
    }
    case
}
