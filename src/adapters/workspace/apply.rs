//! Applying one edit, and taking it back or keeping it.

use std::sync::{Arc, PoisonError};

use super::journal::{self, Change, Header, NewEntry, Purpose};
use super::path::ProjectPath;
use super::recover::Returned;
use super::run::Run;
use super::{WorkspaceError, Writer, disk};
use crate::domain::gate::GatedEdit;
use crate::domain::verdict::{Basis, Outcome, Proofs, judge};

/// An edit that is on disk and goes back when this is dropped, unless it is kept.
#[derive(Debug)]
#[must_use = "dropping it takes the edit back"]
pub struct AppliedEdit {
    writer: Arc<Writer>,
    header: Header,
    path: ProjectPath,
    /// Neither kept nor taken back yet.
    open: bool,
}

/// A repair that is proven and stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedRepair {
    /// The file.
    pub path: ProjectPath,
    /// What changed in it.
    pub change: Change,
    /// What it rests on.
    pub proofs: Proofs,
    /// The name of the entry that `undo` needs.
    pub id: String,
}

impl Writer {
    /// Puts `edit` on disk: journal first, then the file in one step. `page` is what the page looked like, in the
    /// caller's words; see [`Change::page`].
    ///
    /// Nothing has changed when it fails.
    pub fn apply(
        self: &Arc<Self>,
        run: &Run,
        edit: &GatedEdit,
        page: Option<&str>,
    ) -> Result<AppliedEdit, WorkspaceError> {
        let path = self.workspace.resolve(edit.path().into())?;
        if path.relative() != edit.path() {
            // The gate has judged a name; a link makes it another file.
            return Err(WorkspaceError::Changed { path: edit.path().into() });
        }
        let claim = Claim::of(self, &path)?;
        self.unchanged(&path, edit)?;
        if !disk::is_writable(path.absolute()) {
            return Err(WorkspaceError::ReadOnly { path: path.relative().to_owned() });
        }
        let ownership = disk::Ownership::of(path.absolute()).map_err(WorkspaceError::io("read", path.absolute()))?;
        let new = NewEntry {
            id: format!("{}-{:03}", run.id(), self.number()),
            run: run.id(),
            path: &path,
            edit,
            mode: ownership.mode,
            page,
        };
        let header = journal::write(&self.workspace, &new)?;
        claim.release_later();
        // From here on dropping it cleans up whatever was done so far.
        let applied = AppliedEdit { writer: Arc::clone(self), header, path, open: true };
        applied.replace(edit, ownership)?;
        Ok(applied)
    }

    /// Fails unless the file is what the edit was made for.
    fn unchanged(&self, path: &ProjectPath, edit: &GatedEdit) -> Result<(), WorkspaceError> {
        if self.workspace.read(path)? == edit.before().as_bytes() {
            Ok(())
        } else {
            Err(WorkspaceError::Changed { path: path.relative().to_owned() })
        }
    }
}

impl AppliedEdit {
    /// Replaces the file. The old one keeps a second name in the journal where the file system can do that: putting
    /// it back then needs no space on a full disk, and brings back everything else about it, too.
    fn replace(&self, edit: &GatedEdit, ownership: disk::Ownership) -> Result<(), WorkspaceError> {
        let file = self.path.absolute();
        drop(disk::link(file, &journal::old_file(&self.writer.workspace, &self.header.id)));
        let temporary = self.path.folder().join(&self.header.temporary);
        disk::write_new(&temporary, &[edit.after().as_bytes()], Some(ownership))
            .map_err(WorkspaceError::io("write", &temporary))?;
        // Checked again: between the first look and now a person may have saved the file.
        self.writer.unchanged(&self.path, edit)?;
        disk::rename(&temporary, file).map_err(WorkspaceError::io("replace", file))
    }

    /// The file.
    pub fn path(&self) -> &ProjectPath {
        &self.path
    }

    /// What changed in it.
    pub fn change(&self) -> &Change {
        &self.header.change
    }

    /// Takes the edit back; a file that somebody else has changed since is not touched, which is an error.
    pub fn restore(mut self) -> Result<(), WorkspaceError> {
        self.open = false;
        match self.take_back()? {
            Returned::Restored | Returned::AlreadyThere => Ok(()),
            Returned::LeftAlone { reason, aside } => {
                Err(WorkspaceError::LeftAlone { path: self.path.relative().to_owned(), reason, aside })
            }
        }
    }

    /// Keeps the edit: the proofs must come to `healed`, and the file must still be what was proven.
    ///
    /// Otherwise it is taken back.
    pub fn keep(mut self, proofs: Proofs, basis: Basis, feeds_expect: bool) -> Result<VerifiedRepair, WorkspaceError> {
        let reason = judge(&proofs, basis, feeds_expect);
        if reason.outcome() != Outcome::Healed {
            return Err(WorkspaceError::Unproven { sentence: reason.sentence });
        }
        let workspace = &self.writer.workspace;
        let now = workspace.read(&self.path)?;
        if disk::sha256(&now) != self.header.new {
            return Err(WorkspaceError::Changed { path: self.path.relative().to_owned() });
        }
        let edits = workspace.edits_of(&self.header.run);
        disk::make_folder(&edits).map_err(WorkspaceError::io("create", &edits))?;
        let id = self.header.id.clone();
        let kept = edits.join(format!("{id}.entry"));
        let in_journal = journal::place(workspace, &id, Purpose::InFlight);
        // This one step is the difference between an edit that goes back and one that stays.
        if let Err(error) = disk::rename(&in_journal, &kept) {
            // It may have got half-way: renamed, but not synced. What is not surely kept goes back.
            drop(std::fs::rename(&kept, &in_journal));
            return Err(WorkspaceError::io("keep", &kept)(error));
        }
        self.open = false;
        disk::discard(&journal::old_file(workspace, &id));
        Ok(VerifiedRepair { path: self.path.clone(), change: self.header.change.clone(), proofs, id })
    }

    fn take_back(&self) -> Result<Returned, WorkspaceError> {
        let entry = journal::place(&self.writer.workspace, &self.header.id, Purpose::InFlight);
        self.writer.put_back(&entry, Purpose::InFlight).map(|done| done.returned)
    }
}

impl Drop for AppliedEdit {
    fn drop(&mut self) {
        if self.open {
            let mishap = match self.take_back() {
                Ok(Returned::LeftAlone { reason, aside }) => {
                    Some(format!("{} was not put back: {reason}; its old content is in {aside}", self.path))
                }
                Ok(Returned::Restored | Returned::AlreadyThere) => None,
                Err(error) => Some(format!(
                    "{} was not put back yet: {error}; the next `relocator undo` or repair does it",
                    self.path
                )),
            };
            if let Some(sentence) = mishap {
                self.writer.mishap(sentence);
            }
        }
        release(&self.writer, &self.path);
    }
}

/// The right to edit one file, within this process.
struct Claim<'a> {
    writer: &'a Writer,
    path: &'a ProjectPath,
    held: bool,
}

impl<'a> Claim<'a> {
    fn of(writer: &'a Writer, path: &'a ProjectPath) -> Result<Self, WorkspaceError> {
        let mut busy = writer.busy.lock().unwrap_or_else(PoisonError::into_inner);
        if busy.insert(path.absolute().to_owned()) {
            Ok(Self { writer, path, held: true })
        } else {
            Err(WorkspaceError::Busy { path: path.relative().to_owned() })
        }
    }

    /// Leaves the release to the [`AppliedEdit`].
    fn release_later(mut self) {
        self.held = false;
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if self.held {
            release(self.writer, self.path);
        }
    }
}

fn release(writer: &Writer, path: &ProjectPath) {
    writer.busy.lock().unwrap_or_else(PoisonError::into_inner).remove(path.absolute());
}
