//! The fourth stage: gate two, the edit on disk, the runs with it in place.

use camino::Utf8PathBuf;

use super::causes::{Cause, Pile, Placed};
use super::propose::{Proposals, Proposed};
use super::record::{HealRun, Proposal, RUN};
use super::reproduce::stop_for;
use super::{Healer, Stop};
use crate::adapters::playwright::command::Request;
use crate::adapters::playwright::report::{Attempt, Test};
use crate::adapters::playwright::runner::RunOutcome;
use crate::adapters::workspace::{AppliedEdits, WorkspaceError};
use crate::domain::classify::classify_errors;
use crate::domain::edit::unified_diff;
use crate::domain::event::Event;
use crate::domain::gate::{self, Flag, GatedEdit, Reason as GateReason, Violation};
use crate::domain::identity::Facts;
use crate::domain::verdict::{Proof, Reason, ReasonCode, judge};

/// What one edit came to, for whoever proposes edits.
#[derive(Debug)]
pub enum Tried {
    /// It ended the repair.
    Ended(Reason),
    /// Another one may be tried; why this one failed.
    Next(String),
}

/// What one edit came to.
pub(super) enum Went {
    /// It ended the repair; nothing of it is in place.
    Ended(Reason),
    /// Another one may be tried; why this one failed. Nothing of it is in place.
    Next(String),
    /// The step worked with it, and it is in place.
    Placed(Box<Placed>),
}

impl Healer<'_> {
    /// Tries the edits of `proposals` until one is in place and its step works.
    pub(super) async fn try_all(
        &mut self,
        run: &mut HealRun,
        cause: Cause<'_>,
        pile: &mut Pile,
        proposals: Proposals,
    ) -> Result<Placed, Stop> {
        let mut last = "no edit was possible".to_owned();
        for proposed in &proposals.edits {
            if run.edited_runs() >= self.settings.runs {
                break;
            }
            match self.try_one(run, cause, pile, (&proposals, proposed)).await? {
                Went::Ended(reason) => return Err(reason.into()),
                Went::Next(why) => last = why,
                Went::Placed(placed) => return Ok(*placed),
            }
        }
        let code = if run.edited_runs() == 0 { ReasonCode::NoStableLocator } else { ReasonCode::AttemptsUsedUp };
        Err(Reason::new(code, last).into())
    }

    async fn try_one(
        &mut self,
        run: &mut HealRun,
        cause: Cause<'_>,
        pile: &mut Pile,
        (proposals, proposed): (&Proposals, &Proposed),
    ) -> Result<Went, Stop> {
        let rewrite = &proposed.rewrite;
        let line = |text: &str| text.lines().nth(rewrite.line as usize - 1).unwrap_or_default().to_owned();
        let (before, after) = (line(&rewrite.before), line(&rewrite.after));
        (self.report)(&Event::Edit {
            path: rewrite.path.clone(),
            line: rewrite.line as usize,
            before: before.clone(),
            after: after.clone(),
        });
        let checked =
            run.timed("gate", |_| gate::check(&rewrite.path, rewrite.before.as_bytes(), rewrite.after.as_bytes()));
        let proposal = Proposal {
            path: rewrite.path.clone(),
            line: rewrite.line as usize,
            before,
            after,
            why: proposed.why.clone(),
            flags: Vec::new(),
            diff: unified_diff(&rewrite.path, &rewrite.before, &rewrite.after),
        };
        let gated = match checked {
            Ok(gated) => gated,
            Err(violation) => {
                let why = format!("{}: {}", violation.reason().code(), violation.sentence());
                (self.report)(&Event::GateTwo { refused: Some(why.clone()) });
                run.refused.push(why.clone());
                return Ok(match place_reason(&violation) {
                    Some(reason) => {
                        run.proposal = Some(proposal);
                        Went::Ended(reason)
                    }
                    None => Went::Next(format!("gate two refuses the edit: {why}")),
                });
            }
        };
        (self.report)(&Event::GateTwo { refused: None });
        let flags = gated.flags().iter().map(|flag| flag.code().to_owned()).collect();
        run.proposal = Some(Proposal { flags, ..proposal });
        if let Some(reason) = self.held_back(run, proposals, &gated)? {
            return Ok(Went::Ended(reason));
        }
        self.apply_and_run(run, cause, pile, (proposals, &gated)).await
    }

    /// Why a gated edit is only shown, if it is.
    pub(super) fn held_back(
        &self,
        run: &HealRun,
        proposals: &Proposals,
        gated: &GatedEdit,
    ) -> Result<Option<Reason>, Stop> {
        let swap = (gated.old_line(), gated.new_line());
        let refused = self.writer.workspace().is_refused(gated.path(), swap, run.page.as_deref()).map_err(trouble)?;
        Ok(if refused {
            Some(Reason::new(
                ReasonCode::RejectedBefore,
                "a person has undone this very repair before, and the page is as it was then",
            ))
        } else if proposals.weak {
            Some(Reason::new(ReasonCode::UnderApplyBar, "the evidence is enough to propose it, not to apply it"))
        } else if feeds_expect(gated) && !run.basis.is_recorded() {
            Some(Reason::new(
                ReasonCode::FeedsAssertion,
                "the locator is later the subject of an assertion, and neither a fingerprint nor git says that it is the same element",
            ))
        } else if self.settings.dry_run {
            Some(Reason::new(ReasonCode::DryRun, "only a proposal was asked for"))
        } else {
            None
        })
    }

    /// Puts the edit in place and runs the test twice. It stays in place only if the step worked each time.
    pub(super) async fn apply_and_run(
        &mut self,
        run: &mut HealRun,
        cause: Cause<'_>,
        pile: &mut Pile,
        (proposals, gated): (&Proposals, &GatedEdit),
    ) -> Result<Went, Stop> {
        if let Some(number) = pile.overwrites(gated) {
            let why = format!("the locator is the one that the repair of root cause {number} has just written");
            return Ok(Went::Ended(Reason::new(ReasonCode::NoStableLocator, why)));
        }
        if self.turn.is_some_and(|turn| !turn.may_change(gated.path())) {
            let why = format!("another repair of this run goes through {}", gated.path());
            return Ok(Went::Ended(Reason::new(ReasonCode::Environment, why)));
        }
        // Under the mark of its page, so that an undone one is offered again when the page has changed.
        run.timed("apply", |run| pile.edits.put(self.run, gated, run.page.as_deref())).map_err(trouble)?;
        (self.report)(&Event::RunStarted { purpose: "running the test with the new line".to_owned() });
        let request = Request { repeat_each: Some(2), ..cause.failing.request.clone() };
        let outcome = self.playwright.run(&request, &self.next_start()).await;
        let passes: Vec<bool> = outcome.targets(&request.places).map(Test::passed).collect();
        let passed = !passes.is_empty() && passes.iter().all(|passed| *passed);
        run.ran(RUN, true, passed, &outcome);
        if let Some(error) = outcome.error(&self.playwright.project) {
            run.timed("apply", |_| self.take_off(&mut pile.edits))?;
            return Err(stop_for(error));
        }
        let placed = |outcome, green| {
            let Proposals { chosen, word, sure, .. } = proposals;
            let (chosen, gated) = (chosen.clone(), gated.clone());
            Went::Placed(Box::new(Placed { chosen, word: *word, sure: *sure, gated, outcome, green }))
        };
        let went = match passes.as_slice() {
            [true, true] => {
                self.tell_run(run, &outcome, true, Some(true), None);
                return Ok(placed(outcome, true));
            }
            [true, false] | [false, true] => {
                self.tell_run(run, &outcome, true, Some(false), None);
                let seen = "with the new line the test passed once and failed once";
                run.proofs.passed_twice = Proof::Failed(seen.to_owned());
                Went::Ended(judge(&run.proofs, run.basis, feeds_expect(gated)))
            }
            _ => match self.still_red(run, cause, &proposals.chosen, &outcome) {
                None => return Ok(placed(outcome, false)),
                Some(why) => Went::Next(why),
            },
        };
        run.timed("apply", |_| self.take_off(&mut pile.edits))?;
        Ok(went)
    }

    /// Why the edit is not it, where the test fails with the new line as well; `None` where it gets past the step each time.
    fn still_red(&mut self, run: &HealRun, cause: Cause<'_>, chosen: &Facts, outcome: &RunOutcome) -> Option<String> {
        let red = |test: &&Test| test.attempts.iter().any(|attempt| !attempt.errors.is_empty());
        let failures: Vec<&Attempt> = outcome
            .targets(&cause.failing.request.places)
            .filter(red)
            .filter_map(|test| test.attempts.iter().find(|attempt| !attempt.errors.is_empty()))
            .collect();
        let Some(first) = failures.first() else {
            return Some("the test did not run with the new line".to_owned());
        };
        let texts: Vec<&str> = first.errors.iter().map(|error| error.message.as_str()).collect();
        let reading = classify_errors(&texts);
        let at = reading.site.as_ref().map(|site| format!(" at line {}", site.line)).unwrap_or_default();
        let seen = format!("{} / {}{at}: {}", reading.category.as_str(), reading.signature, reading.why);
        self.tell_run(run, outcome, false, None, Some(seen.clone()));
        let traces: Vec<Option<Utf8PathBuf>> = failures.iter().map(|attempt| outcome.trace(attempt)).collect();
        let worked = traces
            .iter()
            .all(|trace| matches!(self.healed_step(cause.diagnosis, chosen, trace.as_deref()), Proof::Held(_)));
        (!worked).then(|| format!("still red: {seen}"))
    }

    /// Takes the last edit back; `false` when there is none.
    pub(super) fn take_off(&mut self, edits: &mut AppliedEdits) -> Result<bool, Stop> {
        let Some(path) = edits.take_off().map_err(trouble)? else { return Ok(false) };
        (self.report)(&Event::Restored { path: path.to_string() });
        Ok(true)
    }

    fn tell_run(
        &mut self,
        run: &HealRun,
        outcome: &RunOutcome,
        passed: bool,
        again: Option<bool>,
        failure: Option<String>,
    ) {
        let first = outcome.tests.iter().find_map(|test| test.attempts.first());
        (self.report)(&Event::TestRun {
            number: run.edited_runs(),
            allowed: self.settings.runs,
            passed,
            duration: first.map_or(outcome.duration, |attempt| attempt.duration),
            again,
            failure,
        });
    }
}

/// Whether the swapped locator is later the subject of an assertion.
pub(super) fn feeds_expect(gated: &GatedEdit) -> bool {
    gated.flags().iter().any(|flag| matches!(flag, Flag::FeedsExpect | Flag::FeedsAbsence))
}

/// A violation that no other locator in that place could mend.
pub(super) fn place_reason(violation: &Violation) -> Option<Reason> {
    let sentence = violation.sentence();
    match violation.reason() {
        GateReason::InsideExpect => Some(Reason::new(ReasonCode::InsideAssertion, sentence)),
        GateReason::VacuousAbsence => Some(Reason::new(ReasonCode::AbsenceAssertion, sentence)),
        GateReason::GuardsAssertion
        | GateReason::ExpectedValue
        | GateReason::PathNotAllowed
        | GateReason::NotALocator
        | GateReason::MultipleLines => Some(Reason::new(ReasonCode::PlaceForbidden, sentence)),
        _ => None,
    }
}

/// A workspace that cannot do its work: the environment's fault or an error, by its kind.
pub(super) fn trouble(error: WorkspaceError) -> Stop {
    stop_for(error.into())
}
