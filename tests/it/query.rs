//! `relocator query` over recorded traces: what it prints, in every form, and how it ends.

use assert_cmd::Command;
use serde_json::{Value, json};

const TRACE: &str = "fixtures/traces/1.65.1/stale-click.zip";
const FRAMES: &str = "fixtures/traces/1.65.1/stale-in-frame.zip";

fn query(args: &[&str], stdin: &str) -> (String, String, Option<i32>) {
    let output = Command::cargo_bin("relocator")
        .unwrap()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .arg("query")
        .args(args)
        .write_stdin(stdin)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

#[test]
fn a_person_sees_counts_elements_and_the_broken_link() {
    let (stdout, stderr, code) = query(
        &[
            TRACE,
            "getByRole('textbox', { name: 'Email' })",
            "locator('form').getByRole('button', { name: 'Nope' })",
            "a[",
        ],
        "",
    );
    assert_eq!(
        stdout,
        "getByRole('textbox', { name: 'Email' }): 1\n  <input id=\"email\" type=\"email\">  textbox \"Email\"\n\
         locator('form').getByRole('button', { name: 'Nope' }): 0\n  locator('form') matches 1\n  \
         getByRole('button', { name: 'Nope' }) matches 0\n\
         a[: invalid: an attribute's name is missing\n"
    );
    assert_eq!((stderr.as_str(), code), ("error: `a[` is no locator: an attribute's name is missing\n", Some(2)));
}

#[test]
fn each_json_line_is_answered_by_one() {
    let questions = [
        json!({ "id": 7, "locator": "getByLabel('Email')" }),
        json!({ "id": "internal", "locator": "internal:role=heading >> nth=0" }),
        json!({ "id": "unknown", "locator": "locator('h1:hover')" }),
        json!({ "id": "invalid", "locator": "locator('a['" }),
        json!({ "no": "locator" }),
    ];
    let stdin: String = questions.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let (stdout, _, code) = query(&[TRACE, "--jsonl", "--by", "id"], &stdin);
    let answers: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), questions.len(), "{stdout}");
    assert_eq!(answers[0], json!({ "id": 7, "count": 1, "elements": ["email"] }));
    assert_eq!(answers[1], json!({ "id": "internal", "count": 1, "elements": [null] }));
    assert!(answers[2]["unknown"].is_string() && answers[2].get("count").is_none());
    assert!(answers[3]["invalid"].is_string() && answers[4]["invalid"].is_string());
    assert_eq!(code, Some(0));
}

#[test]
fn one_document_tells_role_name_and_visibility() {
    let (stdout, _, _) = query(&[TRACE, "--json", "h1"], "");
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(document["schema_version"], "1.0");
    let element = &document["results"][0]["elements"][0];
    assert_eq!((&element["role"], &element["name"]), (&json!("heading"), &json!("Changed")));
    assert_eq!((&element["hidden"], &element["visibility"]), (&json!(false), &json!("visible")));
}

#[test]
fn frames_are_reached_by_locator_and_by_option() {
    let (by_locator, _, _) = query(&[FRAMES, "frameLocator('iframe').locator('html')"], "");
    assert!(by_locator.starts_with("frameLocator('iframe').locator('html'): 1\n"), "{by_locator}");
    let (_, stderr, code) = query(&[FRAMES, "--frame", "no-such-frame", "html"], "");
    assert!(stderr.contains("no frame `no-such-frame`") && code == Some(2), "{stderr}");
}

#[test]
fn what_cannot_be_asked_ends_with_its_own_code() {
    for (args, expected) in [
        (vec![TRACE], 2),
        (vec![TRACE, "h1", "--action", "9999"], 2),
        (vec![TRACE, "h1", "--action", "first"], 2),
        (vec!["fixtures/traces/README.md", "h1"], 3),
        (vec!["no-such-file.zip", "h1"], 2),
    ] {
        let (stdout, stderr, code) = query(&args, "");
        assert_eq!((code, stdout.as_str()), (Some(expected), ""), "{args:?}: {stderr}");
        assert!(stderr.starts_with("error: "), "{stderr}");
    }
}
