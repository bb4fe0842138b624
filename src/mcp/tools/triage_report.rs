//! `triage_report`: the failures of a red suite, by root cause.

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::answer::{Code, Refused, short};
use super::super::call::Call;
use super::super::tokens::Scope;
use super::Tool;
use crate::adapters::playwright::merge::{blobs_in, merge};
use crate::adapters::workspace::TemporaryFolder;
use crate::config::redactor;
use crate::error::Error;
use crate::report::suite::{Clean, Group, Totals, build};
use crate::triage::look::{Places, look};
use crate::triage::{Cache, Reports, read};

/// The tool.
pub(super) struct TriageReport;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Playwright's JSON reports, JUnit XML, or folders of blob reports, from the server's root; one, or those of all shards.
    reports: Vec<String>,
}

/// The suite as a whole.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Head {
    /// How many tests ended how; a test counts once for each project.
    totals: Totals,
    /// The folder, from the server's root, that the files of the groups are from: goes before them in a test's name. Empty
    /// where it is the root; null where the reports lie in no project.
    folder: Option<String>,
    /// The versions of Playwright that wrote the reports.
    playwright: Vec<String>,
    /// Things to know, which decided nothing.
    notes: Vec<String>,
}

/// How many reports are read: a suite of a hundred shards is a large one.
const REPORTS: usize = 100;
/// How many tests of a group are named.
const MEMBERS: usize = 10;

impl Tool for TriageReport {
    const NAME: &'static str = "triage_report";
    const TITLE: &'static str = "Which failures of a red suite have one cause, and what does each need?";
    const DESCRIPTION: &'static str = "Reads the reports of a red suite and groups the failures by root cause. Items: the \
        groups, the one that unblocks most tests first; `outcome` says what each needs: `candidate` (heal_test on its first \
        member), `escalated` (a bug: for a person), `blocked` (the environment), `flaky` (check_flaky). Runs nothing, edits \
        nothing, asks no model; only a folder of blob reports is merged first, by the project's own Playwright.";
    const EDITS: bool = false;
    type Input = Input;
    type Head = Head;
    type Item = Group;

    async fn run(call: &Call, input: Input) -> Result<(Head, Vec<Group>), Refused> {
        call.demand(Scope::Read)?;
        if input.reports.is_empty() || input.reports.len() > REPORTS {
            return Err(Refused::new(Code::BadArguments, format!("give 1 to {REPORTS} reports")));
        }
        let named = input.reports.iter().map(|report| Named::of(call, report)).collect::<Result<Vec<_>, _>>()?;
        // Gone, with what was unpacked into them, when everything was read.
        let mut unpacked = Vec::new();
        let mut paths = Vec::new();
        for report in named {
            paths.push(match report {
                Named::File(path) => path,
                Named::Blobs(folder, blobs) => merged(call, &folder, &blobs, &mut unpacked).await?,
            });
        }
        // Reports may lie in no project; then nothing is known of its sources.
        let project: Option<Utf8PathBuf> =
            paths.first().and_then(|path| call.workspace(path).ok()).map(|(workspace, _)| workspace.root().to_owned());
        let cache = Cache::default();
        let mut reports = Reports::default();
        for path in &paths {
            reports.add(read::read(path, &cache)?, project.as_ref());
        }
        let mut triage = reports.finish();
        if triage.totals.tests == 0 && triage.failures.is_empty() {
            return Err(Refused::new(Code::NoTests, "no test is in the report"));
        }
        let folders = paths.iter().filter_map(|path| path.parent().map(Utf8Path::to_owned)).collect();
        let looked = look(&mut triage, &Places { root: project.clone(), folders });
        let mut clean = Clean::new(redactor(None, &[]));
        let document = build(&triage, &looked, project.as_ref().map(|root| root.as_str()), &mut clean);
        let folder = project.as_ref().and_then(|project| project.strip_prefix(call.root().folder()).ok());
        let head = Head {
            totals: document.totals,
            folder: folder.map(|folder| short(folder.as_str())),
            playwright: document.playwright,
            notes: document.notes.iter().map(|note| short(note)).collect(),
        };
        Ok((head, document.groups.into_iter().map(brief).collect()))
    }
}

/// A report that a caller named.
enum Named {
    /// One file.
    File(Utf8PathBuf),
    /// A folder, and the blob reports in it.
    Blobs(Utf8PathBuf, Vec<Utf8PathBuf>),
}

impl Named {
    fn of(call: &Call, text: &str) -> Result<Self, Refused> {
        let path = call.root().entry(text)?;
        if !path.is_dir() {
            return Ok(Self::File(call.root().file(text)?));
        }
        // What is unpacked and read is a program's work on the caller's word.
        call.demand(Scope::Run)?;
        let blobs = blobs_in(&path);
        if blobs.is_empty() {
            return Err(Refused::new(Code::WrongKind, format!("no blob report is in `{text}`"))
                .hinted("a folder of blob reports holds one zip file for each shard"));
        }
        if let Some(out) = blobs.iter().find(|blob| !call.root().holds(blob)) {
            let name = out.file_name().unwrap_or_default();
            return Err(Refused::new(
                Code::OutsideRoot,
                format!("`{text}/{name}` is a link that leads out of the root"),
            ));
        }
        Ok(Self::Blobs(path, blobs))
    }
}

/// The one report of several blobs, as the project's own Playwright merges them.
async fn merged(
    call: &Call,
    folder: &Utf8Path,
    blobs: &[Utf8PathBuf],
    unpacked: &mut Vec<TemporaryFolder>,
) -> Result<Utf8PathBuf, Refused> {
    // Blobs may have been downloaded to a folder of their own; then the project is the root's.
    let place = call.place(folder).or_else(|refused| call.place(call.root().folder()).map_err(|_| refused))?;
    let _turn = call.turn(&place.workspace).await?;
    call.progress.say(&format!("merging {} blob reports", blobs.len()));
    let ours = place.workspace.temporary_folder().map_err(Error::from)?;
    let report = merge(&call.playwright(&place).0, blobs, ours.path()).await?;
    unpacked.push(ours);
    Ok(report)
}

/// A group with as many of its tests, and as much of its text, as an agent needs.
fn brief(mut group: Group) -> Group {
    group.members_left_out += group.members.len().saturating_sub(MEMBERS);
    group.members.truncate(MEMBERS);
    group.files.truncate(MEMBERS);
    group.message = short(&group.message);
    group.evidence.picture = None;
    group
}
