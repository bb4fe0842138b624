//! A failure of a report in the form that a repair can begin with.

use camino::Utf8Path;

use super::Triage;
use super::look::Looked;
use crate::adapters::playwright::report::{Attempt, AttemptStatus, Problem, Test};
use crate::domain::triage::{Group, Kind};
use crate::heal::Reported;

impl Triage {
    /// The failure that stands for `group`, if a repair may begin with it: made in this project on this machine, with a trace
    /// that was read. `looked` is what was seen of the group, `root` the project's root.
    pub fn reported(&self, group: &Group, looked: &Looked, root: &Utf8Path) -> Option<Reported> {
        let member = *group.members.first().filter(|_| group.kind == Kind::Candidate)?;
        let (failure, kept) = (self.failures.get(member)?, self.kept.get(member)?);
        let id = failure.test.as_ref()?;
        Some(Reported {
            made: kept.made_here?,
            trace: looked.trace.clone().filter(|trace| kept.traces.iter().any(|named| *trace == **named))?,
            test: Test {
                titles: id.titles.clone(),
                file: root.join(&id.file),
                line: id.line,
                project: failure.project.clone(),
                ..Test::default()
            },
            attempt: Attempt {
                status: AttemptStatus::Failed,
                errors: vec![Problem { message: kept.message.clone(), location: None }],
                ..Attempt::default()
            },
            classification: failure.reading.as_ref().clone(),
        })
    }
}
