//! Where a trace's parts come from: a zip archive or an unpacked folder, behind one interface.
//!
//! Parts are only ever looked up in a listing made here. No name from an archive or from an event becomes a path.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;
use zip::result::ZipError;

use super::{Limits, TraceError};

/// The parts of a trace by name.
#[derive(Debug)]
pub(super) struct Archive {
    parts: BTreeMap<String, Part>,
    zip: Option<ZipArchive<BufReader<File>>>,
}

/// Where a part is.
#[derive(Debug)]
enum Part {
    Packed(usize),
    File(PathBuf),
}

impl Archive {
    /// Lists the parts of a zip file or of a folder.
    pub(super) fn open(path: &Path, limits: &Limits) -> Result<Self, TraceError> {
        let shown = path.display().to_string();
        let open = |source| TraceError::Open { path: shown.clone(), source };
        if fs::metadata(path).map_err(open)?.is_dir() {
            return Ok(Self { parts: list_folder(path, limits)?, zip: None });
        }
        let file = File::open(path).map_err(open)?;
        Self::from_zip(file, &shown, limits)
    }

    /// Lists the parts of an open zip file; `shown` names it in errors.
    pub(super) fn from_zip(file: File, shown: &str, limits: &Limits) -> Result<Self, TraceError> {
        let damaged = |source| TraceError::Archive { path: shown.to_owned(), source };
        let mut zip = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
        if zip.len() > limits.entries {
            return Err(TraceError::Limit { what: "parts in one archive", limit: limits.entries as u64 });
        }
        if zip.has_overlapping_entries().map_err(damaged)? {
            return Err(damaged(ZipError::InvalidArchive("parts overlap".into())));
        }
        let mut parts = BTreeMap::new();
        for at in 0..zip.len() {
            // Nothing that Playwright writes has a name that is not text; such a part cannot be asked for.
            if let Some(Ok(name)) = zip.name_for_index(at) {
                parts.insert(name.into_owned(), Part::Packed(at));
            }
        }
        Ok(Self { parts, zip: Some(zip) })
    }

    /// All names, sorted.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.keys().map(String::as_str)
    }

    /// Whether there is a part of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.parts.contains_key(name)
    }

    /// Opens a part. The reader fails once it would yield more than `limit` bytes, or more than a real trace packs.
    pub(super) fn read(&mut self, name: &str, limit: u64, ratio: u64) -> Result<Capped<'_>, TraceError> {
        let missing = || TraceError::NoEntry(name.to_owned());
        let limited = |inner, limit| Capped { inner, left: limit, limit };
        match (self.parts.get(name).ok_or_else(missing)?, &mut self.zip) {
            (Part::File(path), _) => {
                let file = File::open(path).map_err(|source| TraceError::Entry { entry: name.to_owned(), source })?;
                Ok(limited(Box::new(file), limit))
            }
            (Part::Packed(at), Some(zip)) => {
                let file = zip
                    .by_index(*at)
                    .map_err(|source| TraceError::Entry { entry: name.to_owned(), source: source.into() })?;
                // Small parts may be all spaces; a real ratio shows from some size on.
                let unpacked = file.compressed_size().saturating_mul(ratio).max(1 << 20);
                Ok(limited(Box::new(file), limit.min(unpacked)))
            }
            (Part::Packed(_), None) => Err(missing()),
        }
    }

    /// The whole part, if it is not larger than the limit for resources.
    pub(super) fn bytes(&mut self, name: &str, limits: &Limits) -> Result<Vec<u8>, TraceError> {
        let mut bytes = Vec::new();
        let mut reader = self.read(name, limits.resource_bytes, limits.ratio)?;
        match reader.read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(_) if reader.exhausted() => Err(reader.limit_error()),
            Err(source) => Err(TraceError::Entry { entry: name.to_owned(), source }),
        }
    }
}

/// A reader that fails where its limit is passed, instead of ending quietly.
pub(super) struct Capped<'a> {
    inner: Box<dyn Read + 'a>,
    left: u64,
    limit: u64,
}

impl Capped<'_> {
    /// Whether the limit was reached.
    pub(super) fn exhausted(&self) -> bool {
        self.left == 0
    }

    /// The error to report in that case.
    pub(super) fn limit_error(&self) -> TraceError {
        TraceError::Limit { what: "unpacked bytes in one part", limit: self.limit }
    }
}

impl Read for Capped<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let Some(left) = self.left.checked_sub(count as u64) else {
            self.left = 0;
            return Err(io::Error::other("the part is larger than the limit"));
        };
        self.left = left;
        Ok(count)
    }
}

/// The files of an unpacked trace: its own folder and one level below, links left out.
fn list_folder(folder: &Path, limits: &Limits) -> Result<BTreeMap<String, Part>, TraceError> {
    let mut parts = BTreeMap::new();
    let mut folders = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        let open = |source| TraceError::Open { path: folder.display().to_string(), source };
        for entry in fs::read_dir(&folder).map_err(open)? {
            let entry = entry.map_err(open)?;
            let kind = entry.file_type().map_err(open)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if kind.is_file() {
                parts.insert(format!("{prefix}{name}"), Part::File(entry.path()));
            } else if kind.is_dir() && prefix.is_empty() {
                folders.push((entry.path(), format!("{name}/")));
            }
            if parts.len() > limits.entries {
                return Err(TraceError::Limit { what: "parts in one folder", limit: limits.entries as u64 });
            }
        }
    }
    Ok(parts)
}
