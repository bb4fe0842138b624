//! Which elements of the failing step's page may be what its locator meant, ranked.
//!
//! Glue between the scene and the pure ranker: it chooses who is asked about, not who wins.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use super::record::{Candidate, Evidence};
use super::scene::{Scene, SceneLink};
use crate::adapters::fingerprints::key_in;
use crate::adapters::playwright::trace::Action;
use crate::domain::decide::{Decision, decide};
use crate::domain::dom::{NodeId, Page};
use crate::domain::facts::Seen;
use crate::domain::fingerprint::{Book, Key, Record};
use crate::domain::identity::{Facts, Lost, Visibility};
use crate::domain::locator::{Locator, Pattern, Step};
use crate::domain::lost::{action_of, lost_of};
use crate::domain::page_check::{Pages, mark_of, page_path};
use crate::domain::relax::relaxed;

/// So many elements that nearly fit are few.
const FEW: usize = 3;

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
    // What only picks among several (`first()`, a filter) says nothing of what they are.
    let says = |link: &&SceneLink| {
        scene.locator.steps.get(link.steps.clone()).is_some_and(|steps| !steps.iter().all(Step::narrows))
    };
    let last = scene.links.iter().rfind(says).map(|link| link.steps.clone()).unwrap_or_default();
    let steps = scene.locator.steps.get(last.clone()).unwrap_or_default();
    let failing = scene.failing();
    let value = failing.and_then(|action| action.param("value").or(action.param("text")));
    let method = failing.map(|action| action.method.as_str()).unwrap_or_default();
    let mut lost = lost_of(steps, action_of(method, value), known.attribute);
    let record = recorded(scene, known.fingerprints);
    lost.fingerprint = record.map(|record| record.facts.clone());
    lost.peers = record.map(|record| record.peers.clone()).unwrap_or_default();
    lost.pages = Pages {
        then: record.map(|record| record.page.clone()).filter(|page| !page.is_blank()),
        now: mark_of(page, seen.iter().map(|seen| &seen.facts)),
        hints: hints(scene),
    };
    // What the source and the repository say of a link before the last is not about the element.
    if last == *broken {
        lost.successors.clone_from(&scene.behind.history);
        lost.names.clone_from(&scene.behind.names);
    }
    lost.titles = scene.trace.info.title.clone().into_iter().collect();
    let places = Places::of(scene, broken, page);
    lost.scope_gone = places.has_rest();
    if !places.has_rest() {
        lost.claimed = claimed(scene, page, seen, (&lost, known.fingerprints));
    }
    if let Some(form) = filled_form(scene, page) {
        let inside = |at: &usize| seen.get(*at).is_some_and(|seen| form_of(page, seen.node) == Some(form));
        lost.filled_form = (0..seen.len()).filter(inside).collect();
        lost.submits = submits(&lost.filled_form, seen);
    }
    (lost.all_but_one, lost.few_but_one) = all_but_one(steps, &places, page, seen);
    let facts: Vec<Facts> = seen.iter().map(|seen| seen.facts.clone()).collect();
    // A filter that passes nothing asks for data that is not there.
    let filters = scene.locator.steps.get(broken.clone()).is_some_and(|steps| steps.iter().all(Step::narrows));
    let mut allowed = if filters { Vec::new() } else { places.allowed(page, seen) };
    let decision = decide(&lost, &facts, &allowed);
    let nth = scene.locator.steps.get(last.end..).unwrap_or_default().iter().find_map(|step| match step {
        Step::Nth(nth) => Some(*nth),
        _ => None,
    });
    let Some((best, nth)) = decision.ranked.first().zip(nth) else { return decision };
    let others = alike(&facts, best.index, &allowed, nth);
    allowed.retain(|at| !others.contains(at));
    decide(&lost, &facts, &allowed)
}

/// What the failing call meant on a green run.
fn recorded<'r>(scene: &'r Scene, fingerprints: &'r Book) -> Option<&'r Record> {
    let key = key_in(&scene.trace, scene.action)?;
    let key = Key { project: scene.behind.project.clone(), ..key };
    fingerprints.record(&key).or(scene.behind.recorded.as_ref())
}

/// What the test says of where it is: its file and titles, and the addresses it went to before the step.
fn hints(scene: &Scene) -> Vec<String> {
    let before = scene.trace.actions.iter().take(scene.action);
    let visited = before.filter(|action| action.method == "goto").filter_map(|action| action.param("url"));
    visited.map(page_path).chain(scene.trace.info.title.clone()).collect()
}

/// All elements that are like the `best` but the one that the position `nth` picks among them.
fn alike(facts: &[Facts], best: usize, allowed: &[usize], nth: i64) -> Vec<usize> {
    let named = |facts: &Facts| {
        [&facts.tag, &facts.role, &facts.name, &facts.aria_label, &facts.placeholder, &facts.input_type]
            .map(String::clone)
    };
    let Some(wanted) = facts.get(best).map(named) else { return Vec::new() };
    let mut like: Vec<usize> =
        allowed.iter().copied().filter(|&at| facts.get(at).is_some_and(|facts| named(facts) == wanted)).collect();
    let count = i64::try_from(like.len()).unwrap_or(i64::MAX);
    if let Ok(at) = usize::try_from(if nth < 0 { count + nth } else { nth })
        && at < like.len()
    {
        like.remove(at);
    }
    like
}

/// Where in the page the lost element may be.
struct Places {
    /// What the links before the broken one match.
    scopes: Vec<NodeId>,
    /// Filters right behind the broken link.
    filters: Vec<Step>,
    /// What the links behind it still match; they are not in question.
    rest: Option<BTreeSet<NodeId>>,
}

impl Places {
    fn of(scene: &Scene, broken: &Range<usize>, page: &Page<'_>) -> Self {
        let all = &scene.locator.steps;
        let scopes = scopes(scene, page, all.get(..broken.start).unwrap_or_default());
        let behind = all.get(broken.end..).unwrap_or_default();
        let narrowing = behind.iter().take_while(|step| step.narrows() && **step != Step::EnterFrame).count();
        let (filters, rest) = behind.split_at_checked(narrowing).unwrap_or((behind, &[]));
        let rest = Locator { steps: rest.to_vec() };
        let found = (!rest.steps.is_empty()).then(|| {
            let found = scopes.iter().map(|&scope| page.query_in(scope, &rest));
            found.flat_map(|answer| answer.nodes().unwrap_or_default().to_vec()).collect()
        });
        Self { scopes, filters: filters.to_vec(), rest: found }
    }

    fn has_rest(&self) -> bool {
        self.rest.is_some()
    }

    fn allowed(&self, page: &Page<'_>, seen: &[Seen]) -> Vec<usize> {
        let fits = |node: NodeId| match &self.rest {
            Some(rest) => rest.contains(&node),
            None => ancestors(page, node).any(|above| self.scopes.contains(&above)) && self.passes(page, node),
        };
        seen.iter().enumerate().filter(|(_, seen)| fits(seen.node)).map(|(index, _)| index).collect()
    }

    /// Whether an element has the texts that the filters behind the link ask for.
    fn passes(&self, page: &Page<'_>, node: NodeId) -> bool {
        let text = || page.text(node).to_lowercase();
        self.filters.iter().all(|step| match step {
            Step::HasText(Pattern::Text { text: wanted, .. }) => text().contains(&wanted.to_lowercase()),
            _ => true,
        })
    }
}

/// The dialog or else the form of the field which the test filled last, where nothing was pressed since.
fn filled_form(scene: &Scene, page: &Page<'_>) -> Option<NodeId> {
    let before = scene.trace.actions.get(..scene.action)?;
    let fills =
        |action: &&Action| matches!(action.method.as_str(), "fill" | "type" | "check" | "uncheck" | "selectOption");
    let last = before.iter().rev().find(|action| fills(action) || action.method == "click").filter(fills)?;
    let field = page.query(scene.frame, &Locator::from_internal(last.selector.as_deref()?).ok()?).only()?;
    form_of(page, field)
}

fn form_of(page: &Page<'_>, node: NodeId) -> Option<NodeId> {
    let above = || std::iter::successors(Some(node), |&node| page.dom().parent_element(node));
    let dialog = above().find(|&node| matches!(page.role(node), Some("dialog" | "alertdialog")));
    dialog.or_else(|| above().find(|&node| page.dom().element(node).is_some_and(|element| element.is_html("form"))))
}

/// The only element of those `inside` a form that submits it.
fn submits(inside: &[usize], seen: &[Seen]) -> Option<usize> {
    let submit = |facts: &Facts| {
        matches!(facts.input_type.as_str(), "submit" | "image") && facts.visibility != Visibility::Hidden
    };
    let mut all = inside.iter().filter(|&&at| seen.get(at).is_some_and(|seen| submit(&seen.facts)));
    let first = all.next()?;
    all.next().is_none().then_some(*first)
}

/// The elements that fit all of a stale selector but one condition, the fewest that one of the conditions leaves.
fn all_but_one(steps: &[Step], places: &Places, page: &Page<'_>, seen: &[Seen]) -> (Vec<usize>, Vec<usize>) {
    let [Step::Css(css)] = steps else { return Default::default() };
    let shown =
        |node: NodeId| seen.iter().position(|seen| seen.node == node && seen.facts.visibility != Visibility::Hidden);
    let fit = |selector: String| {
        let locator = Locator::from(Step::Css(selector));
        let found = places.scopes.iter().map(|&scope| page.query_in(scope, &locator));
        let found: BTreeSet<NodeId> = found.flat_map(|answer| answer.nodes().unwrap_or_default().to_vec()).collect();
        found.into_iter().filter_map(shown).collect::<Vec<usize>>()
    };
    let fitting: Vec<Vec<usize>> = relaxed(css).into_iter().map(fit).collect();
    let of = |counts: Range<usize>| {
        let some = fitting.iter().filter(|found| counts.contains(&found.len())).flatten().copied();
        some.collect::<BTreeSet<usize>>().into_iter().collect::<Vec<usize>>()
    };
    (of(1..2), of(2..FEW + 1))
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

/// The nodes above, shadow hosts and the elements that hold a frame included: an element may have moved into one.
fn ancestors<'p>(page: &'p Page<'_>, node: NodeId) -> impl Iterator<Item = NodeId> + 'p {
    let dom = page.dom();
    let owner = move |node: NodeId| dom.frames().find(|(_, frame)| frame.document == node)?.1.owner;
    let above = move |&node: &NodeId| dom.parent(node).or_else(|| owner(node));
    std::iter::successors(above(&node), above)
}

/// The elements that other locators of the same test resolve to, one each. A locator whose element was the lost one on the
/// green run claims nothing.
fn claimed(scene: &Scene, page: &Page<'_>, seen: &[Seen], (lost, book): (&Lost, &Book)) -> Vec<usize> {
    let failed = scene.failing().and_then(|action| action.selector.as_deref());
    let same = |at: usize| {
        let record = key_in(&scene.trace, at).and_then(|key| book.find(&key));
        let meant = |record: &Facts, lost: &Facts| record.path == lost.path && record.frame == lost.frame;
        record.zip(lost.fingerprint.as_ref()).is_some_and(|(record, lost)| meant(record, lost))
    };
    let others = scene.trace.actions.iter().enumerate().filter(|(at, _)| !same(*at));
    let mut selectors: Vec<&str> = others.filter_map(|(_, action)| action.selector.as_deref()).collect();
    selectors.sort_unstable();
    selectors.dedup();
    // A record tells what the steps to come are not; without one, what they name is taken.
    let later = scene.behind.later.iter().filter(|_| lost.fingerprint.is_none()).cloned();
    let later = later.filter(|later| *later != scene.locator);
    let made = selectors.into_iter().filter(|selector| Some(*selector) != failed);
    let mut claimed: Vec<usize> = made
        .filter_map(|selector| Locator::from_internal(selector).ok())
        .chain(later)
        .filter_map(|locator| page.query(scene.frame, &locator).only())
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
