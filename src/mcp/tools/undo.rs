//! `undo`: puts back what a run changed.

use schemars::JsonSchema;
use serde::Serialize;

use super::super::answer::{Code, Refused, exact, short};
use super::super::call::Call;
use super::super::tokens::Scope;
use super::Tool;
use super::which_run::WhichRun;
use crate::adapters::workspace::{PutBack, Returned, WorkspaceError};
use crate::error::Error;

/// The tool.
pub(super) struct Undo;

/// What came of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Head {
    /// How many files have their old bytes again.
    restored: usize,
    /// How many were not touched, because somebody else has changed them since.
    left_alone: usize,
}

/// A line that was put back, or not.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Line {
    /// The file, from the folder of playwright.config.*.
    file: String,
    /// Its number, from 1.
    number: usize,
    /// The run that had changed it.
    run: String,
    /// The line as the run had left it.
    edited: String,
    /// The line as it was before.
    original: String,
    /// `restored`, `line_restored`, `already_there` or `left_alone`.
    status: String,
    /// What of it was left alone, and why.
    why: Option<String>,
}

impl From<&PutBack> for Line {
    fn from(done: &PutBack) -> Self {
        let (status, why) = match &done.returned {
            Returned::Restored => ("restored", None),
            Returned::LineRestored => ("line_restored", Some("other lines that were changed since stay".to_owned())),
            Returned::AlreadyThere => ("already_there", None),
            Returned::LeftAlone { reason, .. } => ("left_alone", Some(short(reason))),
        };
        Self {
            file: short(done.path.as_str()),
            number: done.change.line,
            run: done.run.clone(),
            edited: exact(&done.change.after),
            original: exact(&done.change.before),
            status: status.to_owned(),
            why,
        }
    }
}

impl Tool for Undo {
    const NAME: &'static str = "undo";
    const TITLE: &'static str = "Put back what a run changed";
    const DESCRIPTION: &'static str = "Puts back the line that a heal_test run changed, byte for byte, and remembers the \
        repair as rejected: it is never offered again. What somebody has changed since is left alone; that line alone is put \
        back where it is as it was left. Needs a server started \
        with --allow-edits.";
    const EDITS: bool = true;
    type Input = WhichRun;
    type Head = Head;
    type Item = Line;

    async fn run(call: &Call, input: WhichRun) -> Result<(Head, Vec<Line>), Refused> {
        call.demand(Scope::Heal)?;
        call.demand_edits()?;
        let run = input.run()?;
        let (workspace, patience) = input.workspace(call)?;
        let working = call.work(&workspace, patience, Self::NAME).await?;
        let recovered = working.writer.recovered();
        // What a crash left behind is what was meant, unless a run is named.
        let undone = if run.is_none() && !recovered.is_empty() {
            Vec::new()
        } else {
            working.writer.undo(run).map_err(|error| match error {
                WorkspaceError::NothingToUndo(why) => Refused::new(Code::NothingToUndo, why),
                error => Refused::from(Error::from(error)),
            })?
        };
        let files: Vec<Line> = recovered.iter().chain(&undone).map(Line::from).collect();
        let count = |status: &str| files.iter().filter(|file| file.status == status).count();
        let head = Head { restored: count("restored") + count("already_there"), left_alone: count("left_alone") };
        Ok((head, files))
    }
}
