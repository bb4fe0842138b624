//! The fifth stage: the proofs that a green run alone does not give, for every repair that is in place. The judgement over
//! them is `domain::verdict`'s.

mod counter;
mod others;
mod step;

use std::collections::BTreeSet;
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};

use self::counter::{came_so_far, copies, failed_line, judge_counter};
use self::others::{Others, users};
use self::step::{is_same, resolved, same_step, still_matches};
use super::apply::{feeds_expect, trouble};
use super::causes::{Pile, Standing};
use super::diagnose::Diagnosis;
use super::look::describe;
use super::record::{HealRun, PROVE, REPRODUCE};
use super::reproduce::stop_for;
use super::sources::Sources;
use super::{Healer, Stop};
use crate::adapters::playwright::command::{Files, Place, Request};
use crate::adapters::playwright::report::{Attempt, Test};
use crate::adapters::playwright::runner::RunOutcome;
use crate::adapters::playwright::trace::Trace;
use crate::adapters::workspace::{Grounds, ScratchCopies};
use crate::domain::dom::Page;
use crate::domain::event::Event;
use crate::domain::facts::facts_of;
use crate::domain::identity::{Facts, Visibility};
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;
use crate::domain::verdict::{Outcome, Proof, Reason, ReasonCode, judge};
use crate::error::ErrorKind;
use crate::source::counter::Scratch;

/// The healed test in other Playwright projects.
#[derive(Default)]
struct Elsewhere {
    tests: Vec<Test>,
    /// What is to be said where it could not be run; may be empty.
    tail: String,
}

/// What has to be run to prove one of the repairs in place.
struct Part {
    /// The files of other tests that are run.
    files: Vec<String>,
    /// How many there would be without the cap.
    users: usize,
    /// The counter-test.
    copies: Result<Scratch, String>,
}

impl Healer<'_> {
    /// Makes the remaining proofs of every repair in place, notes each one's reason, keeps all edits if every reason is
    /// `healed`, and takes all of them back otherwise. `red` says why the test fails behind the repaired steps, if it does.
    pub(super) async fn prove(&mut self, pile: &mut Pile, red: Option<&str>) -> Result<(), Stop> {
        let several = pile.standing.len() > 1;
        let Some(outcome) = pile.outcome.take() else { return Ok(()) };
        for (index, standing) in pile.standing.iter_mut().enumerate() {
            standing.run.proofs.passed_twice = match red {
                None => Proof::Held("passed twice by one command, without retries".to_owned()),
                Some(why) => Proof::NotApplicable(why.to_owned()),
            };
            self.tell_cause(index, &standing.run, several);
            self.right_element(standing, &outcome);
        }
        if pile.standing.iter().all(|standing| matches!(standing.run.proofs.right_element, Proof::Held(_))) {
            self.prove_by_run(pile, &outcome, red.is_some()).await?;
        }
        let mut all_healed = true;
        for Standing { run, word, gated, .. } in &mut pile.standing {
            run.reason = word.bound(judge(&run.proofs, run.basis, feeds_expect(gated)), &run.proofs);
            all_healed &= run.outcome() == Outcome::Healed;
        }
        if all_healed { self.keep(pile) } else { self.give_up(pile) }
    }

    /// Whether the healed step resolved to the chosen element in each of the green runs.
    fn right_element(&mut self, standing: &mut Standing, green: &RunOutcome) {
        let Standing { run, failing, diagnosis, chosen, .. } = standing;
        let targets = green.targets(&failing.request.places).filter_map(|test| test.attempts.first());
        let traces: Vec<Option<Utf8PathBuf>> = targets.map(|attempt| green.trace(attempt)).collect();
        run.proofs.right_element = run.timed("prove", |_| {
            let mut seen = Proof::NotRun;
            for trace in &traces {
                seen = self.healed_step(diagnosis, chosen, trace.as_deref());
                if !matches!(seen, Proof::Held(_)) {
                    break;
                }
            }
            seen
        });
        if failing.is_reported && matches!(run.proofs.right_element, Proof::Held(_)) {
            let still = |trace: &Option<Utf8PathBuf>| {
                trace.as_ref().is_some_and(|path| still_matches(&diagnosis.scene, path, &self.playwright.project.root))
            };
            if traces.iter().any(still) {
                let seen = "the reported failure is over: in the green run the old locator matches as well";
                run.proofs.reproduced = Proof::Failed(seen.to_owned());
            }
        }
        self.tell_proof("right element", &run.proofs.right_element.clone());
    }

    /// Says of which of several root causes the proofs are that follow.
    fn tell_cause(&mut self, index: usize, run: &HealRun, several: bool) {
        if several {
            (self.report)(&Event::Note(format!("root cause {}: {}", index + 1, run.place())));
        }
    }

    fn keep(&mut self, pile: &mut Pile) -> Result<(), Stop> {
        let grounds: Vec<Grounds> = pile
            .standing
            .iter()
            .map(|standing| Grounds {
                proofs: standing.run.proofs.clone(),
                basis: standing.run.basis,
                feeds_expect: feeds_expect(&standing.gated),
            })
            .collect();
        let edits = std::mem::replace(&mut pile.edits, self.writer.edits());
        let Some(last) = pile.standing.last_mut() else { return Ok(()) };
        last.run.timed("apply", |_| edits.keep(&grounds)).map_err(trouble)?;
        Ok(())
    }

    /// Takes all edits back: a repair that is proven only together with one that is not is no more than a proposal.
    fn give_up(&mut self, pile: &mut Pile) -> Result<(), Stop> {
        let started = Instant::now();
        self.take_all_off(&mut pile.edits)?;
        if let Some(last) = pile.standing.last_mut() {
            last.run.spent("apply", started.elapsed());
        }
        let unproven = pile.standing.iter().map(|standing| &standing.run).find(|run| run.outcome() != Outcome::Healed);
        let Some(unproven) = unproven else { return Ok(()) };
        let why = format!(
            "its own proofs held, but the test passes only together with the repair at {}, which is {}: {}",
            unproven.place(),
            unproven.outcome(),
            unproven.reason.sentence
        );
        for standing in &mut pile.standing {
            if standing.run.outcome() == Outcome::Healed {
                standing.run.reason = Reason::new(ReasonCode::Advanced, why.clone());
            }
        }
        Ok(())
    }

    /// Whether the healed step resolved to the chosen element, once and visible, in the run that left `trace`.
    pub(super) fn healed_step(&self, diagnosis: &Diagnosis, chosen: &Facts, trace: Option<&Utf8Path>) -> Proof {
        let Some(path) = trace else { return Proof::Failed("the run left no trace".to_owned()) };
        let trace = match Trace::open(path.as_std_path()) {
            Ok(trace) => trace,
            Err(error) => return Proof::Failed(format!("the run's trace cannot be read: {error}")),
        };
        let root = &self.playwright.project.root;
        let Some(action) = same_step(&diagnosis.scene.trace, diagnosis.scene.action, &trace, root) else {
            return Proof::Failed("the healed step is not in the run's trace".to_owned());
        };
        if action.failed_or_pending() {
            return Proof::Failed("the healed step failed".to_owned());
        }
        let Some((dom, nodes)) = resolved(&trace, action) else {
            return Proof::Failed("the run's trace does not show what the healed step resolved to".to_owned());
        };
        let attribute = trace.info.test_id_attribute.as_deref().unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE);
        let seen = facts_of(&Page::new(&dom), attribute);
        let hit: Vec<&Facts> = seen.iter().filter(|seen| nodes.contains(&seen.node)).map(|seen| &seen.facts).collect();
        match hit.as_slice() {
            [facts] if facts.visibility == Visibility::Hidden => {
                Proof::Failed(format!("the healed step resolved to {}, which is hidden", describe(facts)))
            }
            [facts] if is_same(facts, chosen) => {
                Proof::Held(format!("the healed step resolved to {}", describe(facts)))
            }
            [facts] => {
                Proof::Failed(format!("the healed step resolved to {}, not to {}", describe(facts), describe(chosen)))
            }
            several => Proof::Failed(format!("the healed step resolved to {} elements", several.len())),
        }
    }

    /// The proofs that need one more start of Playwright, for all repairs in place together: everybody else who uses an
    /// edited line, and the counter-tests.
    async fn prove_by_run(&mut self, pile: &mut Pile, outcome: &RunOutcome, red: bool) -> Result<(), Stop> {
        let root = self.playwright.project.root.clone();
        let parts = self.parts(pile, red);
        let mut guards: Vec<ScratchCopies> = Vec::new();
        for part in &parts {
            if let Ok(copies) = &part.copies {
                guards.push(self.writer.scratch(self.run, &copies.files).map_err(trouble)?);
            }
        }
        let mut proving = None;
        if let Some((last, request)) = self.proving(pile, &parts) {
            (self.report)(&Event::RunStarted { purpose: "counter-test and other tests that use the line".to_owned() });
            let outcome = self.playwright.run(&request, &self.next_start()).await;
            drop(guards);
            // A `testMatch` may take no copy for a test: then there is nothing to be seen, and that is said below.
            if let Some(error) =
                outcome.error(&self.playwright.project).filter(|error| error.kind() != ErrorKind::NoTests)
            {
                return Err(stop_for(error));
            }
            let is_copy = |test: &Test| {
                parts
                    .iter()
                    .filter_map(|part| part.copies.as_ref().ok())
                    .any(|copies| test.file == root.join(&copies.test))
            };
            let passed = outcome.tests.iter().all(|test| is_copy(test) || !test.failed());
            last.ran(PROVE, true, passed, &outcome);
            proving = Some(outcome);
        }
        let tests: Vec<Test> = proving.as_ref().map(|outcome| outcome.tests.clone()).unwrap_or_default();
        let elsewhere = self.other_projects(pile, outcome).await?;
        let others: Vec<Others<'_>> = pile
            .standing
            .iter()
            .zip(&parts)
            .map(|(standing, part)| {
                let uses = |test: &&Test| part.files.iter().any(|file| test.file == root.join(file));
                let ran = tests.iter().filter(uses).filter(|test| !test.is_same(&standing.failing.test));
                let ran = ran.chain(&elsewhere.tests).collect();
                let (files, users) = (part.files.len(), part.users);
                let capped =
                    if users > files { format!(", capped at {files} of {users} files") } else { String::new() };
                let tail = format!("{capped}{}", elsewhere.tail);
                Others { ran, tail }
            })
            .collect();
        let before = self.without_edits(pile, &others).await?;
        for ((standing, part), others) in pile.standing.iter_mut().zip(&parts).zip(&others) {
            let proofs = &mut standing.run.proofs;
            let place = |test: &Test| (self.name(test).file, test.line);
            match others.judge(&before, self.escalated, place) {
                Some(proof) => proofs.dependents = proof,
                None => {
                    standing.run.notes.push("other tests that use the line were cut short or did not begin".to_owned());
                }
            }
            proofs.counter_test = match &part.copies {
                Ok(copies) => {
                    let copy = root.join(&copies.test);
                    let mine: Vec<&Test> = tests.iter().filter(|test| test.file == copy).collect();
                    let step = (&standing.diagnosis.scene.trace, standing.diagnosis.scene.action);
                    let reached = |attempt: &Attempt| {
                        let trace = proving.as_ref().and_then(|outcome| outcome.trace(attempt));
                        let trace = trace.and_then(|path| Trace::open(path.as_std_path()).ok());
                        trace.is_some_and(|trace| came_so_far(step, &trace, &root, failed_line(attempt, &copy)))
                    };
                    judge_counter(&mine, &standing.failing.test, reached)
                }
                Err(why) => Proof::NotApplicable(why.clone()),
            };
        }
        let several = pile.standing.len() > 1;
        for (index, standing) in pile.standing.iter().enumerate() {
            self.tell_cause(index, &standing.run, several);
            self.tell_proof("other tests", &standing.run.proofs.dependents);
            self.tell_proof("without the step", &standing.run.proofs.counter_test);
            let carried = judge(&standing.run.proofs, standing.run.basis, feeds_expect(&standing.gated));
            if !matches!(standing.run.proofs.counter_test, Proof::Held(_)) && carried.outcome() == Outcome::Healed {
                (self.report)(&Event::Note(carried.sentence));
            }
        }
        Ok(())
    }

    /// The same test in the other Playwright projects (browsers) of the configuration, with all edits in place.
    async fn other_projects(&mut self, pile: &mut Pile, green: &RunOutcome) -> Result<Elsewhere, Stop> {
        let Some(last) = pile.standing.last_mut() else { return Ok(Elsewhere::default()) };
        let own = last.failing.test.project.clone();
        let projects: Vec<String> =
            green.projects.iter().filter(|name| **name != own && !name.is_empty()).cloned().collect();
        if projects.is_empty() || own.is_empty() {
            return Ok(Elsewhere::default());
        }
        (self.report)(&Event::RunStarted { purpose: "the same test in the other projects".to_owned() });
        let request = Request { projects, repeat_each: None, ..last.failing.request.clone() };
        let outcome = self.playwright.run(&request, &self.next_start()).await;
        match outcome.error(&self.playwright.project) {
            None => {}
            Some(error) if error.kind() == ErrorKind::NoTests => return Ok(Elsewhere::default()),
            Some(error) if error.kind() == ErrorKind::Blocked => {
                let names = request.projects.join(", ");
                return Ok(Elsewhere { tests: Vec::new(), tail: format!("; could not be run in {names}: {error}") });
            }
            Some(error) => return Err(stop_for(error)),
        }
        let tests: Vec<Test> = outcome.targets(&request.places).filter(|test| test.project != own).cloned().collect();
        last.run.ran(PROVE, true, tests.iter().all(|test| !test.failed()), &outcome);
        Ok(Elsewhere { tests, tail: String::new() })
    }

    /// What has to be run for each of the repairs in place.
    fn parts(&self, pile: &mut Pile, red: bool) -> Vec<Part> {
        let sources = Sources { root: &self.playwright.project.root };
        let started = Instant::now();
        let part = |(index, standing): (usize, &Standing)| {
            let mut files = users(&sources, &standing.failing, &standing.gated);
            let all = files.len();
            files.truncate(self.settings.dependents.unwrap_or(usize::MAX));
            let tag = format!("{}-{}", std::process::id(), self.writer.number());
            let copies = if red {
                Err("the test fails behind the step in any case".to_owned())
            } else {
                copies(pile, index, &sources, &tag)
            };
            Part { files, users: all, copies }
        };
        let parts = pile.standing.iter().enumerate().map(part).collect();
        if let Some(last) = pile.standing.last_mut() {
            last.run.spent("prove", started.elapsed());
        }
        parts
    }

    /// The one request for all of `parts`, and the record that the start goes into; `None` where nothing has to be run.
    fn proving<'p>(&self, pile: &'p mut Pile, parts: &[Part]) -> Option<(&'p mut HealRun, Request)> {
        let root = &self.playwright.project.root;
        let files: BTreeSet<&String> = parts.iter().flat_map(|part| &part.files).collect();
        let mut places: Vec<Place> =
            files.into_iter().map(|path| Place { files: Files::Exact(root.join(path)), line: None }).collect();
        for (standing, part) in pile.standing.iter().zip(parts) {
            if let Ok(copies) = &part.copies {
                let line = Some(standing.failing.test.line);
                places.push(Place { files: Files::Exact(root.join(&copies.test)), line });
            }
        }
        let last = pile.standing.last_mut().filter(|_| !places.is_empty())?;
        let request = Request { places, grep: None, repeat_each: None, ..last.failing.request.clone() };
        Some((&mut last.run, request))
    }

    /// How the red ones of `others` end without any edit; the edits are in place again afterwards.
    async fn without_edits(&mut self, pile: &mut Pile, others: &[Others<'_>]) -> Result<Vec<Test>, Stop> {
        let red: Vec<&Test> =
            others.iter().flat_map(|others| others.ran.iter().copied()).filter(|test| test.failed()).collect();
        let places: BTreeSet<(&Utf8Path, u32)> = red.iter().map(|test| (test.file.as_path(), test.line)).collect();
        let projects: BTreeSet<&String> =
            red.iter().map(|test| &test.project).filter(|name| !name.is_empty()).collect();
        let projects = projects.into_iter().cloned().collect();
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let places = places
            .into_iter()
            .map(|(file, line)| Place { files: Files::Exact(file.to_owned()), line: Some(line) })
            .collect();
        let Some(last) = pile.standing.last() else { return Ok(Vec::new()) };
        let request = Request { places, projects, grep: None, repeat_each: None, ..last.failing.request.clone() };
        self.take_all_off(&mut pile.edits)?;
        let purpose = "tests that fail with the new line, with the old one".to_owned();
        (self.report)(&Event::RunStarted { purpose });
        let outcome = self.playwright.run(&request, &self.next_start()).await;
        if let Some(error) = outcome.error(&self.playwright.project) {
            return Err(stop_for(error));
        }
        let passed = outcome.tests.iter().all(|test| !test.failed());
        let Pile { standing, edits, .. } = pile;
        for standing in standing.iter() {
            edits.put(self.run, &standing.gated, standing.run.page.as_deref()).map_err(trouble)?;
        }
        (self.report)(&Event::Note("the new line is in place again".to_owned()));
        if let Some(last) = standing.last_mut() {
            last.run.ran(REPRODUCE, false, passed, &outcome);
        }
        Ok(outcome.tests)
    }

    fn tell_proof(&mut self, name: &'static str, proof: &Proof) {
        let (seen, held) = match proof {
            Proof::Held(seen) => (seen.clone(), Some(true)),
            Proof::Failed(seen) => (seen.clone(), Some(false)),
            Proof::NotApplicable(why) => (format!("not applicable: {why}"), None),
            Proof::NotRun => return,
        };
        (self.report)(&Event::ProofMade { name, seen, held });
    }
}
