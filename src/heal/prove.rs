//! The fifth stage: the proofs that a green run alone does not give. The judgement over them is `domain::verdict`'s.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::apply::{feeds_expect, trouble};
use super::diagnose::Diagnosis;
use super::look::describe;
use super::propose::Proposals;
use super::record::{HealRun, PROVE};
use super::reproduce::{Failing, stop_for};
use super::scene::{Sources, inside};
use super::{Healer, Stop};
use crate::adapters::playwright::command::{Files, Place, Request};
use crate::adapters::playwright::report::Test;
use crate::adapters::playwright::runner::RunOutcome;
use crate::adapters::playwright::trace::{Action, Trace, When};
use crate::adapters::workspace::{AppliedEdit, SCRATCH_TAG};
use crate::domain::dom::{Dom, NodeId, Page};
use crate::domain::event::Event;
use crate::domain::facts::facts_of;
use crate::domain::gate::GatedEdit;
use crate::domain::identity::{Facts, Visibility};
use crate::domain::locator::Locator;
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;
use crate::domain::verdict::{Outcome, Proof, Reason, judge};
use crate::source::counter::{Scratch, StepSite, scratch};
use crate::source::graph::Graph;
use crate::source::locate::Shape;
use crate::source::position::offset_of;
use crate::source::project::Project;
use crate::source::shape::tests;
use crate::source::tree::SourceFile;
use crate::source::tsconfig::aliases_of;

impl Healer<'_> {
    /// Makes the remaining proofs, keeps the edit if they come to `healed`, and takes it back otherwise.
    pub(super) async fn prove(
        &mut self,
        run: &mut HealRun,
        failing: &Failing,
        diagnosis: &Diagnosis,
        proposals: &Proposals,
        (gated, mut applied): (&GatedEdit, AppliedEdit),
        green: &RunOutcome,
    ) -> Result<Reason, Stop> {
        let traces: Vec<Option<Utf8PathBuf>> = green
            .targets(&failing.request.places)
            .filter_map(|test| test.attempts.first())
            .map(|attempt| green.trace(attempt))
            .collect();
        run.proofs.right_element = run.timed("prove", |_| {
            let mut seen = Proof::NotRun;
            for trace in &traces {
                seen = self.healed_step(diagnosis, proposals, gated, trace.as_deref());
                if !matches!(seen, Proof::Held(_)) {
                    break;
                }
            }
            seen
        });
        self.tell_proof("right element", &run.proofs.right_element.clone());
        if matches!(run.proofs.right_element, Proof::Held(_)) {
            applied = self.prove_by_run(run, failing, diagnosis, (gated, applied)).await?;
        }
        let reason = proposals.word.bound(judge(&run.proofs, run.basis, feeds_expect(gated)), &run.proofs);
        if reason.outcome() == Outcome::Healed {
            run.timed("apply", |run| applied.keep(run.proofs.clone(), run.basis, feeds_expect(gated)))
                .map_err(trouble)?;
        } else {
            self.restore(run, applied)?;
        }
        Ok(reason)
    }

    /// Whether the healed step resolved to the chosen element, once and visible, in the run that left `trace`.
    pub(super) fn healed_step(
        &self,
        diagnosis: &Diagnosis,
        proposals: &Proposals,
        gated: &GatedEdit,
        trace: Option<&Utf8Path>,
    ) -> Proof {
        let Some(path) = trace else { return Proof::Failed("the green run left no trace".to_owned()) };
        let trace = match Trace::open(path.as_std_path()) {
            Ok(trace) => trace,
            Err(error) => return Proof::Failed(format!("the green run's trace cannot be read: {error}")),
        };
        let root = &self.playwright.project.root;
        let Some(action) = same_step(&diagnosis.scene.trace, diagnosis.scene.action, &trace, root) else {
            return Proof::Failed(format!("the healed step is not in the green run's trace ({})", gated.path()));
        };
        if action.failed_or_pending() {
            return Proof::Failed("the healed step failed".to_owned());
        }
        let Some((dom, nodes)) = resolved(&trace, action) else {
            return Proof::Failed("the green run's trace does not show what the healed step resolved to".to_owned());
        };
        let attribute = trace.info.test_id_attribute.as_deref().unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE);
        let seen = facts_of(&Page::new(&dom), attribute);
        let hit: Vec<&Facts> = seen.iter().filter(|seen| nodes.contains(&seen.node)).map(|seen| &seen.facts).collect();
        match hit.as_slice() {
            [facts] if facts.visibility == Visibility::Hidden => {
                Proof::Failed(format!("the healed step resolved to {}, which is hidden", describe(facts)))
            }
            [facts] if is_same(facts, &proposals.chosen) => {
                Proof::Held(format!("the healed step resolved to {}", describe(facts)))
            }
            [facts] => Proof::Failed(format!(
                "the healed step resolved to {}, not to {}",
                describe(facts),
                describe(&proposals.chosen)
            )),
            several => Proof::Failed(format!("the healed step resolved to {} elements", several.len())),
        }
    }

    /// The proofs that need one more start of Playwright: everybody else who uses the line, and the counter-test.
    async fn prove_by_run(
        &mut self,
        run: &mut HealRun,
        failing: &Failing,
        diagnosis: &Diagnosis,
        (gated, applied): (&GatedEdit, AppliedEdit),
    ) -> Result<AppliedEdit, Stop> {
        let sources = Sources { root: &self.playwright.project.root };
        let (users, copies) = run.timed("prove", |_| {
            let users = users(&sources, failing, gated);
            (users, copies(diagnosis, failing, gated, &sources))
        });
        let root = self.playwright.project.root.clone();
        let (mut files, cap) = (users.clone(), self.settings.dependents.unwrap_or(usize::MAX));
        files.truncate(cap);
        let mut places: Vec<Place> =
            files.iter().map(|path| Place { files: Files::Exact(root.join(path)), line: None }).collect();
        let mut counter = Proof::NotRun;
        let mut guard = None;
        match &copies {
            Ok(copies) => {
                guard = Some(self.writer.scratch(self.run, &copies.files).map_err(trouble)?);
                places.push(Place { files: Files::Exact(root.join(&copies.test)), line: Some(failing.test.line) });
            }
            Err(why) => counter = Proof::NotApplicable(why.clone()),
        }
        let mut applied = applied;
        if places.is_empty() {
            run.proofs.dependents = Proof::Held("no other test uses the line".to_owned());
        } else {
            (self.report)(&Event::RunStarted { purpose: "counter-test and other tests that use the line".to_owned() });
            let request = Request { places, grep: None, repeat_each: None, ..failing.request.clone() };
            let outcome = self.playwright.run(&request, &self.next_start()).await;
            drop(guard);
            if let Some(error) = outcome.error(&self.playwright.project) {
                self.restore(run, applied)?;
                return Err(stop_for(error));
            }
            let (mine, others): (Vec<&Test>, Vec<&Test>) = outcome
                .tests
                .iter()
                .partition(|test| copies.as_ref().is_ok_and(|copies| test.file == root.join(&copies.test)));
            if copies.is_ok() {
                counter = judge_counter(&mine, &failing.test);
            }
            let others: Vec<&Test> = others.into_iter().filter(|test| !test.is_same(&failing.test)).collect();
            let red: Vec<Test> = others.iter().filter(|test| test.failed()).map(|test| (*test).clone()).collect();
            let unfinished = others.iter().filter(|test| test.unfinished()).count();
            run.ran(PROVE, true, red.is_empty(), &outcome);
            let tail = if users.len() > files.len() {
                format!(", capped at {} of {} files", files.len(), users.len())
            } else {
                String::new()
            };
            (run.proofs.dependents, applied) =
                self.judge_dependents(run, failing, (gated, applied), &red, others.len(), &tail).await?;
            if unfinished > 0 && matches!(run.proofs.dependents, Proof::Held(_)) {
                run.notes.push(format!("{unfinished} other tests that use the line were cut short or did not begin"));
                run.proofs.dependents = Proof::NotRun;
            }
        }
        run.proofs.counter_test = counter;
        self.tell_proof("other tests", &run.proofs.dependents.clone());
        self.tell_proof("without the step", &run.proofs.counter_test.clone());
        Ok(applied)
    }

    /// Tests that are red with the edit are held against it only if they are green without.
    async fn judge_dependents(
        &mut self,
        run: &mut HealRun,
        failing: &Failing,
        (gated, applied): (&GatedEdit, AppliedEdit),
        red: &[Test],
        others: usize,
        tail: &str,
    ) -> Result<(Proof, AppliedEdit), Stop> {
        if others == 0 {
            return Ok((Proof::Held(format!("no other test uses the line{tail}")), applied));
        }
        let plural = if others == 1 { "test that uses" } else { "tests that use" };
        if red.is_empty() {
            return Ok((Proof::Held(format!("{others} other {plural} the line: all pass{tail}")), applied));
        }
        self.restore(run, applied)?;
        let places =
            red.iter().map(|test| Place { files: Files::Exact(test.file.clone()), line: Some(test.line) }).collect();
        let request = Request { places, grep: None, repeat_each: None, ..failing.request.clone() };
        let outcome = self.playwright.run(&request, &self.next_start()).await;
        if let Some(error) = outcome.error(&self.playwright.project) {
            return Err(stop_for(error));
        }
        run.ran(super::record::REPRODUCE, false, outcome.tests.iter().all(|test| !test.failed()), &outcome);
        let red_before = |test: &&Test| outcome.tests.iter().any(|old| old.is_same(test) && old.failed());
        let (before, broke): (Vec<&Test>, Vec<&Test>) = red.iter().partition(red_before);
        let names = |tests: &[&Test]| {
            tests.iter().map(|test| format!("{}:{}", self.name(test).file, test.line)).collect::<Vec<_>>().join(", ")
        };
        let proof = if broke.is_empty() {
            Proof::Held(format!(
                "{others} other {plural} the line: all end as before; red before as well: {}{tail}",
                names(&before)
            ))
        } else {
            Proof::Failed(format!("with the new line these fail, with the old one they pass: {}", names(&broke)))
        };
        let applied = run.timed("apply", |run| self.apply(run, gated)).map_err(trouble)?;
        Ok((proof, applied))
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

/// The scratch copies of the counter-test, made from the sources as they are with the edit in place.
fn copies(
    diagnosis: &Diagnosis,
    failing: &Failing,
    gated: &GatedEdit,
    sources: &Sources<'_>,
) -> Result<Scratch, String> {
    let spec = inside(sources.root, &failing.test.file).ok_or("the test file is outside the project")?;
    let frames = diagnosis.scene.frames(sources.root);
    let piece = diagnosis.definition.piece_of(diagnosis.steps.start);
    let handed = piece.filter(|piece| piece.shape == Shape::Argument || piece.is_handed_over());
    // A helper that was handed the locator serves other steps as well: the step is the call that handed it over.
    let frame = match handed {
        Some(piece) => frames.iter().find(|frame| frame.path == piece.call.path && frame.line == piece.call.line),
        None => frames.first(),
    };
    let frame = frame.ok_or("the stack does not show the step")?;
    let entries: Vec<&str> =
        std::iter::once(spec.as_str()).chain(frames.iter().map(|frame| frame.path.as_str())).collect();
    let mut read = |path: &str| sources.read(path);
    let aliases = aliases_of(&spec, &mut read);
    let project = Project::load(&entries, &aliases, &mut read);
    let old = if frame.path == gated.path() {
        gated.before().to_owned()
    } else {
        sources.read(&frame.path).unwrap_or_default()
    };
    let mut offset = offset_of(&old, frame.line, frame.column).ok_or("the stack does not fit the source")?;
    if frame.path == gated.path() && offset >= gated.old_range().end {
        offset = offset - gated.old_range().len() + gated.new_range().len();
    }
    let tag = format!("{SCRATCH_TAG}-{}", std::process::id());
    scratch(&project, &spec, StepSite { path: &frame.path, offset }, &tag)
}

/// The test files, healed test's own included, in which other tests run through the edited line.
fn users(sources: &Sources<'_>, failing: &Failing, gated: &GatedEdit) -> Vec<String> {
    let spec = inside(sources.root, &failing.test.file).unwrap_or_default();
    if gated.path() == spec && is_inside_test(gated, failing.test.line) {
        return Vec::new();
    }
    let all = sources.list();
    let files: Vec<&str> = all.iter().map(String::as_str).collect();
    let mut read = |path: &str| sources.read(path);
    let aliases = aliases_of(&spec, &mut read);
    let graph = Graph::of(&files, &aliases, &mut read);
    // A file that is no test is no test to Playwright either: it takes only what its `testMatch` does.
    let is_test = |path: &String| sources.read(path).is_some_and(|text| text.contains("test"));
    let mut users: Vec<String> =
        graph.users_of(gated.path()).into_iter().map(|user| user.path).filter(is_test).collect();
    users.sort();
    users
}

/// Whether the edited line lies inside the test that starts on `line`, so that no other test runs through it.
fn is_inside_test(gated: &GatedEdit, line: u32) -> bool {
    let Some(file) = SourceFile::parse(gated.path(), gated.after()) else { return false };
    let edited = gated.new_range().start;
    tests(&file).iter().any(|test| test.line == line && test.body.contains(&edited) && !test.repeated)
}

/// The step of `new` that is the step `index` of `old`: the same call on the same line, the same time around.
fn same_step<'t>(old: &Trace, index: usize, new: &'t Trace, root: &Utf8Path) -> Option<&'t Action> {
    let key = |action: &Action| {
        let frame =
            action.stack.iter().find_map(|frame| Some((inside(root, Utf8Path::new(&frame.file))?, frame.line)))?;
        Some((frame, action.method.clone()))
    };
    let wanted = old.actions.get(index).and_then(key)?;
    let same = |action: &&Action| action.selector.is_some() && key(action).as_ref() == Some(&wanted);
    let place = old.actions.get(..index)?.iter().filter(same).count();
    new.actions.iter().filter(same).nth(place)
}

/// The elements that an action resolved to, in the page it saw: marked by Playwright, else what its selector matches.
fn resolved(trace: &Trace, action: &Action) -> Option<(Dom, Vec<NodeId>)> {
    for when in [When::Input, When::After, When::Before] {
        let Ok(dom) = trace.dom(action, when) else { continue };
        let marked: Vec<NodeId> = dom
            .nodes()
            .filter(|&node| dom.element(node).is_some_and(|element| element.target_of.contains(&action.call_id)))
            .collect();
        if !marked.is_empty() {
            return Some((dom, marked));
        }
    }
    let dom = trace.dom(action, When::Last).ok()?;
    let locator = Locator::from_internal(action.selector.as_deref()?).ok()?;
    let frame = super::scene::frame_of(&dom, action)?;
    let nodes = Page::new(&dom).query(frame, &locator).nodes()?.to_vec();
    Some((dom, nodes))
}

/// Whether two sightings are of one element: what names it agrees, and its id or its place does.
fn is_same(a: &Facts, b: &Facts) -> bool {
    a.tag == b.tag
        && a.role == b.role
        && a.test_id == b.test_id
        && a.name_attribute == b.name_attribute
        && (a.name == b.name || a.path == b.path)
        && (a.id == b.id || a.path == b.path)
}

/// The counter-test must fail, and at its own step or later: a copy that does not even load proves nothing.
fn judge_counter(copies: &[&Test], original: &Test) -> Proof {
    let by_title: BTreeMap<_, _> = copies.iter().map(|test| (&test.titles, *test)).collect();
    let Some(copy) = by_title.get(&original.titles) else {
        return Proof::NotApplicable("Playwright does not take the scratch copy for a test".to_owned());
    };
    if copy.passed() {
        return Proof::Failed("without the healed step the test passes as well".to_owned());
    }
    if copy.unfinished() {
        return Proof::NotRun;
    }
    let Some(problem) = copy.attempts.iter().find_map(|attempt| attempt.errors.first()) else {
        return Proof::NotApplicable("the scratch copy did not run to an error".to_owned());
    };
    if problem.message.contains("snapshot doesn't exist") {
        return Proof::NotApplicable("the test compares snapshots, which its copy does not have".to_owned());
    }
    Proof::Held("the test fails without the healed step, as it must".to_owned())
}
