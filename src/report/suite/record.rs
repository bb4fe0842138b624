//! From the record of a repair to what the document says of it: cut and cleaned.

use std::time::Duration;

use super::patch::without_secrets;
use super::{Asked, Candidate, Clean, Further, Group, Link, Locator, Place, Proof, Repair, Start};
use crate::adapters::process::Exit;
use crate::domain::handover::{Swap, kept};
use crate::domain::verdict;
use crate::heal::record::{Attempt, HealRun, ModelUse, Proposal};

/// How many candidates are listed.
const CANDIDATES: usize = 5;

impl Group {
    /// Notes what `run` came to.
    pub fn repaired(&mut self, run: &HealRun, clean: &mut Clean) {
        run.outcome().word().clone_into(&mut self.outcome);
        if run.outcome() == verdict::Outcome::Healed {
            self.look_at.clear();
        }
        if let Some(stale) = &run.stale {
            let links: Vec<Link> =
                stale.links.iter().map(|link| Link { link: clean.line(&link.text), count: link.count }).collect();
            let definition = stale.definition.as_ref();
            self.locator = Some(Locator {
                text: clean.line(&stale.locator),
                broken: links.iter().find(|link| link.count == Some(0)).map(|link| link.link.clone()),
                links,
                definition: definition.map(|at| Place {
                    file: clean.line(&at.path),
                    line: u32::try_from(at.line).unwrap_or_default(),
                    column: None,
                }),
                shape: definition.map(|at| at.shape.clone()),
            });
        }
        let further = run.further.iter().map(|cause| Further {
            outcome: cause.outcome().word().to_owned(),
            headline: headline(cause, clean),
            repair: repair(cause, clean),
        });
        let further = further.collect();
        self.repair = Some(Repair {
            runs: run.starts().map(|attempt| start(attempt, clean)).collect(),
            model: run.model.as_ref().map(Asked::from),
            milliseconds: milliseconds(run.playwright_time() + run.own_time()),
            further,
            ..repair(run, clean)
        });
    }
}

/// What became of one root cause, without its runs.
fn repair(run: &HealRun, clean: &mut Clean) -> Repair {
    let swap = run.proposal.as_ref();
    let lines = swap.map(|swap| kept(&Swap::from(swap), |line| clean.source(line)));
    Repair {
        applied: run.is_applied(),
        reason: run.reason.code.code().to_owned(),
        sentence: clean.line(&run.reason.sentence),
        file: swap.map(|swap| swap.path.clone()),
        line: swap.map(|swap| swap.line),
        before: lines.as_ref().map(|swap| swap.before.clone()),
        after: lines.map(|swap| swap.after),
        diff: swap.map(|swap| without_secrets(&swap.diff, clean)),
        proofs: proofs(&run.proofs, clean),
        candidates: run
            .candidates
            .iter()
            .take(CANDIDATES)
            .map(|found| Candidate { element: clean.line(&found.description), probability: rounded(found.probability) })
            .collect(),
        ..Repair::default()
    }
}

impl From<&Proposal> for Swap {
    fn from(proposal: &Proposal) -> Self {
        Self {
            path: proposal.path.clone(),
            line: proposal.line,
            before: proposal.before.clone(),
            after: proposal.after.clone(),
        }
    }
}

/// What is wrong and where, of a root cause behind another one.
fn headline(run: &HealRun, clean: &mut Clean) -> String {
    let what = match (&run.stale, &run.gate_one) {
        (Some(stale), _) => format!("stale locator {}", stale.locator),
        (None, Some(seen)) => format!("{} / {}", seen.category.as_str(), seen.signature),
        (None, None) => run.reason.sentence.clone(),
    };
    clean.line(&format!("{what} at {}", run.place()))
}

impl From<&ModelUse> for Asked {
    fn from(used: &ModelUse) -> Self {
        let (said, spent) = (&used.conversation, &used.conversation.spent);
        Self {
            name: said.model.clone(),
            endpoint: used.endpoint.clone(),
            prompt_version: said.prompt_version.to_owned(),
            replies: spent.steps,
            requests: used.requests,
            tokens_in: spent.tokens_in,
            tokens_out: spent.tokens_out,
            tokens_estimated: spent.estimated,
            cost: used.cost.map(|cost| (cost * 1e6).round() / 1e6),
        }
    }
}

fn proofs(proofs: &verdict::Proofs, clean: &mut Clean) -> Vec<Proof> {
    let all = [
        ("reproduced", &proofs.reproduced),
        ("passed_twice", &proofs.passed_twice),
        ("right_element", &proofs.right_element),
        ("dependents", &proofs.dependents),
        ("counter_test", &proofs.counter_test),
    ];
    let shown = all.into_iter().map(|(name, proof)| {
        let (result, seen) = match proof {
            verdict::Proof::Held(seen) => ("held", seen.as_str()),
            verdict::Proof::Failed(seen) => ("failed", seen.as_str()),
            verdict::Proof::NotApplicable(why) => ("not_applicable", why.as_str()),
            verdict::Proof::NotRun => ("not_run", ""),
        };
        Proof { name: name.to_owned(), result: result.to_owned(), seen: clean.line(seen) }
    });
    shown.collect()
}

fn start(attempt: &Attempt, clean: &mut Clean) -> Start {
    Start {
        purpose: attempt.purpose.to_owned(),
        edited: attempt.edited,
        command: attempt.argv.iter().map(|word| clean.line(word)).collect(),
        exit: match attempt.exit {
            Exit::Success => "0".to_owned(),
            Exit::Code(code) => code.to_string(),
            Exit::Signal(signal) => format!("signal {signal}"),
            Exit::TimedOut => "timed out".to_owned(),
            Exit::Cancelled => "cancelled".to_owned(),
        },
        milliseconds: milliseconds(attempt.duration),
        passed: attempt.passed,
    }
}

/// A share to the hundredth of a percent: more says nothing, and a short number is read back as it was written.
fn rounded(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
