//! `relocator report RUN`: a finished run, rendered again. Flags and wiring only.

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args as ClapArgs;

use super::heal_suite::read;
use super::outputs::Outputs;
use crate::adapters::process::{find_program, leave};
use crate::adapters::workspace::Workspace;
use crate::config::{Flags, Place, current_folder};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::report::folder::PAGE;
use crate::ui::Ui;

/// Render a run of `heal` or `merge` again, from its folder
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// The run: its name in .relocator/runs, or its folder [default: the latest]
    #[arg(value_name = "RUN")]
    run: Option<Utf8PathBuf>,
    /// Open the HTML report of the run, with `$BROWSER` or xdg-open
    #[arg(long, help_heading = "Output")]
    open: bool,
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
    let (run, (document, pictures)) = if let Some(run) = &args.run {
        (run.clone(), read(&workspace, run)?)
    } else {
        let mut runs = workspace.runs_so_far()?.into_iter().rev().map(Utf8PathBuf::from);
        let latest = runs.find_map(|run| read(&workspace, &run).ok().map(|found| (run, found)));
        latest.ok_or_else(|| Error::usage("no run with a report is in this project"))?
    };
    args.outputs.write(&document, &pictures, args.json, ui)?;
    if args.open {
        let folder = workspace.run_folder(run.as_str()).unwrap_or(run);
        open(&folder.join(PAGE), ui)?;
    }
    Ok(args.outputs.gate(&document).unwrap_or(ExitCode::Clean))
}

/// Shows a page to the person in front of the machine.
fn open(page: &Utf8Path, ui: &Ui) -> Result<(), Error> {
    let page =
        page.canonicalize_utf8().map_err(|error| Error::blocked(format!("cannot open `{page}`")).caused_by(&error))?;
    // Several commands may be named, the first that there is counts; `%s` stands for the page.
    let named = std::env::var("BROWSER").unwrap_or_default();
    let commands = named.split(':').chain(["xdg-open"]).filter(|command| !command.trim().is_empty());
    let found = commands.filter_map(|command| {
        let mut words = command.split_whitespace();
        let program = find_program(words.next()?)?;
        let mut args: Vec<String> = words.map(|word| word.replace("%s", page.as_str())).collect();
        if !command.contains("%s") {
            args.push(page.to_string());
        }
        Some((program, args))
    });
    let none = || {
        Error::blocked("no program is known that shows a page: BROWSER is not set, and there is no xdg-open")
            .hinted(format!("open it yourself: {page}"))
    };
    let (program, args) = { found }.next().ok_or_else(none)?;
    leave(&program, &args).map_err(|error| Error::blocked(format!("cannot open `{page}`")).caused_by(&error))?;
    ui.progress(&format!("opened: {page}"));
    Ok(())
}
