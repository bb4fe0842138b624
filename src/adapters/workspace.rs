//! The project on disk: the only writer of its files.
//!
//! A path is usable only after [`Workspace::resolve`] (inside the root after symlinks, a test source by its name), a
//! file is written only through [`AppliedEdits::put`], and edits stay only through [`AppliedEdits::keep`], which demands
//! the proofs. Whatever else happens, also a crash at any point, the bytes of before come back: the journal is on disk
//! before the first byte changes, a file is replaced in one step, and the next writer puts back what it finds in the
//! journal. A file that a person changed in between is never overwritten.
//!
//! ```text
//! .relocator/.gitignore        `*`
//! .relocator/lock              who writes: held for the life of a Writer
//! .relocator/journal/ID.entry  an edit in flight: header and old bytes      ID.old  the old file itself (a hard link)
//!                    ID.undo   a kept edit on its way back                  aside/  what could not be put back
//!                    ID.kept   which entries stay, all at once; until they are filed below
//! .relocator/undo/RUN/ID.entry a kept edit; ID.undone once it was put back
//! .relocator/refused           heals that a person has undone, one JSON object per line
//! ```

mod apply;
mod disk;
mod journal;
mod lock;
mod path;
mod recover;
mod refused;
mod run;
mod scratch;

#[cfg(test)]
mod faults;
#[cfg(test)]
mod tests;

use camino::{Utf8Path, Utf8PathBuf};

pub use self::apply::{AppliedEdits, Grounds, VerifiedRepair};
pub use self::journal::Change;
pub use self::lock::{Holder, Patience, Writer};
pub use self::path::ProjectPath;
pub use self::recover::{PutBack, Returned};
pub use self::refused::Refused;
pub use self::run::{Run, TemporaryFolder};
pub use self::scratch::{SCRATCH_TAG, ScratchCopies};
use crate::error::Error;

/// The name of our folder in the project root.
const STATE: &str = ".relocator";

/// A project whose files can be read; nothing is written until a [`Writer`] is asked for.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: Utf8PathBuf,
}

/// Why the workspace did not do what was asked. The project's files are as they were.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The path leads out of the project.
    #[error("{path} is outside the project {root}")]
    Outside {
        /// What was asked for.
        path: Utf8PathBuf,
        /// The project.
        root: Utf8PathBuf,
    },
    /// The path is inside, but no source of the project's own.
    #[error("{path} is not a test source of this project: {reason}")]
    NotASource {
        /// What was asked for.
        path: Utf8PathBuf,
        /// What it is instead.
        reason: &'static str,
    },
    /// The file may not be written.
    #[error("{path} is read-only")]
    ReadOnly {
        /// The file.
        path: Utf8PathBuf,
    },
    /// Somebody changed the file since it was read.
    #[error("{path} has been changed by somebody else in the meantime")]
    Changed {
        /// The file.
        path: Utf8PathBuf,
    },
    /// Somebody changed or removed a file while an edit was in it, so the edit could not be taken back.
    #[error("{path} was not put back: {reason}; its old content is kept in {aside}")]
    LeftAlone {
        /// The file.
        path: Utf8PathBuf,
        /// What was seen.
        reason: String,
        /// Where the old content is.
        aside: Utf8PathBuf,
    },
    /// Another repair of this process has an edit in the same file.
    #[error("{path} is being edited by another repair")]
    Busy {
        /// The file.
        path: Utf8PathBuf,
    },
    /// Another relocator works in the project.
    #[error("another relocator is working in this project: {holder}")]
    Locked {
        /// Who.
        holder: Holder,
    },
    /// An edit was to be kept without its proofs.
    #[error("the edit is not proven: {sentence}")]
    Unproven {
        /// What is missing.
        sentence: String,
    },
    /// There is no such run, or it changed nothing.
    #[error("{0}")]
    NothingToUndo(String),
    /// A journal entry cannot be used.
    #[error("cannot use the journal entry {path}: {reason}")]
    BadEntry {
        /// The entry.
        path: Utf8PathBuf,
        /// Why.
        reason: String,
    },
    /// The operating system refused.
    #[error("cannot {doing} {path}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file or folder.
        path: Utf8PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl WorkspaceError {
    /// Says that `doing` failed for `path`.
    fn io(doing: &'static str, path: &Utf8Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }
}

impl From<WorkspaceError> for Error {
    fn from(error: WorkspaceError) -> Self {
        let message = error.to_string();
        match error {
            WorkspaceError::Outside { .. } | WorkspaceError::NotASource { .. } | WorkspaceError::NothingToUndo(_) => {
                Self::usage(message)
            }
            WorkspaceError::ReadOnly { path } => Self::blocked(message).hinted(format!("chmod u+w {path}")),
            WorkspaceError::LeftAlone { .. } => {
                Self::blocked(message).hinted("nothing was overwritten; see what of it you want")
            }
            WorkspaceError::Changed { .. } => Self::blocked(message).hinted("nothing was overwritten; start again"),
            WorkspaceError::Locked { holder } => {
                Self::blocked(message).hinted(format!("wait for it with --wait, or end process {}", holder.pid))
            }
            WorkspaceError::BadEntry { path, .. } => Self::blocked(message)
                .hinted(format!("look at it: its first line says which file it belongs to ({path})")),
            WorkspaceError::Io { source, .. } => {
                let error = Self::blocked(message).caused_by(&source);
                match source.kind() {
                    std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                        error.hinted("free some space; every file of the project is as it was")
                    }
                    std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                        error.hinted("relocator needs to write the file and its folder")
                    }
                    _ => error,
                }
            }
            WorkspaceError::Busy { .. } | WorkspaceError::Unproven { .. } => Self::internal(message),
        }
    }
}

impl Workspace {
    /// The workspace with its root at `root`, symlinks resolved.
    pub fn open(root: &Utf8Path) -> Result<Self, WorkspaceError> {
        let root = root.canonicalize_utf8().map_err(WorkspaceError::io("open", root))?;
        Ok(Self { root })
    }

    /// The root, symlinks resolved.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// Reads a source of the project: at most `SOURCE_CAP` bytes, else an error.
    pub fn read(&self, path: &ProjectPath) -> Result<Vec<u8>, WorkspaceError> {
        disk::read(path.absolute(), path::SOURCE_CAP).map_err(WorkspaceError::io("read", path.absolute()))
    }

    fn state(&self) -> Utf8PathBuf {
        self.root.join(STATE)
    }

    fn journal(&self) -> Utf8PathBuf {
        self.state().join("journal")
    }

    fn runs(&self) -> Utf8PathBuf {
        self.state().join("runs")
    }

    /// Makes our folder, which ignores itself in git.
    ///
    /// # Errors
    /// It cannot be made, or a link lies in its place.
    pub fn claim(&self) -> Result<(), WorkspaceError> {
        self.make(&self.state())
    }

    /// Makes our folder, which ignores itself, and `folder` in it.
    fn make(&self, folder: &Utf8Path) -> Result<(), WorkspaceError> {
        let state = self.state();
        // A repository could bring a link of that name to lead our writes astray.
        if std::fs::symlink_metadata(&state).is_ok_and(|meta| !meta.is_dir()) {
            return Err(WorkspaceError::NotASource { path: state, reason: "it must be a folder of relocator's own" });
        }
        disk::make_folder(folder).map_err(WorkspaceError::io("create", folder))?;
        let ignore = state.join(".gitignore");
        if !ignore.is_file() {
            std::fs::write(&ignore, "*\n").map_err(WorkspaceError::io("write", &ignore))?;
        }
        Ok(())
    }
}
