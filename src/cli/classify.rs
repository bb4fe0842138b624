//! `relocator classify`: what kind of failure a text is.

use std::fs;
use std::io::{self, Read as _};

use clap::Args as ClapArgs;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::classify::{Classification, classify};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::ui::{Ui, printable};

/// Say what kind of failure a Playwright text is, and whether a stale locator can be its cause
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// Files that hold one failure text each; without any, the text is read from stdin
    #[arg(value_name = "FILE", conflicts_with = "jsonl")]
    files: Vec<camino::Utf8PathBuf>,
    /// Read JSON lines {"id", "text"} from stdin and answer each with a JSON line
    #[arg(long, help_heading = "Output")]
    jsonl: bool,
    /// Print one JSON document
    #[arg(long, conflicts_with = "jsonl", help_heading = "Output")]
    json: bool,
}

/// Version of the JSON documents that this command prints.
const SCHEMA_VERSION: &str = "1.0";

/// How much is read of a file or of stdin, in bytes; more than the classifier looks at, so that it sees that there is more.
const MAX_INPUT: u64 = 4 << 20;

#[derive(Deserialize)]
struct Question {
    #[serde(default)]
    id: Value,
    text: String,
}

#[derive(Serialize)]
struct Answer<'a> {
    id: &'a Value,
    category: &'static str,
    signature: &'static str,
    eligible: bool,
    rule: &'static str,
    why: &'static str,
    locator: Option<&'a str>,
    action: Option<&'a str>,
    timeout_ms: Option<f64>,
    resolved: Option<&'a str>,
    alternatives: Vec<AlternativeDto<'a>>,
    site: Option<SiteDto<'a>>,
}

#[derive(Serialize)]
struct AlternativeDto<'a> {
    element: &'a str,
    locator: &'a str,
}

#[derive(Serialize)]
struct SiteDto<'a> {
    file: &'a str,
    line: u32,
    column: Option<u32>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: &'static str,
    results: Vec<Answer<'a>>,
}

#[derive(Serialize)]
struct Refused<'a> {
    id: Option<&'a Value>,
    error: String,
}

impl<'a> Answer<'a> {
    fn new(id: &'a Value, found: &'a Classification) -> Self {
        let alternatives = found
            .alternatives
            .iter()
            .map(|one| AlternativeDto { element: &one.element, locator: &one.locator })
            .collect();
        Self {
            id,
            category: found.category.as_str(),
            signature: found.signature,
            eligible: found.is_eligible(),
            rule: found.rule,
            why: found.why,
            locator: found.locator.as_deref(),
            action: found.action.as_deref(),
            timeout_ms: found.timeout_ms,
            resolved: found.resolved.as_deref(),
            alternatives,
            site: found.site.as_ref().map(|site| SiteDto { file: &site.file, line: site.line, column: site.column }),
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, ui: &Ui) -> Result<ExitCode, Error> {
    if args.jsonl {
        return json_lines(ui);
    }
    let texts = texts(&args.files)?;
    let found: Vec<(Value, Classification)> = texts.iter().map(|(name, text)| (name.clone(), classify(text))).collect();
    if args.json {
        let results = found.iter().map(|(name, found)| Answer::new(name, found)).collect();
        ui.answer(&to_json(&Document { schema_version: SCHEMA_VERSION, results })?);
        return Ok(ExitCode::Clean);
    }
    for (name, found) in &found {
        if let (Value::String(name), true) = (name, args.files.len() > 1) {
            ui.answer(&printable(name));
        }
        ui.answer(&printable(&shown(found)));
    }
    Ok(ExitCode::Clean)
}

fn json_lines(ui: &Ui) -> Result<ExitCode, Error> {
    let mut refused = 0_usize;
    ui.filter_lines(|line| {
        if line.trim_ascii().is_empty() {
            return None;
        }
        let answer = match serde_json::from_str::<Question>(&String::from_utf8_lossy(line)) {
            Ok(question) => serde_json::to_string(&Answer::new(&question.id, &classify(&question.text))),
            Err(error) => {
                refused += 1;
                serde_json::to_string(&Refused { id: None, error: format!("no {{\"id\", \"text\"}} object: {error}") })
            }
        };
        answer.ok()
    })
    .map_err(|error| Error::blocked("cannot read stdin").caused_by(&error))?;
    if refused == 0 {
        return Ok(ExitCode::Clean);
    }
    let lines = if refused == 1 { "1 line was".to_owned() } else { format!("{refused} lines were") };
    Err(Error::usage(format!("{lines} no JSON object with `id` and `text`")))
}

/// The texts with what they are called: a file's path, or nothing for stdin.
fn texts(files: &[camino::Utf8PathBuf]) -> Result<Vec<(Value, String)>, Error> {
    if files.is_empty() {
        let text = read(io::stdin().lock()).map_err(|error| Error::blocked("cannot read stdin").caused_by(&error))?;
        return Ok(vec![(Value::Null, text)]);
    }
    super::there(files)?;
    files
        .iter()
        .map(|path| {
            let text = fs::File::open(path).and_then(read);
            let text = text.map_err(|error| Error::blocked(format!("cannot read `{path}`")).caused_by(&error))?;
            Ok((Value::String(path.to_string()), text))
        })
        .collect()
}

fn read(input: impl io::Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    input.take(MAX_INPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn to_json(document: &Document<'_>) -> Result<String, Error> {
    serde_json::to_string_pretty(document)
        .map_err(|error| Error::internal("cannot write the answer as JSON").caused_by(&error))
}

/// The answer for people.
fn shown(found: &Classification) -> String {
    let eligible = if found.is_eligible() { "eligible" } else { "not eligible" };
    let mut lines = vec![
        format!("{} ({}): {eligible}", found.category.as_str(), found.signature),
        format!("  {} [{}]", found.why, found.rule),
    ];
    let mut field = |name: &str, value: Option<String>| {
        lines.extend(value.map(|value| format!("  {name:<9} {}", value.replace('\n', " "))));
    };
    field("action", found.action.clone());
    field("locator", found.locator.clone());
    field("timeout", found.timeout_ms.map(|limit| format!("{limit} ms")));
    field("resolved", found.resolved.clone());
    field(
        "at",
        found.site.as_ref().map(|site| match site.column {
            Some(column) => format!("{}:{}:{column}", site.file, site.line),
            None => format!("{}:{}", site.file, site.line),
        }),
    );
    for one in &found.alternatives {
        field("matches", Some(format!("{} aka {}", one.element, one.locator)));
    }
    lines.join("\n")
}
