//! `relocator heal` on copies of the fixture projects, with the real Playwright and a real browser: each ends as its
//! `expected.json` says, changes what it may change and nothing else, and leaves no process behind.

use std::fs;

use serde_json::Value;

use crate::support::{Change, Project, Table, browser_turn, every_fixture_project, survivors};

/// The README's table of fixtures and outcomes.
const FIXTURES: Table = Table {
    name: "fixtures-table",
    columns: &["fixture", "what is wrong", "outcome", "reason", "the line afterwards"],
};

fn check(name: &str) {
    let _turn = browser_turn();
    let project = Project::copy(name);
    let expected = &project.expected;
    let before = project.tree();
    let ran = project.run(["heal", &expected.test, "--json"]);
    let after = project.tree();
    let document = ran.json();

    let seen = (text(&document, "outcome"), text(&document, "reason"));
    assert_eq!(seen.0, expected.outcome, "{name}: the outcome, reason {:?}\n{ran}", seen.1);
    if let Some(reason) = &expected.reason {
        assert_eq!(&seen.1, reason, "{name}: the reason\n{ran}");
    }
    assert_eq!(ran.code, Some(exit_code(&seen.0)), "{name}: the exit code\n{ran}");
    assert_eq!(before.changes(&after), allowed_change(&project), "{name}: what changed in the project\n{ran}");
    assert_eq!(survivors(project.folder()), Vec::<String>::new(), "{name}: processes that outlived the run");
    check_proofs(name, &seen.0, &document);
    let behind: Vec<String> =
        document["further"].as_array().expect("further causes").iter().map(|cause| text(cause, "outcome")).collect();
    let expected_behind: Vec<&String> = expected.behind.iter().map(|behind| &behind.outcome).collect();
    assert_eq!(behind.iter().collect::<Vec<_>>(), expected_behind, "{name}: the root causes behind the first\n{ran}");

    let lines: Vec<String> =
        allowed_change(&project).iter().map(|change| format!("`{}`", change.after.trim())).collect();
    let line = if lines.is_empty() { "unchanged".to_owned() } else { lines.join("<br>") };
    FIXTURES.check(name, &[format!("`{name}`"), expected.note.clone(), seen.0, format!("`{}`", seen.1), line]);
}

/// The changes that a project's outcome allows: the expected lines when it is healed, none otherwise.
fn allowed_change(project: &Project) -> Vec<Change> {
    if project.expected.outcome != "healed" {
        return Vec::new();
    }
    let repairs = project.expected.repairs();
    assert!(!repairs.is_empty(), "a healed fixture says its line before and after");
    repairs
}

/// The exit code that the product promises for an outcome.
fn exit_code(outcome: &str) -> i32 {
    match outcome {
        "healed" => 0,
        "blocked" => 3,
        _ => 1,
    }
}

/// `healed` is never said without the runs that prove it, each with its command, its exit status and its duration.
fn check_proofs(name: &str, outcome: &str, document: &Value) {
    let attempts =
        document["attempts"].as_array().unwrap_or_else(|| panic!("{name}: no list of attempts in {document:#}"));
    for attempt in attempts {
        assert!(attempt["duration_ms"].is_f64(), "{name}: an attempt without its duration: {attempt:#}");
        assert!(
            attempt["command"].to_string().contains("playwright"),
            "{name}: an attempt without its command: {attempt:#}"
        );
    }
    let ran = |purpose: &str, edited: bool, exit: i32| {
        attempts.iter().any(|run| run["purpose"] == purpose && run["edited"] == edited && run["exit"] == exit)
    };
    if outcome == "healed" {
        assert!(ran("reproduce", false, 1), "{name}: healed without a red run of the old line: {document:#}");
        assert!(ran("run", true, 0), "{name}: healed without a green run of the new line: {document:#}");
        let further = document["further"].as_array().into_iter().flatten();
        for cause in std::iter::once(document).chain(further) {
            for proof in ["reproduced", "passed_twice", "right_element"] {
                assert_eq!(cause["proofs"][proof]["result"], "held", "{name}: {proof}: {document:#}");
            }
        }
    }
    assert!(document["schema_version"].is_string(), "{name}: no schema_version");
    assert!(document["stages_ms"].is_object(), "{name}: no milliseconds per stage");
}

fn text(document: &Value, field: &str) -> String {
    document[field].as_str().unwrap_or_else(|| panic!("no text {field:?} in {document:#}")).to_owned()
}

every_fixture_project!();

#[test]
fn readme_table_has_one_row_for_each_fixture_project() {
    FIXTURES.check_keys(&Project::names());
}

#[test]
fn a_dry_run_proposes_the_diff_and_leaves_the_users_own_results_alone() {
    let _turn = browser_turn();
    let project = Project::copy("demo");
    fs::create_dir(project.path("test-results")).expect("a folder of results");
    project.write("test-results/of-yesterday.txt", "kept");
    let before = project.tree();
    let ran = project.run(["heal", &project.expected.test, "--dry-run", "--json"]);
    let document = ran.json();
    assert_eq!((text(&document, "outcome"), text(&document, "reason")), ("proposed".into(), "dry_run".into()), "{ran}");
    assert_eq!(ran.code, Some(1), "{ran}");
    assert_eq!(before.changes(&project.tree()), [], "{ran}");
    let diff = text(&document, "diff");
    for (sign, line) in [("-", &project.expected.line_before), ("+", &project.expected.line_after)] {
        let line = format!("{sign}{}", line.as_deref().expect("the demo says its lines"));
        assert!(diff.lines().any(|of_diff| of_diff == line), "no {line:?} in {diff}");
    }
}

#[test]
fn the_demo_prints_the_documented_transcript_and_its_line_ends_byte_order_mark_and_repository_stay_as_they_are() {
    let _turn = browser_turn();
    let project = Project::copy("demo");
    let foreign = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let (before, after) = (project.expected.line_before.as_deref(), project.expected.line_after.as_deref());
    let original = project.read("tests/signup.spec.ts");
    let repaired = original.replace(before.expect("the line before"), after.expect("the line after"));
    project.write("tests/signup.spec.ts", &foreign(&original));
    project.git_init();
    let ran = project.run(["heal", &project.expected.test]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let mut lines = ran.stdout.lines();
    for start in [
        "Gate 1: locator_timeout — eligible (",
        "→ read_file(\"tests/signup.spec.ts\") ✓",
        "→ inspect_dom ✓ ",
        "→ edit_file(\"tests/signup.spec.ts:6\")",
        "  - await page.locator('#submit-btn').click();",
        "  + await page.getByTestId('submit-btn').click();",
        "  Gate 2 ✓",
        "→ run_test 1/3: PASSED (",
        "Result: healed after 1 run",
    ] {
        assert!(lines.any(|line| line.starts_with(start)), "no line {start:?} where it belongs: {ran}");
    }
    assert_eq!(project.read("tests/signup.spec.ts"), foreign(&repaired), "{ran}");
    let status = project.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert_eq!(status, " M tests/signup.spec.ts\n", "{ran}");
    assert_eq!(project.git(&["diff", "--numstat"]), "1\t1\ttests/signup.spec.ts\n", "{ran}");
}

#[test]
fn a_test_of_a_monorepo_is_healed_from_another_package() {
    let _turn = browser_turn();
    let project = Project::copy("monorepo");
    let before = project.tree();
    let ran = project.run_in("packages/api", ["heal", "../web/tests/board.spec.ts:3"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(before.changes(&project.tree()), allowed_change(&project), "{ran}");
}
