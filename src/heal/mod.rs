//! The repair loop: reproduce → classify → identify → propose → gate → apply → run → prove → verdict.
//!
//! The only place where the pure core and the world outside meet. It decides nothing by itself: gate one, the ranker, gate
//! two and the verdict do. Whatever ends it early, the workspace has put every byte back before it returns.

pub mod agent;
mod apply;
mod background;
mod causes;
mod diagnose;
pub mod inspected;
pub mod jobs;
pub mod look;
mod model;
pub mod offers;
mod propose;
mod prove;
pub mod record;
pub mod rehearse;
pub mod repeat;
mod reproduce;
pub mod scene;
pub mod sources;
pub mod suite;
pub mod tools;
pub mod turns;

use std::sync::Arc;

pub use self::model::{Advisor, Engine, Prices};
use self::record::HealRun;
pub use self::reproduce::Reported;
use self::scene::Scene;
use self::turns::Turn;
use crate::adapters::playwright::command::Request;
use crate::adapters::playwright::runner::Playwright;
use crate::adapters::workspace::{Run, Writer};
use crate::domain::event::Event;
use crate::domain::fingerprint::Book;
use crate::domain::verdict::{Reason, ReasonCode};
use crate::error::Error;

/// What bounds a repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Runs with the old line before the failure counts as not reproduced.
    pub reproduce: u32,
    /// Runs with an edit in place, for one root cause.
    pub runs: u32,
    /// How many root causes of one test, one behind the other, are repaired together.
    pub causes: usize,
    /// How many other tests that use the edited line are run; `None` for all of them.
    pub dependents: Option<usize>,
    /// Stop before the source is touched.
    pub dry_run: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { reproduce: 1, runs: 3, causes: 5, dependents: Some(20), dry_run: false }
    }
}

impl Settings {
    /// By name, for the manifest of a run.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "reproduce": self.reproduce,
            "runs": self.runs,
            "causes": self.causes,
            "dependents": self.dependents,
            "dry_run": self.dry_run,
        })
    }
}

/// Everything a repair works with.
pub struct Healer<'a> {
    /// The project's Playwright.
    pub playwright: &'a Playwright,
    /// The right to change the project's files.
    pub writer: &'a Arc<Writer>,
    /// The folder of this run.
    pub run: &'a Run,
    /// What bounds it.
    pub settings: Settings,
    /// What the locators of the last green run resolved to.
    pub fingerprints: &'a Book,
    /// The failure as a report has it, which is believed as long as nothing has changed since; without it the test is run.
    pub reported: Option<&'a Reported>,
    /// Tests that the report calls red for a reason that no repair ends, by project-relative file and line.
    pub escalated: &'a [(String, u32)],
    /// What it may change beside other repairs of the same run; `None` where it is the only one.
    pub turn: Option<&'a Turn<'a>>,
    /// Who is told what happens.
    pub report: &'a mut dyn FnMut(&Event),
}

/// Why the loop ends before its last stage.
#[derive(Debug)]
pub enum Stop {
    /// With an outcome.
    Ended(Reason),
    /// With the environment at fault.
    Blocked(Error),
    /// With an error: relocator could not decide.
    Error(Error),
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Self {
        Self::Ended(reason)
    }
}

impl Healer<'_> {
    /// Repairs the one test that `request` names, or says why not.
    ///
    /// # Errors
    /// Wrong usage, no such test, Ctrl-C, a defect. A refusal and a blocking environment are outcomes, not errors.
    pub async fn heal(&mut self, request: &Request) -> Result<HealRun, Error> {
        self.heal_with(request, None).await
    }

    /// As [`Self::heal`], with a model to be asked.
    ///
    /// # Errors
    /// As [`Self::heal`].
    pub async fn heal_with(&mut self, request: &Request, advisor: Option<&mut Advisor<'_>>) -> Result<HealRun, Error> {
        let mut run = Box::pin(self.causes(request, advisor)).await?;
        run.notes.extend(self.writer.mishaps());
        if !run.further.is_empty() {
            for (index, cause) in run.causes().enumerate() {
                let (place, reason) = (cause.place(), cause.reason.clone());
                (self.report)(&Event::CauseEnded { number: index + 1, place, reason });
            }
        }
        let runs = run.causes().map(HealRun::edited_runs).sum();
        (self.report)(&Event::Ended { reason: run.ended().clone(), runs });
        Ok(run)
    }

    /// Runs the one test that `request` names, and says what its failing step saw; no edit is made or proposed.
    ///
    /// # Errors
    /// As [`Self::heal`].
    pub async fn inspect(&mut self, request: &Request) -> Result<Option<Scene>, Error> {
        let mut run = HealRun::new(Reason::new(ReasonCode::Environment, "nothing was run"));
        let scene = match self.reproduce(&mut run, request).await {
            Ok(failing) => Scene::of(&failing),
            Err(Stop::Ended(reason)) => Err(reason),
            Err(Stop::Blocked(error) | Stop::Error(error)) => return Err(error),
        };
        match scene {
            Ok(scene) => Ok(Some(scene)),
            Err(reason) => {
                (self.report)(&Event::Ended { reason, runs: 0 });
                Ok(None)
            }
        }
    }
}
