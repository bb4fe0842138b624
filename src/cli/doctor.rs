//! `relocator doctor`: what a repair needs, what of it is missing, whose fault that is and what to do.

use clap::Args as ClapArgs;
use serde::Serialize;

use crate::adapters::process::Cancel;
use crate::config::{Flags, current_folder};
use crate::doctor::{Check, Fault, Finding, examine};
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::ui::{Ui, printable};

/// Check Node, Playwright, the browser and the config, and say for what is missing whose fault it is and what to do
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// A test or a folder of the project [default: this folder]
    #[arg(value_name = "PATH")]
    path: Option<camino::Utf8PathBuf>,
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
    ok: bool,
    checks: Vec<CheckDto<'a>>,
}

#[derive(Serialize)]
struct CheckDto<'a> {
    name: &'a str,
    /// `ok`, `failed` or `skipped`.
    status: &'static str,
    /// What was seen.
    detail: &'a str,
    /// `environment`, `project` or `call`; only when failed.
    fault: Option<&'static str>,
    /// What to do; only when failed.
    fixes: &'a [String],
}

impl<'a> From<&'a Check> for CheckDto<'a> {
    fn from(check: &'a Check) -> Self {
        let (status, detail, fault, fixes): (_, _, _, &[String]) = match &check.finding {
            Finding::Good(seen) => ("ok", seen, None, &[]),
            Finding::Skipped(why) => ("skipped", why, None, &[]),
            Finding::Bad { fault, seen, fixes } => ("failed", seen, Some(fault.word()), fixes),
        };
        Self { name: check.name, status, detail, fault, fixes }
    }
}

pub(super) async fn run(args: &Args, ui: &Ui, cancel: &Cancel) -> Result<ExitCode, Error> {
    let here = current_folder()?;
    let start = args.path.as_ref().map_or_else(|| here.clone(), |path| here.join(path));
    let mut checks = Vec::new();
    examine(&args.flags, &start, cancel, |check| {
        if !args.json {
            ui.answer(&line(&check));
        }
        checks.push(check);
    })
    .await;
    if cancel.is_cancelled() {
        return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
    }
    let ok = !checks.iter().any(Check::is_bad);
    if args.json {
        let document =
            Document { schema_version: SCHEMA_VERSION, ok, checks: checks.iter().map(CheckDto::from).collect() };
        let text = serde_json::to_string_pretty(&document)
            .map_err(|error| Error::internal("cannot write the answer").caused_by(&error))?;
        ui.answer(&text);
    }
    Ok(exit_code(&checks))
}

/// A wrong call is a usage error; anything else that is missing stops a repair.
fn exit_code(checks: &[Check]) -> ExitCode {
    let faults = checks.iter().filter_map(|check| match &check.finding {
        Finding::Bad { fault, .. } => Some(*fault),
        Finding::Good(_) | Finding::Skipped(_) => None,
    });
    let codes = faults.map(|fault| if fault == Fault::Call { ExitCode::Usage } else { ExitCode::Blocked });
    codes.max_by_key(|code| *code as u8).unwrap_or(ExitCode::Clean)
}

/// One check as a person reads it.
fn line(check: &Check) -> String {
    let CheckDto { name, status, detail, fault, fixes } = CheckDto::from(check);
    let mark = match status {
        "ok" => "✓",
        "failed" => "✗",
        _ => "–",
    };
    let fault = fault.map(|fault| format!(" [{fault}]")).unwrap_or_default();
    let mut text = format!("{mark} {name}{fault}: {}", printable(detail));
    for fix in fixes {
        text.push_str("\n    → ");
        text.push_str(&printable(fix));
    }
    text
}
