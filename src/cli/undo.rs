//! `relocator undo`: puts back what a run changed, also after a crash.

use clap::Args as ClapArgs;
use serde::Serialize;

use crate::adapters::workspace::{PutBack, Returned, Workspace};
use crate::config::{Flags, Place, current_folder};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::ui::{Ui, printable};

/// Put back what a run changed, also after a crash; what a person changed since is not touched
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// The run, by its folder name in .relocator/runs [default: the latest that changed anything]
    #[arg(value_name = "RUN")]
    run: Option<String>,
    #[command(flatten)]
    flags: Flags,
    /// Print one JSON document
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// Version of the JSON document that this command prints.
const SCHEMA_VERSION: &str = "1.0";

#[derive(Serialize)]
struct Document<'a> {
    schema_version: &'static str,
    /// Edits of a run that was interrupted.
    recovered: Vec<FileDto<'a>>,
    /// Edits of a finished run; they are not offered again.
    undone: Vec<FileDto<'a>>,
}

#[derive(Serialize)]
struct FileDto<'a> {
    run: &'a str,
    file: &'a str,
    /// One-based.
    line: usize,
    /// The line as the run had left it.
    edited: &'a str,
    /// The line as it was before the run.
    original: &'a str,
    /// `restored`, `line_restored` (other lines were changed since, and stay), `already_there` or `left_alone`.
    status: &'static str,
    /// Why it was left alone.
    reason: Option<&'a str>,
    /// Where the old bytes are, if it was left alone.
    kept_in: Option<&'a str>,
}

impl<'a> From<&'a PutBack> for FileDto<'a> {
    fn from(done: &'a PutBack) -> Self {
        let (status, reason, kept_in) = match &done.returned {
            Returned::Restored => ("restored", None, None),
            Returned::LineRestored => ("line_restored", None, None),
            Returned::AlreadyThere => ("already_there", None, None),
            Returned::LeftAlone { reason, aside } => ("left_alone", Some(reason.as_str()), Some(aside.as_str())),
        };
        Self {
            run: &done.run,
            file: done.path.as_str(),
            line: done.change.line,
            edited: &done.change.after,
            original: &done.change.before,
            status,
            reason,
            kept_in,
        }
    }
}

pub(super) async fn run(args: &Args, ui: &Ui) -> Result<ExitCode, Error> {
    let (root, settings) = Place::settings(&args.flags, &current_folder()?)?;
    let workspace = Workspace::open(&root)?;
    let writer = super::become_writer(&workspace, &settings, "relocator undo", ui).await?;
    // What a crash left behind is what was meant, unless a run is named.
    let undone = if args.run.is_none() && !writer.recovered().is_empty() {
        Vec::new()
    } else {
        writer.undo(args.run.as_deref())?
    };
    let recovered = writer.recovered();
    if args.json {
        let document = Document {
            schema_version: SCHEMA_VERSION,
            recovered: recovered.iter().map(FileDto::from).collect(),
            undone: undone.iter().map(FileDto::from).collect(),
        };
        let text = serde_json::to_string_pretty(&document)
            .map_err(|error| Error::internal("cannot write the answer").caused_by(&error))?;
        ui.answer(&text);
    } else {
        for done in recovered.iter().chain(&undone) {
            tell(done, ui);
        }
    }
    let left = recovered.iter().chain(&undone).any(|done| matches!(done.returned, Returned::LeftAlone { .. }));
    Ok(if left { ExitCode::FailuresRemain } else { ExitCode::Clean })
}

fn tell(done: &PutBack, ui: &Ui) {
    let place = format!("{}:{}", done.path, done.change.line);
    match &done.returned {
        Returned::Restored | Returned::LineRestored => {
            let change = &done.change;
            // By now it may be another line of the file.
            let (place, rest) = match done.returned {
                Returned::Restored => (place, ""),
                _ => (format!("the line in {}", done.path), "; what was changed in the file since stays"),
            };
            ui.answer(&printable(&format!(
                "restored {place}{rest}\n  - {}\n  + {}",
                change.after.trim(),
                change.before.trim()
            )));
        }
        Returned::AlreadyThere => {
            ui.answer(&printable(&format!("{place} already had its old content")));
        }
        Returned::LeftAlone { reason, aside } => {
            let (path, change) = (&done.path, &done.change);
            ui.warn(&printable(&format!(
                "{path} was not touched: {reason}; its old content is kept in {aside}\n\
                 to undo line {} by hand:\n  - {}\n  + {}",
                change.line,
                change.after.trim(),
                change.before.trim()
            )));
        }
    }
}
