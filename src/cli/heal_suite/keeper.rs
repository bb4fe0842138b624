//! Keeps every decision of a suite as it comes, on disk before the next group is begun, and tells how far it is.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::former::Decision;
use super::{CONVERSATIONS, DECISIONS};
use crate::adapters::secrets;
use crate::adapters::workspace::Run;
use crate::domain::event::Event;
use crate::error::Error;
use crate::heal::record::HealRun;
use crate::heal::suite::{Task, Watch};
use crate::report::folder::{Pictures, picture_after};
use crate::report::json;
use crate::report::suite::{Clean, Document};
use crate::ui::{Steps, printable};

/// Keeps every decision as it comes.
pub(super) struct Keeper<'a> {
    pub(super) document: &'a mut Document,
    pub(super) pictures: &'a mut Pictures,
    pub(super) folder: &'a Run,
    pub(super) root: &'a Utf8Path,
    pub(super) clean: Clean,
    /// Traces whose secrets are known.
    pub(super) learned: BTreeSet<Utf8PathBuf>,
    pub(super) steps: Steps,
    /// The numbers of the steps, by their group.
    pub(super) numbers: BTreeMap<String, usize>,
}

impl Keeper<'_> {
    /// All groups are decided: what is known to be secret, by any start of Playwright.
    pub(super) fn end(mut self) -> Clean {
        secrets::learn(self.folder.folder(), self.clean.redactor_mut(), &mut self.learned);
        self.clean
    }

    fn number(&self, task: &Task) -> usize {
        self.numbers.get(&task.group).copied().unwrap_or_default()
    }
}

impl Watch for Keeper<'_> {
    fn begins(&mut self, task: &Task) {
        let group = self.document.groups.iter().find(|group| group.id == task.group);
        let what = group.map(|group| format!("{} ({})", group.headline, group.extent())).unwrap_or_default();
        let number = self.steps.begin(&printable(&what));
        self.numbers.insert(task.group.clone(), number);
    }

    fn event(&mut self, task: &Task, event: &Event) {
        match event {
            Event::RunStarted { purpose } => self.steps.at(self.number(task), &printable(purpose)),
            Event::Sending { to, what } => {
                self.steps.line(&format!("this sends to {}: {}", printable(to), printable(what)));
            }
            _ => {}
        }
    }

    fn decided(&mut self, task: &Task, run: &HealRun) -> Result<(), Error> {
        let number = self.number(task);
        let Some(group) = self.document.groups.iter_mut().find(|group| group.id == task.group) else { return Ok(()) };
        // Its own starts only: those of another group may be half written.
        for start in run.starts() {
            secrets::learn(&start.folder, self.clean.redactor_mut(), &mut self.learned);
        }
        group.repaired(run, &mut self.clean);
        let starts = run.starts().map(|start| &start.folder);
        picture_after(group, starts, self.root, &mut self.clean, self.pictures);
        if let Some(used) = &run.model {
            self.folder.append(CONVERSATIONS, &json::conversation(&group.id, used))?;
        }
        let decision = Decision {
            group: group.id.clone(),
            run: self.folder.id().to_owned(),
            outcome: group.outcome.clone(),
            repair: group.repair.clone(),
        };
        self.folder.append(DECISIONS, &serde_json::to_string(&decision).unwrap_or_default())?;
        let said = if group.outcome == "healed" { String::new() } else { format!(": {}", run.ended().sentence) };
        self.steps.end(number, &format!("{}{}", group.outcome, printable(&said)));
        Ok(())
    }
}
