//! The arguments of the tools that work on a run which is over.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::answer::Refused;
use super::super::call::Call;
use super::super::confine::run_name;
use crate::adapters::workspace::{Patience, Workspace};

/// Which run is meant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhichRun {
    /// The run, as `heal_test` names it. Without it: the latest that has what the tool needs, a report or a change.
    #[serde(default)]
    run: Option<String>,
    /// A file or folder of the project, from the server's root; needed only where the root holds several Playwright
    /// projects.
    #[serde(default)]
    project: Option<String>,
}

impl WhichRun {
    /// The name of the run, where one is named.
    pub(super) fn run(&self) -> Result<Option<&str>, Refused> {
        self.run.as_deref().map(run_name).transpose()
    }

    /// The workspace of the project that is meant, else of the root's.
    pub(super) fn workspace(&self, call: &Call) -> Result<(Workspace, Patience), Refused> {
        match &self.project {
            None => call.workspace(call.root().folder()),
            Some(project) => call.workspace(&call.root().entry(project)?),
        }
    }
}
