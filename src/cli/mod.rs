//! The command line: one file per command, flags and wiring only; no decision is made here.

mod classify;
mod doctor;
mod gate;
mod handover;
mod heal;
mod heal_suite;
mod init;
mod inspect;
mod learn;
mod mcp;
mod merge;
mod outputs;
mod query;
mod rehearse;
mod report;
mod token;
mod triage;
mod undo;

use camino::Utf8Path;
use clap::{Parser, Subcommand};

use crate::adapters::process::Cancel;
use crate::adapters::workspace::{Holder, Returned, Workspace, Writer};
use crate::config::{Settings, redactor};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::report::folder;
use crate::ui::{Color, Ui, printable};

/// Repairs stale locators in Playwright test suites, and refuses to do anything else.
#[derive(Debug, Parser)]
#[command(name = "relocator", version, max_term_width = 100)]
struct Args {
    /// When to colour the output
    #[arg(long, global = true, value_enum, default_value_t, help_heading = "Output")]
    color: Color,
    /// Print no progress
    #[arg(long, short, global = true, help_heading = "Output")]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Classify(classify::Args),
    Doctor(doctor::Args),
    Gate(gate::GateArgs),
    Heal(Box<heal::Args>),
    Init(init::Args),
    Inspect(inspect::Args),
    Merge(merge::Args),
    Report(report::Args),
    Triage(triage::Args),
    Learn(learn::Args),
    Mcp(mcp::Args),
    Token(token::Args),
    Undo(undo::Args),
    Query(query::Args),
    /// Measures how often a repair would be right, wrong or declined
    Rehearse(rehearse::RehearseArgs),
}

/// Becomes the only writer of the project, and says who has to be waited for. The holder's name stands in a file of the
/// project, so it is as untrusted as any. Runs that did not come to their end get their manifest.
async fn become_writer(workspace: &Workspace, settings: &Settings, command: &str, ui: &Ui) -> Result<Writer, Error> {
    let waiting = |other: &Holder| ui.progress(&printable(&format!("waiting for another relocator: {other}")));
    let writer = workspace.writer(&Holder::this(command), settings.patience, waiting).await?;
    folder::finish_others(workspace, &redactor(None, &settings.secrets))?;
    Ok(writer)
}

/// As [`become_writer`], and says what an interrupted run had left.
async fn writer(workspace: &Workspace, settings: &Settings, command: &str, ui: &Ui) -> Result<Writer, Error> {
    let writer = become_writer(workspace, settings, command, ui).await?;
    for back in writer.recovered() {
        let path = printable(back.path.as_str());
        match &back.returned {
            Returned::Restored => ui.warn(&format!("{path} was put back: an earlier run had been interrupted")),
            Returned::LineRestored => ui.warn(&format!(
                "the line in {path} was put back: an earlier `undo` had been interrupted; what was changed since stays"
            )),
            Returned::AlreadyThere => {}
            Returned::LeftAlone { reason, aside } => ui.warn(&format!(
                "{path} was edited by an interrupted run and is left as it is: {reason}; its old content is in {aside}"
            )),
        }
    }
    Ok(writer)
}

/// What is named on the command line has to be there: another name is wrong usage, and no fault of the environment.
fn there(paths: impl IntoIterator<Item: AsRef<Utf8Path>>) -> Result<(), Error> {
    match paths.into_iter().find(|path| !path.as_ref().exists()) {
        Some(path) => Err(Error::usage(format!("there is no `{}`", path.as_ref()))),
        None => Ok(()),
    }
}

/// Parses the command line, runs the command, prints an error if there is one, and returns the exit code.
pub fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let code = if error.use_stderr() { ExitCode::Usage } else { ExitCode::Clean };
            // Nothing sensible is left to do when the stream itself is gone.
            drop(error.print());
            return code;
        }
    };
    let ui = Ui::new(args.color, args.quiet);
    run(&args.command, &ui).unwrap_or_else(|error| {
        ui.error(&error);
        error.exit_code()
    })
}

fn run(command: &Command, ui: &Ui) -> Result<ExitCode, Error> {
    match command {
        Command::Classify(args) => classify::run(args, ui),
        Command::Doctor(args) => interruptible(async |cancel| doctor::run(args, ui, &cancel).await),
        Command::Gate(args) => gate::run(args, ui),
        Command::Init(args) => init::run(args, ui),
        Command::Inspect(args) => interruptible(async |cancel| inspect::run(args, ui, &cancel).await),
        Command::Heal(args) => interruptible(async |cancel| Box::pin(heal::run(args, ui, &cancel)).await),
        Command::Merge(args) => interruptible(async |cancel| Box::pin(merge::run(args, ui, &cancel)).await),
        Command::Report(args) => report::run(args, ui),
        Command::Triage(args) => interruptible(async |cancel| Box::pin(triage::run(args, ui, &cancel)).await),
        Command::Undo(args) => interruptible(async |_| undo::run(args, ui).await),
        Command::Learn(args) => learn::run(args, ui),
        Command::Mcp(args) => interruptible(async |cancel| mcp::run(args, ui, &cancel).await),
        Command::Token(args) => token::run(args, ui),
        Command::Query(args) => query::run(args, ui),
        Command::Rehearse(args) => rehearse::run(args, ui),
    }
}

/// Runs `command` to its end; Ctrl-C, SIGTERM and SIGHUP set the handle that it gets, and end nothing by themselves.
fn interruptible(command: impl AsyncFnOnce(Cancel) -> Result<ExitCode, Error>) -> Result<ExitCode, Error> {
    let cannot = |error: std::io::Error| Error::internal("cannot start the asynchronous runtime").caused_by(&error);
    let runtime = tokio::runtime::Runtime::new().map_err(cannot)?;
    let done = runtime.block_on(async { command(Cancel::on_signals().map_err(cannot)?).await });
    // A read of stdin that still waits for input cannot be called off, and must not keep us.
    runtime.shutdown_background();
    done
}
