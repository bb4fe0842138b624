//! Paths that were checked: inside the project after symlinks, and a test source by name and place.

use camino::{Utf8Path, Utf8PathBuf};

use super::{STATE, Workspace, WorkspaceError};

/// A larger source is not read: the largest page objects known are some hundred kilobytes.
pub(super) const SOURCE_CAP: u64 = 4 * 1024 * 1024;

/// What a test source may be called.
const EXTENSIONS: [&str; 8] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// Folders whose files are nobody's to edit.
pub(super) const FOREIGN: [&str; 3] = ["node_modules", ".git", STATE];

/// A source file of the project; made only by [`Workspace::resolve`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectPath {
    absolute: Utf8PathBuf,
    relative: Utf8PathBuf,
}

impl ProjectPath {
    /// Where it is, symlinks resolved.
    pub fn absolute(&self) -> &Utf8Path {
        &self.absolute
    }

    /// Where it is, from the root.
    pub fn relative(&self) -> &Utf8Path {
        &self.relative
    }

    /// The folder it lies in.
    pub(super) fn folder(&self) -> &Utf8Path {
        self.absolute.parent().unwrap_or(Utf8Path::new("/"))
    }
}

impl std::fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.relative.fmt(f)
    }
}

impl Workspace {
    /// The source file that `path` names, from the root unless it is absolute.
    pub fn resolve(&self, path: &Utf8Path) -> Result<ProjectPath, WorkspaceError> {
        let not_a_source = |reason| WorkspaceError::NotASource { path: path.to_owned(), reason };
        let absolute =
            self.root.join(path).canonicalize_utf8().map_err(WorkspaceError::io("find", &self.root.join(path)))?;
        let Ok(relative) = absolute.strip_prefix(&self.root).map(Utf8Path::to_owned) else {
            return Err(WorkspaceError::Outside { path: path.to_owned(), root: self.root.clone() });
        };
        if relative.components().any(|part| FOREIGN.contains(&part.as_str())) {
            return Err(not_a_source("it lies in a folder that is not the project's own"));
        }
        if !relative.extension().is_some_and(|extension| EXTENSIONS.contains(&extension)) {
            return Err(not_a_source("it is neither TypeScript nor JavaScript"));
        }
        let meta = std::fs::metadata(&absolute).map_err(WorkspaceError::io("find", &absolute))?;
        if !meta.is_file() {
            return Err(not_a_source("it is not a file"));
        }
        if meta.len() > SOURCE_CAP {
            return Err(not_a_source("it is too large"));
        }
        Ok(ProjectPath { absolute, relative })
    }
}
