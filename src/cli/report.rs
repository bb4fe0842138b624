//! `relocator report RUN`: a finished run, rendered again. Flags and wiring only.

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args as ClapArgs;

use super::heal_suite::read;
use super::outputs::Outputs;
use crate::adapters::workspace::Workspace;
use crate::config::{Flags, Place, current_folder};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::ui::Ui;

/// Render a run of `heal` or `merge` again, from its folder
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// The run: its name in .relocator/runs, or its folder [default: the latest]
    #[arg(value_name = "RUN")]
    run: Option<Utf8PathBuf>,
    #[command(flatten)]
    outputs: Outputs,
    /// Print one JSON document
    #[arg(long, conflicts_with = "markdown", help_heading = "Output")]
    json: bool,
    #[command(flatten)]
    flags: Flags,
}

/// Runs the command.
pub(super) fn run(args: &Args, ui: &Ui) -> Result<ExitCode, Error> {
    let (root, _) = Place::settings(&args.flags, &current_folder()?)?;
    let workspace = Workspace::open(&root)?;
    let (document, pictures) = if let Some(run) = &args.run {
        read(&workspace, run)?
    } else {
        let runs = workspace.runs_so_far()?;
        let latest = runs.iter().rev().find_map(|run| read(&workspace, Utf8Path::new(run)).ok());
        latest.ok_or_else(|| Error::usage("no run with a report is in this project"))?
    };
    args.outputs.write(&document, &pictures, args.json, ui)?;
    Ok(ExitCode::Clean)
}
