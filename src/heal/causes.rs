//! The root causes of one test, one behind the other: each repair stays in place while the next is looked for, and all of
//! them are proven together or none is kept.
//!
//! Decides nothing by itself: what the later failure is says gate one, what is healed says the verdict.

use super::diagnose::Diagnosis;
use super::model::Advisor;
use super::record::HealRun;
use super::reproduce::Failing;
use super::{Healer, Stop};
use crate::adapters::playwright::command::Request;
use crate::adapters::playwright::report::Attempt;
use crate::adapters::playwright::runner::RunOutcome;
use crate::adapters::workspace::AppliedEdits;
use crate::domain::event::Event;
use crate::domain::gate::GatedEdit;
use crate::domain::identity::Facts;
use crate::domain::verdict::{Outcome, Proof, Reason, ReasonCode};
use crate::domain::word::Word;
use crate::error::Error;

/// A root cause that is being worked on.
#[derive(Clone, Copy)]
pub(super) struct Cause<'c> {
    /// Its failure.
    pub(super) failing: &'c Failing,
    /// What was found out about it.
    pub(super) diagnosis: &'c Diagnosis,
}

/// A repair that was put in place and with which the step worked.
pub(super) struct Placed {
    /// The element that the step is meant to work on.
    pub(super) chosen: Facts,
    /// On whose word that is the element.
    pub(super) word: Word,
    /// Whether it is that element whatever a run says.
    pub(super) sure: bool,
    /// The edit.
    pub(super) gated: GatedEdit,
    /// The run with it in place.
    pub(super) outcome: RunOutcome,
    /// Whether the test passed in it; else it got past the step and failed later.
    pub(super) green: bool,
}

/// A root cause whose repair is in place, not proven yet.
pub(super) struct Standing {
    /// Its record.
    pub(super) run: HealRun,
    /// Its failure.
    pub(super) failing: Failing,
    /// What was found out about it.
    pub(super) diagnosis: Diagnosis,
    /// The element that its step is meant to work on.
    pub(super) chosen: Facts,
    /// On whose word that is the element.
    pub(super) word: Word,
    /// Whether it is that element whatever a run says.
    pub(super) sure: bool,
    /// Its edit.
    pub(super) gated: GatedEdit,
}

/// The repairs in place, each over those before it, and their edits on disk.
pub(super) struct Pile {
    /// The root causes.
    pub(super) standing: Vec<Standing>,
    /// The run with all of them in place.
    pub(super) outcome: Option<RunOutcome>,
    /// The edits, one for each; one more while an edit is being tried.
    pub(super) edits: AppliedEdits,
}

impl Pile {
    /// Where `offset` of `path` is by now, as it was when the repairs from `from` on were not in place.
    pub(super) fn carried(&self, from: usize, path: &str, offset: usize) -> usize {
        let later =
            self.standing.iter().skip(from).map(|standing| &standing.gated).filter(|gated| gated.path() == path);
        later.fold(offset, |offset, gated| {
            let (old, new) = (gated.old_range(), gated.new_range());
            if offset >= old.end { offset - old.len() + new.len() } else { offset }
        })
    }

    /// Whether the test failed in the same line each time with all repairs in place.
    fn fails_at_one_place(&self) -> bool {
        let (Some(last), Some(outcome)) = (self.standing.last(), &self.outcome) else { return false };
        let attempts = outcome.targets(&last.failing.request.places).filter_map(|test| test.attempts.first());
        let place = |attempt: &Attempt| attempt.location.as_ref().map(|at| (at.file.clone(), at.line));
        let places: Vec<Option<(String, u32)>> = attempts.map(place).collect();
        matches!(places.as_slice(), [Some(first), Some(second)] if first == second)
    }

    /// Which of the repairs in place, from 1, wrote what `gated` wants to replace, if any did.
    pub(super) fn overwrites(&self, gated: &GatedEdit) -> Option<usize> {
        let old = gated.old_range();
        let hit = |(index, standing): &(usize, &Standing)| {
            let new = standing.gated.new_range();
            let start = self.carried(index + 1, gated.path(), new.start);
            standing.gated.path() == gated.path() && start < old.end && old.start < start + new.len()
        };
        self.standing.iter().enumerate().find(hit).map(|(index, _)| index + 1)
    }
}

impl Healer<'_> {
    /// Repairs the root causes of the one test that `request` names; the record of the first holds those behind it.
    pub(super) async fn causes(
        &mut self,
        request: &Request,
        advisor: Option<&mut Advisor<'_>>,
    ) -> Result<HealRun, Error> {
        let mut pile = Pile { standing: Vec::new(), outcome: None, edits: self.writer.edits() };
        let mut run = HealRun::new(Reason::new(ReasonCode::Environment, "nothing was run"));
        let last = match Box::pin(self.go(&mut run, &mut pile, request, advisor)).await {
            Ok(()) => match Box::pin(self.prove(&mut pile, None)).await {
                Ok(()) => None,
                Err(stop) => {
                    let reason = stopped(&mut run, stop)?;
                    pile.standing.iter_mut().for_each(|standing| standing.run.reason = reason.clone());
                    None
                }
            },
            Err(Stop::Ended(reason)) => match Box::pin(self.leave_behind(&mut run, &mut pile, &reason)).await {
                Ok(()) => Some(reason),
                Err(stop) => {
                    // Their edits go back, whatever was proven.
                    let reason = stopped(&mut run, stop)?;
                    pile.standing.iter_mut().for_each(|standing| standing.run.reason = reason.clone());
                    Some(reason)
                }
            },
            Err(stop) => Some(stopped(&mut run, stop)?),
        };
        let Pile { standing, edits, .. } = pile;
        // Whatever is still in place goes back, last first.
        drop(edits);
        let mut causes: Vec<HealRun> = standing.into_iter().map(|standing| standing.run).collect();
        let notes = std::mem::take(&mut run.notes);
        if let Some(reason) = last {
            run.reason = reason;
            let behind = later(&run);
            for cause in causes.iter_mut().filter(|cause| !cause.is_applied()) {
                cause.reason = Reason::new(ReasonCode::Advanced, behind.clone());
            }
            causes.push(run);
        }
        let mut causes = causes.into_iter();
        let Some(mut first) = causes.next() else { return Err(Error::internal("a repair left no record")) };
        first.further = causes.collect();
        first.notes.extend(notes);
        Ok(first)
    }

    /// Puts one repair in place after the other until the test passes; the last reason where it does not.
    async fn go(
        &mut self,
        run: &mut HealRun,
        pile: &mut Pile,
        request: &Request,
        mut advisor: Option<&mut Advisor<'_>>,
    ) -> Result<(), Stop> {
        let mut failing = match self.as_reported(run, request)? {
            Some(reported) => reported,
            None => self.reproduce(run, request).await?,
        };
        loop {
            let mut diagnosis = self.diagnose(run, &failing)?;
            // Boxed: what it asks git and the traces makes a large future.
            Box::pin(self.look_behind(run, &mut diagnosis)).await;
            let proposals = self.propose(run, &diagnosis);
            let cause = Cause { failing: &failing, diagnosis: &diagnosis };
            let asked = advisor.as_deref_mut().filter(|advisor| advisor.is_asked(&proposals));
            let placed = match asked {
                Some(advisor) => self.advised(run, cause, pile, (proposals, advisor)).await?,
                None => self.try_all(run, cause, pile, proposals?).await?,
            };
            let Placed { chosen, word, sure, gated, outcome, green } = placed;
            let former = std::mem::replace(run, HealRun::new(Reason::new(ReasonCode::Environment, "nothing was run")));
            let request = failing.request.clone();
            pile.standing.push(Standing { run: former, failing, diagnosis, chosen, word, sure, gated });
            let outcome = pile.outcome.insert(outcome);
            if green {
                return Ok(());
            }
            failing = self.behind(run, pile.standing.len() + 1, &request, outcome)?;
        }
    }

    /// The failure behind the repairs in place, as the run with them in place has it: gate one reads it as any other.
    fn behind(
        &mut self,
        run: &mut HealRun,
        number: usize,
        request: &Request,
        outcome: &RunOutcome,
    ) -> Result<Failing, Stop> {
        (self.report)(&Event::NextCause { number });
        let Some(test) = outcome.targets(&request.places).find(|test| test.failed()).cloned() else {
            return Err(Reason::new(ReasonCode::Environment, "the run was cut short before the test had ended").into());
        };
        run.test = Some(self.name(&test));
        let failing = self.read_failure(run, request, outcome, test)?;
        run.proofs.reproduced = Proof::Held("the test failed here with the repairs before it in place".to_owned());
        if number > self.settings.causes {
            return Err(Reason::new(
                ReasonCode::AttemptsUsedUp,
                format!(
                    "it is root cause {number} of one test, and at most {} are repaired together",
                    self.settings.causes
                ),
            )
            .into());
        }
        Ok(failing)
    }

    /// What becomes of the repairs in place where the failure behind them is not repaired, for `reason`: that failure could be the
    /// work of a wrong element, so they stay only if the elements are what they are whatever a run says, and everything else is
    /// proven; else they go back.
    async fn leave_behind(&mut self, run: &mut HealRun, pile: &mut Pile, reason: &Reason) -> Result<(), Stop> {
        let seen = !matches!(reason.outcome(), Outcome::Blocked | Outcome::Flaky) && !pile.standing.is_empty();
        if seen && pile.standing.iter().all(|standing| standing.sure) && pile.fails_at_one_place() {
            let why = format!("the test still fails, behind the step: {}", reason.sentence);
            Box::pin(self.prove(pile, Some(&why))).await?;
        }
        run.timed("apply", |_| self.take_all_off(&mut pile.edits))
    }

    /// Takes every edit back, the last one first.
    pub(super) fn take_all_off(&mut self, edits: &mut AppliedEdits) -> Result<(), Stop> {
        while self.take_off(edits)? {}
        Ok(())
    }
}

/// What stopped a repair, as a reason; the environment's hints become notes.
fn stopped(run: &mut HealRun, stop: Stop) -> Result<Reason, Error> {
    match stop {
        Stop::Ended(reason) => Ok(reason),
        Stop::Blocked(error) => {
            run.notes.extend(error.hints().iter().cloned());
            Ok(Reason::new(ReasonCode::Environment, error.to_string()))
        }
        Stop::Error(error) => Err(error),
    }
}

/// What the root causes before `run` are told of it.
fn later(run: &HealRun) -> String {
    let seen = run.gate_one.as_ref().map_or_else(String::new, |seen| {
        let at = seen.site.as_ref().map(|site| format!(" at line {}", site.line)).unwrap_or_default();
        format!(": {} / {}{at}: {}", seen.category.as_str(), seen.signature, seen.why)
    });
    let came_to = match run.outcome() {
        // Its category says it all.
        Outcome::Escalated => String::new(),
        outcome => format!("; that was {outcome}: {}", run.reason.sentence),
    };
    format!("the repaired step works, and the test fails later{seen}{came_to}")
}
