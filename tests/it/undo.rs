//! `relocator undo`: a kept heal, a crash, and a person's own work.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use relocator::adapters::workspace::{AppliedEdits, Grounds, Holder, Patience, Workspace, Writer};
use relocator::domain::gate::{self, GatedEdit};
use relocator::domain::verdict::{Basis, Proof, Proofs};
use tempfile::TempDir;

use crate::support::{Ran, Tree};

const FILE: &str = "tests/a.spec.ts";
const BEFORE: &str = "import { test } from '@playwright/test';\ntest('x', async ({ page }) => {\n  await page.locator('#submit-btn').click();\n});\n";

/// A project that relocator has worked in; no Playwright is needed to undo.
struct Place {
    temp: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { temp: TempDir::with_prefix("relocator-it-").expect("a temporary folder") };
        std::fs::create_dir(place.root().join("tests")).expect("a folder");
        std::fs::write(place.root().join("playwright.config.ts"), "export default {};\n").expect("a config");
        std::fs::write(place.root().join(FILE), BEFORE).expect("a test");
        place
    }

    fn root(&self) -> Utf8PathBuf {
        Utf8PathBuf::from_path_buf(self.temp.path().canonicalize().expect("a folder")).expect("a UTF-8 name")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.root().join(FILE)).expect("the test")
    }

    fn writer(&self) -> Arc<Writer> {
        let workspace = Workspace::open(&self.root()).expect("a workspace");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let patience = Patience::UpTo(std::time::Duration::from_secs(30));
        Arc::new(runtime.block_on(workspace.writer(&Holder::this("a test"), patience, |_| ())).expect("the lock"))
    }

    fn undo(&self, arguments: &[&str]) -> Ran {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_relocator"));
        command.arg("undo").args(arguments).current_dir(self.root().join("tests")).env("NO_COLOR", "1");
        Ran::from(command.output().expect("relocator starts"))
    }
}

fn edit() -> GatedEdit {
    let after = BEFORE.replace("locator('#submit-btn')", "getByTestId('submit-btn')");
    gate::check(FILE, BEFORE.as_bytes(), after.as_bytes()).expect("an edit that the gate accepts")
}

fn keep(applied: AppliedEdits) {
    let held = || Proof::Held("seen".to_owned());
    let proofs = Proofs {
        reproduced: held(),
        passed_twice: held(),
        right_element: held(),
        dependents: held(),
        counter_test: held(),
    };
    applied.keep(&[Grounds { proofs, basis: Basis::default(), feeds_expect: false }]).expect("a kept edit");
}

/// Makes a run that heals the file, and returns its name.
fn healed(place: &Place) -> String {
    let writer = place.writer();
    let run = writer.workspace().begin_run().expect("a run");
    keep(writer.apply(&run, &edit(), None).expect("an applied edit"));
    run.id().to_owned()
}

#[test]
fn a_kept_heal_is_undone_once_and_its_line_is_shown() {
    let place = Place::new();
    let before = Tree::of(place.root().as_std_path());
    let run = healed(&place);
    assert_eq!(place.text(), edit().after());
    let ran = place.undo(&["--json"]);
    let document = ran.json();
    assert_eq!(ran.code, Some(0), "{ran}");
    let undone = &document["undone"][0];
    assert_eq!((undone["run"].as_str(), undone["status"].as_str()), (Some(run.as_str()), Some("restored")), "{ran}");
    assert_eq!(before.changes(&Tree::of(place.root().as_std_path())), []);
    let again = place.undo(&[]);
    assert_eq!(again.code, Some(2), "{again}");
    assert!(again.says("no run has changed anything that could be undone"), "{again}");
}

#[test]
fn a_run_is_undone_by_its_name_and_an_unknown_one_is_refused() {
    let place = Place::new();
    let run = healed(&place);
    let unknown = place.undo(&["nope"]);
    assert_eq!(unknown.code, Some(2), "{unknown}");
    assert!(unknown.says("the run nope does not exist"), "{unknown}");
    assert_eq!(place.text(), edit().after());
    assert_eq!(place.undo(&[&run]).code, Some(0));
    assert_eq!(place.text(), BEFORE);
}

#[test]
fn undo_leaves_a_persons_work_alone_and_says_so() {
    let place = Place::new();
    healed(&place);
    let theirs = edit().after().replace("getByTestId('submit-btn')", "getByTestId('mine')");
    std::fs::write(place.root().join(FILE), &theirs).expect("a person saves the file");
    let ran = place.undo(&[]);
    assert_eq!((ran.code, place.text()), (Some(1), theirs), "{ran}");
    assert!(ran.stderr.contains("was not touched: the file has been changed since"), "{ran}");
}

#[test]
fn undo_puts_the_line_alone_back_where_a_person_changed_another_and_says_so() {
    let place = Place::new();
    healed(&place);
    std::fs::write(place.root().join(FILE), format!("{}// mine\n", edit().after())).expect("a person saves the file");
    let ran = place.undo(&[]);
    assert_eq!((ran.code, place.text()), (Some(0), format!("{BEFORE}// mine\n")), "{ran}");
    assert!(ran.stdout.contains("what was changed in the file since stays"), "{ran}");
}

#[test]
fn undo_after_a_crash_puts_back_what_was_in_flight_and_nothing_more() {
    let place = Place::new();
    let crashed = Place::new();
    healed(&place);
    // What the disk holds while a second edit is in flight is what a crash leaves.
    let writer = place.writer();
    let run = writer.workspace().begin_run().expect("a run");
    let second = edit().after().replace("getByTestId('submit-btn')", "getByTestId('submit')");
    let gated = gate::check(FILE, edit().after().as_bytes(), second.as_bytes()).expect("an edit that the gate accepts");
    let applied = writer.apply(&run, &gated, None).expect("an applied edit");
    copy(&place.root(), &crashed.root());
    drop(applied);
    assert_eq!(crashed.text(), second);
    let ran = crashed.undo(&["--json"]);
    assert_eq!((ran.code, crashed.text().as_str()), (Some(0), edit().after()), "{ran}");
    let document = ran.json();
    assert_eq!(document["recovered"].as_array().map(Vec::len), Some(1), "{ran}");
    assert_eq!(document["undone"].as_array().map(Vec::len), Some(0), "{ran}");
    assert_eq!(crashed.undo(&[]).code, Some(0));
    assert_eq!(crashed.text(), BEFORE);
}

#[test]
fn undo_says_who_else_is_working_in_the_project() {
    let place = Place::new();
    healed(&place);
    let writer = place.writer();
    let ran = place.undo(&[]);
    assert_eq!((ran.code, place.text().as_str()), (Some(3), edit().after()), "{ran}");
    assert!(ran.says("another relocator is working in this project: `a test`"), "{ran}");
    drop(writer);
}

fn copy(from: &Utf8Path, to: &Utf8Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in from.read_dir_utf8().expect("a folder").map(|entry| entry.expect("an entry")) {
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}
