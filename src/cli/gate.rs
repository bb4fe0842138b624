//! `relocator gate`: hold any edit against gate two.

use std::fs;
use std::io;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

use crate::domain::gate::{self, GatedEdit, Violation};
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::ui::{Ui, printable};

/// Say whether an edit is one locator swap and nothing else
#[derive(Debug, clap::Args)]
pub(super) struct GateArgs {
    /// The file as it is
    #[arg(required_unless_present = "jsonl")]
    before: Option<Utf8PathBuf>,
    /// The file as it would be
    #[arg(required_unless_present = "jsonl")]
    after: Option<Utf8PathBuf>,
    /// The file's path in the project, if BEFORE stands somewhere else
    #[arg(long)]
    path: Option<String>,
    /// Judge JSON lines from stdin: {"id", "path", "before", "after"}
    #[arg(long, conflicts_with_all = ["before", "after", "path"])]
    jsonl: bool,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// One edit to judge.
#[derive(Debug, Deserialize)]
struct Question {
    #[serde(default)]
    id: serde_json::Value,
    path: String,
    before: String,
    after: String,
}

/// What the gate said.
#[derive(Debug, Serialize)]
struct Answer {
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    id: serde_json::Value,
    verdict: &'static str,
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prohibition: Option<&'static str>,
    why: String,
    flags: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

pub(super) fn run(args: &GateArgs, ui: &Ui) -> Result<ExitCode, Error> {
    if args.jsonl {
        ui.filter_lines(answer_line)
            .map_err(|error| Error::new(ErrorKind::Blocked, "cannot read the edits from stdin").caused_by(&error))?;
        return Ok(ExitCode::Clean);
    }
    let (Some(before), Some(after)) = (&args.before, &args.after) else {
        return Err(Error::usage("BEFORE and AFTER are needed"));
    };
    let read = |path: &Utf8PathBuf| {
        fs::read(path).map_err(|error: io::Error| Error::usage(format!("cannot read `{path}`")).caused_by(&error))
    };
    let path = args.path.clone().unwrap_or_else(|| before.to_string());
    let judged = gate::check(&path, &read(before)?, &read(after)?);
    let code = if judged.is_ok() { ExitCode::Clean } else { ExitCode::FailuresRemain };
    let text = if args.json { json(&answer(serde_json::Value::Null, &judged))? } else { human(&path, &judged) };
    ui.answer(&text);
    Ok(code)
}

fn answer_line(line: &[u8]) -> Option<String> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let answer = match serde_json::from_slice::<Question>(line) {
        Ok(edit) => answer(edit.id, &gate::check(&edit.path, edit.before.as_bytes(), edit.after.as_bytes())),
        Err(error) => Answer {
            id: serde_json::Value::Null,
            verdict: "unreadable",
            reason: "unreadable",
            rule: None,
            prohibition: None,
            why: printable(&error.to_string()),
            flags: Vec::new(),
            line: None,
        },
    };
    json(&answer).ok()
}

fn answer(id: serde_json::Value, judged: &Result<GatedEdit, Violation>) -> Answer {
    match judged {
        Ok(edit) => Answer {
            id,
            verdict: "accept",
            reason: "ok",
            rule: None,
            prohibition: None,
            why: "One locator changes and nothing else.".to_owned(),
            flags: edit.flags().iter().map(|flag| flag.code()).collect(),
            line: Some(edit.line()),
        },
        Err(violation) => Answer {
            id,
            verdict: "reject",
            reason: violation.reason().code(),
            rule: Some(violation.prohibition.rule()),
            prohibition: Some(violation.prohibition.id()),
            why: printable(&violation.sentence()),
            flags: Vec::new(),
            line: None,
        },
    }
}

fn json(answer: &Answer) -> Result<String, Error> {
    serde_json::to_string(answer).map_err(|error| Error::internal("cannot write the answer as JSON").caused_by(&error))
}

fn human(path: &str, judged: &Result<GatedEdit, Violation>) -> String {
    let text = match judged {
        Ok(edit) => {
            let flags: Vec<&str> = edit.flags().iter().map(|flag| flag.code()).collect();
            let flags = if flags.is_empty() { String::new() } else { format!("\n  flags: {}", flags.join(", ")) };
            format!(
                "accepted: one locator changes in {}:{}\n  - {}\n  + {}{flags}",
                edit.path(),
                edit.line(),
                edit.old_line().trim(),
                edit.new_line().trim()
            )
        }
        Err(violation) => format!(
            "rejected: {path}: {}\n  {} (rule {}, {})",
            violation.reason().code(),
            violation.sentence(),
            violation.prohibition.rule(),
            violation.prohibition.id()
        ),
    };
    printable(&text)
}
