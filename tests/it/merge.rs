//! `relocator merge` on runs as other machines left them, also such as no relocator would have made.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Project, Ran};

const SPEC: &str = "tests/signup.spec.ts";
const BRANCH: &str = "relocator/repairs";
const STALE: &str = "  await page.locator('#submit-btn').click();";
const RIGHT: &str = "  await page.getByTestId('submit-btn').click();";

fn project() -> Project {
    let project = Project::copy("demo");
    project.git_init();
    project.git(&["branch", "--move", "main"]);
    project.git(&["config", "user.name", "Ada"]);
    project.git(&["config", "user.email", "ada@example.com"]);
    project
}

/// A group that was healed by this line for that one.
fn healed(id: &str, file: &str, line: usize, before: &str, after: &str) -> Value {
    json!({
        "id": id, "outcome": "healed", "category": "locator_timeout", "signature": "action_no_match", "headline": id,
        "why": "", "look_at": [], "tests": 1, "files": [file], "projects": [], "members": [], "members_left_out": 0,
        "locator": null, "at": { "file": file, "line": line, "column": null }, "message": "", "milliseconds": 1,
        "evidence": { "url": null, "console": [], "requests": [], "trace": null, "picture": null },
        "repair": {
            "applied": true, "reason": "proven", "sentence": "the same element", "file": file, "line": line, "before": before,
            "after": after, "diff": null,
            "proofs": [{ "name": "passed_twice", "result": "held", "seen": "passed twice" }], "picture": null, "candidates": [], "runs": [], "model": null, "milliseconds": 1
        }
    })
}

/// The folder of a run with these groups, made at `head`; killed where that is none.
fn run(project: &Project, name: &str, head: Option<&str>, groups: &[Value]) -> String {
    let folder = project.folder().join(name);
    fs::create_dir(&folder).expect("a folder");
    let document = json!({
        "schema_version": "1.0", "tool": { "name": "relocator", "version": "0" }, "reports": 1, "playwright": [],
        "totals": { "tests": 9, "passed": 0, "failed": 9, "flaky": 0, "skipped": 0, "not_run": 0 },
        "groups": groups, "notes": [], "redactions": 0
    });
    fs::write(folder.join("suite.json"), document.to_string()).expect("written");
    if let Some(head) = head {
        fs::write(folder.join("run.json"), json!({ "git_head": head }).to_string()).expect("written");
    }
    folder.to_str().expect("a path").to_owned()
}

fn merged(project: &Project, runs: &[&str]) -> Ran {
    project.run([&["merge"], runs, &["--json", "--branch", BRANCH]].concat())
}

fn outcomes(ran: &Ran) -> Vec<(String, String)> {
    let document = ran.json();
    let groups = document["groups"].as_array().unwrap_or_else(|| panic!("{ran}"));
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    groups.iter().map(|group| (text(&group["id"]), text(&group["outcome"]))).collect()
}

#[test]
fn what_no_gate_would_let_pass_is_not_committed_whoever_says_that_it_was_healed() {
    let project = project();
    let head = project.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let url = "  await page.goto('/signup');";
    let first = healed("first", SPEC, 6, STALE, RIGHT);
    for (name, lies) in [
        ("a statement", vec![healed("lie", SPEC, 4, url, "  await page.goto('/other');")]),
        (
            "two statements",
            vec![healed("lie", SPEC, 6, STALE, "  await page.getByTestId('submit-btn').click(); steal();")],
        ),
        (
            "no test",
            vec![healed("lie", "server.mjs", 1, project.read("server.mjs").lines().next().expect("a line"), "x()")],
        ),
        ("behind another", vec![first.clone(), healed("lie", SPEC, 6, RIGHT, "  await page.close();")]),
        ("outside", vec![healed("lie", "../remote.txt", 1, "a", "b")]),
    ] {
        let run = run(&project, name, Some(&head), &lies);
        let ran = merged(&project, &[&run]);
        if name == "outside" {
            assert!(ran.code == Some(2) && ran.says("of another project"), "{name}: {ran}");
            continue;
        }
        let lie = outcomes(&ran).into_iter().find(|(id, _)| id == "lie").expect("the group");
        assert_eq!(lie.1, "proposed", "{name}: {ran}");
        assert!(ran.code == Some(1) && ran.says("proven, but not committed"), "{name}: {ran}");
    }
    let mut unproven = first.clone();
    unproven["repair"]["proofs"] = json!([{ "name": "passed_twice", "result": "failed", "seen": "" }]);
    let ran = merged(&project, &[&run(&project, "not proven", Some(&head), &[unproven])]);
    assert!(ran.code == Some(1) && ran.says("does not show that it is proven"), "{ran}");
    let mut other = first.clone();
    other["outcome"] = "approved\n# by security".into();
    let ran = merged(&project, &[&run(&project, "other words", Some(&head), &[other])]);
    assert!(ran.code == Some(2) && ran.says("is none of relocator's"), "{ran}");
    let ran = merged(&project, &[&run(&project, "the truth", Some(&head), &[first])]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(project.git(&["diff", "--numstat", "main", BRANCH]), format!("1\t1\t{SPEC}\n"));
    assert!(project.git(&["show", &format!("{BRANCH}:{SPEC}")]).contains(RIGHT));
}

#[test]
fn runs_of_another_commit_or_project_and_what_is_no_run_are_refused_and_a_killed_ones_decisions_count() {
    let project = project();
    let head = project.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let group = healed("a", SPEC, 6, STALE, RIGHT);
    let good = run(&project, "good", Some(&head), std::slice::from_ref(&group));
    let old = run(&project, "old", Some(&"1".repeat(40)), std::slice::from_ref(&group));
    let foreign = run(&project, "foreign", Some(&head), &[healed("a", "e2e/cart.spec.ts", 6, STALE, RIGHT)]);
    let empty = project.folder().join("tmp");
    for (runs, says) in [
        ([good.as_str(), old.as_str()], format!("is of the commit {}", "1".repeat(40))),
        ([old.as_str(), good.as_str()], format!("and {head} is checked out")),
        ([good.as_str(), foreign.as_str()], "is of another project: there is no `e2e/cart.spec.ts`".to_owned()),
        ([good.as_str(), empty.to_str().expect("a path")], "with a report".to_owned()),
        ([good.as_str(), "runs-*/*"], "there is no run `runs-*/*` with a report".to_owned()),
    ] {
        let ran = merged(&project, &runs);
        assert!(ran.code == Some(2) && ran.stderr.contains(&says), "{says}: {ran}");
    }
    // An author alone is not enough, and that is said before anything is done.
    project.git(&["config", "--unset", "user.email"]);
    project.git(&["config", "user.useConfigOnly", "true"]);
    let mut command = project.relocator(["merge", &good, "--branch", BRANCH]);
    let ran = Ran::from(command.env("GIT_AUTHOR_EMAIL", "ada@example.com").output().expect("relocator"));
    assert!(ran.code == Some(2) && ran.stderr.contains("git knows no author"), "{ran}");
    project.git(&["config", "user.email", "ada@example.com"]);
    assert_eq!(project.git(&["branch", "--list", BRANCH]), "");

    let begun = |id: &str| {
        let mut begun = healed(id, SPEC, 6, STALE, RIGHT);
        begun["outcome"] = "candidate".into();
        begun["repair"] = Value::Null;
        begun
    };
    let killed = run(&project, "killed", None, &[begun("a"), begun("b")]);
    let decision = json!({ "group": "a", "run": "killed", "outcome": "healed", "repair": group["repair"] });
    let cut_off = format!("{decision}\n{{\"group\":\"b\",\"outc");
    fs::write(project.folder().join("killed/decisions.jsonl"), cut_off).expect("written");
    for runs in [[killed.as_str(), good.as_str()], [good.as_str(), killed.as_str()], [killed.as_str(), killed.as_str()]]
    {
        let ran = merged(&project, &runs);
        let decided = [("a".to_owned(), "healed".to_owned()), ("b".to_owned(), "candidate".to_owned())];
        assert_eq!(outcomes(&ran), decided, "{ran}");
    }
    assert_eq!(project.git(&["log", "--format=%s", &format!("main..{BRANCH}")]).lines().count(), 1);
}
