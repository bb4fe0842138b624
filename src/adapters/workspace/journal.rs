//! Journal entries: what an edit in flight needs to be put back, on disk before the first byte changes.
//!
//! An entry is one file: a header as one line of JSON, then the old bytes as they were. It gets its name only when it
//! is complete and synced, so an entry that can be seen can be used; everything else in the folder is rubbish.

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::path::{ProjectPath, SOURCE_CAP};
use super::{Workspace, WorkspaceError, disk};
use crate::domain::gate::GatedEdit;

/// The format of an entry; another one is not touched.
const FORMAT: u32 = 1;

/// An entry: header and old bytes.
const ENTRY_CAP: u64 = SOURCE_CAP + 64 * 1024;

/// The first line of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    format: u32,
    /// Sortable; also the name of the entry.
    pub(super) id: String,
    /// The run that made the edit.
    pub(super) run: String,
    /// The file, from the root.
    pub(super) path: Utf8PathBuf,
    /// The name of the replacement while it is being written, in the file's own folder.
    pub(super) temporary: String,
    /// SHA-256 of the old bytes.
    pub(super) old: String,
    /// SHA-256 of the new bytes.
    pub(super) new: String,
    /// Permission bits.
    pub(super) mode: u32,
    /// What changed, for people and for `refused`.
    pub(super) change: Change,
}

/// The line that an edit changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// One-based line.
    pub line: usize,
    /// Its old text.
    pub before: String,
    /// Its new text.
    pub after: String,
    /// What the page looked like, as the caller names it: an undone heal is offered again only on another page.
    pub page: Option<String>,
}

/// An entry as read from disk.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) header: Header,
    pub(super) old: Vec<u8>,
}

/// What an entry in the journal is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// An edit that is not kept yet.
    InFlight,
    /// A kept edit that a person wants undone.
    Undo,
}

impl Purpose {
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::InFlight => "entry",
            Self::Undo => "undo",
        }
    }
}

/// What is needed to make an entry.
pub(super) struct NewEntry<'a> {
    pub(super) id: String,
    pub(super) run: &'a str,
    pub(super) path: &'a ProjectPath,
    pub(super) edit: &'a GatedEdit,
    pub(super) mode: u32,
    pub(super) page: Option<&'a str>,
}

impl Header {
    fn of(new: &NewEntry<'_>) -> Self {
        let name = new.path.absolute().file_name().unwrap_or_default();
        Self {
            format: FORMAT,
            temporary: temporary(name, &new.id),
            id: new.id.clone(),
            run: new.run.to_owned(),
            path: new.path.relative().to_owned(),
            old: disk::sha256(new.edit.before().as_bytes()),
            new: disk::sha256(new.edit.after().as_bytes()),
            mode: new.mode,
            change: Change {
                line: new.edit.line(),
                before: new.edit.old_line().to_owned(),
                after: new.edit.new_line().to_owned(),
                page: new.page.map(str::to_owned),
            },
        }
    }
}

/// Puts an entry into the journal, durably.
pub(super) fn write(workspace: &Workspace, new: &NewEntry<'_>) -> Result<Header, WorkspaceError> {
    let folder = workspace.journal();
    let header = Header::of(new);
    let mut line = serde_json::to_vec(&header)
        .map_err(|error| WorkspaceError::BadEntry { path: folder.join(&header.id), reason: error.to_string() })?;
    line.push(b'\n');
    let unfinished = folder.join(format!("{}.unfinished", header.id));
    let entry = place(workspace, &header.id, Purpose::InFlight);
    disk::write_new(&unfinished, &[&line, new.edit.before().as_bytes()], None)
        .map_err(WorkspaceError::io("write", &unfinished))?;
    if let Err(error) = disk::rename(&unfinished, &entry) {
        // Neither may be taken for an edit in flight later on.
        drop(std::fs::remove_file(&unfinished));
        drop(std::fs::remove_file(&entry));
        return Err(WorkspaceError::io("write", &entry)(error));
    }
    Ok(header)
}

/// The suffix of a list of entries that are kept.
pub(super) const KEPT: &str = "kept";

/// Entries in the journal whose edits stay, all of them; until each is filed under its run.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    ids: Vec<String>,
}

/// Says, durably and in one step, that the edits of these entries stay; returns where that stands.
pub(super) fn write_kept(workspace: &Workspace, ids: &[&str]) -> Result<Utf8PathBuf, WorkspaceError> {
    let name = ids.first().copied().unwrap_or_default();
    let list = workspace.journal().join(format!("{name}.{KEPT}"));
    let unfinished = list.with_extension("kept-unfinished");
    let kept = Kept { ids: ids.iter().map(|&id| id.to_owned()).collect() };
    let bytes = serde_json::to_vec(&kept)
        .map_err(|error| WorkspaceError::BadEntry { path: list.clone(), reason: error.to_string() })?;
    let written = disk::write_new(&unfinished, &[&bytes], None).and_then(|()| disk::rename(&unfinished, &list));
    if let Err(error) = written {
        // It may have got half-way: named, but not synced. What is not surely kept goes back.
        drop(std::fs::remove_file(&unfinished));
        drop(std::fs::remove_file(&list));
        return Err(WorkspaceError::io("keep", &list)(error));
    }
    Ok(list)
}

/// The ids that a list of kept entries holds.
pub(super) fn read_kept(list: &Utf8Path) -> Result<Vec<String>, WorkspaceError> {
    let bad = |reason: String| WorkspaceError::BadEntry { path: list.to_owned(), reason };
    let bytes = disk::read(list, SOURCE_CAP).map_err(WorkspaceError::io("read", list))?;
    let kept: Kept = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
    // They become file names, and the list lies where anybody can write.
    if kept.ids.iter().all(|id| is_plain(id)) { Ok(kept.ids) } else { Err(bad("it names files elsewhere".to_owned())) }
}

/// Whether a name is that of a file in the folder it is looked for in.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\0']) && name != ".."
}

/// Where an entry is, as long as it is in the journal.
pub(super) fn place(workspace: &Workspace, id: &str, purpose: Purpose) -> Utf8PathBuf {
    workspace.journal().join(format!("{id}.{}", purpose.suffix()))
}

/// Where the old file itself waits, as long as the edit is in flight.
pub(super) fn old_file(workspace: &Workspace, id: &str) -> Utf8PathBuf {
    workspace.journal().join(format!("{id}.old"))
}

/// Reads an entry and checks that it is whole.
pub(super) fn read(path: &Utf8Path) -> Result<Entry, WorkspaceError> {
    let bad = |reason: String| WorkspaceError::BadEntry { path: path.to_owned(), reason };
    let bytes = disk::read(path, ENTRY_CAP).map_err(WorkspaceError::io("read", path))?;
    let end = bytes.iter().position(|&byte| byte == b'\n').ok_or_else(|| bad("it has no header".to_owned()))?;
    let (line, rest) = bytes.split_at(end);
    let header: Header = serde_json::from_slice(line).map_err(|error| bad(error.to_string()))?;
    let old = rest.get(1..).unwrap_or_default().to_vec();
    if header.format != FORMAT {
        return Err(bad(format!("its format is {}, this relocator knows {FORMAT}", header.format)));
    }
    if disk::sha256(&old) != header.old {
        return Err(bad("the old bytes are not what the header says".to_owned()));
    }
    // The header becomes file names below, and it lies where anybody can write: all of them must be as we make them.
    if path.file_stem() != Some(header.id.as_str()) || !is_ours(&header) {
        return Err(bad("it names files that are not its own".to_owned()));
    }
    Ok(Entry { header, old })
}

/// Whether every name in a header is one that we give: a run by its time, an entry by its run and a number, the replacement
/// by the file and the entry.
fn is_ours(header: &Header) -> bool {
    let time = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'T' | b'.' | b'Z' | b'-'))
    };
    let number = header.id.strip_prefix(header.run.as_str()).and_then(|rest| rest.strip_prefix('-'));
    let numbered = number.is_some_and(|number| number.len() >= 3 && number.bytes().all(|byte| byte.is_ascii_digit()));
    let name = header.path.file_name().unwrap_or_default();
    time(&header.run) && header.run.contains('T') && numbered && header.temporary == temporary(name, &header.id)
}

/// The name of the replacement of a file named `name` while it is being written.
fn temporary(name: &str, id: &str) -> String {
    format!(".{name}.relocator-{id}")
}

/// The names in `folder`, sorted; none if there is no such folder.
pub(super) fn names(folder: &Utf8Path) -> Result<Vec<String>, WorkspaceError> {
    let listing = match folder.read_dir_utf8() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(WorkspaceError::io("list", folder))?,
    };
    let mut names = Vec::new();
    for entry in listing {
        names.push(entry.map_err(WorkspaceError::io("list", folder))?.file_name().to_owned());
    }
    names.sort_unstable();
    Ok(names)
}
