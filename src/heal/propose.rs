//! The third stage: which element the lost one is now, and how the source would name it.

use std::collections::BTreeSet;

use super::diagnose::Diagnosis;
use super::record::{Candidate, Evidence, HealRun};
use super::scene::Scene;
use super::{Healer, Stop};
use crate::domain::decide::{Decision, Verdict, decide};
use crate::domain::dom::{NodeId, Page};
use crate::domain::event::Event;
use crate::domain::facts::{Seen, facts_of};
use crate::domain::identity::Facts;
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;
use crate::domain::locator::{Locator, Step};
use crate::domain::lost::{action_of, lost_of};
use crate::domain::suggest::{Ask, House, suggest};
use crate::domain::verdict::{Reason, ReasonCode};
use crate::source::write::{Change, Rewrite, rewrite};

/// How many candidates the record keeps.
const KEPT: usize = 10;

/// The chosen element and the edits that would name it, best first.
pub(super) struct Proposals {
    /// The element.
    pub(super) chosen: Facts,
    /// Below the bar for applying: only to be shown.
    pub(super) weak: bool,
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
        let (seen, decision) = run.timed("rank", |_| {
            let seen = facts_of(&page, attribute);
            let decision = rank(diagnosis, &page, &seen, attribute);
            (seen, decision)
        });
        self.tell(run, diagnosis, &seen, &decision);
        run.basis = decision.basis;
        let (index, weak) = match decision.verdict {
            Verdict::Same(index) => (index, false),
            Verdict::Weak(index) => (index, true),
            ref refused => return Err(refusal(refused, run, &scene.printed).into()),
        };
        let Some(chosen) = seen.get(index) else {
            return Err(Reason::new(ReasonCode::Gone, "the chosen element is not on the page").into());
        };
        let edits = run.timed("suggest", |_| edits(diagnosis, &page, chosen.node, attribute));
        match edits {
            Ok(edits) => Ok(Proposals { chosen: chosen.facts.clone(), weak, edits }),
            Err(why) => Err(Reason::new(
                ReasonCode::NoStableLocator,
                format!("{} is the element, but {why}", describe(&chosen.facts)),
            )
            .into()),
        }
    }

    fn tell(&mut self, run: &mut HealRun, diagnosis: &Diagnosis, seen: &[Seen], decision: &Decision) {
        run.none_of_these = Some(decision.none);
        run.candidates = decision
            .ranked
            .iter()
            .take(KEPT)
            .filter_map(|scored| {
                Some(Candidate {
                    description: describe(&seen.get(scored.index)?.facts),
                    probability: scored.share,
                    evidence: scored
                        .evidence
                        .iter()
                        .map(|piece| Evidence {
                            id: piece.id.to_owned(),
                            bits: piece.bits,
                            sentence: piece.sentence.clone(),
                        })
                        .collect(),
                })
            })
            .collect();
        let broken = diagnosis.scene.links.iter().find(|link| link.count == Some(0));
        let broken = broken.filter(|_| diagnosis.scene.links.len() > 1);
        (self.report)(&Event::PageInspected {
            candidates: decision.ranked.len(),
            best: run.candidates.first().map(|best| best.description.clone()),
            broken: broken.map(|link| format!("{} matches 0", link.printed)),
        });
    }
}

/// Ranks the elements that the whole locator may mean now.
fn rank(diagnosis: &Diagnosis, page: &Page<'_>, seen: &[Seen], attribute: &str) -> Decision {
    let scene = &diagnosis.scene;
    let last = scene.links.last().map(|link| link.steps.clone()).unwrap_or_default();
    let steps = scene.locator.steps.get(last).unwrap_or_default();
    let failing = scene.failing();
    let value = failing.and_then(|action| action.param("value").or(action.param("text")));
    let method = failing.map(|action| action.method.as_str()).unwrap_or_default();
    let mut lost = lost_of(steps, action_of(method, value), attribute);
    lost.claimed = claimed(diagnosis, page, seen);
    let facts: Vec<Facts> = seen.iter().map(|seen| seen.facts.clone()).collect();
    decide(&lost, &facts, &allowed(diagnosis, page, seen))
}

/// The elements inside what the links before the broken one match. Where links follow it, only the elements that those
/// still match: they are not in question.
fn allowed(diagnosis: &Diagnosis, page: &Page<'_>, seen: &[Seen]) -> Vec<usize> {
    let scene = &diagnosis.scene;
    let all = &scene.locator.steps;
    let after = Locator { steps: all.get(diagnosis.steps.end..).unwrap_or_default().to_vec() };
    let scopes = scopes(scene, page, all.get(..diagnosis.steps.start).unwrap_or_default());
    let behind: Option<BTreeSet<NodeId>> = (!after.steps.is_empty()).then(|| {
        let found = scopes.iter().map(|&scope| page.query_in(scope, &after));
        found.flat_map(|answer| answer.nodes().unwrap_or_default().to_vec()).collect()
    });
    let fits = |node: NodeId| match &behind {
        Some(behind) => behind.contains(&node),
        None => ancestors(page, node).any(|above| scopes.contains(&above)),
    };
    seen.iter().enumerate().filter(|(_, seen)| fits(seen.node)).map(|(index, _)| index).collect()
}

/// Where the steps `before` lead: the elements they match, the documents they enter, or the frame's own document.
fn scopes(scene: &Scene, page: &Page<'_>, before: &[Step]) -> Vec<NodeId> {
    let matched = |steps: &[Step]| {
        let answer = page.query(scene.frame, &Locator { steps: steps.to_vec() });
        answer.nodes().unwrap_or_default().to_vec()
    };
    match before {
        [] => vec![page.dom().frame(scene.frame).document],
        [owner @ .., Step::EnterFrame] => {
            let document = |node: NodeId| Some(page.dom().frame(page.dom().element(node)?.content_frame?).document);
            matched(owner).into_iter().filter_map(document).collect()
        }
        before => matched(before),
    }
}

/// The nodes above, shadow hosts included; frames are not left.
fn ancestors<'p>(page: &'p Page<'_>, node: NodeId) -> impl Iterator<Item = NodeId> + 'p {
    std::iter::successors(page.dom().parent(node), |&above| page.dom().parent(above))
}

/// The elements that other locators of the same test resolve to, one each.
fn claimed(diagnosis: &Diagnosis, page: &Page<'_>, seen: &[Seen]) -> Vec<usize> {
    let scene = &diagnosis.scene;
    let failed = scene.failing().and_then(|action| action.selector.as_deref());
    let mut selectors: Vec<&str> = scene.trace.actions.iter().filter_map(|action| action.selector.as_deref()).collect();
    selectors.sort_unstable();
    selectors.dedup();
    let mut claimed: Vec<usize> = selectors
        .into_iter()
        .filter(|selector| Some(*selector) != failed)
        .filter_map(|selector| page.query(scene.frame, &Locator::from_internal(selector).ok()?).only())
        .filter_map(|node| seen.iter().position(|seen| seen.node == node))
        .collect();
    claimed.sort_unstable();
    claimed.dedup();
    claimed
}

fn edits(diagnosis: &Diagnosis, page: &Page<'_>, node: NodeId, attribute: &str) -> Result<Vec<Proposed>, String> {
    let scene = &diagnosis.scene;
    let mut house = House::default();
    let failed = scene.failing().and_then(|action| action.selector.as_deref());
    let others = scene.trace.actions.iter().filter_map(|action| action.selector.as_deref());
    others
        .filter(|other| Some(*other) != failed)
        .filter_map(|other| Locator::from_internal(other).ok())
        .for_each(|other| house.note(&other));
    let typed: Vec<String> =
        scene.trace.actions.iter().filter_map(|action| action.param("value").map(str::to_owned)).collect();
    let ask = Ask {
        page,
        frame: scene.frame,
        node,
        old: &scene.locator,
        stale: diagnosis.steps.start,
        house: &house,
        test_id: attribute,
        successors: &[],
        typed: &typed,
    };
    let suggestions = suggest(&ask);
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

fn refusal(verdict: &Verdict, run: &HealRun, printed: &str) -> Reason {
    match verdict {
        Verdict::Ambiguous(several) => {
            let names: Vec<&str> =
                run.candidates.iter().take(several.len().min(3)).map(|found| found.description.as_str()).collect();
            Reason::new(ReasonCode::Ambiguous, format!("{printed} may now be any of: {}", names.join(", ")))
        }
        Verdict::WrongPage(why) => Reason::new(ReasonCode::WrongPage, why.clone()),
        Verdict::Gone | Verdict::Same(_) | Verdict::Weak(_) => {
            Reason::new(ReasonCode::Gone, format!("no element of the page is what {printed} meant"))
        }
    }
}

/// An element in words: role and name, and the attribute that tells it apart.
pub(super) fn describe(facts: &Facts) -> String {
    let what = if facts.role.is_empty() { &facts.tag } else { &facts.role };
    let name = [&facts.name, &facts.text, &facts.placeholder].into_iter().find(|text| !text.is_empty());
    let mut words = what.clone();
    if let Some(name) = name {
        let short: String = name.chars().take(60).collect();
        words.push_str(&format!(" \"{short}\""));
    }
    let apart =
        [(facts.test_id_attribute.as_str(), &facts.test_id), ("id", &facts.id), ("name", &facts.name_attribute)];
    if let Some((attribute, value)) = apart.into_iter().find(|(_, value)| !value.is_empty()) {
        words.push_str(&format!(" ({attribute}={value})"));
    }
    words
}
