//! `relocator merge RUN…`: the runs of several machines on one red suite as one run. Flags and wiring only.

use camino::Utf8PathBuf;
use clap::Args as ClapArgs;

use super::handover::HandoverArgs;
use super::heal_suite::read;
use super::outputs::Outputs;
use crate::adapters::evidence::{Made, git_head};
use crate::adapters::process::Cancel;
use crate::adapters::workspace::Workspace;
use crate::config::{Flags, Place, current_folder, redactor};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::report::folder;
use crate::ui::Ui;

/// Join the runs that the jobs of a matrix made (`heal --from REPORT --group ID…`) into one report and one patch
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// Folders of runs, or the names of runs in .relocator/runs
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<Utf8PathBuf>,
    #[command(flatten)]
    handover: HandoverArgs,
    #[command(flatten)]
    outputs: Outputs,
    /// Print one JSON document
    #[arg(long, conflicts_with = "markdown", help_heading = "Output")]
    json: bool,
    #[command(flatten)]
    flags: Flags,
}

/// Runs the command.
pub(super) async fn run(args: &Args, ui: &Ui, cancel: &Cancel) -> Result<ExitCode, Error> {
    let (root, settings) = Place::settings(&args.flags, &current_folder()?)?;
    let workspace = Workspace::open(&root)?;
    let handover = args.handover.prepare(workspace.root(), cancel).await?;
    let writer = super::writer(&workspace, &settings, "relocator merge", ui).await?;
    let mut runs = args.runs.iter().map(|run| read(&workspace, run));
    let (mut document, mut pictures) = runs.next().ok_or_else(|| Error::usage("no run is named"))??;
    for run in runs {
        let (other, more) = run?;
        document.merge(other);
        pictures.extend(more);
    }
    let run = workspace.begin_run()?;
    document.run = Some(run.id().to_owned());
    let handed = match &handover {
        // The repairs were made elsewhere: nothing in this work tree is to be taken back.
        Some(handover) => handover.finish(&mut document, &writer, &[], ui).await,
        None => Ok(()),
    };
    folder::write(&run, &document, &pictures)?;
    let made = Made { git_head: git_head(&root, cancel).await, redactions: document.redactions, ..Made::default() };
    folder::finish(&run, &redactor(None, &settings.secrets), made)?;
    args.outputs.write(&document, &pictures, args.json, ui)?;
    handed?;
    ui.progress(&format!("evidence: {}", run.folder()));
    Ok(args.outputs.exit_code(&document))
}
