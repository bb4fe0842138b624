//! Applying edits, one over the other, and taking them back or keeping them, all or none.

use std::sync::{Arc, PoisonError};

use super::journal::{self, Change, Header, NewEntry, Purpose};
use super::path::ProjectPath;
use super::recover::Returned;
use super::run::Run;
use super::{WorkspaceError, Writer, disk};
use crate::domain::gate::GatedEdit;
use crate::domain::verdict::{Basis, Outcome, Proofs, judge};

/// Edits that are on disk, each made over those before it, and that go back when this is dropped, unless they are kept:
/// the last one first.
#[derive(Debug)]
#[must_use = "dropping it takes the edits back"]
pub struct AppliedEdits {
    writer: Arc<Writer>,
    edits: Vec<Applied>,
}

/// One of them.
#[derive(Debug)]
struct Applied {
    header: Header,
    path: ProjectPath,
}

/// What one edit rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grounds {
    /// The proofs.
    pub proofs: Proofs,
    /// What the identity of its element rests on.
    pub basis: Basis,
    /// Whether the swapped locator is later the subject of an assertion.
    pub feeds_expect: bool,
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
    /// No edits yet.
    pub fn edits(self: &Arc<Self>) -> AppliedEdits {
        AppliedEdits { writer: Arc::clone(self), edits: Vec::new() }
    }

    /// Puts one edit on disk; see [`AppliedEdits::put`].
    pub fn apply(
        self: &Arc<Self>,
        run: &Run,
        edit: &GatedEdit,
        page: Option<&str>,
    ) -> Result<AppliedEdits, WorkspaceError> {
        let mut edits = self.edits();
        edits.put(run, edit, page)?;
        Ok(edits)
    }

    /// Fails unless the file is what the edit was made for.
    fn unchanged(&self, path: &ProjectPath, edit: &GatedEdit) -> Result<(), WorkspaceError> {
        if self.workspace.read(path)? == edit.before().as_bytes() {
            Ok(())
        } else {
            Err(WorkspaceError::Changed { path: path.relative().to_owned() })
        }
    }

    /// Replaces the file. The old one keeps a second name in the journal where the file system can do that: putting
    /// it back then needs no space on a full disk, and brings back everything else about it, too.
    fn replace(
        &self,
        Applied { header, path }: &Applied,
        edit: &GatedEdit,
        ownership: disk::Ownership,
    ) -> Result<(), WorkspaceError> {
        let file = path.absolute();
        drop(disk::link(file, &journal::old_file(&self.workspace, &header.id)));
        let temporary = path.folder().join(&header.temporary);
        disk::write_new(&temporary, &[edit.after().as_bytes()], Some(ownership))
            .map_err(WorkspaceError::io("write", &temporary))?;
        // Checked again: between the first look and now a person may have saved the file.
        self.unchanged(path, edit)?;
        disk::rename(&temporary, file).map_err(WorkspaceError::io("replace", file))
    }
}

impl AppliedEdits {
    /// Puts `edit` on disk over those that are there already: journal first, then the file in one step. `page` is what
    /// the page looked like, in the caller's words; see [`Change::page`].
    ///
    /// Nothing more than before is changed when it fails.
    pub fn put(&mut self, run: &Run, edit: &GatedEdit, page: Option<&str>) -> Result<(), WorkspaceError> {
        let writer = Arc::clone(&self.writer);
        let path = writer.workspace.resolve(edit.path().into())?;
        if path.relative() != edit.path() {
            // The gate has judged a name; a link makes it another file.
            return Err(WorkspaceError::Changed { path: edit.path().into() });
        }
        let claim = if self.holds(&path) { None } else { Some(Claim::of(&writer, &path)?) };
        writer.unchanged(&path, edit)?;
        if !disk::is_writable(path.absolute()) {
            return Err(WorkspaceError::ReadOnly { path: path.relative().to_owned() });
        }
        let ownership = disk::Ownership::of(path.absolute()).map_err(WorkspaceError::io("read", path.absolute()))?;
        let new = NewEntry {
            id: format!("{}-{:06}", run.id(), writer.number()),
            run: run.id(),
            path: &path,
            edit,
            mode: ownership.mode,
            page,
        };
        let header = journal::write(&writer.workspace, &new)?;
        claim.into_iter().for_each(Claim::release_later);
        let applied = Applied { header, path: path.clone() };
        let replaced = writer.replace(&applied, edit, ownership);
        // From here on taking it off cleans up whatever was done so far.
        self.edits.push(applied);
        if replaced.is_err() {
            self.drop_last();
        }
        replaced
    }

    /// Whether an edit of these is in the file.
    fn holds(&self, path: &ProjectPath) -> bool {
        self.edits.iter().any(|edit| edit.path == *path)
    }

    /// What changed, by file, in the order it was done.
    pub fn changes(&self) -> impl Iterator<Item = (&ProjectPath, &Change)> {
        self.edits.iter().map(|edit| (&edit.path, &edit.header.change))
    }

    /// Takes the last edit back and says where it was; `None` when there is none. A file that somebody else has changed
    /// since is not touched, which is an error; the edit is off the list then as well.
    pub fn take_off(&mut self) -> Result<Option<ProjectPath>, WorkspaceError> {
        let Some((path, returned)) = self.back() else { return Ok(None) };
        match returned? {
            Returned::Restored | Returned::LineRestored | Returned::AlreadyThere => Ok(Some(path)),
            Returned::LeftAlone { reason, aside } => {
                Err(WorkspaceError::LeftAlone { path: path.relative().to_owned(), reason, aside })
            }
        }
    }

    /// Takes all edits back, the last one first, however many of them cannot be; the first error is told.
    pub fn restore(mut self) -> Result<(), WorkspaceError> {
        let mut done = Ok(());
        loop {
            match self.take_off() {
                Ok(None) => return done,
                Ok(Some(_)) => {}
                Err(error) => done = done.and(Err(error)),
            }
        }
    }

    /// Keeps all edits: the proofs of each, in the order of the edits, must come to `healed`, and every file must still be
    /// what was proven. Otherwise all are taken back.
    pub fn keep(mut self, grounds: &[Grounds]) -> Result<Vec<VerifiedRepair>, WorkspaceError> {
        if grounds.len() != self.edits.len() {
            return Err(WorkspaceError::Unproven { sentence: "an edit has no proofs".to_owned() });
        }
        for Grounds { proofs, basis, feeds_expect } in grounds {
            let reason = judge(proofs, *basis, *feeds_expect);
            if reason.outcome() != Outcome::Healed {
                return Err(WorkspaceError::Unproven { sentence: reason.sentence });
            }
        }
        let workspace = &self.writer.workspace;
        for (index, edit) in self.edits.iter().enumerate() {
            let is_last = !self.edits.iter().skip(index + 1).any(|later| later.path == edit.path);
            if is_last && disk::sha256(&workspace.read(&edit.path)?) != edit.header.new {
                return Err(WorkspaceError::Changed { path: edit.path.relative().to_owned() });
            }
            let folder = workspace.edits_of(&edit.header.run);
            disk::make_folder(&folder).map_err(WorkspaceError::io("create", &folder))?;
        }
        let ids: Vec<&str> = self.edits.iter().map(|edit| edit.header.id.as_str()).collect();
        // Its appearance is the difference between edits that go back and edits that stay.
        let list = journal::write_kept(workspace, &ids)?;
        let kept = std::mem::take(&mut self.edits);
        if let Err(error) = self.writer.finish_keeping(&list) {
            self.writer.mishap(format!("the repairs stay, but their entries are not filed yet: {error}"));
        }
        for edit in &kept {
            release(&self.writer, &edit.path);
        }
        let repairs = kept.into_iter().zip(grounds).map(|(edit, grounds)| VerifiedRepair {
            path: edit.path,
            change: edit.header.change,
            proofs: grounds.proofs.clone(),
            id: edit.header.id,
        });
        Ok(repairs.collect())
    }

    /// Puts back what the last edit changed.
    fn back(&mut self) -> Option<(ProjectPath, Result<Returned, WorkspaceError>)> {
        let edit = self.edits.pop()?;
        let entry = journal::place(&self.writer.workspace, &edit.header.id, Purpose::InFlight);
        let returned = self.writer.put_back(&entry, Purpose::InFlight).map(|done| done.returned);
        if returned.is_err() {
            // It is still there: whatever lies below it waits in the journal as well, for the next start.
            self.edits.retain(|below| below.path != edit.path);
        }
        if !self.holds(&edit.path) {
            release(&self.writer, &edit.path);
        }
        Some((edit.path, returned))
    }

    /// Puts the last edit back where nobody can be told but by a mishap.
    fn drop_last(&mut self) -> bool {
        let Some((path, returned)) = self.back() else { return false };
        let mishap = match returned {
            Ok(Returned::LeftAlone { reason, aside }) => {
                Some(format!("{path} was not put back: {reason}; its old content is in {aside}"))
            }
            Ok(Returned::Restored | Returned::LineRestored | Returned::AlreadyThere) => None,
            Err(error) => {
                Some(format!("{path} was not put back yet: {error}; the next `relocator undo` or repair does it"))
            }
        };
        if let Some(mishap) = mishap {
            self.writer.mishap(mishap);
        }
        true
    }
}

impl Drop for AppliedEdits {
    fn drop(&mut self) {
        while self.drop_last() {}
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

    /// Leaves the release to the [`AppliedEdits`].
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
