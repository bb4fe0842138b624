//! The files of a project as hashes, and what changed between two moments.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// Folders that are not the project's own: packages, git's store, relocator's own folder.
const FOREIGN: [&str; 3] = ["node_modules", ".git", ".relocator"];

/// Every file of a project with its hash, its mode, and its text where it is text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree(BTreeMap<String, Entry>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    hash: Vec<u8>,
    mode: u32,
    text: Option<String>,
}

/// One line of one file that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// The file, relative to the project.
    pub(crate) file: String,
    /// The line as it was.
    pub(crate) before: String,
    /// The line as it is.
    pub(crate) after: String,
}

impl Tree {
    /// Reads all files below `root` except those of [`FOREIGN`] folders.
    pub(crate) fn of(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        collect(root, root, &mut files);
        Self(files)
    }

    /// All that differs in `later`: one entry per line; a file that came, went, or changed otherwise is an entry as well.
    pub(crate) fn changes(&self, later: &Self) -> Vec<Change> {
        let mut names: Vec<&String> = self.0.keys().chain(later.0.keys()).collect();
        names.sort();
        names.dedup();
        names.into_iter().flat_map(|name| differences(name, self.0.get(name), later.0.get(name))).collect()
    }
}

fn differences(name: &str, old: Option<&Entry>, new: Option<&Entry>) -> Vec<Change> {
    let whole = |before: &str, after: &str| {
        vec![Change { file: name.to_owned(), before: before.to_owned(), after: after.to_owned() }]
    };
    let (Some(old), Some(new)) = (old, new) else {
        return if old.is_some() { whole("(a file)", "(gone)") } else { whole("(nothing)", "(a new file)") };
    };
    if old == new {
        return Vec::new();
    }
    if old.mode != new.mode {
        return whole(&format!("mode {:o}", old.mode), &format!("mode {:o}", new.mode));
    }
    let (Some(before), Some(after)) = (&old.text, &new.text) else { return whole("(bytes)", "(other bytes)") };
    let (before, after): (Vec<_>, Vec<_>) = (before.split('\n').collect(), after.split('\n').collect());
    if before.len() != after.len() {
        return whole(&format!("{} lines", before.len()), &format!("{} lines", after.len()));
    }
    let pairs = before.into_iter().zip(after).filter(|(before, after)| before != after);
    pairs.flat_map(|(before, after)| whole(before, after)).collect()
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Entry>) {
    use std::os::unix::fs::PermissionsExt as _;
    for entry in fs::read_dir(folder).expect("a folder of the copy").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        if FOREIGN.iter().any(|foreign| entry.file_name() == *foreign) {
            continue;
        }
        if entry.file_type().expect("a file type").is_dir() {
            collect(root, &path, files);
            continue;
        }
        let bytes = fs::read(&path).expect("a file of the copy");
        let mode = entry.metadata().expect("its metadata").permissions().mode();
        let name = path.strip_prefix(root).expect("a path below the root").to_string_lossy().into_owned();
        files.insert(name, Entry { hash: Sha256::digest(&bytes).to_vec(), mode, text: String::from_utf8(bytes).ok() });
    }
}
