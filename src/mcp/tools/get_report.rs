//! `get_report`: what a repair run left behind.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::super::answer::{Code, Refused};
use super::super::call::Call;
use super::super::confine::run_name;
use super::super::tokens::Scope;
use super::Tool;
use super::which_run::WhichRun;
use crate::adapters::workspace::Workspace;
use crate::error::Error;
use crate::report::folder;

/// The tool.
pub(super) struct GetReport;

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
const FILES: [&str; 2] = [folder::REPAIR, folder::DOCUMENT];
/// How many runs are listed.
const LISTED: usize = 20;

impl Tool for GetReport {
    const NAME: &'static str = "get_report";
    const TITLE: &'static str = "The report of a repair run";
    const DESCRIPTION: &'static str = "The report of one heal_test (or `relocator heal`) run, as items: outcome, evidence, \
        the proposal and its diff, every start of Playwright with command, exit and duration, proofs, notes. Without `run`: \
        the latest. Reads only what relocator itself wrote below .relocator/runs.";
    const EDITS: bool = false;
    type Input = WhichRun;
    type Head = Head;
    type Item = Field;

    async fn run(call: &Call, input: WhichRun) -> Result<(Head, Vec<Field>), Refused> {
        call.demand(Scope::Read)?;
        let (workspace, _) = input.workspace(call)?;
        let mut runs = workspace.runs_so_far().map_err(Error::from)?;
        runs.retain(|run| run_name(run).is_ok() && report(&workspace, run).is_some());
        runs.reverse();
        let run = match input.run()? {
            Some(run) => run.to_owned(),
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
