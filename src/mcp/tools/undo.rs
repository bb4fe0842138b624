//! `undo`: puts back what a run changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::answer::{Code, Refused, exact, short};
use super::super::call::Call;
use super::super::confine::run_name;
use super::super::tokens::Scope;
use super::Tool;
use super::get_report::workspace;
use crate::adapters::workspace::{PutBack, Returned, WorkspaceError};
use crate::error::Error;

/// The tool.
pub(super) struct Undo;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The run, as `heal_test` names it. Without it: the latest that changed anything.
    #[serde(default)]
    run: Option<String>,
    /// A file or folder of the project, from the server's root; needed only where the root holds several Playwright
    /// projects.
    #[serde(default)]
    project: Option<String>,
}

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
    /// `restored`, `already_there` or `left_alone`.
    status: String,
    /// Why it was left alone.
    why: Option<String>,
}

impl From<&PutBack> for Line {
    fn from(done: &PutBack) -> Self {
        let (status, why) = match &done.returned {
            Returned::Restored => ("restored", None),
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
        repair as rejected: it is never offered again. What somebody has changed since is left alone. Needs a server started \
        with --allow-edits.";
    const EDITS: bool = true;
    type Input = Input;
    type Head = Head;
    type Item = Line;

    async fn run(call: &Call, input: Input) -> Result<(Head, Vec<Line>), Refused> {
        call.demand(Scope::Heal)?;
        call.demand_edits()?;
        let run = input.run.as_deref().map(run_name).transpose()?;
        let (workspace, patience) = workspace(call, input.project.as_deref())?;
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
