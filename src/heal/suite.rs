//! A red suite: one repair for each root cause, in the order given, several at the same time where none would see another's edits.
//!
//! A group that does not heal never stops the others. A repair that turns out to be in another one's way is taken back and
//! begun again when nothing else is under way.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::Mutex;

use super::jobs::Jobs;
use super::model::Advisor;
use super::record::HealRun;
use super::turns::Turn;
use super::{Healer, Reported, Settings};
use crate::adapters::playwright::command::Request;
use crate::adapters::playwright::runner::Playwright;
use crate::adapters::workspace::{Run, Writer};
use crate::domain::event::Event;
use crate::domain::fingerprint::Book;
use crate::domain::verdict::{Reason, ReasonCode};
use crate::error::{Error, ErrorKind};

/// One root cause to be repaired.
#[derive(Debug, Clone)]
pub struct Task {
    /// The id of its group.
    pub group: String,
    /// The project-relative file of the test that stands for it.
    pub test: String,
    /// The project-relative files in which its repair is expected to be made.
    pub changed: BTreeSet<String>,
    /// Runs that one test.
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
    /// Something happened in a group that was begun.
    fn event(&mut self, task: &Task, event: &Event);
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
    /// Tests that the report calls red for a reason that no repair ends, by project-relative file and line.
    pub escalated: &'a [(String, u32)],
}

impl SuiteHealer<'_> {
    /// Repairs the groups of `tasks`, and returns how many were begun.
    ///
    /// # Errors
    /// Ctrl-C, or a decision that cannot be kept. Whatever else happens to a group is its outcome.
    pub async fn heal(
        &self,
        tasks: &[Task],
        bounds: Bounds,
        jobs: &Jobs,
        advisor: Option<&mut Advisor<'_>>,
        watch: &mut dyn Watch,
    ) -> Result<usize, Error> {
        let shared = Shared { advisor: advisor.map(Mutex::new), watch: RefCell::new(watch) };
        let mut queue = Queue { waiting: tasks.iter().collect(), again: VecDeque::new(), begun: 0 };
        let mut under_way = FuturesUnordered::new();
        let mut healed: Vec<&str> = Vec::new();
        let mut stopped = None;
        loop {
            while stopped.is_none()
                && under_way.len() < jobs.count
                && let Some((task, turn)) = queue.next(jobs, bounds, &shared)
            {
                under_way.push(self.one(task, turn, &shared));
            }
            // After an error as well: what is under way puts its edits back.
            let Some((task, turn, done)) = under_way.next().await else { break };
            let mut run = match done {
                Ok(run) => run,
                Err(error) => {
                    stopped.get_or_insert(error);
                    continue;
                }
            };
            if turn.was_crowded() {
                queue.again.push_back(task);
                continue;
            }
            if run.is_applied() {
                healed.push(&task.group);
            } else if run.reason.code == ReasonCode::NotReproduced && !healed.is_empty() {
                run.reason.sentence =
                    format!("{}; a repair of this run may be why: {}", run.reason.sentence, healed.join(", "));
            }
            if let Err(error) = shared.watch.borrow_mut().decided(task, &run) {
                stopped.get_or_insert(error);
            }
        }
        stopped.map_or(Ok(queue.begun), Err)
    }

    async fn one<'t>(
        &self,
        task: &'t Task,
        turn: Turn<'t>,
        shared: &Shared<'_, '_>,
    ) -> (&'t Task, Turn<'t>, Result<HealRun, Error>) {
        let mut advisor = match &shared.advisor {
            Some(advisor) => Some(advisor.lock().await),
            None => None,
        };
        let mut report = |event: &Event| shared.watch.borrow_mut().event(task, event);
        let mut healer = Healer {
            playwright: self.playwright,
            writer: self.writer,
            run: self.run,
            settings: self.settings,
            fingerprints: self.fingerprints,
            reported: task.reported.as_ref(),
            escalated: self.escalated,
            turn: Some(&turn),
            report: &mut report,
        };
        let done =
            match Box::pin(healer.heal_with(&task.request, advisor.as_mut().map(|advisor| &mut ***advisor))).await {
                Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
                Err(error) => {
                    let mut run = HealRun::new(Reason::new(ReasonCode::Environment, error.to_string()));
                    run.notes.extend(error.hints().iter().cloned());
                    Ok(run)
                }
                done => done,
            };
        (task, turn, done)
    }
}

/// What all repairs of a run speak to.
struct Shared<'a, 'w> {
    /// The model; one repair speaks to it at a time.
    advisor: Option<Mutex<&'a mut Advisor<'w>>>,
    watch: RefCell<&'a mut dyn Watch>,
}

/// The groups that are not under way.
struct Queue<'t> {
    /// Not begun, in their order.
    waiting: VecDeque<&'t Task>,
    /// Begun, and in the way of another one: to be begun again alone.
    again: VecDeque<&'t Task>,
    /// How many were begun.
    begun: usize,
}

impl<'t> Queue<'t> {
    /// The first group that may go on beside what is under way.
    fn next(&mut self, jobs: &'t Jobs, bounds: Bounds, shared: &Shared<'_, '_>) -> Option<(&'t Task, Turn<'t>)> {
        let in_time = self.begun < bounds.groups && bounds.until.is_none_or(|end| Instant::now() < end);
        let fitting = |(at, task): (usize, &&'t Task)| Some((at, jobs.turns.begin(&task.test, &task.changed)?));
        if let Some((at, turn)) = self.waiting.iter().enumerate().filter(|_| in_time).find_map(fitting) {
            let task = self.waiting.remove(at)?;
            self.begun += 1;
            shared.watch.borrow_mut().begins(task);
            return Some((task, turn));
        }
        let turn = self.again.front().and_then(|task| jobs.turns.alone(&task.test))?;
        Some((self.again.pop_front()?, turn))
    }
}
