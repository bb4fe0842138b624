//! A red suite: one repair for each root cause, one after the other.
//!
//! The order is given, and a group that does not heal never stops the others. There is one repair at a time on purpose: an
//! edit is made where the tests of every other group would see it, and most projects have one web server on one port. More
//! machines are the way to more speed.

use std::sync::Arc;
use std::time::Instant;

use super::model::Advisor;
use super::record::HealRun;
use super::{Healer, Reported, Settings};
use crate::adapters::playwright::command::Request;
use crate::adapters::playwright::runner::Playwright;
use crate::adapters::workspace::{Run, Writer};
use crate::domain::event::Event;
use crate::domain::fingerprint::Book;
use crate::domain::verdict::{Outcome, Reason, ReasonCode};
use crate::error::{Error, ErrorKind};

/// One root cause to be repaired.
#[derive(Debug, Clone)]
pub struct Task {
    /// The id of its group.
    pub group: String,
    /// Runs the one test that stands for the group.
    pub request: Request,
    /// Its failure as the report has it, where that may be begun with.
    pub reported: Option<Reported>,
}

/// How much is done.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// At most this many groups.
    pub groups: usize,
    /// No group is begun after this.
    pub until: Option<Instant>,
}

/// Who is told, and keeps what was decided.
pub trait Watch {
    /// A group is begun.
    fn begins(&mut self, task: &Task);
    /// Something happened.
    fn event(&mut self, event: &Event);
    /// A group is decided.
    ///
    /// # Errors
    /// The decision cannot be kept; nothing more is begun then.
    fn decided(&mut self, task: &Task, run: &HealRun) -> Result<(), Error>;
}

/// What all repairs of a suite have in common.
pub struct SuiteHealer<'a> {
    /// The project's Playwright.
    pub playwright: &'a Playwright,
    /// The right to change the project's files.
    pub writer: &'a Arc<Writer>,
    /// The folder of this run.
    pub run: &'a Run,
    /// What bounds each repair.
    pub settings: Settings,
    /// What the locators of the last green run resolved to.
    pub fingerprints: &'a Book,
}

impl SuiteHealer<'_> {
    /// Repairs the groups of `tasks` in their order, and returns how many were begun.
    ///
    /// # Errors
    /// Ctrl-C, or a decision that cannot be kept. Whatever else happens to a group is its outcome.
    pub async fn heal(
        &self,
        tasks: &[Task],
        bounds: Bounds,
        mut advisor: Option<&mut Advisor<'_>>,
        watch: &mut dyn Watch,
    ) -> Result<usize, Error> {
        let mut healed: Vec<&str> = Vec::new();
        for (begun, task) in tasks.iter().enumerate() {
            if begun >= bounds.groups || bounds.until.is_some_and(|end| Instant::now() >= end) {
                return Ok(begun);
            }
            watch.begins(task);
            let mut run = Box::pin(self.one(task, advisor.as_deref_mut(), watch)).await?;
            match run.outcome() {
                Outcome::Healed => healed.push(&task.group),
                Outcome::Flaky if run.reason.code == ReasonCode::NotReproduced && !healed.is_empty() => {
                    run.reason.sentence =
                        format!("{}; a repair of this run may be why: {}", run.reason.sentence, healed.join(", "));
                }
                _ => {}
            }
            watch.decided(task, &run)?;
        }
        Ok(tasks.len())
    }

    async fn one(
        &self,
        task: &Task,
        advisor: Option<&mut Advisor<'_>>,
        watch: &mut dyn Watch,
    ) -> Result<HealRun, Error> {
        let mut report = |event: &Event| watch.event(event);
        let mut healer = Healer {
            playwright: self.playwright,
            writer: self.writer,
            run: self.run,
            settings: self.settings,
            fingerprints: self.fingerprints,
            reported: task.reported.as_ref(),
            report: &mut report,
        };
        match healer.heal_with(&task.request, advisor).await {
            Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let mut run = HealRun::new(Reason::new(ReasonCode::Environment, error.to_string()));
                run.notes.extend(error.hints().iter().cloned());
                Ok(run)
            }
            done => done,
        }
    }
}
