//! `relocator heal` in a repository: what the application's commits say became of a locator's literal.

use crate::support::{Project, browser_turn};

const PAGE: &str = "app/issue.html";
const OLD: &str = "<button type=\"button\" class=\"loud\">Publish</button>";

/// The project with a history: first without the page, then with its old button, then as it is today.
fn with_history() -> Project {
    let project = Project::copy("other-words");
    let today = project.read(PAGE);
    let button = today.lines().find(|line| line.contains("loud\">")).expect("the button").trim().to_owned();
    project.write(PAGE, "");
    project.git_init();
    for (text, subject) in [(today.replace(&button, OLD), "The page of an issue"), (today, "Say who gets it")] {
        project.write(PAGE, &text);
        project.git(&["commit", "--quiet", "--all", "--message", subject]);
    }
    project
}

#[test]
fn a_name_without_a_word_in_common_is_healed_where_a_commit_says_what_it_became() {
    let _turn = browser_turn();
    let project = with_history();
    let ran = project.run(["heal", &project.expected.test, "--json"]);
    let document = ran.json();
    assert_eq!(document["outcome"], "healed", "{ran}");
    let spec = project.read("tests/issue.spec.ts");
    assert!(spec.contains("page.getByRole('button', { name: 'Send to the readers' }).click()"), "{spec}");
    let commit = project.git(&["log", "-1", "--format=%h"]);
    let evidence = document["evidence"][0]["evidence"].to_string();
    assert!(evidence.contains(&format!("commit {} (\\\"Say who gets it\\\"", commit.trim())), "{evidence}");
    assert_eq!(project.git(&["status", "--porcelain"]), " M tests/issue.spec.ts\n", "{ran}");
}

#[test]
fn a_step_that_a_commit_explains_stays_repaired_though_its_test_fails_behind_it_and_nothing_says_green() {
    let _turn = browser_turn();
    let project = Project::copy("hidden-bug");
    let today = project.read("app/cart.html");
    let yesterday = today.replace("data-testid=\"update-cart\"", "id=\"update-cart\"");
    project.write("app/cart.html", &yesterday);
    project.git_init();
    project.write("app/cart.html", &today);
    project.git(&["commit", "--quiet", "--all", "--message", "Say what is tested"]);
    let before = project.tree();

    let junit = project.folder().join("junit.xml");
    let junit = junit.to_str().expect("a path");
    let ran = project.run(["heal", &project.expected.test, "--json", "--junit", junit]);
    let document = ran.json();
    assert_eq!(
        (ran.code, document["outcome"].as_str(), document["reason"].as_str()),
        (Some(1), Some("escalated"), Some("not_drift")),
        "{ran}"
    );
    assert_eq!((&document["applied"], &document["further"][0]["applied"]), (&true.into(), &false.into()), "{ran}");
    assert_eq!(document["further"][0]["outcome"], "escalated", "{ran}");
    for (proof, result) in
        [("reproduced", "held"), ("passed_twice", "not_applicable"), ("right_element", "held"), ("dependents", "held")]
    {
        assert_eq!(document["proofs"][proof]["result"], result, "{ran}");
    }
    let spec = "tests/cart.spec.ts";
    let changed: Vec<_> =
        before.changes(&project.tree()).into_iter().map(|change| (change.file, change.after)).collect();
    let line = "  await page.getByTestId('update-cart').click();".to_owned();
    assert_eq!(changed, [(spec.to_owned(), line)], "{ran}");
    let xml = std::fs::read_to_string(junit).expect("the report");
    assert!(xml.contains("failures=\"1\"") && !xml.contains("failures=\"0\""), "{xml}");
    let report = project.run(["report", "--json"]).json();
    assert_eq!(
        (&report["groups"][0]["outcome"], &report["groups"][0]["repair"]["reason"]),
        (&"escalated".into(), &"step_proven".into())
    );
    assert_eq!(project.run(["report", "--fail-on", "healed"]).code, Some(0));
    let run = project.path(".relocator/runs").join(report["run"].as_str().expect("a run"));
    let patch = std::fs::read_to_string(run.join("patch.diff")).expect("a patch");
    assert!(patch.contains("+  await page.getByTestId('update-cart').click();"), "{patch}");

    assert_eq!(project.run(["undo"]).code, Some(0));
    assert_eq!(before.changes(&project.tree()), []);
}
