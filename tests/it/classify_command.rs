//! `relocator classify` as other programs and people use it.

use assert_cmd::Command;
use serde_json::{Value, json};

const STALE: &str = "TimeoutError: locator.click: Timeout 1500ms exceeded.\nCall log:\n  - waiting for getByRole('button', { name: 'Pay' })\n\n    at /repo/pay.spec.ts:3:7\n";

fn classify(arguments: &[&str], input: impl Into<Vec<u8>>) -> (i32, String, String) {
    let output =
        Command::cargo_bin("relocator").unwrap().arg("classify").args(arguments).write_stdin(input).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_json_line_is_answered_with_its_id() {
    let input = format!("{}\n\n{}\n", json!({"id": "a", "text": STALE}), json!({"id": 7, "text": "boom"}));
    let (code, out, err) = classify(&["--jsonl"], input);
    assert_eq!((code, err.as_str()), (0, ""));
    let answers = lines(&out);
    assert_eq!(answers.len(), 2);
    assert_eq!(
        answers[0],
        json!({
            "id": "a",
            "category": "locator_timeout",
            "signature": "action_no_match",
            "eligible": true,
            "rule": "stale-action",
            "why": "the call waited for its locator until time ran out, and the locator never matched an element",
            "locator": "getByRole('button', { name: 'Pay' })",
            "action": "click",
            "timeout_ms": 1500.0,
            "resolved": null,
            "alternatives": [],
            "site": {"file": "/repo/pay.spec.ts", "line": 3, "column": 7},
        })
    );
    assert_eq!((&answers[1]["id"], &answers[1]["eligible"]), (&json!(7), &json!(false)));
}

#[test]
fn a_bad_line_is_answered_too_and_shows_in_the_exit_code() {
    let mut input = b"{\"id\": 1}\n\xff\xfe\n".to_vec();
    input.extend(format!("{}\n", json!({"id": 2, "text": STALE})).bytes());
    let (code, out, err) = classify(&["--jsonl"], input);
    assert_eq!(code, 2);
    assert!(err.contains("2 lines were"), "{err}");
    let answers = lines(&out);
    assert_eq!(answers.len(), 3);
    assert!(answers[0]["id"].is_null() && answers[0]["error"].is_string());
    assert_eq!(answers[2]["eligible"], true);
}

#[test]
fn one_document_holds_the_answers_of_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("failure.txt");
    std::fs::write(&path, STALE).unwrap();
    let (code, out, _) = classify(&["--json", path.to_str().unwrap()], "");
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &document["schema_version"]), (0, &json!("1.0")));
    assert_eq!(document["results"][0]["id"], json!(path.to_str().unwrap()));
    assert_eq!(document["results"][0]["category"], "locator_timeout");
}

#[test]
fn people_see_no_control_characters() {
    let text = "Error: locator.click: Error: strict mode violation: locator('a') resolved to 2 elements:\n    1) <a>\u{7}x\u{202e}</a> aka getByText('x')\n";
    let (code, out, _) = classify(&[], text);
    assert_eq!(code, 0);
    assert!(out.starts_with("strict_mode_violation (strict_action): not eligible\n"), "{out}");
    assert!(out.contains("\\x07") && out.contains("\\u{202e}") && !out.contains('\u{7}'), "{out}");
}

#[test]
fn a_file_that_cannot_be_read_blocks_and_one_that_is_not_there_is_wrong_usage() {
    for (name, expected, said) in
        [("tests", 3, "cannot read `tests`"), ("/nowhere/failure.txt", 2, "there is no `/nowhere/failure.txt`")]
    {
        let (code, _, err) = classify(&[name], "");
        assert_eq!(code, expected, "{err}");
        assert!(err.contains(said), "{err}");
    }
}
