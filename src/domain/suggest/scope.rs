//! Where in the chain a replacement may stand, and what it may stand in: the stale step alone first, then with its
//! frame, then with scopes that no longer hold the element; and the named containers around an element.

use std::ops::Range;

use crate::domain::dom::{FrameId, NodeId, Page};
use crate::domain::locator::{Locator, Step};

use super::Ask;
use super::kind::Kind;
use super::offer::{Offers, attribute_selector};

/// How many containers around an element are tried.
const MOST_CONTAINERS: usize = 6;
/// How many elements around the meant one are tried as what a stale scope meant.
const MOST_ANCESTORS: usize = 24;

/// A place for a replacement.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The steps of the old locator that go.
    pub(super) replaces: Range<usize>,
    /// The steps that lead into the frame of the target, in front of the new step.
    pub(super) entering: Vec<Step>,
    /// What the new step must name; `None` to drop the old one only.
    pub(super) target: Option<NodeId>,
}

/// The places, the smallest change first.
pub(super) fn places(ask: &Ask<'_>) -> Vec<Place> {
    let steps = &ask.old.steps;
    let behind = steps.get(ask.stale + 1..).unwrap_or_default();
    let names_more = behind.iter().any(|step| !step.narrows() || *step == Step::EnterFrame);
    if names_more {
        return of_scope(ask);
    }
    let mut out = Vec::new();
    let mut entering = Vec::new();
    for start in starts(ask) {
        let scope = scope_frame(ask, start);
        let frames = frames_between(ask.page, scope, ask.node);
        let Some(frames) = frames else { continue };
        entering.clear();
        let mut named = true;
        for owner in frames {
            match frame_step(ask, owner) {
                Some(step) => entering.extend([step, Step::EnterFrame]),
                None => named = false,
            }
        }
        if !named {
            continue;
        }
        let base = Place { replaces: start..ask.stale + 1, entering: entering.clone(), target: Some(ask.node) };
        let positions = behind.iter().take_while(|step| matches!(step, Step::Nth(_))).count();
        let without = Place { replaces: start..ask.stale + 1 + positions, ..base.clone() };
        out.push(base);
        if positions > 0 {
            out.push(without);
        }
    }
    out
}

/// Where the replaced part may start: at the stale step, else at ever earlier steps whose scope does not hold the element.
fn starts(ask: &Ask<'_>) -> Vec<usize> {
    (0..=ask.stale).rev().filter(|&start| ask.old.steps.get(start).is_some_and(|step| !step.narrows())).collect()
}

/// A stale scope: the step must name an element around the meant one, or go altogether.
fn of_scope(ask: &Ask<'_>) -> Vec<Place> {
    let one = ask.stale..ask.stale + 1;
    let around = ancestors(ask.page, ask.node).take(MOST_ANCESTORS);
    let mut out: Vec<Place> =
        around.map(|node| Place { replaces: one.clone(), entering: Vec::new(), target: Some(node) }).collect();
    let enters = ask.old.steps.get(ask.stale + 1) == Some(&Step::EnterFrame);
    if !enters {
        out.push(Place { replaces: one, entering: Vec::new(), target: None });
    }
    out
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
    let before = ask.old.steps.get(..start)?;
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
fn frame_step(ask: &Ask<'_>, owner: NodeId) -> Option<Step> {
    let element = ask.page.dom().element(owner)?;
    let tokens = super::stable::Tokens::of(ask.page.dom());
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
    // What the stale step looked like says nothing about how its container is called.
    let offers = &Offers { old: &Step::Nth(0), ..*offers };
    let mut out = Vec::new();
    for above in ancestors(offers.page, node) {
        let role = offers.page.role(above);
        let contains = role.is_some_and(|role| CONTAINING.contains(&role));
        let named = offers.of(above).into_iter().filter(|offer| match offer.kind {
            Kind::Role => contains,
            Kind::TestId | Kind::CssId => matches!(offer.step, Step::TestId { .. } | Step::Css(_)),
            _ => false,
        });
        out.extend(named.map(|offer| offer.step));
        if out.len() >= MOST_CONTAINERS {
            break;
        }
    }
    out
}
