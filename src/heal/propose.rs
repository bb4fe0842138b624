//! The third stage: which element the lost one is now, and how the source would name it.

use std::ops::Range;

use super::diagnose::Diagnosis;
use super::look::{Known, candidates, describe, rank};
use super::record::HealRun;
use super::scene::Scene;
use super::{Healer, Stop};
use crate::domain::decide::{Decision, Verdict};
use crate::domain::dom::{NodeId, Page};
use crate::domain::event::Event;
use crate::domain::facts::{Seen, facts_of};
use crate::domain::identity::Facts;
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;
use crate::domain::locator::{Locator, Step};
use crate::domain::page_mark::page_mark;
use crate::domain::rank::Signal;
use crate::domain::suggest::{Ask, House, Suggestion, Why, suggest, without_scope};
use crate::domain::verdict::{Reason, ReasonCode};
use crate::domain::word::Word;
use crate::source::house::house_of;
use crate::source::write::{Change, Rewrite, rewrite};

/// How far above the chosen element a new scope is looked for.
const SCOPES: usize = 8;

/// The chosen element and the edits that would name it, best first.
pub(super) struct Proposals {
    /// The element.
    pub(super) chosen: Facts,
    /// Below the bar for applying: only to be shown.
    pub(super) weak: bool,
    /// It is that element whatever a run says ([`Decision::needs_no_run`]).
    pub(super) sure: bool,
    /// On whose word it is the element.
    pub(super) word: Word,
    /// The edits.
    pub(super) edits: Vec<Proposed>,
}

/// One edit.
pub(super) struct Proposed {
    /// The file before and after.
    pub(super) rewrite: Rewrite,
    /// Why this locator.
    pub(super) why: String,
}

impl Healer<'_> {
    pub(super) fn propose(&mut self, run: &mut HealRun, diagnosis: &Diagnosis) -> Result<Proposals, Stop> {
        let scene = &diagnosis.scene;
        let page = Page::new(&scene.dom);
        let attribute = scene.trace.info.test_id_attribute.as_deref().unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE);
        let (seen, decision) = run.timed("rank", |_| self.ranked(diagnosis, &page, attribute));
        self.tell(run, diagnosis, &seen, &decision);
        run.basis = decision.basis;
        run.page = Some(page_mark(seen.iter().map(|seen| &seen.facts)));
        if decision.basis.git {
            self.tell_history(run);
        }
        let (index, weak) = match decision.verdict {
            Verdict::Same(index) | Verdict::Likely(index) => (index, false),
            Verdict::Weak(index) => (index, true),
            ref refused => return Err(refusal(refused, run, &scene.printed).into()),
        };
        let Some(chosen) = seen.get(index) else {
            return Err(Reason::new(ReasonCode::Gone, "the chosen element is not on the page").into());
        };
        let edits = run.timed("suggest", |_| edits(diagnosis, &page, chosen.node, attribute));
        match edits {
            Ok(edits) => Ok(Proposals {
                chosen: chosen.facts.clone(),
                weak,
                sure: decision.needs_no_run(),
                word: Word::Ranking,
                edits,
            }),
            Err(why) => Err(Reason::new(
                ReasonCode::NoStableLocator,
                format!("{} is the element, but {why}", describe(&chosen.facts)),
            )
            .into()),
        }
    }

    /// The elements of the page and what the ranking says of them.
    pub(super) fn ranked(&self, diagnosis: &Diagnosis, page: &Page<'_>, attribute: &str) -> (Vec<Seen>, Decision) {
        let seen = facts_of(page, attribute);
        let known = Known { attribute, fingerprints: self.fingerprints };
        let decision = rank(&diagnosis.scene, &diagnosis.steps, page, &seen, known);
        (seen, decision)
    }

    /// Says which commit the identity of the best candidate rests on.
    fn tell_history(&mut self, run: &HealRun) {
        let pieces = run.candidates.first().map(|best| best.evidence.as_slice()).unwrap_or_default();
        if let Some(piece) = pieces.iter().find(|piece| piece.id == Signal::SuccessorSame.label()) {
            (self.report)(&Event::Note(piece.sentence.clone()));
        }
    }

    fn tell(&mut self, run: &mut HealRun, diagnosis: &Diagnosis, seen: &[Seen], decision: &Decision) {
        run.none_of_these = Some(decision.none);
        run.candidates = candidates(seen, decision);
        let broken = diagnosis.scene.links.iter().find(|link| link.count == Some(0));
        let broken = broken.filter(|_| diagnosis.scene.links.len() > 1);
        (self.report)(&Event::PageInspected {
            candidates: decision.ranked.len(),
            best: run.candidates.first().map(|best| best.description.clone()),
            broken: broken.map(|link| format!("{} matches 0", link.printed)),
        });
    }
}

pub(super) fn edits(
    diagnosis: &Diagnosis,
    page: &Page<'_>,
    node: NodeId,
    attribute: &str,
) -> Result<Vec<Proposed>, String> {
    let scene = &diagnosis.scene;
    let house = house_of(&diagnosis.project, attribute);
    let suggestions = Naming { scene, steps: diagnosis.steps.clone(), page, attribute, house }.of(node);
    if suggestions.is_empty() {
        return Err("no locator for it is unique and stable".to_owned());
    }
    let mut refused = None;
    let mut edits = Vec::new();
    for suggestion in suggestions {
        let change = Change {
            definition: &diagnosis.definition,
            old: &scene.locator,
            steps: suggestion.replaces.clone(),
            new: &suggestion.steps,
        };
        match rewrite(&diagnosis.project, &change) {
            Ok(rewrite) => edits.push(Proposed { rewrite, why: suggestion.why.sentence().to_owned() }),
            Err(reason) => refused = refused.or(Some(reason)),
        }
    }
    match (edits.is_empty(), refused) {
        (true, Some(reason)) => Err(format!("its locator cannot be written there: {reason}")),
        _ => Ok(edits),
    }
}

/// How an element of a scene could be named in place of a link of the failed locator.
pub(super) struct Naming<'a> {
    /// The scene.
    pub(super) scene: &'a Scene,
    /// The steps of the failed locator that the link stands for.
    pub(super) steps: Range<usize>,
    /// The scene's page.
    pub(super) page: &'a Page<'a>,
    /// The attribute that holds test ids.
    pub(super) attribute: &'a str,
    /// How the suite writes its locators; the other locators of the trace are counted as well.
    pub(super) house: House,
}

impl Naming<'_> {
    /// The locators that mean `node` and nothing else, best first.
    pub(super) fn of(mut self, node: NodeId) -> Vec<Suggestion> {
        let (scene, page) = (self.scene, self.page);
        let failed = scene.failing().and_then(|action| action.selector.as_deref());
        let others = scene.trace.actions.iter().filter_map(|action| action.selector.as_deref());
        others
            .filter(|other| Some(*other) != failed)
            .filter_map(|other| Locator::from_internal(other).ok())
            .for_each(|other| self.house.note(&other));
        let typed: Vec<String> =
            scene.trace.actions.iter().filter_map(|action| action.param("value").map(str::to_owned)).collect();
        let ask = |node| Ask {
            page,
            frame: scene.frame,
            node,
            locator: &scene.locator,
            steps: self.steps.clone(),
            test_id_attribute: self.attribute,
            house: &self.house,
            successors: &scene.behind.history,
            typed: &typed,
        };
        // Positions and filters behind the link pick among what it matches; they name nothing else.
        let behind = scene.locator.steps.get(self.steps.end..).unwrap_or_default();
        let is_last = behind.iter().all(|step| step.narrows() && *step != Step::EnterFrame);
        // A link before the last is named for an element around the chosen one, the nearest that can be named.
        let around = std::iter::successors(Some(node), |&below| page.dom().parent_element(below));
        let around: Vec<NodeId> = around.skip(usize::from(!is_last)).take(if is_last { 1 } else { SCOPES }).collect();
        let means_it = |suggestion: &Suggestion| page.query(scene.frame, &suggestion.locator).only() == Some(node);
        let named: Vec<Vec<Suggestion>> = around
            .into_iter()
            .map(|node| suggest(&ask(node)).into_iter().filter(means_it).collect::<Vec<_>>())
            .filter(|found: &Vec<Suggestion>| !found.is_empty())
            .collect();
        // Others use a scope as well: one that is named as the old one was is more likely as wide as it.
        let as_before = |found: &&Vec<Suggestion>| {
            found.first().is_some_and(|first| first.why <= Why::SameKind && first.steps.len() == 1)
        };
        named
            .iter()
            .find(as_before)
            .or(named.first())
            .cloned()
            .or_else(|| without_scope(&ask(node), node).map(|found| vec![found]))
            .unwrap_or_default()
    }
}

fn refusal(verdict: &Verdict, run: &HealRun, printed: &str) -> Reason {
    match verdict {
        Verdict::Ambiguous(several) => {
            let names: Vec<&str> =
                run.candidates.iter().take(several.len().min(3)).map(|found| found.description.as_str()).collect();
            Reason::new(ReasonCode::Ambiguous, format!("{printed} may now be any of: {}", names.join(", ")))
        }
        Verdict::WrongPage(why) => Reason::new(ReasonCode::WrongPage, why.clone()),
        Verdict::Gone | Verdict::Same(_) | Verdict::Likely(_) | Verdict::Weak(_) => {
            Reason::new(ReasonCode::Gone, format!("no element of the page is what {printed} meant"))
        }
    }
}
