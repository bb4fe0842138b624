//! `get_report`: what a repair run left behind.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::answer::{Code, Refused};
use super::super::call::Call;
use super::super::confine::run_name;
use super::super::tokens::Scope;
use super::Tool;
use crate::adapters::workspace::{Patience, Workspace};
use crate::error::Error;

/// The tool.
pub(super) struct GetReport;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The run, as `heal_test` names it. Without it: the latest that left a report.
    #[serde(default)]
    run: Option<String>,
    /// A file or folder of the project, from the server's root; needed only where the root holds several Playwright
    /// projects.
    #[serde(default)]
    project: Option<String>,
}

/// Which report it is.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Head {
    /// The run.
    run: String,
    /// Its outcome; empty for the repair of a whole suite, whose groups have one each.
    outcome: String,
    /// A stable code of why.
    reason: String,
    /// Why, in a sentence.
    sentence: String,
    /// All runs with a report, the latest first, at most 20.
    runs: Vec<String>,
}

/// A field of the report.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Field {
    /// Its name; an entry of a list has its number with it, as in `evidence[0]`.
    field: String,
    /// What it holds.
    value: Value,
}

/// The report of a run: of one test, or of a whole suite.
const FILES: [&str; 2] = ["run.json", "suite.json"];
/// How many runs are listed.
const LISTED: usize = 20;

impl Tool for GetReport {
    const NAME: &'static str = "get_report";
    const TITLE: &'static str = "The report of a repair run";
    const DESCRIPTION: &'static str = "The report of one heal_test (or `relocator heal`) run, as items: outcome, evidence, \
        the proposal and its diff, every start of Playwright with command, exit and duration, proofs, notes. Without `run`: \
        the latest. Reads only what relocator itself wrote below .relocator/runs.";
    const EDITS: bool = false;
    type Input = Input;
    type Head = Head;
    type Item = Field;

    async fn run(call: &Call, input: Input) -> Result<(Head, Vec<Field>), Refused> {
        call.demand(Scope::Read)?;
        let (workspace, _) = workspace(call, input.project.as_deref())?;
        let mut runs = workspace.runs_so_far().map_err(Error::from)?;
        runs.retain(|run| run_name(run).is_ok() && report(&workspace, run).is_some());
        runs.reverse();
        let run = match input.run {
            Some(run) => run_name(&run)?.to_owned(),
            None => {
                runs.first().cloned().ok_or_else(|| Refused::new(Code::NotFound, "no run has left a report yet"))?
            }
        };
        let document = read(&workspace, &run)?;
        let text = |field: &str| document.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        runs.truncate(LISTED);
        let head = Head { outcome: text("outcome"), reason: text("reason"), sentence: text("sentence"), run, runs };
        Ok((head, fields(&document)))
    }
}

/// The workspace that is meant: the one `project` lies in, else the root's.
pub(super) fn workspace(call: &Call, project: Option<&str>) -> Result<(Workspace, Patience), Refused> {
    match project {
        None => call.workspace(call.root().folder()),
        Some(project) => call.workspace(&call.root().entry(project)?),
    }
}

fn report(workspace: &Workspace, run: &str) -> Option<Vec<u8>> {
    FILES.iter().find_map(|file| workspace.artefact(run, file))
}

fn read(workspace: &Workspace, run: &str) -> Result<Value, Refused> {
    let unreadable =
        |why: &str| Refused::new(Code::NotFound, format!("the run {run} has no report that can be read: {why}"));
    let text = report(workspace, run).ok_or_else(|| unreadable("there is none"))?;
    serde_json::from_slice(&text).map_err(|error| unreadable(&error.to_string()))
}

fn fields(document: &Value) -> Vec<Field> {
    let Value::Object(fields) = document else { return Vec::new() };
    let mut out = Vec::new();
    for (name, value) in fields {
        match value {
            Value::Array(entries) if entries.len() > 1 => {
                let entry =
                    |(at, value): (usize, &Value)| Field { field: format!("{name}[{at}]"), value: value.clone() };
                out.extend(entries.iter().enumerate().map(entry));
            }
            value => out.push(Field { field: name.clone(), value: value.clone() }),
        }
    }
    out
}
