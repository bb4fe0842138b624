//! The JSON document of one repair attempt: documented fields, its own types, apart from the core's.
//!
//! Additive changes only within a major version of the schema.

use std::time::Duration;

use serde::Serialize;

use crate::adapters::process::Exit;
use crate::domain::classify::Classification;
use crate::domain::verdict::Proof;
use crate::heal::record::{Attempt, Candidate, HealRun, ModelUse, Proposal, Stale, TestName};

/// Version of the document's shape.
pub const SCHEMA_VERSION: &str = "1.0";

/// Longest piece of foreign text in the document, in characters.
const LONGEST: usize = 2_000;

#[derive(Serialize)]
struct Document<'a> {
    schema_version: &'static str,
    tool: Tool,
    test: Option<Test<'a>>,
    #[serde(flatten)]
    cause: Cause<'a>,
    attempts: Vec<Start<'a>>,
    stages_ms: serde_json::Map<String, serde_json::Value>,
    playwright_ms: f64,
    own_ms: f64,
    tokens: u64,
    /// The root causes that showed behind this one, in the order they were met.
    further: Vec<Cause<'a>>,
}

/// A root cause of the test: the first, or one behind it.
#[derive(Serialize)]
struct Cause<'a> {
    outcome: &'static str,
    reason: &'static str,
    sentence: String,
    /// Whether its edit stands in the source.
    applied: bool,
    gate_one: Option<GateOne<'a>>,
    locator: Option<Locator<'a>>,
    evidence: Vec<Element<'a>>,
    none_of_these: Option<f64>,
    proposal: Option<Swap<'a>>,
    diff: Option<&'a str>,
    gate_two_refused: &'a [String],
    proofs: Proofs<'a>,
    notes: &'a [String],
    model: Option<Model<'a>>,
}

#[derive(Serialize)]
struct Model<'a> {
    name: &'a str,
    endpoint: &'a str,
    mode: Option<&'static str>,
    prompt_version: &'static str,
    replies: u32,
    requests: u32,
    runs: u32,
    refused_edits: u32,
    tokens_in: u64,
    tokens_out: u64,
    tokens_estimated: bool,
    cost: Option<f64>,
    seconds: f64,
    redactions: usize,
    messages: Vec<Said<'a>>,
}

#[derive(Serialize)]
struct Said<'a> {
    role: &'static str,
    text: &'a str,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Test<'a> {
    file: &'a str,
    line: u32,
    titles: &'a [String],
    project: &'a str,
}

#[derive(Serialize)]
struct GateOne<'a> {
    category: &'static str,
    signature: &'static str,
    eligible: bool,
    rule: &'static str,
    why: &'static str,
    action: Option<&'a str>,
    timeout_ms: Option<f64>,
}

#[derive(Serialize)]
struct Locator<'a> {
    stale: &'a str,
    links: Vec<Link<'a>>,
    defined_in: Option<&'a str>,
    line: Option<usize>,
    shape: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct Link<'a> {
    pub(super) link: &'a str,
    pub(super) count: Option<usize>,
}

#[derive(Serialize)]
pub(super) struct Element<'a> {
    #[serde(rename = "element")]
    description: String,
    probability: f64,
    evidence: Vec<Piece<'a>>,
}

#[derive(Serialize)]
struct Piece<'a> {
    id: &'a str,
    bits: f64,
    sentence: String,
}

#[derive(Serialize)]
struct Swap<'a> {
    file: &'a str,
    line: usize,
    before: &'a str,
    after: &'a str,
    why: &'a str,
    flags: &'a [String],
}

#[derive(Serialize)]
struct Proofs<'a> {
    reproduced: ProofView<'a>,
    passed_twice: ProofView<'a>,
    right_element: ProofView<'a>,
    dependents: ProofView<'a>,
    counter_test: ProofView<'a>,
}

#[derive(Serialize)]
struct ProofView<'a> {
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<&'a str>,
}

#[derive(Serialize)]
struct Start<'a> {
    purpose: &'static str,
    edited: bool,
    command: &'a [String],
    exit: serde_json::Value,
    duration_ms: f64,
    passed: bool,
}

/// The document for `run`. Secrets are still in it.
pub fn document(run: &HealRun) -> serde_json::Value {
    let mut stages = serde_json::Map::new();
    for (name, _) in run.causes().flat_map(|cause| &cause.stages) {
        let of_stage = run.causes().flat_map(|cause| &cause.stages).filter(|(other, _)| other == name);
        let time: Duration = of_stage.map(|(_, time)| *time).sum();
        stages.insert((*name).to_owned(), milliseconds(time).into());
    }
    let document = Document {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
        test: run.test.as_ref().map(test),
        cause: cause(run),
        attempts: run.starts().map(start).collect(),
        stages_ms: stages,
        playwright_ms: milliseconds(run.playwright_time()),
        own_ms: milliseconds(run.own_time()),
        tokens: run
            .causes()
            .filter_map(|cause| cause.model.as_ref())
            .map(|model| model.conversation.spent.tokens())
            .sum(),
        further: run.further.iter().map(cause).collect(),
    };
    // Strings and numbers only: nothing in the document can fail to serialise.
    serde_json::to_value(&document).unwrap_or_default()
}

/// A root cause. The first one says how the test ended; its own part in it is `applied`.
fn cause(run: &HealRun) -> Cause<'_> {
    let ended = run.ended();
    Cause {
        outcome: ended.outcome().word(),
        reason: ended.code.code(),
        sentence: cut(&ended.sentence),
        applied: run.is_applied(),
        gate_one: run.gate_one.as_ref().map(gate_one),
        locator: run.stale.as_ref().map(locator),
        evidence: run.candidates.iter().map(element).collect(),
        none_of_these: run.none_of_these,
        proposal: run.proposal.as_ref().map(swap),
        diff: run.proposal.as_ref().map(|proposal| proposal.diff.as_str()),
        gate_two_refused: &run.refused,
        proofs: proofs(&run.proofs),
        notes: &run.notes,
        model: run.model.as_ref().map(model),
    }
}

fn proofs(proofs: &crate::domain::verdict::Proofs) -> Proofs<'_> {
    Proofs {
        reproduced: proof(&proofs.reproduced),
        passed_twice: proof(&proofs.passed_twice),
        right_element: proof(&proofs.right_element),
        dependents: proof(&proofs.dependents),
        counter_test: proof(&proofs.counter_test),
    }
}

/// The conversation with a model as one line of JSON: all that was said, what it cost, and what it was about.
pub fn conversation(about: &str, used: &ModelUse) -> String {
    #[derive(Serialize)]
    struct About<'a> {
        about: &'a str,
        model: Model<'a>,
    }
    // Strings and numbers only: nothing in it can fail to serialise.
    serde_json::to_string(&About { about, model: model(used) }).unwrap_or_default()
}

fn model(used: &ModelUse) -> Model<'_> {
    let (said, spent) = (&used.conversation, &used.conversation.spent);
    Model {
        name: &said.model,
        endpoint: &used.endpoint,
        mode: used.mode,
        prompt_version: said.prompt_version,
        replies: spent.steps,
        requests: used.requests,
        runs: spent.runs,
        refused_edits: spent.rejected,
        tokens_in: spent.tokens_in,
        tokens_out: spent.tokens_out,
        tokens_estimated: spent.estimated,
        cost: used.cost,
        seconds: spent.wall.as_secs_f64(),
        redactions: said.redactions,
        messages: said.messages.iter().map(|(role, text)| Said { role, text }).collect(),
    }
}

fn test(name: &TestName) -> Test<'_> {
    Test { file: &name.file, line: name.line, titles: &name.titles, project: &name.project }
}

fn gate_one(seen: &Classification) -> GateOne<'_> {
    GateOne {
        category: seen.category.as_str(),
        signature: seen.signature,
        eligible: seen.is_eligible(),
        rule: seen.rule,
        why: seen.why,
        action: seen.action.as_deref(),
        timeout_ms: seen.timeout_ms,
    }
}

fn locator(stale: &Stale) -> Locator<'_> {
    let definition = stale.definition.as_ref();
    Locator {
        stale: &stale.locator,
        links: stale.links.iter().map(|link| Link { link: &link.text, count: link.count }).collect(),
        defined_in: definition.map(|at| at.path.as_str()),
        line: definition.map(|at| at.line),
        shape: definition.map(|at| at.shape.as_str()),
    }
}

pub(super) fn element(candidate: &Candidate) -> Element<'_> {
    Element {
        description: cut(&candidate.description),
        probability: candidate.probability,
        evidence: candidate
            .evidence
            .iter()
            .map(|piece| Piece { id: &piece.id, bits: piece.bits, sentence: cut(&piece.sentence) })
            .collect(),
    }
}

fn swap(proposal: &Proposal) -> Swap<'_> {
    Swap {
        file: &proposal.path,
        line: proposal.line,
        before: &proposal.before,
        after: &proposal.after,
        why: &proposal.why,
        flags: &proposal.flags,
    }
}

fn proof(proof: &Proof) -> ProofView<'_> {
    let (result, seen) = match proof {
        Proof::Held(seen) => ("held", Some(seen.as_str())),
        Proof::Failed(seen) => ("failed", Some(seen.as_str())),
        Proof::NotApplicable(why) => ("not_applicable", Some(why.as_str())),
        Proof::NotRun => ("not_run", None),
    };
    ProofView { result, seen }
}

fn start(attempt: &Attempt) -> Start<'_> {
    Start {
        purpose: attempt.purpose,
        edited: attempt.edited,
        command: &attempt.argv,
        exit: match attempt.exit {
            Exit::Success => 0.into(),
            Exit::Code(code) => code.into(),
            Exit::Signal(signal) => format!("signal {signal}").into(),
            Exit::TimedOut => "timed_out".into(),
            Exit::Cancelled => "cancelled".into(),
        },
        duration_ms: milliseconds(attempt.duration),
        passed: attempt.passed,
    }
}

/// Milliseconds, to the microsecond.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}
