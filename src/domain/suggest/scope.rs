//! Where in the chain a replacement may stand, and what it may stand in: the stale step alone first, then with its
//! frame, then with scopes that no longer hold the element; and the named containers around an element.

use std::ops::Range;

use crate::domain::dom::{FrameId, NodeId, Page};
use crate::domain::locator::{Locator, Step};

use super::Ask;
use super::kind::Kind;
use super::offer::{Offers, attribute_selector, exactly, is_exact};
use super::stable::Tokens;

/// How many containers around an element are tried.
const MOST_CONTAINERS: usize = 6;
/// A place for a replacement.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The steps of the old locator that go.
    pub(super) replaces: Range<usize>,
    /// The steps that lead into the frame of the element, in front of the new step.
    pub(super) entering: Vec<Step>,
    /// The entering of a frame behind the new step, where the stale link names a frame.
    pub(super) leaving: Vec<Step>,
}

/// The places, the smallest change first: the stale link alone; with the positions behind it; with scopes in front of it
/// that no longer hold the element.
pub(super) fn places(ask: &Ask<'_>, tokens: &Tokens) -> Vec<Place> {
    let steps = &ask.locator.steps;
    let own = steps.get(ask.steps.clone()).unwrap_or_default();
    let behind = steps.get(ask.steps.end..).unwrap_or_default();
    let leaving: Vec<Step> = own.iter().filter(|step| **step == Step::EnterFrame).cloned().collect();
    let positions = behind.iter().take_while(|step| matches!(step, Step::Nth(_))).count();
    let mut out = Vec::new();
    for start in starts(ask) {
        let Some(owners) = frames_between(ask.page, scope_frame(ask, start), ask.node) else { continue };
        let entering: Option<Vec<Step>> = owners.into_iter().map(|owner| frame_step(ask, tokens, owner)).collect();
        let Some(entering) = entering else { continue };
        let entering: Vec<Step> = entering.into_iter().flat_map(|step| [step, Step::EnterFrame]).collect();
        let place = Place { replaces: start..ask.steps.end, entering, leaving: leaving.clone() };
        out.push(place.clone());
        if positions > 0 {
            out.push(Place { replaces: start..ask.steps.end + positions, ..place });
        }
    }
    out
}

/// Where the replaced part may start: at the stale link, else at ever earlier steps, whose scope may not hold the element.
fn starts(ask: &Ask<'_>) -> Vec<usize> {
    let begins = |start: &usize| ask.locator.steps.get(*start).is_some_and(|step| !step.narrows());
    std::iter::once(ask.steps.start).chain((0..ask.steps.start).rev().filter(begins)).collect()
}

fn ancestors<'p>(page: &'p Page<'_>, node: NodeId) -> impl Iterator<Item = NodeId> + use<'p> {
    let dom = page.dom();
    let above = move |node: &NodeId| {
        dom.parent(*node)
            .or_else(|| dom.frames().find(|(_, frame)| frame.document == *node).and_then(|(_, frame)| frame.owner))
    };
    std::iter::successors(above(&node), above).filter(move |node| dom.element(*node).is_some())
}

/// The frame in which steps from `start` on are looked up.
fn scope_frame(ask: &Ask<'_>, start: usize) -> Option<FrameId> {
    let before = ask.locator.steps.get(..start)?;
    let Some(last) = before.iter().rposition(|step| *step == Step::EnterFrame) else { return Some(ask.frame) };
    let owner = ask.page.query(ask.frame, &Locator { steps: before.get(..last)?.to_vec() }).only()?;
    ask.page.dom().element(owner)?.content_frame
}

/// The `<iframe>`s to go through from a frame to an element, outermost first; `None` when it is not inside.
fn frames_between(page: &Page<'_>, scope: Option<FrameId>, node: NodeId) -> Option<Vec<NodeId>> {
    let scope = page.dom().frame(scope?).document;
    let mut owners = Vec::new();
    let mut at = node;
    loop {
        if at == scope {
            owners.reverse();
            return Some(owners);
        }
        at = if let Some(parent) = page.dom().parent(at) {
            parent
        } else {
            let owner = page.dom().frames().find(|(_, frame)| frame.document == at)?.1.owner?;
            owners.push(owner);
            owner
        };
    }
}

/// A CSS step that names an `<iframe>`.
fn frame_step(ask: &Ask<'_>, tokens: &Tokens, owner: NodeId) -> Option<Step> {
    let element = ask.page.dom().element(owner)?;
    let named = |name: &str| {
        let value = element.attribute(name).filter(|value| !value.trim().is_empty() && !tokens.is_generated(value))?;
        Some(Step::Css(format!("{}{}", element.tag, attribute_selector(name, value))))
    };
    ["title", "name", "id", "data-testid", "src"].into_iter().find_map(named)
}

/// The named containers around an element, nearest first: landmarks, dialogs, groups, and what has a lasting id or test id.
pub(super) fn containers(offers: &Offers<'_>, node: NodeId) -> Vec<Step> {
    const CONTAINING: [&str; 22] = [
        "alertdialog",
        "banner",
        "complementary",
        "contentinfo",
        "dialog",
        "form",
        "group",
        "grid",
        "list",
        "listbox",
        "main",
        "menu",
        "navigation",
        "radiogroup",
        "region",
        "search",
        "table",
        "tablist",
        "tabpanel",
        "toolbar",
        "tree",
        "article",
    ];
    // A method that was exact stays exact, in the scope as well.
    let exact = matches!(offers.old, Step::Role(_)) && is_exact(offers.old);
    // What the stale step looked like says nothing about how its container is called.
    let offers = &Offers { old: &Step::Nth(0), filtered: false, ..*offers };
    let mut out = Vec::new();
    for above in ancestors(offers.page, node) {
        let role = offers.page.role(above);
        let contains = role.is_some_and(|role| CONTAINING.contains(&role));
        let named = offers.of(above).into_iter().filter(|offer| match offer.kind {
            Kind::Role => contains,
            Kind::TestId | Kind::CssId => matches!(offer.step, Step::TestId { .. } | Step::Css(_)),
            _ => false,
        });
        let step = |step: Step| if exact { exactly(&step).unwrap_or(step) } else { step };
        out.extend(named.map(|offer| step(offer.step)));
        if out.len() >= MOST_CONTAINERS {
            break;
        }
    }
    out
}
