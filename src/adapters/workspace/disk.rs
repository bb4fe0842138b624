//! The few file operations that the workspace is made of, each of which may fail or be the last one.
//!
//! In tests every operation is announced first, so that a test can end the process or report an error right there.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};

use camino::Utf8Path;
use sha2::{Digest as _, Sha256};

use crate::domain::hex::hex;

#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "its twin for tests fails")]
#[inline]
fn about_to(_operation: &'static str, _path: &Utf8Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
use super::faults::about_to;

/// Who owns a file and who may do what with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ownership {
    /// Permission bits.
    pub(super) mode: u32,
    user: u32,
    group: u32,
}

impl Ownership {
    pub(super) fn of(path: &Utf8Path) -> io::Result<Self> {
        let meta = std::fs::metadata(path)?;
        Ok(Self { mode: meta.mode() & 0o7777, user: meta.uid(), group: meta.gid() })
    }

    /// Only the permission bits are known.
    pub(super) fn mode(mode: u32, like: Option<Self>) -> Self {
        like.map_or(Self { mode, user: u32::MAX, group: u32::MAX }, |like| Self { mode, ..like })
    }
}

/// The SHA-256 of `bytes`, in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Reads a regular file of at most `cap` bytes; a link is not followed, and nothing that could keep us waiting is opened.
pub(super) fn read(path: &Utf8Path, cap: u64) -> io::Result<Vec<u8>> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(cap + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > cap {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large"));
    }
    Ok(bytes)
}

/// Writes a file that does not exist yet and waits until the disk has it; leaves nothing behind when it fails.
pub(super) fn write_new(path: &Utf8Path, parts: &[&[u8]], ownership: Option<Ownership>) -> io::Result<()> {
    about_to("create", path)?;
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let written = fill(path, file, parts, ownership);
    if written.is_err() {
        // The first error is the one that matters.
        drop(std::fs::remove_file(path));
    }
    written
}

fn fill(path: &Utf8Path, mut file: File, parts: &[&[u8]], ownership: Option<Ownership>) -> io::Result<()> {
    for part in parts {
        let (first, second) = part.split_at(part.len() / 2);
        for half in [first, second] {
            about_to("write", path)?;
            file.write_all(half)?;
        }
    }
    about_to("set the mode of", path)?;
    if let Some(ownership) = ownership {
        give(&file, ownership);
        file.set_permissions(Permissions::from_mode(ownership.mode))?;
    }
    about_to("sync", path)?;
    file.sync_all()
}

/// Gives the file to whom it belonged; only a privileged process can, and for any other it is the same user anyway.
fn give(file: &File, ownership: Ownership) {
    let user = (ownership.user != u32::MAX).then(|| rustix::fs::Uid::from_raw(ownership.user));
    let group = (ownership.group != u32::MAX).then(|| rustix::fs::Gid::from_raw(ownership.group));
    _ = rustix::fs::fchown(file, user, group);
}

/// Replaces `to` by `from` in one step and waits until the disk has it.
pub(super) fn rename(from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    about_to("rename", from)?;
    std::fs::rename(from, to)?;
    sync_parent(to)?;
    if from.parent() == to.parent() { Ok(()) } else { sync_parent(from) }
}

/// Makes a folder and those above it that are missing, and waits until the disk has them.
pub(super) fn make_folder(path: &Utf8Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make_folder(parent)?;
    }
    about_to("make the folder", path)?;
    match std::fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => sync_parent(path),
    }
}

/// Gives the file a second name.
pub(super) fn link(from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    about_to("link", from)?;
    std::fs::hard_link(from, to)
}

/// Removes a file, if it is there, and waits until the disk knows.
pub(super) fn remove(path: &Utf8Path) -> io::Result<()> {
    about_to("remove", path)?;
    match std::fs::remove_file(path) {
        Ok(()) => sync_parent(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Removes a file that nobody needs and nobody will mind finding again; what cannot be removed stays.
pub(super) fn discard(path: &Utf8Path) {
    drop(about_to("discard", path).and_then(|()| std::fs::remove_file(path)));
}

fn sync_parent(path: &Utf8Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Utf8Path::new("/"));
    about_to("sync the folder of", path)?;
    match File::open(folder)?.sync_all() {
        // Some file systems cannot sync a folder.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        done => done,
    }
}

/// Whether this process may write `path` and the file is not marked read-only, which a privileged process could ignore.
pub(super) fn is_writable(path: &Utf8Path) -> bool {
    let marked = std::fs::metadata(path).is_ok_and(|meta| meta.permissions().readonly());
    !marked && rustix::fs::access(path.as_std_path(), rustix::fs::Access::WRITE_OK).is_ok()
}
