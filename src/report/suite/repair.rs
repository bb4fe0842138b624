//! What became of the repair of a group, as the document has it. Shapes only; [`super::record`] fills them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PictureName;

/// What became of a repair.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repair {
    /// Whether its line stands in the source, whatever became of the root causes behind it.
    #[serde(default)]
    pub applied: bool,
    /// The stable code of the reason.
    pub reason: String,
    /// The reason in a sentence.
    pub sentence: String,
    /// The file of the swap, project-relative.
    pub file: Option<String>,
    /// Its 1-based line.
    pub line: Option<usize>,
    /// The line before.
    pub before: Option<String>,
    /// The line after.
    pub after: Option<String>,
    /// The swap as a unified diff.
    pub diff: Option<String>,
    /// The proofs: name, result, what was seen.
    pub proofs: Vec<Proof>,
    /// The best candidates for the lost element.
    pub candidates: Vec<Candidate>,
    /// Every start of Playwright.
    pub runs: Vec<Start>,
    /// The page with the repair in place.
    pub picture: Option<PictureName>,
    /// What a model was asked and what it cost; none where none was asked.
    pub model: Option<Asked>,
    /// How many milliseconds it took.
    pub milliseconds: u64,
    /// The root causes that showed behind this one in the same test, in the order they were met.
    #[serde(default)]
    pub further: Vec<Further>,
}

/// A root cause behind another one of the same test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Further {
    /// `healed`, `proposed`, `declined`, `escalated`, `flaky`, `blocked`.
    pub outcome: String,
    /// What is wrong and where, in one line.
    pub headline: String,
    /// What became of its repair; its runs are among those of the first.
    pub repair: Repair,
}

/// A conversation with a model, without what was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Asked {
    /// The model.
    pub name: String,
    /// The address it was asked at.
    pub endpoint: String,
    /// The version of the prompts.
    pub prompt_version: String,
    /// How many replies it gave.
    pub replies: u32,
    /// How many requests were sent, those that were repeated included.
    pub requests: u32,
    /// Tokens that were sent.
    pub tokens_in: u64,
    /// Tokens that came back.
    pub tokens_out: u64,
    /// Whether some of the tokens were estimated, because the server did not count them.
    pub tokens_estimated: bool,
    /// What it cost, in the currency of the configured prices; none where no prices are configured.
    pub cost: Option<f64>,
}

/// A proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// `reproduced`, `passed_twice`, `right_element`, `dependents`, `counter_test`.
    pub name: String,
    /// `held`, `failed`, `not_applicable`, `not_run`.
    pub result: String,
    /// What was seen.
    pub seen: String,
}

/// A ranked element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    /// The element in words.
    pub element: String,
    /// Its share, between 0 and 1.
    pub probability: f64,
}

/// A start of Playwright.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Start {
    /// What it was for.
    pub purpose: String,
    /// Whether an edit was in place.
    pub edited: bool,
    /// The command.
    pub command: Vec<String>,
    /// How it ended.
    pub exit: String,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
    /// Whether the tests it was started for all passed.
    pub passed: bool,
}

impl Repair {
    /// This repair and those behind it, in the order they were made.
    pub fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.further.iter().map(|further| &further.repair))
    }
}

impl Asked {
    /// The same in words, but for the model's name.
    pub fn spent(&self) -> String {
        let about = if self.tokens_estimated { "about " } else { "" };
        let replies = if self.replies == 1 { "reply" } else { "replies" };
        let cost = self.cost.map(|cost| format!(", cost {cost:.4}")).unwrap_or_default();
        format!("{} {replies}, {about}{} tokens{cost}", self.replies, self.tokens_in.saturating_add(self.tokens_out))
    }
}
