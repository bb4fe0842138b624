//! The document of one test's repair: the same as that of a suite, with the one cause.

use std::collections::BTreeMap;

use super::{Clean, Document, Evidence, Group, Member, build};
use crate::domain::hex::hex;
use crate::heal::record::HealRun;
use crate::triage::Triage;
use crate::triage::look::Looked;
use sha2::{Digest as _, Sha256};

/// How many bytes of the hash an id shows, as for every group.
const ID_BYTES: usize = 6;

/// The document of `run`: `triage` is the report of the start that saw the test fail, as far as there is one.
pub fn of_test(
    run: &HealRun,
    triage: &Triage,
    looked: &BTreeMap<String, Looked>,
    root: &str,
    clean: &mut Clean,
) -> Document {
    let mut document = build(triage, looked, Some(root), clean);
    let is_meant = |group: &Group| {
        let name = run.test.as_ref();
        group.members.iter().any(|member| name.is_some_and(|test| test.file == member.file && test.line == member.line))
    };
    if !document.groups.iter().any(is_meant) {
        document.groups.push(by_itself(run, clean));
    }
    let at = document.groups.iter().position(is_meant).unwrap_or(document.groups.len() - 1);
    if let Some(group) = document.groups.get_mut(at) {
        group.repaired(run, clean);
    }
    document.notes.extend(run.causes().flat_map(|cause| &cause.notes).map(|note| clean.line(note)));
    document.redactions = clean.redactions();
    document
}

/// A group for a test that no report shows as failed: it passed, or nothing was run.
fn by_itself(run: &HealRun, clean: &mut Clean) -> Group {
    let gate = run.gate_one.as_ref();
    let member = run.test.as_ref().map(|test| Member {
        file: clean.line(&test.file),
        line: test.line,
        titles: test.titles.iter().map(|title| clean.line(title)).collect(),
        project: clean.line(&test.project),
        attempts: 1,
    });
    let named = member
        .as_ref()
        .map(|test| format!("{}:{} {}", test.file, test.line, test.titles.join(" ")))
        .unwrap_or_default();
    let hash = Sha256::digest(format!("{named}\n{}", run.reason.code.code()));
    let sentence = clean.line(&run.reason.sentence);
    Group {
        id: hex(hash.get(..ID_BYTES).unwrap_or_default()),
        also: Vec::new(),
        outcome: run.outcome().word().to_owned(),
        category: gate.map_or("unrecognized", |seen| seen.category.as_str()).to_owned(),
        signature: gate.map(|seen| seen.signature).unwrap_or_default().to_owned(),
        headline: sentence.clone(),
        why: sentence,
        look_at: Vec::new(),
        tests: usize::from(member.is_some()),
        files: member.iter().map(|test| test.file.clone()).collect(),
        projects: member.iter().map(|test| test.project.clone()).filter(|name| !name.is_empty()).collect(),
        members: member.into_iter().collect(),
        members_left_out: 0,
        locator: None,
        at: None,
        message: String::new(),
        evidence: Evidence::default(),
        milliseconds: 0,
        first_bad: None,
        repair: None,
    }
}
