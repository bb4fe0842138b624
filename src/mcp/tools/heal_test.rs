//! `heal_test`: the repair loop for one test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::answer::{Refused, exact, short};
use super::super::audit::Ending;
use super::super::call::Call;
use super::super::tokens::Scope;
use super::Tool;
use super::view::{Candidate, Link, Test};
use crate::adapters::evidence::Made;
use crate::adapters::openai::Modes;
use crate::config::redactor;
use crate::domain::event::Event;
use crate::domain::verdict::{Outcome, Proof, Proofs};
use crate::heal::Settings;
use crate::heal::record::HealRun;
use crate::report::folder::keep_repair;
use crate::report::suite::Asked;

/// The tool.
pub(super) struct HealTest;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The failing test as `tests/a.spec.ts:12`, from the server's root.
    test: String,
    /// Make the edit and prove it. Without it: only propose it. Needs a server started with --allow-edits.
    #[serde(default)]
    apply: bool,
}

/// How it ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Head {
    /// `healed`, `proposed`, `declined`, `escalated`, `flaky` or `blocked`.
    outcome: String,
    /// A stable code of why.
    reason: String,
    /// Why, in a sentence.
    sentence: String,
    /// What to do with this outcome.
    next: String,
    /// The run, for `get_report` and `undo`.
    run: String,
    /// The test that failed.
    test: Option<Test>,
    /// What kind of failure it is: `category / signature`.
    failure: Option<String>,
    /// The locator that failed.
    locator: Option<String>,
    /// Its links; the first with a count of 0 is the one that broke.
    links: Vec<Link>,
    /// The swap that was made or is proposed; paths are from the folder of playwright.config.*.
    proposal: Option<Swap>,
    /// The probability that the element is gone, between 0 and 1.
    none_of_these: Option<f64>,
    /// The proofs, as far as they were made.
    proofs: Vec<ProofView>,
    /// What a model was asked and what it cost; null where none was asked. What was said is in the run's report.
    model: Option<Asked>,
    /// Edits that gate two refused, with why.
    gate_two_refused: Vec<String>,
    /// Things to know, which decided nothing.
    notes: Vec<String>,
    /// The root causes that showed behind this one, in the order they were met.
    further: Vec<Further>,
}

/// A root cause behind another one of the same test.
#[derive(Debug, Serialize, JsonSchema)]
struct Further {
    /// As that of the first.
    outcome: String,
    /// A stable code of why.
    reason: String,
    /// Why, in a sentence.
    sentence: String,
    /// What kind of failure it is: `category / signature`.
    failure: Option<String>,
    /// The locator that failed.
    locator: Option<String>,
    /// The swap that was made or is proposed.
    proposal: Option<Swap>,
}

/// One locator changed on one line.
#[derive(Debug, Serialize, JsonSchema)]
struct Swap {
    /// Whether it stands in the file; else it is a proposal.
    applied: bool,
    /// The file.
    file: String,
    /// The line, from 1.
    line: usize,
    /// The line before.
    before: String,
    /// The line after.
    after: String,
    /// Why this locator.
    why: String,
    /// What a person should know about it.
    flags: Vec<String>,
}

/// A proof.
#[derive(Debug, Serialize, JsonSchema)]
struct ProofView {
    /// Which.
    name: String,
    /// `held`, `failed`, `not_applicable` or `not_run`.
    result: String,
    /// What was seen.
    seen: Option<String>,
}

impl Tool for HealTest {
    const NAME: &'static str = "heal_test";
    const TITLE: &'static str = "Repair the one stale locator of a test, or say why not";
    const DESCRIPTION: &'static str = "Runs one failing test and repairs the one locator that went stale, or refuses. By \
        default it only proposes the edit. With `apply: true` (server needs --allow-edits) it makes the edit and keeps it \
        only with proofs: the test passes twice, the step hits the right element, every other test that uses the line \
        passes, and the test still fails without the step; otherwise every byte is put back. Takes as long as several runs \
        of the test; sends progress; can be cancelled. Items: the elements that were ranked. Anything but `healed` is an \
        answer, not an error: never make a refused test pass by weakening it. Where the lost element is on record and the test \
        fails later for another reason, the outcome is that of the later failure and the repair stays (`proposal.applied`).";
    const EDITS: bool = true;
    type Input = Input;
    type Head = Head;
    type Item = Candidate;

    async fn run(call: &Call, input: Input) -> Result<(Head, Vec<Candidate>), Refused> {
        call.demand(Scope::Heal)?;
        if input.apply {
            call.demand_edits()?;
        }
        let test = call.root().test(&input.test)?;
        call.spend_heal()?;
        let running = call.ready(&test, Self::NAME).await?;
        let mut report = |event: &Event| call.progress.event(event);
        let settings = Settings { dry_run: !input.apply, ..Settings::default() };
        let mut model = running.model.open(Modes::of_project(&running.playwright.project.root)).await?;
        let redactor = redactor(model.as_ref(), &running.secrets);
        let mut advisor = model.as_mut().map(|model| running.model.advisor(model, redactor.clone()));
        let run = running.healer(settings, &mut report).heal_with(&running.request, advisor.as_mut()).await?;
        let project = &running.playwright.project;
        let made = Made::with(project, settings.json(), &running.playwright.cancel).await;
        keep_repair(&running.run, &run, &project.root, redactor, made)?;
        call.note(Ending::of(run.outcome().word(), run.ended().code.code(), running.run.id()));
        let mut head = head(&run, running.run.id());
        head.notes.extend(running.recovered());
        let items = run.candidates.iter().map(Candidate::from).collect();
        Ok((head, items))
    }
}

fn head(run: &HealRun, id: &str) -> Head {
    let strings = |texts: &[String]| texts.iter().map(|text| short(text)).collect();
    Head {
        outcome: run.outcome().word().to_owned(),
        reason: run.ended().code.code().to_owned(),
        sentence: short(&run.ended().sentence),
        next: next(run).to_owned(),
        run: id.to_owned(),
        test: run.test.as_ref().map(Test::from),
        failure: failure(run),
        locator: run.stale.as_ref().map(|stale| exact(&stale.locator)),
        links: run.stale.iter().flat_map(|stale| &stale.links).map(Link::from).collect(),
        proposal: swap(run),
        none_of_these: run.none_of_these,
        proofs: proofs(&run.proofs),
        model: run.model.as_ref().map(Asked::from),
        gate_two_refused: strings(&run.refused),
        notes: strings(&run.notes),
        further: run
            .further
            .iter()
            .map(|cause| Further {
                outcome: cause.outcome().word().to_owned(),
                reason: cause.reason.code.code().to_owned(),
                sentence: short(&cause.reason.sentence),
                failure: failure(cause),
                locator: cause.stale.as_ref().map(|stale| exact(&stale.locator)),
                proposal: swap(cause),
            })
            .collect(),
    }
}

fn failure(run: &HealRun) -> Option<String> {
    run.gate_one.as_ref().map(|seen| format!("{} / {}", seen.category.as_str(), seen.signature))
}

fn swap(run: &HealRun) -> Option<Swap> {
    run.proposal.as_ref().map(|swap| Swap {
        applied: run.is_applied(),
        file: short(&swap.path),
        line: swap.line,
        before: exact(&swap.before),
        after: exact(&swap.after),
        why: short(&swap.why),
        flags: swap.flags.clone(),
    })
}

/// What a caller does with an outcome.
fn next(run: &HealRun) -> &'static str {
    if run.is_applied() && run.outcome() != Outcome::Healed {
        return "The test still fails. Its first step works again by the repair that is applied: commit that line. What is behind \
                it is another matter (see `further`): report it; do not change the test to make it pass.";
    }
    match run.outcome() {
        Outcome::Healed => "The line is repaired and proven: commit it as it is.",
        Outcome::Proposed => "Nothing was changed. Show the proposal with its reason to a person, who decides.",
        Outcome::Declined => {
            "Nothing was changed: it cannot be proven what the locator meant. Report it with the evidence; do not edit \
             around it."
        }
        Outcome::Escalated => {
            "Not a stale locator: a bug of the product or of the test. Report it; do not change the test to make it pass."
        }
        Outcome::Flaky => {
            "It does not fail reliably. Find out what varies with check_flaky; no locator is to blame yet."
        }
        Outcome::Blocked => {
            "The environment stopped it, which says nothing about the product. Repair the environment and call again."
        }
    }
}

fn proofs(proofs: &Proofs) -> Vec<ProofView> {
    [
        ("reproduced", &proofs.reproduced),
        ("passed_twice", &proofs.passed_twice),
        ("right_element", &proofs.right_element),
        ("dependents", &proofs.dependents),
        ("counter_test", &proofs.counter_test),
    ]
    .into_iter()
    .map(|(name, proof)| {
        let (result, seen) = match proof {
            Proof::Held(seen) => ("held", Some(seen)),
            Proof::Failed(seen) => ("failed", Some(seen)),
            Proof::NotApplicable(why) => ("not_applicable", Some(why)),
            Proof::NotRun => ("not_run", None),
        };
        ProofView { name: name.to_owned(), result: result.to_owned(), seen: seen.map(|seen| short(seen)) }
    })
    .collect()
}
