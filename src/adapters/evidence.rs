//! The manifest of a run's folder: what made it, and every file in it with its hash. Paths are relative to the folder.

use std::io::Read as _;

use std::time::Duration;

use camino::Utf8Path;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::playwright::project::Project;
use super::process::{self, Cancel, Command, Exit};
use super::secrets::files_below;
use super::workspace::Run;
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

/// How long `git` and `node` may take to say who they are.
const WHO: Duration = Duration::from_secs(10);

impl Made {
    /// What the project at hand is made with; `settings` has the settings by name.
    pub async fn with(project: &Project, settings: serde_json::Value, cancel: &Cancel) -> Self {
        Self {
            playwright: project.playwright.map(|version| version.to_string()),
            node: say("node", &["--version"], &project.root, cancel).await,
            git_head: git_head(&project.root, cancel).await,
            settings: settings.as_object().cloned().unwrap_or_default(),
            ..Self::default()
        }
    }
}

/// The commit that is checked out around `folder`; `None` where there is none.
pub async fn git_head(folder: &Utf8Path, cancel: &Cancel) -> Option<String> {
    say("git", &["rev-parse", "HEAD"], folder, cancel).await
}

/// The commit that the run in `folder` was made at, as its manifest has it.
pub fn made_at(folder: &Utf8Path) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.join(MANIFEST)).ok()?).ok()?;
    manifest.get("git_head")?.as_str().map(str::to_owned)
}

/// The first line that a program says of itself; `None` where it is not there.
async fn say(program: &str, args: &[&str], folder: &Utf8Path, cancel: &Cancel) -> Option<String> {
    let args = args.iter().map(|&word| word.to_owned()).collect();
    let finished = process::run(&Command::new(program, args, folder, WHO), cancel).await.ok()?;
    let text = finished.stdout.text();
    let line = text.lines().next().unwrap_or_default().trim();
    (finished.exit == Exit::Success && !line.is_empty()).then(|| line.to_owned())
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
    let manifest = run.folder().join(MANIFEST);
    for path in files_below(run.folder()).into_iter().filter(|path| *path != manifest).take(FILES) {
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
