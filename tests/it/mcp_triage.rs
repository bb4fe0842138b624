//! `triage_report` of the MCP server: a red suite by root cause, from reports of every kind.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::mcp::server;
use crate::support::{Project, Ran};

#[test]
fn a_red_suite_is_read_into_root_causes() {
    let project = Project::copy("demo");
    let timeout =
        "TimeoutError: locator.click: Timeout 2000ms exceeded.\nCall log:\n  - waiting for locator('#save')\n";
    let value = "Error: expect(locator).toHaveText(expected) failed\n\nLocator:  locator('h1')\nExpected: \"2\"\n\
                 Received: \"3\"\nTimeout:  2000ms\n\nCall log:\n  - Expect \"toHaveText\" with timeout 2000ms\n  - waiting for \
                 locator('h1')\n    5 × locator resolved to <h1>3</h1>\n      - unexpected value \"3\"\n";
    let spec = |line: u32, error: &str, at: u32| {
        let location = json!({ "file": project.path("tests/signup.spec.ts"), "line": at, "column": 3 });
        let error = json!({ "message": error, "location": location });
        let result = json!({ "status": "failed", "retry": 0, "duration": 10, "errors": [error] });
        let test =
            json!({ "projectName": "", "expectedStatus": "passed", "status": "unexpected", "results": [result] });
        let title = format!("case {line}");
        json!({ "title": title, "file": "signup.spec.ts", "line": line, "column": 1, "ok": false, "tests": [test] })
    };
    let suite = json!({ "title": "signup.spec.ts", "file": "signup.spec.ts", "line": 0, "column": 0,
        "specs": [spec(3, timeout, 7), spec(13, timeout, 7), spec(23, value, 24)] });
    let config = json!({ "version": "1.65.1", "rootDir": project.path("tests") });
    project.write("results.json", &json!({ "config": config, "suites": [suite], "errors": [] }).to_string());
    let mut talk = server(&project, &[]);
    let answer = talk.call("triage_report", &json!({ "reports": ["results.json"] }));
    assert_eq!(
        (&answer["result"]["totals"]["failed"], &answer["result"]["folder"]),
        (&json!(3), &json!("")),
        "{answer}"
    );
    let items = answer["items"].as_array().expect("groups");
    let seen: Vec<_> = items.iter().map(|group| (group["outcome"].as_str(), group["tests"].as_u64())).collect();
    assert_eq!(seen, [(Some("candidate"), Some(2)), (Some("escalated"), Some(1))], "{answer}");
    assert_eq!(items[0]["members"][0]["line"], 3, "{answer}");
    assert_eq!(talk.refused("triage_report", &json!({ "reports": [] })), "bad_arguments");
    assert_eq!(talk.refused("triage_report", &json!({ "reports": ["package.json"] })), "blocked");
}

/// Shards of a suite that needs no browser, each with its blob report in `blobs` below the project.
fn shards(project: &Project) {
    project.write("playwright.config.ts", "export default { testDir: 'tests' };\n");
    let timeout =
        "TimeoutError: locator.click: Timeout 2000ms exceeded.\\nCall log:\\n  - waiting for locator('#save')\\n";
    for name in ["a", "b"] {
        let body = format!("const error = new Error(\"{timeout}\");\n  error.name = 'TimeoutError';\n  throw error;");
        let test = format!("import {{ test }} from '@playwright/test';\n\ntest('{name}', () => {{\n  {body}\n}});\n");
        project.write(&format!("tests/{name}.spec.ts"), &test);
    }
    fs::remove_file(project.path("tests/signup.spec.ts")).expect("the demo's own test");
    for shard in 1..=2 {
        let like = project.relocator(std::iter::empty::<&str>());
        let mut playwright = Command::new(project.path("node_modules/.bin/playwright"));
        playwright.args(["test", "--reporter=blob", "--workers=1", &format!("--shard={shard}/2")]);
        playwright.current_dir(project.root()).env_clear();
        playwright.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        playwright.env("PLAYWRIGHT_BLOB_OUTPUT_FILE", project.path(&format!("blobs/{shard}.zip")));
        let ran = Ran::from(playwright.output().expect("Playwright starts"));
        assert_eq!(ran.code, Some(1), "{ran}");
    }
}

#[test]
fn the_blob_reports_of_all_shards_are_one_report() {
    let project = Project::copy("demo");
    shards(&project);
    let mut talk = server(&project, &[]);
    let answer = talk.call("triage_report", &json!({ "reports": ["blobs"] }));
    let result = &answer["result"];
    assert_eq!((&result["totals"]["failed"], &result["folder"]), (&json!(2), &json!("")), "{answer}");
    let files: Vec<&Value> = answer["items"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|group| group["files"].as_array())
        .flatten()
        .collect();
    assert_eq!(files.len(), 2, "{answer}");
    let left = fs::read_dir(project.path(".relocator")).expect("our folder").flatten();
    let left: Vec<_> =
        left.map(|entry| entry.file_name()).filter(|name| name.to_string_lossy().contains("temp")).collect();
    assert_eq!(left, Vec::<std::ffi::OsString>::new(), "what was unpacked is gone");

    assert_eq!(talk.refused("triage_report", &json!({ "reports": ["tests"] })), "wrong_kind");
    fs::write(project.folder().join("secret.zip"), "x").expect("a file outside");
    symlink("../../secret.zip", project.path("blobs/3.zip")).expect("a link out");
    assert_eq!(talk.refused("triage_report", &json!({ "reports": ["blobs"] })), "outside_root");
}
