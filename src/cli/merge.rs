//! `relocator merge RUN…`: the runs of several machines on one red suite as one run. Flags and wiring only.

use camino::Utf8PathBuf;
use clap::Args as ClapArgs;

use super::handover::HandoverArgs;
use super::heal_suite::read;
use super::outputs::Outputs;
use crate::adapters::evidence::{Made, git_head, made_at};
use crate::adapters::process::Cancel;
use crate::adapters::workspace::Workspace;
use crate::config::{Flags, Place, current_folder, redactor};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::report::folder::{self, Pictures};
use crate::report::suite::Document;
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
    let head = git_head(&root, cancel).await;
    let (mut document, pictures) = joined(&workspace, &args.runs, head.as_deref())?;
    let run = workspace.begin_run()?;
    document.run = Some(run.id().to_owned());
    let handed = match &handover {
        // The repairs were made elsewhere: nothing in this work tree is to be taken back.
        Some(handover) => handover.finish(&mut document, &writer, &[], ui).await,
        None => Ok(()),
    };
    folder::write(&run, &document, &pictures)?;
    let made = Made { git_head: head, redactions: document.redactions, ..Made::default() };
    folder::finish(&run, &redactor(None, &settings.secrets), made)?;
    args.outputs.write(&document, &pictures, args.json, ui)?;
    handed?;
    ui.progress(&format!("evidence: {}", run.folder()));
    Ok(args.outputs.exit_code(&document))
}

/// The runs as one, which must be of one commit and of this project.
fn joined(workspace: &Workspace, runs: &[Utf8PathBuf], head: Option<&str>) -> Result<(Document, Pictures), Error> {
    let mut all: Option<(Document, Pictures)> = None;
    for run in runs {
        let (document, pictures) = read(workspace, run)?;
        let folder = workspace.run_folder(run.as_str()).unwrap_or_else(|| run.clone());
        // A run that was killed has no manifest, and its lines are looked at when they are committed.
        if let (Some(made), Some(here)) = (made_at(&folder), head)
            && made != here
        {
            return Err(Error::usage(format!("the run `{run}` is of the commit {made}, and {here} is checked out"))
                .hinted(format!("check that one out: git checkout {made}")));
        }
        let mut files = document.groups.iter().flat_map(|group| &group.files).peekable();
        if let Some(first) = files.peek().copied()
            && !files.any(|file| workspace.root().join(file).is_file())
        {
            return Err(Error::usage(format!(
                "the run `{run}` is of another project: there is no `{first}` in this one"
            )));
        }
        match &mut all {
            Some((whole, more)) => {
                whole.merge(document);
                more.extend(pictures);
            }
            None => all = Some((document, pictures)),
        }
    }
    all.ok_or_else(|| Error::usage("no run is named"))
}
