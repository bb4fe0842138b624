use serde_json::json;

use super::{Document, Group, Proof, Repair, SCHEMA, Start, System};
use crate::report::table::summary;

/// The schema as the types say it. Committed, so that a change of the shape is seen in review; written with `RELOCATOR_BLESS=1`.
#[test]
fn the_committed_schema_is_that_of_the_document() {
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(Document)).unwrap() + "\n";
    if std::env::var_os("RELOCATOR_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/schema/suite.json");
        std::fs::write(path, &schema).unwrap();
        return;
    }
    assert_eq!(schema, SCHEMA, "run the test with RELOCATOR_BLESS=1");
}

/// A group at a place, healed there if `line` says so.
pub(super) fn group(id: &str, outcome: &str, swap: Option<(&str, usize)>) -> Group {
    let mut group: Group = serde_json::from_value(json!({
        "id": id, "outcome": outcome, "category": "locator_timeout", "signature": "action_no_match", "headline": id,
        "why": "", "look_at": [], "tests": 2, "files": ["a.spec.ts"], "projects": [], "members": [],
        "members_left_out": 0, "locator": null, "at": { "file": format!("{id}.ts"), "line": 3, "column": null },
        "message": "", "milliseconds": 4000,
        "evidence": { "url": null, "console": [], "requests": [], "trace": null, "picture": null }
    }))
    .unwrap();
    group.repair = swap.map(|(file, line)| Repair {
        reason: "proven".to_owned(),
        file: Some(file.to_owned()),
        line: Some(line),
        before: Some(format!("old {id}")),
        after: Some(format!("new {id}")),
        diff: Some(diff(id, file, line)),
        proofs: vec![Proof { name: "passed_twice".to_owned(), result: "held".to_owned(), seen: String::new() }],
        ..Repair::default()
    });
    group
}

fn diff(id: &str, file: &str, line: usize) -> String {
    format!("--- a/{file}\n+++ b/{file}\n@@ -{line},1 +{line},1 @@\n-old {id}\n+new {id}\n")
}

/// The ids of the repairs that a patch makes.
fn made(document: &Document) -> Vec<String> {
    document.patch().lines().filter_map(|line| Some(line.strip_prefix("+new ")?.to_owned())).collect()
}

pub(super) fn document(groups: Vec<Group>) -> Document {
    let mut document: Document = serde_json::from_value(json!({
        "schema_version": "1.0", "tool": { "name": "relocator", "version": "0" }, "reports": 1, "playwright": [],
        "totals": { "tests": 9, "passed": 0, "failed": 9, "flaky": 0, "skipped": 0, "not_run": 0 },
        "groups": [], "notes": [], "redactions": 0
    }))
    .unwrap();
    document.groups = groups;
    document
}

fn outcomes(document: &Document) -> Vec<(&str, &str)> {
    document.groups.iter().map(|group| (group.id.as_str(), group.outcome.as_str())).collect()
}

#[test]
fn the_runs_of_several_machines_become_one() {
    let mut first = document(vec![
        group("a", "healed", Some(("x.ts", 10))),
        group("b", "candidate", None),
        group("c", "candidate", None),
    ]);
    first.merge(document(vec![
        group("a", "candidate", None),
        group("b", "declined", Some(("y.ts", 1))),
        group("c", "healed", Some(("x.ts", 20))),
    ]));
    assert_eq!(outcomes(&first), [("a", "healed"), ("b", "declined"), ("c", "healed")]);
    assert_eq!(made(&first), ["a", "c"]);
}

#[test]
fn a_group_that_is_several_elsewhere_stays_one() {
    let wide = |outcome: &str, swap| Group { also: vec!["b".to_owned(), "c".to_owned()], ..group("a", outcome, swap) };
    let parts = |healed: &str| {
        let part = |id: &str| {
            let is_healed = id == healed;
            group(id, if is_healed { "healed" } else { "candidate" }, is_healed.then_some(("x.ts", 10)))
        };
        document(["a", "b", "c", "d"].map(part).to_vec())
    };
    for (mut first, second) in [
        (document(vec![wide("candidate", None), group("d", "candidate", None)]), parts("b")),
        (parts("a"), document(vec![wide("candidate", None), group("d", "candidate", None)])),
        (parts("d"), document(vec![wide("healed", Some(("y.ts", 1))), group("d", "candidate", None)])),
    ] {
        let healed = first.count("healed") + second.count("healed");
        first.merge(second);
        let ids: Vec<&str> = first.groups.iter().map(|group| group.id.as_str()).collect();
        assert_eq!((ids, first.count("healed")), (vec!["a", "d"], healed));
        assert_eq!(first.groups[0].also, ["b", "c"]);
    }
}

#[test]
fn of_two_machines_repairs_that_touch_each_other_the_later_one_is_for_a_person() {
    for (line, later) in [(10, "proposed"), (4, "proposed"), (16, "proposed"), (3, "healed"), (17, "healed")] {
        let mut first = document(vec![group("a", "healed", Some(("x.ts", 10))), group("b", "candidate", None)]);
        first.merge(document(vec![group("a", "candidate", None), group("b", "healed", Some(("x.ts", line)))]));
        assert_eq!(outcomes(&first), [("a", "healed"), ("b", later)], "{line}");
        let both: &[&str] = if later == "healed" { &["a", "b"] } else { &["a"] };
        assert_eq!(made(&first), both, "{line}");
    }
}

#[test]
fn repairs_of_one_machine_do_not_stand_in_each_others_way_wherever_and_however_often_it_is_named() {
    let (a, b) = (|outcome: &str, at| group("a", outcome, at), |outcome: &str, at| group("b", outcome, at));
    let begun = || document(vec![a("candidate", None), b("candidate", None)]);
    let killed = || document(vec![a("healed", Some(("x.ts", 10))), b("candidate", None)]);
    let both = || document(vec![a("healed", Some(("x.ts", 10))), b("healed", Some(("x.ts", 11)))]);
    for runs in [
        [begun(), both(), both()],
        [killed(), both(), begun()],
        [both(), killed(), both()],
        [both(), begun(), killed()],
    ] {
        let mut runs = runs.into_iter();
        let mut all = runs.next().unwrap();
        runs.for_each(|run| all.merge(run));
        assert_eq!(outcomes(&all), [("a", "healed"), ("b", "healed")]);
        assert_eq!(made(&all), ["a", "b"]);
    }
}

#[test]
fn a_repair_whose_test_still_fails_is_in_the_patch_and_counts_as_nothing_healed() {
    let still_red = || {
        let mut group = group("a", "escalated", Some(("x.ts", 10)));
        group.repair.as_mut().unwrap().applied = true;
        group
    };
    let mut first = document(vec![still_red(), group("b", "candidate", None)]);
    assert_eq!((made(&first), first.count("healed"), first.count("escalated")), (vec!["a".to_owned()], 0, 1));
    first.merge(document(vec![group("a", "candidate", None), group("b", "healed", Some(("x.ts", 12)))]));
    assert_eq!(outcomes(&first), [("a", "escalated"), ("b", "proposed")]);
    let mut second = document(vec![group("a", "candidate", None), group("b", "healed", Some(("x.ts", 12)))]);
    second.merge(document(vec![still_red(), group("b", "candidate", None)]));
    assert_eq!(outcomes(&second), [("a", "escalated"), ("b", "healed")]);
    assert_eq!((made(&first), made(&second)), (vec!["a".to_owned()], vec!["b".to_owned()]));
}

#[test]
fn a_matrix_names_every_candidate_once() {
    let document =
        document(vec![group("a", "candidate", None), group("b", "escalated", None), group("c", "candidate", None)]);
    let matrix = |document: &Document, system| -> serde_json::Value {
        serde_json::from_str(&document.matrix(2, system)).unwrap()
    };
    assert_eq!(
        matrix(&document, System::Github),
        json!({ "include": [{ "job": 1, "groups": "a", "minutes": 1 }, { "job": 2, "groups": "c", "minutes": 1 }] })
    );
    let pipeline = matrix(&document, System::Gitlab);
    for (job, groups) in [("1", "a"), ("2", "c")] {
        assert_eq!(
            pipeline[format!("relocator-heal-{job}")],
            json!({
                "extends": ".relocator-heal",
                "variables": { "RELOCATOR_JOB": job, "RELOCATOR_GROUPS": groups }
            })
        );
    }
    assert_eq!(
        pipeline["relocator-merge"],
        json!({ "extends": ".relocator-merge", "stage": ".post", "when": "always" })
    );
    // GitLab makes no pipeline where the name of a job is long.
    let many = self::document((0..90).map(|at| group(&format!("{at:012}"), "candidate", None)).collect());
    let pipeline = matrix(&many, System::Gitlab);
    let names: Vec<&String> = pipeline.as_object().unwrap().keys().collect();
    assert!(names.len() == 4 && names.iter().all(|name| name.len() < 64), "{names:?}");
    let empty = self::document(vec![group("b", "escalated", None)]);
    assert_eq!(matrix(&empty, System::Github), json!({ "include": [] }));
    assert_eq!(matrix(&empty, System::Gitlab)["nothing-to-heal"], json!({ "script": ["true"] }));
}

#[test]
fn a_job_is_told_every_id_that_a_group_may_have_on_its_machine() {
    let wide = Group { also: vec!["b".to_owned()], ..group("a", "candidate", None) };
    let document = document(vec![wide, group("c", "candidate", None)]);
    let matrix: serde_json::Value = serde_json::from_str(&document.matrix(1, System::Github)).unwrap();
    assert_eq!(matrix["include"][0]["groups"], "a b c");
}

#[test]
fn the_summary_says_how_often_playwright_was_started_and_how_much_of_the_time_was_its_own() {
    let mut healed = group("a", "healed", Some(("x.ts", 10)));
    let repair = healed.repair.as_mut().unwrap();
    repair.milliseconds = 13_700;
    let start = Start {
        purpose: "run".to_owned(),
        edited: true,
        command: vec![],
        exit: "0".to_owned(),
        milliseconds: 6_800,
        passed: true,
    };
    repair.runs = vec![start.clone(), start];
    let summary = summary(&document(vec![healed, group("b", "candidate", None)]));
    assert!(summary.ends_with("2 starts of Playwright, which took 13.6 s of 13.7 s"), "{summary}");
}
