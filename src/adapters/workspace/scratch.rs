//! Scratch copies beside the sources: new files for one run of Playwright, removed afterwards in every case.
//!
//! What will be written is in the journal before it is written, so that the next start removes what a killed process left.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::run::Run;
use super::{Workspace, WorkspaceError, Writer, disk, journal};

/// How the name of every scratch copy begins: nothing else is ever removed.
pub const SCRATCH_TAG: &str = "relocator-scratch";

/// The suffix of their entry in the journal.
pub(super) const SUFFIX: &str = "scratch";

/// The list of copies, as it stands in the journal.
#[derive(Debug, Serialize, Deserialize)]
struct List {
    paths: Vec<Utf8PathBuf>,
}

/// Scratch copies on disk; they go when this is dropped.
#[derive(Debug)]
#[must_use = "dropping it removes the copies"]
pub struct ScratchCopies {
    writer: Arc<Writer>,
    entry: Utf8PathBuf,
}

impl Writer {
    /// Writes `files` (project-relative path → text), none of which may exist, each named [`SCRATCH_TAG`]`…`.
    pub fn scratch(
        self: &Arc<Self>,
        run: &Run,
        files: &BTreeMap<String, String>,
    ) -> Result<ScratchCopies, WorkspaceError> {
        let paths: Vec<Utf8PathBuf> = files.keys().map(Utf8PathBuf::from).collect();
        for path in &paths {
            self.workspace.scratch_file(path)?;
        }
        let entry = self.workspace.journal().join(format!("{}-{:06}.{SUFFIX}", run.id(), self.number()));
        let unfinished = entry.with_extension("unfinished");
        let list = serde_json::to_vec(&List { paths })
            .map_err(|error| WorkspaceError::BadEntry { path: entry.clone(), reason: error.to_string() })?;
        disk::write_new(&unfinished, &[&list], None)
            .and_then(|()| disk::rename(&unfinished, &entry))
            .map_err(WorkspaceError::io("write", &entry))?;
        // From here on dropping it removes whatever was written so far.
        let copies = ScratchCopies { writer: Arc::clone(self), entry };
        for (path, text) in files {
            let file = self.workspace.scratch_file(Utf8Path::new(path))?;
            disk::write_new(&file, &[text.as_bytes()], None).map_err(WorkspaceError::io("write", &file))?;
        }
        Ok(copies)
    }

    /// Removes the copies that an entry lists, then the entry.
    pub(super) fn remove_scratch(&self, entry: &Utf8Path) -> Result<(), WorkspaceError> {
        let bytes = disk::read(entry, 1 << 20).map_err(WorkspaceError::io("read", entry))?;
        let list: List = serde_json::from_slice(&bytes)
            .map_err(|error| WorkspaceError::BadEntry { path: entry.to_owned(), reason: error.to_string() })?;
        for path in &list.paths {
            // A folder that is gone, or leads elsewhere by now, holds no copy of ours.
            if let Ok(file) = self.workspace.scratch_file(path) {
                disk::remove(&file).map_err(WorkspaceError::io("remove", &file))?;
            }
        }
        disk::remove(entry).map_err(WorkspaceError::io("remove", entry))
    }
}

impl Drop for ScratchCopies {
    fn drop(&mut self) {
        if let Err(error) = self.writer.remove_scratch(&self.entry) {
            self.writer.mishap(format!("scratch copies are left, the next start removes them: {error}"));
        }
    }
}

impl Workspace {
    /// Where a scratch copy goes: named as one, in a folder of the project's own.
    fn scratch_file(&self, path: &Utf8Path) -> Result<Utf8PathBuf, WorkspaceError> {
        let refuse = |reason| WorkspaceError::NotASource { path: path.to_owned(), reason };
        let name = path.file_name().filter(|name| name.starts_with(SCRATCH_TAG));
        let name = name.ok_or_else(|| refuse("it is not named as a scratch copy"))?;
        let folder = self.root().join(path.parent().unwrap_or(Utf8Path::new("")));
        let folder = folder.canonicalize_utf8().map_err(WorkspaceError::io("find", &folder))?;
        let Ok(relative) = folder.strip_prefix(self.root()) else {
            return Err(WorkspaceError::Outside { path: path.to_owned(), root: self.root().to_owned() });
        };
        if relative.components().any(|part| super::path::FOREIGN.contains(&part.as_str())) {
            return Err(refuse("it lies in a folder that is not the project's own"));
        }
        Ok(folder.join(name))
    }
}

/// The entries of scratch copies in the journal.
pub(super) fn entries(workspace: &Workspace) -> Result<Vec<Utf8PathBuf>, WorkspaceError> {
    let folder = workspace.journal();
    let mut names = journal::names(&folder)?;
    names.retain(|name| Utf8Path::new(name).extension() == Some(SUFFIX));
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::workspace::{Holder, Patience};

    fn project() -> (tempfile::TempDir, Utf8PathBuf) {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(guard.path().canonicalize().unwrap()).unwrap();
        std::fs::create_dir(root.join("tests")).unwrap();
        (guard, root)
    }

    async fn writer(root: &Utf8Path) -> Arc<Writer> {
        let workspace = Workspace::open(root).unwrap();
        Arc::new(workspace.writer(&Holder::this("test"), Patience::None, |_| ()).await.unwrap())
    }

    #[tokio::test]
    async fn copies_go_when_dropped_and_when_the_process_was_killed() {
        let (_guard, root) = project();
        let first = writer(&root).await;
        let run = first.workspace().begin_run().unwrap();
        let name = format!("tests/{SCRATCH_TAG}-1.a.spec.ts");
        let files = BTreeMap::from([(name.clone(), "x".to_owned())]);
        let copies = first.scratch(&run, &files).unwrap();
        assert!(root.join(&name).is_file());
        drop(copies);
        assert!(!root.join(&name).exists());
        std::mem::forget(first.scratch(&run, &files).unwrap());
        assert!(root.join(&name).is_file());
        // A killed process runs no destructors; the next start recovers.
        first.recover().unwrap();
        assert!(!root.join(&name).exists());
        assert_eq!(entries(first.workspace()).unwrap(), Vec::<Utf8PathBuf>::new());
    }

    #[tokio::test]
    async fn a_copy_outside_or_under_another_name_is_refused() {
        let (_guard, root) = project();
        let writer = writer(&root).await;
        let run = writer.workspace().begin_run().unwrap();
        for name in
            ["tests/a.spec.ts", "../relocator-scratch.ts", ".git/relocator-scratch.ts", "none/relocator-scratch.ts"]
        {
            let files = BTreeMap::from([(name.to_owned(), String::new())]);
            assert!(writer.scratch(&run, &files).is_err(), "{name}");
        }
    }
}
