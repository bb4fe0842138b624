//! Blob reports of shards, merged into one JSON report by the project's own Playwright.
//!
//! Playwright unpacks blobs beside themselves; they are linked into a folder of ours first, so that theirs stays as it is.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::project::Project;
use super::runner::Playwright;
use crate::adapters::process::{self, Command};
use crate::error::Error;

/// How many blobs a folder may hold: a suite of ten thousand shards is a mistake.
const BLOBS: usize = 1_000;

/// The blob reports in `folder`, sorted; empty where it holds none.
pub fn blobs_in(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    let mut blobs: Vec<Utf8PathBuf> = entries
        .map(camino::Utf8DirEntry::into_path)
        .filter(|path| path.extension() == Some("zip") && path.is_file())
        .take(BLOBS)
        .collect();
    blobs.sort_unstable();
    blobs
}

/// The command that merges the blobs in `folder` into the report `out`.
fn compose(project: &Project, folder: &Utf8Path, out: &Utf8Path, deadline: Duration) -> Command {
    let mut args: Vec<String> = project.runner.prefix().iter().map(|&text| text.to_owned()).collect();
    args.extend(["merge-reports", "--reporter=json"].map(str::to_owned));
    args.push(folder.to_string());
    // As for a run: the older name is all that some versions know.
    Command::new(project.runner.program(), args, project.root.clone(), deadline)
        .env("PLAYWRIGHT_JSON_OUTPUT_NAME", out.as_str())
        .env("PLAYWRIGHT_JSON_OUTPUT_FILE", out.as_str())
        .without_env(["PLAYWRIGHT_JSON_OUTPUT_DIR"])
}

/// Merges `blobs` in `folder`, which is ours and empty, and returns the report; what the tests attached lies in `folder` as
/// well.
///
/// # Errors
/// The blobs cannot be linked, Playwright does not start, or it refuses them.
pub async fn merge(playwright: &Playwright, blobs: &[Utf8PathBuf], folder: &Utf8Path) -> Result<Utf8PathBuf, Error> {
    for (number, blob) in blobs.iter().enumerate() {
        // Blobs of several folders may share a name; their order decides nothing.
        let name = folder.join(format!("{number:04}-{}", blob.file_name().unwrap_or("blob.zip")));
        let linked = std::fs::hard_link(blob, &name).or_else(|_| std::fs::copy(blob, &name).map(drop));
        linked.map_err(|error| Error::blocked(format!("cannot use the blob report `{blob}`")).caused_by(&error))?;
    }
    let out = folder.join("report.json");
    let command = compose(&playwright.project, folder, &out, playwright.deadline);
    let command = command.without_env(playwright.secrets.clone());
    let finished = process::run(&command, &playwright.cancel)
        .await
        .map_err(|error| Error::blocked("cannot start `playwright merge-reports`").caused_by(&error))?;
    if out.is_file() {
        return Ok(out);
    }
    let said = finished.stderr.text();
    let said: String = said.trim().chars().take(1_000).collect();
    Err(Error::blocked(format!("`playwright merge-reports` wrote no report: {said}")).hinted(
        "merge-reports came with Playwright 1.37; blobs of one suite must come from one version and one folder layout",
    ))
}
