//! What people, other processes and hostile repositories do in between.

use std::os::unix::fs::symlink;

use super::*;

/// Applies an edit, lets `meddle` act, drops the edit; returns what was said.
fn meddled(place: &Place, meddle: impl FnOnce(&Place)) -> Vec<String> {
    let writer = writer(&place.root()).unwrap();
    let run = writer.workspace().begin_run().unwrap();
    let applied = apply(&writer, &run, BEFORE, AFTER).unwrap();
    meddle(place);
    drop(applied);
    writer.mishaps()
}

#[test]
fn the_line_alone_goes_back_where_a_person_changed_others_in_the_meantime() {
    let place = Place::new();
    let said = meddled(&place, |place| place.write(&format!("// mine\n{AFTER}\n// mine as well")));
    place.check_tree(&format!("// mine\n{BEFORE}\n// mine as well"), "other lines changed");
    assert_eq!(said, Vec::<String>::new());
}

#[test]
fn what_a_person_changed_in_the_meantime_is_not_overwritten() {
    let place = Place::new();
    let said = meddled(&place, |place| place.write("a person's work"));
    place.check_tree("a person's work", "changed");
    assert!(said.iter().any(|line| line.contains("the file has been changed since")), "{said:?}");
    let aside = journal::names(&place.root().join(".relocator/journal/aside")).unwrap();
    let [entry] = aside.as_slice() else { panic!("{aside:?}") };
    let kept = journal::read(&place.root().join(".relocator/journal/aside").join(entry)).unwrap();
    assert_eq!(kept.old, BEFORE.as_bytes());
    assert!(writer(&place.root()).unwrap().recovered().is_empty());
}

#[test]
fn an_edit_that_cannot_be_taken_back_is_an_error() {
    let (place, writer, run) = begun();
    let applied = apply(&writer, &run, BEFORE, AFTER).unwrap();
    place.write("a person's work");
    assert!(matches!(applied.restore(), Err(WorkspaceError::LeftAlone { .. })));
    place.check_tree("a person's work", "changed");
}

#[test]
fn what_a_person_put_back_already_is_fine() {
    let place = Place::new();
    assert_eq!(meddled(&place, |place| place.write(BEFORE)), Vec::<String>::new());
    place.check_tree(BEFORE, "put back by a person");
}

#[test]
fn a_file_or_folder_that_a_person_removed_is_not_brought_back() {
    for gone in [FILE, "tests"] {
        let place = Place::new();
        let said = meddled(&place, |place| {
            let path = place.root().join(gone);
            if path.is_dir() { std::fs::remove_dir_all(path).unwrap() } else { std::fs::remove_file(path).unwrap() }
        });
        assert!(!place.file().exists());
        assert!(said.iter().any(|line| line.contains("somebody has removed it")), "{said:?}");
        writer(&place.root()).unwrap();
    }
}

#[test]
fn an_edit_whose_file_was_changed_is_not_kept() {
    let (place, writer, run) = begun();
    let applied = apply(&writer, &run, BEFORE, AFTER).unwrap();
    place.write("a person's work");
    assert!(matches!(keep(applied), Err(WorkspaceError::Changed { .. })));
    place.check_tree("a person's work", "kept");
}

#[test]
fn a_file_that_changed_since_it_was_read_is_not_edited() {
    let (place, writer, run) = begun();
    place.write(LATER);
    assert!(matches!(apply(&writer, &run, BEFORE, AFTER), Err(WorkspaceError::Changed { .. })));
    place.check_tree(LATER, "changed before");
}

#[test]
fn undo_does_not_touch_what_a_person_changed_since_and_can_be_tried_again() {
    let (place, writer, run) = begun();
    keep(apply(&writer, &run, BEFORE, AFTER).unwrap()).unwrap();
    place.write(LATER);
    let undone = writer.undo(None).unwrap();
    assert!(matches!(undone.as_slice(), [PutBack { returned: Returned::LeftAlone { .. }, .. }]), "{undone:?}");
    place.check_tree(LATER, "changed since");
    assert!(writer.workspace().refused().unwrap().is_empty());
    place.write(AFTER);
    assert!(matches!(writer.undo(None).unwrap().as_slice(), [PutBack { returned: Returned::Restored, .. }]));
    place.check_tree(BEFORE, "undone at last");
}

/// What a person made of the file since: a line above, another text below.
fn edited(text: &str) -> String {
    text.replace("\r\ntest", "\r\n// mine\r\ntest").replace("});", "}); // mine")
}

#[test]
fn undo_puts_one_line_back_where_a_person_changed_others_and_every_other_byte_stays() {
    let (place, writer, run) = begun();
    keep(apply(&writer, &run, BEFORE, AFTER).unwrap()).unwrap();
    place.write(&edited(AFTER));
    let undone = writer.undo(None).unwrap();
    assert!(matches!(undone.as_slice(), [PutBack { returned: Returned::LineRestored, .. }]), "{undone:?}");
    place.check_tree(&edited(BEFORE), "the line is back");
    assert_eq!(writer.workspace().refused().unwrap().len(), 1);
    assert_eq!(journal::names(&writer.workspace.journal()).unwrap(), Vec::<String>::new());
}

#[test]
fn two_repairs_of_one_file_are_undone_in_either_order() {
    let other = |text: &str| text.replace("});", "  await page.locator('#other').click();\r\n});");
    let repaired = |text: &str| text.replace("page.locator('#other')", "page.getByTestId('other')");
    for first in [0, 1] {
        let place = Place::new();
        let writer = writer(&place.root()).unwrap();
        place.write(&other(BEFORE));
        let runs = [writer.workspace().begin_run().unwrap(), writer.workspace().begin_run().unwrap()];
        keep(apply(&writer, &runs[0], &other(BEFORE), &other(AFTER)).unwrap()).unwrap();
        keep(apply(&writer, &runs[1], &other(AFTER), &repaired(&other(AFTER))).unwrap()).unwrap();
        for run in [first, 1 - first] {
            let undone = writer.undo(Some(runs[run].id())).unwrap();
            assert!(!matches!(undone.as_slice(), [PutBack { returned: Returned::LeftAlone { .. }, .. }]), "{undone:?}");
        }
        place.check_tree(&other(BEFORE), "both are back");
    }
}

#[test]
fn undo_leaves_a_line_alone_that_stands_there_twice() {
    let (place, writer, run) = begun();
    keep(apply(&writer, &run, BEFORE, AFTER).unwrap()).unwrap();
    let line = "  await page.getByTestId('submit-btn').click();\n";
    let twice = AFTER.replace(line, &line.repeat(2));
    place.write(&twice);
    let undone = writer.undo(None).unwrap();
    assert!(matches!(undone.as_slice(), [PutBack { returned: Returned::LeftAlone { .. }, .. }]), "{undone:?}");
    place.check_tree(&twice, "which of them?");
}

#[test]
fn a_read_only_file_is_left_as_it_is() {
    let (place, writer, run) = begun();
    std::fs::set_permissions(place.file(), std::fs::Permissions::from_mode(0o444)).unwrap();
    let refused = apply(&writer, &run, BEFORE, AFTER);
    assert!(matches!(refused, Err(WorkspaceError::ReadOnly { .. })), "{refused:?}");
    std::fs::set_permissions(place.file(), std::fs::Permissions::from_mode(MODE)).unwrap();
    place.check_tree(BEFORE, "read-only");
    assert_eq!(journal::names(&writer.workspace.journal()).unwrap(), Vec::<String>::new());
}

#[test]
fn only_sources_inside_the_project_have_a_path() {
    let place = Place::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("x.ts"), "").unwrap();
    let root = place.root();
    symlink(outside.path().join("x.ts"), root.join("tests/link.spec.ts")).unwrap();
    symlink(outside.path(), root.join("folder")).unwrap();
    symlink(place.file(), root.join("tests/inner.spec.ts")).unwrap();
    for name in ["node_modules/p/index.js", ".git/hooks/x.js", ".relocator/x.ts", "notes.md", "dir.ts/x.ts"] {
        std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        std::fs::write(root.join(name), "").unwrap();
    }
    let workspace = Workspace::open(&root).unwrap();
    let check = |path: &str, expected: &str| {
        let error = workspace.resolve(path.into()).unwrap_err().to_string();
        assert!(error.contains(expected), "{path}: {error}");
    };
    let absolute = outside.path().join("x.ts");
    for path in ["tests/link.spec.ts", "folder/x.ts", absolute.to_str().unwrap(), "/etc/passwd", ".."] {
        check(path, "is outside the project");
    }
    for path in ["node_modules/p/index.js", ".git/hooks/x.js", ".relocator/x.ts", "notes.md", "dir.ts"] {
        check(path, "is not a test source of this project");
    }
    check("tests/missing.spec.ts", "cannot find");
    assert_eq!(workspace.resolve("tests/inner.spec.ts".into()).unwrap().relative(), FILE);
    assert_eq!(workspace.resolve("tests/../tests/a.spec.ts".into()).unwrap().absolute(), place.file());
}

#[test]
fn a_link_to_a_source_stays_a_link() {
    let place = Place::new();
    let link = place.root().join("tests/inner.spec.ts");
    symlink("a.spec.ts", &link).unwrap();
    let writer = writer(&place.root()).unwrap();
    let run = writer.workspace().begin_run().unwrap();
    let path = writer.workspace().resolve("tests/inner.spec.ts".into()).unwrap();
    let by_name = gate::check("tests/inner.spec.ts", BEFORE.as_bytes(), AFTER.as_bytes()).unwrap();
    assert!(matches!(writer.apply(&run, &by_name, None), Err(WorkspaceError::Changed { .. })));
    let resolved = gate::check(path.relative().as_str(), BEFORE.as_bytes(), AFTER.as_bytes()).unwrap();
    keep(writer.apply(&run, &resolved, None).unwrap()).unwrap();
    assert_eq!(std::fs::read_link(&link).unwrap(), std::path::Path::new("a.spec.ts"));
    assert_eq!(place.text(), AFTER);
}

#[test]
fn a_link_put_in_the_way_after_the_check_is_not_followed() {
    let (place, writer, run) = begun();
    let other = place.root().join("tests/other.spec.ts");
    std::fs::write(&other, BEFORE).unwrap();
    std::fs::remove_file(place.file()).unwrap();
    symlink(&other, place.file()).unwrap();
    assert!(matches!(apply(&writer, &run, BEFORE, AFTER), Err(WorkspaceError::Changed { .. })));
    assert_eq!(std::fs::read_to_string(other).unwrap(), BEFORE);
}

#[test]
fn a_state_folder_that_leads_elsewhere_is_not_used() {
    let place = Place::new();
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), place.root().join(STATE)).unwrap();
    assert!(matches!(writer(&place.root()), Err(WorkspaceError::NotASource { .. })));
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_forged_or_broken_journal_entry_changes_nothing() {
    const ID: &str = "20260101T000000.000Z-000001";
    let forged = |path: &str, id: &str, run: &str, temporary: &str| {
        let header = serde_json::json!({
            "format": 1, "id": id, "run": run, "path": path, "temporary": temporary, "mode": 0o644,
            "old": disk::sha256(b"evil"), "new": disk::sha256(BEFORE.as_bytes()),
            "change": { "line": 1, "before": "", "after": "", "page": null },
        });
        [header.to_string().as_bytes(), b"\nevil"].concat()
    };
    let run = "20260101T000000.000Z";
    let named = |path: &str| {
        let name = Utf8Path::new(path).file_name().unwrap();
        forged(path, ID, run, &format!(".{name}.relocator-{ID}"))
    };
    for (entry, stops) in [
        (b"no header".to_vec(), true),
        (b"{}\nevil".to_vec(), true),
        (named("../outside.ts"), false),
        (named("/etc/hosts"), false),
        (named("package.json"), false),
        // Whole files of the right kind and the right content: no edit of ours.
        (named(FILE), false),
        (named("playwright.config.ts"), false),
        (forged(FILE, ID, run, "../../victim.relocator-x"), true),
        (forged(FILE, ID, run, "my.relocator-notes.ts"), true),
        (forged(FILE, ID, run, "a.spec.ts"), true),
        (forged(FILE, "x", run, ".a.spec.ts.relocator-x"), true),
        (forged(FILE, "r-000001", "r", ".a.spec.ts.relocator-r-000001"), true),
    ] {
        let place = Place::new();
        for name in ["package.json", "playwright.config.ts"] {
            std::fs::write(place.root().join(name), BEFORE).unwrap();
        }
        std::fs::write(place.root().join("tests/my.relocator-notes.ts"), "mine").unwrap();
        let workspace = Workspace::open(&place.root()).unwrap();
        workspace.make(&workspace.journal()).unwrap();
        std::fs::write(workspace.journal().join(format!("{ID}.entry")), &entry).unwrap();
        let next = writer(&place.root());
        assert_eq!(next.is_err(), stops, "{}: {next:?}", String::from_utf8_lossy(&entry));
        for name in ["package.json", "playwright.config.ts", FILE] {
            assert_eq!(std::fs::read_to_string(place.root().join(name)).unwrap(), BEFORE, "{name}");
        }
        assert_eq!(std::fs::read_to_string(place.root().join("tests/my.relocator-notes.ts")).unwrap(), "mine");
    }
}

#[test]
fn what_is_no_file_in_the_journal_is_not_waited_for() {
    for name in ["x.entry", "x.undo", "x.kept", "x.scratch"] {
        let place = Place::new();
        let workspace = Workspace::open(&place.root()).unwrap();
        workspace.make(&workspace.journal()).unwrap();
        let pipe = workspace.journal().join(name);
        rustix::fs::mkfifoat(rustix::fs::CWD, pipe.as_std_path(), rustix::fs::Mode::RWXU).unwrap();
        assert!(writer(&place.root()).is_err(), "{name}");
        place.check_tree(BEFORE, name);
    }
}

#[tokio::test]
async fn a_second_writer_is_told_who_has_the_lock_or_waits_for_it() {
    let place = Place::new();
    let workspace = Workspace::open(&place.root()).unwrap();
    let first = workspace.writer(&Holder::this("heal a.spec.ts"), Patience::None, |_| ()).await.unwrap();
    let refused = workspace.writer(&Holder::this("undo"), Patience::None, |_| ()).await;
    let Err(WorkspaceError::Locked { holder }) = refused else { panic!("{refused:?}") };
    assert_eq!((holder.pid, holder.command.as_str()), (std::process::id(), "heal a.spec.ts"));
    let told = std::sync::Mutex::new(None);
    let me = Holder::this("undo");
    let patience = Patience::UpTo(std::time::Duration::from_mins(1));
    let waiting = workspace.writer(&me, patience, |holder| *told.lock().unwrap() = Some(holder.command.clone()));
    let freeing = async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        drop(first);
    };
    let (second, ()) = tokio::join!(waiting, freeing);
    assert!(second.is_ok());
    assert_eq!(told.lock().unwrap().as_deref(), Some("heal a.spec.ts"));
}
