//! Which elements of the failing step's page may be what its locator meant, ranked.
//!
//! Glue between the scene and the pure ranker: it chooses who is asked about, not who wins.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use super::record::{Candidate, Evidence};
use super::scene::Scene;
use crate::adapters::fingerprints::key_in;
use crate::domain::decide::{Decision, decide};
use crate::domain::dom::{NodeId, Page};
use crate::domain::facts::Seen;
use crate::domain::fingerprint::Book;
use crate::domain::identity::Facts;
use crate::domain::locator::{Locator, Step};
use crate::domain::lost::{action_of, lost_of};

/// How many candidates a record keeps.
const KEPT: usize = 10;

/// The candidates of a decision as a record keeps them, best first.
pub fn candidates(seen: &[Seen], decision: &Decision) -> Vec<Candidate> {
    let kept = decision.ranked.iter().take(KEPT);
    kept.filter_map(|scored| {
        let evidence = scored.evidence.iter().map(|piece| Evidence {
            id: piece.id.to_owned(),
            bits: piece.bits,
            sentence: piece.sentence.clone(),
        });
        Some(Candidate {
            description: describe(&seen.get(scored.index)?.facts),
            probability: scored.share,
            evidence: evidence.collect(),
        })
    })
    .collect()
}

/// What is known besides the scene.
#[derive(Debug, Clone, Copy)]
pub struct Known<'k> {
    /// The attribute that holds test ids.
    pub attribute: &'k str,
    /// What the locators of the last green run resolved to.
    pub fingerprints: &'k Book,
}

/// Ranks the elements that the whole locator may mean now.
pub fn rank(scene: &Scene, broken: &Range<usize>, page: &Page<'_>, seen: &[Seen], known: Known<'_>) -> Decision {
    let last = scene.links.last().map(|link| link.steps.clone()).unwrap_or_default();
    let steps = scene.locator.steps.get(last).unwrap_or_default();
    let failing = scene.failing();
    let value = failing.and_then(|action| action.param("value").or(action.param("text")));
    let method = failing.map(|action| action.method.as_str()).unwrap_or_default();
    let mut lost = lost_of(steps, action_of(method, value), known.attribute);
    let key = key_in(&scene.trace, scene.action);
    lost.fingerprint = key.and_then(|key| known.fingerprints.find(&key)).cloned();
    lost.claimed = claimed(scene, page, seen);
    // What the source and the repository say of a link before the last is not about the element.
    if scene.links.last().is_some_and(|link| link.steps == *broken) {
        lost.successors.clone_from(&scene.history);
        lost.names.clone_from(&scene.names);
    }
    let facts: Vec<Facts> = seen.iter().map(|seen| seen.facts.clone()).collect();
    decide(&lost, &facts, &allowed(scene, broken, page, seen))
}

/// The elements inside what the links before the broken one match. Where links follow it, only the elements that those
/// still match: they are not in question.
fn allowed(scene: &Scene, broken: &Range<usize>, page: &Page<'_>, seen: &[Seen]) -> Vec<usize> {
    let all = &scene.locator.steps;
    let after = Locator { steps: all.get(broken.end..).unwrap_or_default().to_vec() };
    let scopes = scopes(scene, page, all.get(..broken.start).unwrap_or_default());
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
fn claimed(scene: &Scene, page: &Page<'_>, seen: &[Seen]) -> Vec<usize> {
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

/// An element in words: role and name, and the attribute that tells it apart.
pub(super) fn describe(facts: &Facts) -> String {
    let what = if facts.role.is_empty() { &facts.tag } else { &facts.role };
    let name = [&facts.name, &facts.text, &facts.placeholder].into_iter().find(|text| !text.is_empty());
    let mut words = what.clone();
    if let Some(name) = name {
        let short: String = name.chars().take(60).collect();
        _ = write!(words, " \"{short}\"");
    }
    let apart =
        [(facts.test_id_attribute.as_str(), &facts.test_id), ("id", &facts.id), ("name", &facts.name_attribute)];
    if let Some((attribute, value)) = apart.into_iter().find(|(_, value)| !value.is_empty()) {
        _ = write!(words, " ({attribute}={value})");
    }
    words
}
