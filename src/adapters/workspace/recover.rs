//! Putting back: after a crash, when an edit is dropped, and on `undo`. One mechanism for all three.

use camino::{Utf8Path, Utf8PathBuf};

use super::journal::{self, Change, Entry, Header, Purpose};
use super::path::ProjectPath;
use super::{Workspace, WorkspaceError, Writer, disk, scratch};
use crate::domain::edit::{TakenBack, line_taken_back};
use crate::domain::gate;

/// What became of one journal entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutBack {
    /// The file, from the root.
    pub path: Utf8PathBuf,
    /// The run that had edited it.
    pub run: String,
    /// What the edit had changed.
    pub change: Change,
    /// What became of it.
    pub returned: Returned,
}

/// What putting a file back came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Returned {
    /// The old bytes are back.
    Restored,
    /// The old line is back; other lines that somebody has changed since are as he left them.
    LineRestored,
    /// The file already had its old bytes.
    AlreadyThere,
    /// Somebody else has changed or removed the file since, so it was not touched.
    LeftAlone {
        /// What was seen.
        reason: String,
        /// Where the old bytes are kept.
        aside: Utf8PathBuf,
    },
}

impl Writer {
    /// Puts back everything in the journal that is not kept, latest first, and clears away what was never finished.
    pub(super) fn recover(&self) -> Result<Vec<PutBack>, WorkspaceError> {
        let folder = self.workspace.journal();
        self.finish_all()?;
        for entry in scratch::entries(&self.workspace)? {
            self.remove_scratch(&entry)?;
        }
        let mut done = Vec::new();
        let names = journal::names(&folder)?;
        for name in names.iter().rev() {
            for purpose in [Purpose::InFlight, Purpose::Undo] {
                if Utf8Path::new(name).extension() == Some(purpose.suffix()) {
                    done.push(self.put_back(&folder.join(name), purpose)?);
                }
            }
        }
        for name in journal::names(&folder)? {
            if let Some("unfinished" | "kept-unfinished" | "old") = Utf8Path::new(&name).extension() {
                disk::discard(&folder.join(name));
            }
        }
        Ok(done)
    }

    fn finish_all(&self) -> Result<(), WorkspaceError> {
        let folder = self.workspace.journal();
        for name in journal::names(&folder)? {
            if Utf8Path::new(&name).extension() == Some(journal::KEPT) {
                self.finish_keeping(&folder.join(name))?;
            }
        }
        Ok(())
    }

    /// Files the entries that a list says are kept under their runs, then removes the list.
    pub(super) fn finish_keeping(&self, list: &Utf8Path) -> Result<(), WorkspaceError> {
        for id in journal::read_kept(list)? {
            let entry = journal::place(&self.workspace, &id, Purpose::InFlight);
            // What is not there was filed before this was interrupted.
            if entry.is_file() {
                let header = journal::read(&entry)?.header;
                move_entry(&entry, &self.workspace.edits_of(&header.run).join(format!("{id}.entry")))?;
            }
            disk::discard(&journal::old_file(&self.workspace, &id));
        }
        disk::remove(list).map_err(WorkspaceError::io("remove", list))
    }

    /// Puts back what the run `run` changed, latest edit first; without a name, the latest run that changed anything.
    ///
    /// What is undone is remembered as refused.
    pub fn undo(&self, run: Option<&str>) -> Result<Vec<PutBack>, WorkspaceError> {
        let run = match run {
            Some(run) => run.to_owned(),
            None => self.latest_with_edits()?,
        };
        let done = self.back(&run, Purpose::Undo)?;
        if done.is_empty() {
            let known = self.workspace.runs_so_far()?.contains(&run);
            let what = if known { "changed nothing that could be undone" } else { "does not exist" };
            return Err(WorkspaceError::NothingToUndo(format!("the run {run} {what}")));
        }
        Ok(done)
    }

    /// Puts back what the run `run` changed, latest edit first, because its repairs live on elsewhere: in commits of a
    /// branch, or as proposals. Nobody refused them.
    pub fn take_back(&self, run: &str) -> Result<Vec<PutBack>, WorkspaceError> {
        self.back(run, Purpose::InFlight)
    }

    fn back(&self, run: &str, purpose: Purpose) -> Result<Vec<PutBack>, WorkspaceError> {
        self.finish_all()?;
        let edits = self.workspace.edits_of(run);
        let mut done = Vec::new();
        for name in kept_in(&edits)?.iter().rev() {
            let entry = edits.join(name);
            let id = Utf8Path::new(name).file_stem().unwrap_or_default();
            let in_journal = journal::place(&self.workspace, id, purpose);
            // Read first: an entry that cannot be used must not get into the journal.
            journal::read(&entry)?;
            disk::rename(&entry, &in_journal).map_err(WorkspaceError::io("undo", &entry))?;
            done.push(self.put_back(&in_journal, purpose)?);
        }
        Ok(done)
    }

    fn latest_with_edits(&self) -> Result<String, WorkspaceError> {
        for run in self.workspace.runs_so_far()?.into_iter().rev() {
            if !kept_in(&self.workspace.edits_of(&run))?.is_empty() {
                return Ok(run);
            }
        }
        Err(WorkspaceError::NothingToUndo("no run has changed anything that could be undone".to_owned()))
    }

    /// Puts one file back and puts the entry where it then belongs.
    pub(super) fn put_back(&self, place: &Utf8Path, purpose: Purpose) -> Result<PutBack, WorkspaceError> {
        let entry = journal::read(place)?;
        let returned = self.workspace.return_bytes(&entry, &self.kept_at(&entry.header, purpose))?;
        self.file_away(place, &entry.header, purpose, &returned)?;
        let Header { path, run, change, .. } = entry.header;
        Ok(PutBack { path, run, change, returned })
    }

    /// Where an entry is kept that could not be put back.
    fn kept_at(&self, header: &Header, purpose: Purpose) -> Utf8PathBuf {
        let name = format!("{}.entry", header.id);
        match purpose {
            Purpose::InFlight => self.workspace.journal().join("aside").join(name),
            Purpose::Undo => self.workspace.edits_of(&header.run).join(name),
        }
    }

    fn file_away(
        &self,
        place: &Utf8Path,
        header: &Header,
        purpose: Purpose,
        returned: &Returned,
    ) -> Result<(), WorkspaceError> {
        match (purpose, returned) {
            (_, Returned::LeftAlone { aside, .. }) => move_entry(place, aside)?,
            (Purpose::InFlight, _) => disk::remove(place).map_err(WorkspaceError::io("remove", place))?,
            (Purpose::Undo, _) => {
                self.workspace.refuse(header)?;
                move_entry(place, &self.workspace.edits_of(&header.run).join(format!("{}.undone", header.id)))?;
            }
        }
        disk::discard(&journal::old_file(&self.workspace, &header.id));
        Ok(())
    }
}

impl Workspace {
    /// Puts the old bytes back, unless somebody else has changed the file; then the line alone, where that is as it was left.
    /// `aside` is only told.
    fn return_bytes(&self, entry: &Entry, aside: &Utf8Path) -> Result<Returned, WorkspaceError> {
        let left_alone = |reason: &str| Ok(Returned::LeftAlone { reason: reason.to_owned(), aside: aside.to_owned() });
        let header = &entry.header;
        let path = match self.resolve(&header.path) {
            Ok(path) if path.relative() == header.path => path,
            Err(WorkspaceError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                self.clear_temporary(header)?;
                return left_alone("somebody has removed it");
            }
            Err(error @ WorkspaceError::Io { .. }) => return Err(error),
            Ok(_) | Err(_) => return left_alone("it is no longer the file it was"),
        };
        let temporary = path.folder().join(&header.temporary);
        disk::remove(&temporary).map_err(WorkspaceError::io("remove", &temporary))?;
        let bytes = self.read(&path)?;
        let now = disk::sha256(&bytes);
        if now == header.old {
            return Ok(Returned::AlreadyThere);
        }
        if now != header.new {
            let taken_back = line_taken_back(&entry.old, &bytes, &header.change.before, &header.change.after);
            return match taken_back {
                TakenBack::Already => Ok(Returned::AlreadyThere),
                // The way back is as bounded as the way there was.
                TakenBack::Text(old) if gate::check(header.path.as_str(), &old, &bytes).is_ok() => {
                    self.replace_line(&old, &bytes, &path, &temporary)
                }
                _ => left_alone("the file has been changed since"),
            };
        }
        // Anybody can write into the journal: what it puts back can only be what an edit of ours has replaced.
        if gate::check(header.path.as_str(), &entry.old, &bytes).is_err() {
            return left_alone("its journal entry says another change than relocator makes");
        }
        self.replace_by_old(entry, &path, &temporary)?;
        Ok(Returned::Restored)
    }

    /// Puts the text with the old line in the place of the file, if that still holds `bytes`.
    fn replace_line(
        &self,
        old: &[u8],
        bytes: &[u8],
        path: &ProjectPath,
        temporary: &Utf8Path,
    ) -> Result<Returned, WorkspaceError> {
        let file = path.absolute();
        let ownership = disk::Ownership::of(file).map_err(WorkspaceError::io("read", file))?;
        disk::write_new(temporary, &[old], Some(ownership)).map_err(WorkspaceError::io("write", temporary))?;
        if self.read(path)? != bytes {
            disk::discard(temporary);
            return Err(WorkspaceError::Changed { path: path.relative().to_owned() });
        }
        disk::rename(temporary, file).map_err(WorkspaceError::io("put back", file))?;
        Ok(Returned::LineRestored)
    }

    /// Removes the half-written replacement of a file that is gone itself, if its folder is still there and ours.
    fn clear_temporary(&self, header: &Header) -> Result<(), WorkspaceError> {
        let folder = self.root().join(header.path.parent().unwrap_or(Utf8Path::new("")));
        if folder.canonicalize_utf8().is_ok_and(|folder| folder.starts_with(self.root())) {
            let temporary = folder.join(&header.temporary);
            disk::remove(&temporary).map_err(WorkspaceError::io("remove", &temporary))?;
        }
        Ok(())
    }

    /// The old file itself if it still waits in the journal, else its bytes in a new one.
    fn replace_by_old(&self, entry: &Entry, path: &ProjectPath, temporary: &Utf8Path) -> Result<(), WorkspaceError> {
        let file = path.absolute();
        let failed = WorkspaceError::io("put back", file);
        let old = journal::old_file(self, &entry.header.id);
        // Somebody may have had it open and written to it.
        if disk::read(&old, super::path::SOURCE_CAP).is_ok_and(|bytes| bytes == entry.old) {
            return disk::rename(&old, file).map_err(failed);
        }
        let ownership = disk::Ownership::mode(entry.header.mode, disk::Ownership::of(file).ok());
        disk::write_new(temporary, &[&entry.old], Some(ownership))
            .and_then(|()| disk::rename(temporary, file))
            .map_err(failed)
    }
}

fn move_entry(from: &Utf8Path, to: &Utf8Path) -> Result<(), WorkspaceError> {
    if let Some(folder) = to.parent() {
        disk::make_folder(folder).map_err(WorkspaceError::io("create", folder))?;
    }
    disk::rename(from, to).map_err(WorkspaceError::io("move", from))
}

fn kept_in(edits: &Utf8Path) -> Result<Vec<String>, WorkspaceError> {
    let mut names = journal::names(edits)?;
    names.retain(|name| Utf8Path::new(name).extension() == Some("entry"));
    Ok(names)
}
