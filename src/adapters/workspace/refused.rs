//! Heals that a person has undone: they are not offered again.

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

use super::journal::{Change, Header};
use super::{Workspace, WorkspaceError, disk};

/// At most this much is remembered; the oldest goes first.
const CAP: u64 = 1024 * 1024;

/// A heal that a person has undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The run that had made it.
    pub run: String,
    /// The file, from the root.
    pub path: Utf8PathBuf,
    /// What it had changed.
    pub change: Change,
}

impl Refused {
    /// Whether it is the same swap, wherever the line stands by now, for the same page.
    ///
    /// An unknown page is taken for the same one: rather once too often not offered than once too often offered.
    fn is(&self, path: &str, before: &str, after: &str, page: Option<&str>) -> bool {
        let same_page = match (&self.change.page, page) {
            (Some(then), Some(now)) => then == now,
            _ => true,
        };
        let change = &self.change;
        same_page && self.path == path && change.before.trim() == before.trim() && change.after.trim() == after.trim()
    }
}

impl Workspace {
    /// Everything a person has undone, oldest first; lines that cannot be read are skipped.
    pub fn refused(&self) -> Result<Vec<Refused>, WorkspaceError> {
        let path = self.state().join("refused");
        match disk::read(&path, 2 * CAP) {
            Ok(bytes) => {
                Ok(bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(WorkspaceError::io("read", &path)(error)),
        }
    }

    /// Whether a person has undone this swap of a line in the file `path` (from the root) on this page.
    pub fn is_refused(
        &self,
        path: &str,
        (before, after): (&str, &str),
        page: Option<&str>,
    ) -> Result<bool, WorkspaceError> {
        Ok(self.refused()?.iter().any(|refused| refused.is(path, before, after, page)))
    }

    /// Remembers that the edit of `header` was undone; remembering it twice is the same.
    pub(super) fn refuse(&self, header: &Header) -> Result<(), WorkspaceError> {
        let refused = Refused { run: header.run.clone(), path: header.path.clone(), change: header.change.clone() };
        let mut all = self.refused()?;
        if all.contains(&refused) {
            return Ok(());
        }
        all.push(refused);
        let mut lines: Vec<_> = all.iter().filter_map(|refused| serde_json::to_string(refused).ok()).collect();
        while lines.iter().map(|line| line.len() as u64 + 1).sum::<u64>() > CAP && lines.len() > 1 {
            lines.remove(0);
        }
        let text = lines.join("\n") + "\n";
        let path = self.state().join("refused");
        let unfinished = self.state().join("refused.unfinished");
        disk::remove(&unfinished)
            .and_then(|()| disk::write_new(&unfinished, &[text.as_bytes()], None))
            .and_then(|()| disk::rename(&unfinished, &path))
            .map_err(WorkspaceError::io("write", &path))
    }
}
