//! `classify_failure`: gate one on a text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::answer::{Code, Refused, exact, short};
use super::super::call::Call;
use super::super::tokens::Scope;
use super::Tool;
use crate::domain::classify::classify;

/// The tool.
pub(super) struct ClassifyFailure;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// A Playwright failure, as the terminal, a report or a CI log shows it; colours and time stamps may stay in.
    text: String,
}

/// What kind of failure it is.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Head {
    /// `locator_timeout`, `zero_match_assertion`, `strict_mode_violation`, `value_mismatch`, `navigation_error` or
    /// `unrecognized`.
    category: String,
    /// The form of the failure inside its category.
    signature: String,
    /// Whether a stale locator can be its cause, so that a repair may be tried. Otherwise it is for a person.
    eligible: bool,
    /// Why, in a sentence.
    why: String,
    /// The rule that decided.
    rule: String,
    /// The locator that failed, as Playwright prints it.
    locator: Option<String>,
    /// The call or assertion that failed.
    action: Option<String>,
    /// Its time limit in milliseconds.
    timeout_ms: Option<f64>,
    /// The element the locator resolved to, if it did.
    resolved: Option<String>,
    /// Where in the source, as far as the text says.
    site: Option<Site>,
}

/// A place in the source.
#[derive(Debug, Serialize, JsonSchema)]
struct Site {
    /// The file as the text names it.
    file: String,
    /// The line, from 1.
    line: u32,
}

/// One of the elements that a locator matched in a strict mode violation.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Alternative {
    /// The element.
    element: String,
    /// The locator that Playwright offers for it.
    locator: String,
}

/// A longer text is not read: a failure is some kilobytes.
const LONGEST: usize = 4 << 20;

impl Tool for ClassifyFailure {
    const NAME: &'static str = "classify_failure";
    const TITLE: &'static str = "What kind of failure is this text?";
    const DESCRIPTION: &'static str = "Reads a pasted Playwright failure and says what kind it is and whether a stale \
        locator can be the cause (`eligible`). Only eligible failures can be healed; everything else is a real bug, a \
        test bug or the environment, and for a person. Runs nothing, reads no file.";
    const EDITS: bool = false;
    type Input = Input;
    type Head = Head;
    type Item = Alternative;

    async fn run(call: &Call, input: Input) -> Result<(Head, Vec<Alternative>), Refused> {
        call.demand(Scope::Read)?;
        if input.text.len() > LONGEST {
            return Err(Refused::new(Code::BadArguments, "the text is longer than 4 MiB"));
        }
        let found = classify(&input.text);
        let head = Head {
            category: found.category.as_str().to_owned(),
            signature: found.signature.to_owned(),
            eligible: found.is_eligible(),
            why: found.why.to_owned(),
            rule: found.rule.to_owned(),
            locator: found.locator.as_deref().map(exact),
            action: found.action.as_deref().map(short),
            timeout_ms: found.timeout_ms,
            resolved: found.resolved.as_deref().map(short),
            site: found.site.as_ref().map(|site| Site { file: short(&site.file), line: site.line }),
        };
        let alternatives = found
            .alternatives
            .iter()
            .map(|one| Alternative { element: short(&one.element), locator: exact(&one.locator) });
        Ok((head, alternatives.collect()))
    }
}
