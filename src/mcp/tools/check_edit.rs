//! `check_edit`: gate two on an edit that a caller wants to make.

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::answer::{Code, Refused, short};
use super::super::call::Call;
use super::super::confine::plain;
use super::super::tokens::Scope;
use super::Tool;
use crate::adapters::workspace::Workspace;
use crate::domain::gate;
use crate::error::Error;

/// The tool.
pub(super) struct CheckEdit;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The file, from the server's root.
    file: String,
    /// The whole text of the file before the edit. Without it: the file as it is now.
    #[serde(default)]
    before: Option<String>,
    /// The whole text of the file after the edit.
    after: String,
}

/// The judgement.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Head {
    /// `accept` or `reject`.
    verdict: String,
    /// `ok`, or a stable code of why it is rejected.
    reason: String,
    /// Why, in a sentence.
    why: String,
    /// The rule (A to G) that it breaks.
    rule: Option<String>,
    /// The prohibition's stable id.
    prohibition: Option<String>,
    /// The line that changes, from 1; of an accepted edit.
    line: Option<usize>,
    /// What a person should know about an accepted edit: `feeds_expect`, `scope_widened` …
    flags: Vec<String>,
}

/// The answer has no list.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Nothing {}

impl Tool for CheckEdit {
    const NAME: &'static str = "check_edit";
    const TITLE: &'static str = "Is this edit one locator swap and nothing else?";
    const DESCRIPTION: &'static str = "Holds an edit of a test source against the law that relocator itself obeys: exactly \
        one locator swapped, on one line, outside of every assertion, not weaker than before; no new skip, timeout, wait, \
        `.first()`, `.nth()`. Give the file and its whole text after the edit (and before, unless it is the file on disk). \
        A rejection is final: do not rephrase the edit until it passes, report it. Runs and writes nothing. An accepted edit \
        is a legal swap, not a proven one: heal_test proves.";
    const EDITS: bool = false;
    type Input = Input;
    type Head = Head;
    type Item = Nothing;

    async fn run(call: &Call, input: Input) -> Result<(Head, Vec<Nothing>), Refused> {
        call.demand(Scope::Read)?;
        let path = plain(&input.file)?.to_string();
        let before = match input.before {
            Some(text) => {
                // The file need not be there, but where it is, it must be inside.
                if call.root().folder().join(&path).symlink_metadata().is_ok() {
                    call.root().file(&path)?;
                }
                text.into_bytes()
            }
            None => on_disk(call, &path)?,
        };
        let head = match gate::check(&path, &before, input.after.as_bytes()) {
            Ok(edit) => Head {
                verdict: "accept".to_owned(),
                reason: "ok".to_owned(),
                why: "One locator changes and nothing else.".to_owned(),
                rule: None,
                prohibition: None,
                line: Some(edit.line()),
                flags: edit.flags().iter().map(|flag| flag.code().to_owned()).collect(),
            },
            Err(violation) => Head {
                verdict: "reject".to_owned(),
                reason: violation.reason().code().to_owned(),
                why: short(&violation.sentence()),
                rule: Some(violation.prohibition.rule().to_string()),
                prohibition: Some(violation.prohibition.id().to_owned()),
                line: None,
                flags: Vec::new(),
            },
        };
        Ok((head, Vec::new()))
    }
}

/// The file as it is now.
fn on_disk(call: &Call, path: &str) -> Result<Vec<u8>, Refused> {
    let absolute = call.root().file(path)?;
    let workspace = Workspace::open(call.root().folder()).map_err(Error::from)?;
    let wrong = |error: &dyn std::error::Error| Refused::new(Code::WrongKind, error.to_string());
    let source = workspace.resolve(Utf8Path::new(&absolute)).map_err(|error| wrong(&error))?;
    workspace.read(&source).map_err(|error| wrong(&error))
}
