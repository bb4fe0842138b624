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
fn a_place_whose_path_playwright_cut_at_a_bracket_is_whole_again_or_none() {
    let report = |said: &str| REPORT.replace("/p/pages/x.ts\"", "1)/x.ts\"").replace("/p/pages/x.ts:4:29", said);
    let place = |said: &str| Report::parse(report(said).as_bytes()).unwrap().tests[0].first().unwrap().location.clone();
    let whole = Some(Location { file: "/my shop (1)/x.ts".into(), line: 4, column: 29 });
    assert_eq!(place("/my shop (1)/x.ts:4:29)"), whole);
    assert_eq!(place("open (/my shop (1)/x.ts:4:29)"), whole);
    assert_eq!(place("/p/pages/x.ts:4:29"), None);
}

#[test]
fn a_redirected_report_is_found_behind_other_output() {
    let plain = Report::parse(REPORT.as_bytes()).unwrap();
    let with_bom = [b"\xef\xbb\xbf".as_slice(), REPORT.as_bytes()].concat();
    let noisy = format!("[WebServer] listening\n{{\"level\":30}}\n{REPORT}\nbye\n");
    let utf_16: Vec<u8> = "\u{feff}".encode_utf16().chain(REPORT.encode_utf16()).flat_map(u16::to_le_bytes).collect();
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
    assert!(report.errors.iter().all(|error| error.message.len() <= MESSAGE_CAP && error.message.ends_with(CUT)));
}

#[test]
fn a_test_that_was_cut_short_or_never_began_has_not_failed() {
    let attempt = |status| Attempt { status, ..Attempt::default() };
    let test = |status, attempts: &[AttemptStatus]| Test {
        status,
        attempts: attempts.iter().map(|&status| attempt(status)).collect(),
        ..Test::default()
    };
    for (what, test, failed, unfinished) in [
        ("passed", test(Status::Expected, &[AttemptStatus::Passed]), false, false),
        ("failed", test(Status::Unexpected, &[AttemptStatus::Failed]), true, false),
        ("timed out", test(Status::Unexpected, &[AttemptStatus::TimedOut]), true, false),
        ("passed and was to fail", test(Status::Unexpected, &[AttemptStatus::Passed]), true, false),
        (
            "passed at the second attempt",
            test(Status::Flaky, &[AttemptStatus::Failed, AttemptStatus::Passed]),
            true,
            false,
        ),
        ("skipped", test(Status::Skipped, &[AttemptStatus::Skipped]), false, false),
        ("interrupted", test(Status::Unexpected, &[AttemptStatus::Interrupted]), false, true),
        ("never begun", test(Status::Skipped, &[]), false, true),
    ] {
        assert_eq!((test.failed(), test.unfinished()), (failed, unfinished), "{what}");
    }
}
