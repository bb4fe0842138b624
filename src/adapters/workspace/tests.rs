//! Whatever happens to relocator, a file is the original or a kept repair.

mod crash;
mod full;
mod people;

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::*;
use crate::domain::gate::{self, GatedEdit};
use crate::domain::verdict::{Basis, Proof, Proofs};

/// A file with everything that is easily lost: a byte order mark, both kinds of line ends, no last one.
const BEFORE: &str = "\u{feff}import { test } from '@playwright/test';\r\ntest('ü', async ({ page }) => {\r\n  await page.locator('#submit-btn').click();\n});";
const AFTER: &str = "\u{feff}import { test } from '@playwright/test';\r\ntest('ü', async ({ page }) => {\r\n  await page.getByTestId('submit-btn').click();\n});";
const LATER: &str = "\u{feff}import { test } from '@playwright/test';\r\ntest('ü', async ({ page }) => {\r\n  await page.getByTestId('submit').click();\n});";
const FILE: &str = "tests/a.spec.ts";
const MODE: u32 = 0o640;

/// A project with one file in it.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        // In memory where possible: thousands of fsyncs, and a killed process does not lose what it has written.
        let memory = tempfile::tempdir_in("/dev/shm");
        let place = Self { folder: memory.or_else(|_| tempfile::tempdir()).unwrap() };
        place.write(BEFORE);
        place
    }

    fn root(&self) -> Utf8PathBuf {
        Utf8PathBuf::from_path_buf(self.folder.path().canonicalize().unwrap()).unwrap()
    }

    fn file(&self) -> Utf8PathBuf {
        self.root().join(FILE)
    }

    fn write(&self, text: &str) {
        std::fs::create_dir_all(self.root().join("tests")).unwrap();
        std::fs::write(self.file(), text).unwrap();
        std::fs::set_permissions(self.file(), std::fs::Permissions::from_mode(MODE)).unwrap();
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap()
    }

    /// Fails unless the project, our own folder aside, holds one file with this text and its old mode.
    fn check_tree(&self, text: &str, context: &str) {
        let mut files = Vec::new();
        list(&self.root(), &mut files);
        assert_eq!(files, [self.file()], "{context}");
        assert_eq!(self.text(), text, "{context}");
        assert_eq!(std::fs::metadata(self.file()).unwrap().permissions().mode() & 0o7777, MODE, "{context}");
    }
}

/// All files under `folder`, except in `.relocator`.
fn list(folder: &Utf8Path, files: &mut Vec<Utf8PathBuf>) {
    for name in journal::names(folder).unwrap() {
        let path = folder.join(&name);
        if path.is_dir() && name != STATE {
            list(&path, files);
        } else if !path.is_dir() {
            files.push(path);
        }
    }
}

/// A project whose one writer has begun a run.
fn begun() -> (Place, Arc<Writer>, Run) {
    let place = Place::new();
    let writer = writer(&place.root()).unwrap();
    let run = writer.workspace().begin_run().unwrap();
    (place, writer, run)
}

fn writer(root: &Utf8Path) -> Result<Arc<Writer>, WorkspaceError> {
    let workspace = Workspace::open(root)?;
    // The lock is free in these tests, so nothing is waited for and no runtime is needed.
    // A process that another test is starting may hold a copy of the lock for a moment.
    let patience = Patience::UpTo(std::time::Duration::from_secs(30));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(workspace.writer(&Holder::this("test"), patience, |_| ())).map(Arc::new)
}

fn edit(before: &str, after: &str) -> GatedEdit {
    gate::check(FILE, before.as_bytes(), after.as_bytes()).unwrap()
}

/// Applies an edit for a page that is not known.
fn apply(writer: &Arc<Writer>, run: &Run, before: &str, after: &str) -> Result<AppliedEdits, WorkspaceError> {
    writer.apply(run, &edit(before, after), None)
}

fn proven() -> Proofs {
    let held = || Proof::Held(String::new());
    Proofs { reproduced: held(), passed_twice: held(), right_element: held(), dependents: held(), counter_test: held() }
}

fn grounds(proofs: Proofs) -> Grounds {
    Grounds { proofs, basis: Basis::default(), feeds_expect: false }
}

fn keep(applied: AppliedEdits) -> Result<VerifiedRepair, WorkspaceError> {
    applied.keep(&[grounds(proven())]).map(|mut kept| kept.remove(0))
}

/// Two edits of the same file, the second over the first.
fn stacked(writer: &Arc<Writer>, run: &Run) -> Result<AppliedEdits, WorkspaceError> {
    let mut applied = apply(writer, run, BEFORE, AFTER)?;
    applied.put(run, &edit(AFTER, LATER), None)?;
    Ok(applied)
}

#[test]
fn a_dropped_edit_goes_back_and_a_kept_one_stays() {
    let (place, writer, run) = begun();
    let applied = apply(&writer, &run, BEFORE, AFTER).unwrap();
    place.check_tree(AFTER, "applied");
    drop(applied);
    place.check_tree(BEFORE, "dropped");
    let applied = apply(&writer, &run, BEFORE, AFTER).unwrap();
    applied.restore().unwrap();
    place.check_tree(BEFORE, "restored");
    let kept = keep(apply(&writer, &run, BEFORE, AFTER).unwrap()).unwrap();
    place.check_tree(AFTER, "kept");
    assert_eq!((kept.change.line, kept.change.after.as_str()), (3, "  await page.getByTestId('submit-btn').click();"));
    assert_eq!((writer.mishaps(), std::fs::read_dir(writer.workspace.journal()).unwrap().count()), (Vec::new(), 0));
}

#[test]
fn an_edit_without_its_proofs_goes_back() {
    let (place, writer, run) = begun();
    let applied = apply(&writer, &run, BEFORE, AFTER).unwrap();
    let proofs = Proofs { passed_twice: Proof::Failed("it failed the second time".into()), ..proven() };
    let error = applied.keep(&[grounds(proofs.clone())]).unwrap_err();
    assert!(matches!(error, WorkspaceError::Unproven { .. }), "{error}");
    place.check_tree(BEFORE, "unproven");
    for proofs in [vec![proven()], vec![proven(), proofs.clone()], vec![proofs, proven()], vec![]] {
        let grounds: Vec<Grounds> = proofs.into_iter().map(grounds).collect();
        let error = stacked(&writer, &run).unwrap().keep(&grounds).unwrap_err();
        assert!(matches!(error, WorkspaceError::Unproven { .. }), "{error}");
        place.check_tree(BEFORE, "one of two unproven");
    }
}

#[test]
fn edits_over_each_other_go_back_one_by_one_and_stay_together() {
    let (place, writer, run) = begun();
    let mut applied = stacked(&writer, &run).unwrap();
    place.check_tree(LATER, "both applied");
    assert_eq!(applied.changes().map(|(_, change)| change.line).collect::<Vec<_>>(), [3, 3]);
    assert_eq!(applied.take_off().unwrap().map(|path| path.to_string()), Some(FILE.to_owned()));
    place.check_tree(AFTER, "the upper one taken off");
    // An edit that was not made over what is there is refused, and changes nothing.
    assert!(matches!(applied.put(&run, &edit(BEFORE, LATER), None), Err(WorkspaceError::Changed { .. })));
    place.check_tree(AFTER, "a stranger refused");
    applied.put(&run, &edit(AFTER, LATER), None).unwrap();
    drop(applied);
    place.check_tree(BEFORE, "both dropped");
    stacked(&writer, &run).unwrap().restore().unwrap();
    place.check_tree(BEFORE, "both restored");
    let kept = stacked(&writer, &run).unwrap().keep(&[grounds(proven()), grounds(proven())]).unwrap();
    assert_eq!((kept.len(), writer.workspace.in_flight().unwrap()), (2, 0));
    place.check_tree(LATER, "both kept");
    assert_eq!(writer.undo(None).unwrap().len(), 2);
    place.check_tree(BEFORE, "both undone");
    drop(apply(&writer, &run, BEFORE, AFTER).unwrap());
    assert_eq!(writer.mishaps(), Vec::<String>::new());
}

#[test]
fn what_a_person_changed_over_two_edits_is_left_and_both_old_contents_are_kept() {
    let (place, writer, run) = begun();
    let applied = stacked(&writer, &run).unwrap();
    place.write("a person's work");
    assert!(matches!(applied.restore(), Err(WorkspaceError::LeftAlone { .. })));
    place.check_tree("a person's work", "changed over both");
    assert_eq!(journal::names(&place.root().join(".relocator/journal/aside")).unwrap().len(), 2);
    assert_eq!(writer.workspace.in_flight().unwrap(), 0);
}

#[test]
fn undo_puts_a_kept_edit_back_and_remembers_it_as_refused() {
    let (place, writer, run) = begun();
    keep(apply(&writer, &run, BEFORE, AFTER).unwrap()).unwrap();
    keep(apply(&writer, &run, AFTER, LATER).unwrap()).unwrap();
    let lines = ("  await page.locator('#submit-btn').click();", "await page.getByTestId('submit-btn').click();");
    let refused = |page| writer.workspace().is_refused(FILE, lines, page).unwrap();
    assert!(!refused(None));
    let undone = writer.undo(None).unwrap();
    assert!(undone.iter().all(|done| done.returned == Returned::Restored && done.path == FILE), "{undone:?}");
    assert_eq!(undone.len(), 2);
    place.check_tree(BEFORE, "undone");
    assert!(refused(None) && refused(Some("any page, since none was known")));
    assert!(!writer.workspace().is_refused(FILE, (lines.0, "another"), None).unwrap());
    assert!(matches!(writer.undo(None), Err(WorkspaceError::NothingToUndo(_))));
    assert!(matches!(writer.undo(Some("nope")), Err(WorkspaceError::NothingToUndo(_))));
}

#[test]
fn an_undone_heal_is_offered_again_on_another_page() {
    let (_place, writer, run) = begun();
    let change = keep(writer.apply(&run, &edit(BEFORE, AFTER), Some("page one")).unwrap()).unwrap().change;
    writer.undo(Some(run.id())).unwrap();
    let refused = |page| writer.workspace().is_refused(FILE, (&change.before, &change.after), page).unwrap();
    assert_eq!((refused(Some("page one")), refused(Some("page two")), refused(None)), (true, false, true));
}

#[test]
fn one_file_has_one_edit_in_flight() {
    let (place, writer, run) = begun();
    let first = apply(&writer, &run, BEFORE, AFTER).unwrap();
    let second = apply(&writer, &run, AFTER, LATER);
    assert!(matches!(second, Err(WorkspaceError::Busy { .. })), "{second:?}");
    drop(first);
    drop(apply(&writer, &run, BEFORE, AFTER).unwrap());
    place.check_tree(BEFORE, "after both");
}

#[test]
fn the_journal_is_on_disk_before_the_file_changes() {
    let (_place, writer, run) = begun();
    faults::plan(None, false);
    let applied = apply(&writer, &run, BEFORE, AFTER).unwrap();
    let log = faults::log();
    drop(applied);
    let at =
        |what: &str| log.iter().position(|line| line.starts_with(what)).unwrap_or_else(|| panic!("{what}: {log:?}"));
    let id = format!("{}-000001", run.id());
    let entry_synced = at(&format!("sync {id}.unfinished"));
    let entry_named = at(&format!("sync the folder of {id}.entry"));
    let new_synced = at(&format!("sync .a.spec.ts.relocator-{id}"));
    let replaced = at(&format!("rename .a.spec.ts.relocator-{id}"));
    let replacement_synced = at("sync the folder of a.spec.ts");
    assert!(entry_synced < entry_named && entry_named < new_synced && new_synced < replaced, "{log:?}");
    assert!(replaced < replacement_synced, "{log:?}");
}

#[test]
fn our_folder_ignores_itself_and_names_of_runs_sort_by_time() {
    let place = Place::new();
    let workspace = Workspace::open(&place.root()).unwrap();
    let names: Vec<_> = (0..5).map(|_| workspace.begin_run().unwrap().id().to_owned()).collect();
    assert_eq!(workspace.runs_so_far().unwrap(), names);
    assert_eq!(std::fs::read_to_string(place.root().join(".relocator/.gitignore")).unwrap(), "*\n");
    let run = workspace.begin_run().unwrap();
    run.write("report.md", b"one").unwrap();
    assert_eq!(std::fs::read(run.write("report.md", b"two").unwrap()).unwrap(), b"two");
    assert_ne!(run.next_start(), run.next_start());
}

#[test]
fn old_runs_lose_their_artefacts_but_can_be_undone() {
    let place = Place::new();
    let first = writer(&place.root()).unwrap();
    let oldest = first.workspace().begin_run().unwrap();
    keep(apply(&first, &oldest, BEFORE, AFTER).unwrap()).unwrap();
    let runs: Vec<_> = (0..25).map(|_| first.workspace().begin_run().unwrap()).collect();
    let starts: Vec<_> = std::iter::once(&oldest).chain(&runs).map(Run::next_start).collect();
    for start in &starts {
        std::fs::create_dir_all(start.join("output")).unwrap();
    }
    oldest.write("report.md", b"kept").unwrap();
    drop(first);
    let next = writer(&place.root()).unwrap();
    assert_eq!(
        starts.iter().map(|start| start.exists()).collect::<Vec<_>>(),
        [vec![false; 6], vec![true; 20]].concat()
    );
    assert!(oldest.folder().join("report.md").is_file());
    assert_eq!(next.undo(Some(oldest.id())).unwrap().len(), 1);
    place.check_tree(BEFORE, "undone");
}
