//! Gate two against the labelled edits, through the library and through the command.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use relocator::domain::gate::{self, Prohibition};
use serde::Deserialize;

/// Flags that decide what becomes of an accepted edit; the others are advice.
const DECISIVE: [&str; 5] = ["feeds_expect", "feeds_absence", "selector_constant", "unproven_use", "nonstrict"];

#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    #[serde(default)]
    prohibition: String,
    pub(crate) path: String,
    pub(crate) before: String,
    pub(crate) after: String,
    verdict: String,
    reason: String,
    #[serde(default)]
    reason_alt: Vec<String>,
    flags: Vec<String>,
}

/// The cases of one file, or of all.
pub(crate) fn cases(file: Option<&str>) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/gate");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.retain(|path| {
        path.extension().is_some_and(|extension| extension == "jsonl")
            && file.is_none_or(|name| path.file_name().is_some_and(|file| file == name))
    });
    assert!(!files.is_empty());
    files
        .iter()
        .flat_map(|path| fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect::<Vec<_>>())
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect()
}

/// What the gate says of a case, where it is not what the case asks for.
fn differs(case: &Case) -> Option<String> {
    let judged = gate::check(&case.path, case.before.as_bytes(), case.after.as_bytes());
    let said = match &judged {
        Ok(edit) => {
            let flags: BTreeSet<&str> = edit.flags().iter().map(|flag| flag.code()).collect();
            let decisive = |flags: &BTreeSet<&str>| {
                DECISIVE.iter().copied().filter(|flag| flags.contains(flag)).collect::<Vec<_>>()
            };
            let wanted: BTreeSet<&str> = case.flags.iter().map(String::as_str).collect();
            if case.verdict == "accept" && decisive(&flags) == decisive(&wanted) {
                return None;
            }
            format!("accept {flags:?}")
        }
        Err(violation) => {
            let reason = violation.reason().code();
            if case.verdict == "reject" && (reason == case.reason || case.reason_alt.iter().any(|alt| alt == reason)) {
                return None;
            }
            format!("reject {reason}: {violation}")
        }
    };
    Some(format!("{}: wanted {} {} {:?}, got {said}", case.id, case.verdict, case.reason, case.flags))
}

#[test]
fn every_labelled_edit_is_judged_as_labelled() {
    let wrong: Vec<String> = cases(None).iter().filter_map(differs).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_prohibition_has_an_allowed_and_a_forbidden_edit() {
    let mut verdicts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for case in cases(None) {
        let fires = match gate::check(&case.path, case.before.as_bytes(), case.after.as_bytes()) {
            Ok(_) => true,
            // A forbidden edit counts for a prohibition only if that very one fires.
            Err(violation) => violation.prohibition.id() == case.prohibition,
        };
        if fires {
            verdicts.entry(case.prohibition).or_default().insert(case.verdict);
        }
    }
    for prohibition in Prohibition::ALL {
        let both = verdicts.get(prohibition.id()).map_or(0, BTreeSet::len);
        assert_eq!(both, 2, "{} lacks a case", prohibition.id());
    }
}

#[test]
fn an_accepted_edit_is_accepted_with_windows_line_endings_too() {
    for case in cases(None) {
        let crlf = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
        let (before, after) = (crlf(&case.before), crlf(&case.after));
        if let Ok(edit) = gate::check(&case.path, case.before.as_bytes(), case.after.as_bytes()) {
            let other = gate::check(&case.path, before.as_bytes(), after.as_bytes()).expect(&case.id);
            assert_eq!(other.flags(), edit.flags(), "{}", case.id);
        }
    }
}

#[test]
fn an_edit_that_changes_nothing_is_rejected() {
    for case in cases(None) {
        assert!(gate::check(&case.path, case.before.as_bytes(), case.before.as_bytes()).is_err(), "{}", case.id);
    }
}

#[test]
fn an_accepted_edit_says_where_it_is() {
    for case in cases(None) {
        let Ok(edit) = gate::check(&case.path, case.before.as_bytes(), case.after.as_bytes()) else { continue };
        let (old, new) = (edit.old_range(), edit.new_range());
        assert_eq!(edit.before().get(..old.start).unwrap(), edit.after().get(..new.start).unwrap(), "{}", case.id);
        assert_eq!(edit.before().get(old.end..).unwrap(), edit.after().get(new.end..).unwrap(), "{}", case.id);
        let line = edit.before().split('\n').nth(edit.line() - 1).unwrap();
        assert_eq!(line.trim_end_matches('\r'), edit.old_line(), "{}", case.id);
        assert!(edit.unified_diff().contains(&format!("-{}", edit.old_line())), "{}", case.id);
    }
}

#[test]
fn the_command_filters_json_lines() {
    let question = |case: &Case| {
        serde_json::json!({"id": case.id, "path": case.path, "before": case.before, "after": case.after}).to_string()
    };
    let labelled = cases(Some("labelled.jsonl"));
    let input: String = labelled.iter().map(|case| question(case) + "\n").collect::<String>() + "not json\n\n";
    let output =
        Command::cargo_bin("relocator").unwrap().args(["gate", "--jsonl"]).write_stdin(input).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let answers: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), labelled.len() + 1);
    for (case, answer) in labelled.iter().zip(&answers) {
        assert_eq!(answer["id"], case.id.as_str());
        assert_eq!(answer["verdict"], case.verdict.as_str(), "{}", case.id);
        assert_eq!(answer["rule"].is_null(), case.verdict == "accept", "{}", case.id);
    }
    assert_eq!(answers.last().unwrap()["verdict"], "unreadable");
}

#[test]
fn the_exit_code_says_whether_the_edit_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, selector: &str| {
        let text = format!(
            "import {{ test }} from '@playwright/test';\ntest('t', async ({{ page }}) => {{\n  await page.locator('{selector}').click();\n}});\n"
        );
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let (before, good, bad) = (write("a.ts", "#a"), write("b.ts", "#b"), write("c.ts", "body"));
    let gate = |after: &Path, more: &[&str]| {
        let mut command = Command::cargo_bin("relocator").unwrap();
        command.arg("gate").arg(&before).arg(after).args(more).assert()
    };
    gate(&good, &["--path", "tests/a.spec.ts"]).code(0);
    let rejected = gate(&bad, &["--path", "tests/a.spec.ts", "--json"]).code(1);
    let answer: serde_json::Value = serde_json::from_slice(&rejected.get_output().stdout).unwrap();
    assert_eq!((answer["reason"].as_str(), answer["rule"].as_str()), (Some("catch_all"), Some("F")));
    gate(&folder.path().join("none.ts"), &["--path", "tests/a.spec.ts"]).code(2);
    Command::cargo_bin("relocator").unwrap().arg("gate").assert().code(2);
}
