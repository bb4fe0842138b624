//! The manifest of a run's folder: what made it, and every file in it with its hash. Paths are relative to the folder.

use std::io::Read as _;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::adapters::workspace::Run;
use crate::domain::hex::hex;
use crate::error::Error;

/// The manifest's name.
pub const MANIFEST: &str = "run.json";

/// Version of its shape.
const SCHEMA_VERSION: &str = "1.0";

/// How many files are listed; a run of a suite leaves some hundreds.
const FILES: usize = 20_000;

/// What made a run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Made {
    /// The version of Playwright in the project.
    pub playwright: Option<String>,
    /// The version of Node.
    pub node: Option<String>,
    /// The commit that is checked out.
    pub git_head: Option<String>,
    /// The settings, by name.
    pub settings: serde_json::Map<String, serde_json::Value>,
    /// The run that this one went on with.
    pub resumes: Option<String>,
    /// How many secrets were taken out of what was written.
    pub redactions: u64,
}

#[derive(Serialize)]
struct Manifest<'a> {
    schema_version: &'static str,
    tool: &'static str,
    version: &'static str,
    run: &'a str,
    #[serde(flatten)]
    made: &'a Made,
    files: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    path: String,
    bytes: u64,
    sha256: String,
}

/// Writes the manifest of `run`: the last thing that is written into its folder.
///
/// # Errors
/// A file of the folder cannot be read, or the manifest cannot be written.
pub fn seal(run: &Run, made: &Made) -> Result<(), Error> {
    let mut files = Vec::new();
    for path in files_below(run.folder()) {
        let listed = list(run.folder(), &path);
        files.push(listed.map_err(|error| Error::blocked(format!("cannot read `{path}`")).caused_by(&error))?);
    }
    let manifest = Manifest {
        schema_version: SCHEMA_VERSION,
        tool: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        run: run.id(),
        made,
        files,
    };
    // Strings and numbers only: nothing in it can fail to serialise.
    run.write(MANIFEST, serde_json::to_string_pretty(&manifest).unwrap_or_default().as_bytes())?;
    Ok(())
}

/// All files below `folder` but the manifest itself, sorted; links are not followed.
fn files_below(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in next.read_dir_utf8().into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                open.push(entry.path().to_owned());
            } else if kind.is_file() && entry.path() != folder.join(MANIFEST) && found.len() < FILES {
                found.push(entry.path().to_owned());
            }
        }
    }
    found.sort_unstable();
    found
}

fn list(folder: &Utf8Path, path: &Utf8Path) -> std::io::Result<Listed> {
    let mut file = std::fs::File::open(path)?;
    let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 64 * 1024]);
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            break;
        }
        hash.update(buffer.get(..length).unwrap_or_default());
        bytes += length as u64;
    }
    let sha256 = hex(&hash.finalize());
    Ok(Listed { path: path.strip_prefix(folder).unwrap_or(path).to_string(), bytes, sha256 })
}
