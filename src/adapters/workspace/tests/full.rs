//! Disks that are really full or really read-only. Needs to mount something; says so where it may not.

use std::process::Command;

use super::*;

/// A small file system of its own, mounted for the length of a test.
struct Mount {
    folder: tempfile::TempDir,
}

impl Mount {
    /// `None`, said on stderr, where mounting is not allowed.
    fn of(kilobytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={kilobytes}k");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path()).output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self { folder });
        }
        eprintln!("SKIPPED: this machine does not let the tests mount a small disk (needs root)");
        None
    }

    fn root(&self) -> Utf8PathBuf {
        Utf8PathBuf::from_path_buf(self.folder.path().canonicalize().unwrap()).unwrap()
    }

    fn remount(&self, option: &str) {
        let options = format!("remount,{option}");
        let status = Command::new("mount").args(["-o", &options]).arg(self.folder.path()).status().unwrap();
        assert!(status.success());
    }

    /// Writes until nothing more fits, leaving `spare` bytes.
    fn fill(&self, spare: usize) {
        let path = self.root().join("filler");
        std::fs::write(&path, []).unwrap();
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        while std::io::Write::write_all(&mut file, &[0; 4096]).is_ok() {}
        let size = file.metadata().unwrap().len();
        file.set_len(size - u64::try_from(spare).unwrap()).unwrap();
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(self.folder.path()).status());
    }
}

fn prepared(mount: &Mount) -> (Arc<Writer>, Run, String, String) {
    // Larger than the page of the file system by far, so that a half-full disk cuts it somewhere.
    let padding = "\n// a comment".repeat(3_000);
    let (before, after) = (format!("{BEFORE}{padding}"), format!("{AFTER}{padding}"));
    std::fs::create_dir(mount.root().join("tests")).unwrap();
    std::fs::write(mount.root().join(FILE), &before).unwrap();
    let writer = writer(&mount.root()).unwrap();
    let run = writer.workspace().begin_run().unwrap();
    (writer, run, before, after)
}

fn content(mount: &Mount) -> String {
    std::fs::read_to_string(mount.root().join(FILE)).unwrap()
}

#[test]
fn on_a_full_disk_nothing_is_edited() {
    for spare in [0, 4096, 20_000, 45_056, 60_000] {
        let Some(mount) = Mount::of(256) else { return };
        let (writer, run, before, after) = prepared(&mount);
        mount.fill(spare);
        let refused = apply(&writer, &run, &before, &after);
        let Err(error @ WorkspaceError::Io { .. }) = refused else { panic!("{spare}: {refused:?}") };
        let shown = Error::from(error);
        assert!(shown.hints().iter().any(|hint| hint.contains("free some space")), "{shown:?}");
        assert!(content(&mount) == before, "{spare}");
        assert_eq!(journal::names(&mount.root().join("tests")).unwrap(), ["a.spec.ts"]);
    }
}

#[test]
fn a_disk_that_fills_up_during_the_test_run_does_not_keep_the_old_bytes_away() {
    let Some(mount) = Mount::of(512) else { return };
    let (writer, run, before, after) = prepared(&mount);
    let applied = apply(&writer, &run, &before, &after).unwrap();
    mount.fill(0);
    assert!(content(&mount) == after);
    drop(applied);
    assert!(content(&mount) == before);
    assert_eq!(writer.mishaps(), Vec::<String>::new());
}

#[test]
fn what_cannot_go_back_on_a_read_only_disk_goes_back_once_it_can_be_written() {
    let Some(mount) = Mount::of(512) else { return };
    std::fs::create_dir(mount.root().join("tests")).unwrap();
    std::fs::write(mount.root().join(FILE), BEFORE).unwrap();
    let after_replacing = (1..100).find(|&at| {
        assert!(crash::killed(crash::Scenario::Dropped, &mount.root(), at));
        content(&mount) == AFTER
    });
    mount.remount("ro");
    let refused = writer(&mount.root());
    let Err(error @ WorkspaceError::Io { .. }) = refused else { panic!("{after_replacing:?}: {refused:?}") };
    let shown = Error::from(error);
    assert!(shown.hints().iter().any(|hint| hint.contains("needs to write")), "{shown:?}");
    assert_eq!(content(&mount), AFTER);
    mount.remount("rw");
    assert_eq!(writer(&mount.root()).unwrap().recovered().len(), 1);
    assert_eq!(content(&mount), BEFORE);
}
