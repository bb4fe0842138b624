//! The healed step in a run's trace: which action it is, and which elements it resolved to.

use camino::Utf8Path;

use crate::adapters::playwright::trace::{Action, Trace, When};
use crate::domain::dom::{Dom, NodeId, Page};
use crate::domain::identity::Facts;
use crate::domain::locator::Locator;
use crate::heal::scene::{Scene, frame_of};
use crate::heal::sources::inside;

/// The step of `new` that is the step `index` of `old`: the same call on the same line, the same time around.
pub(super) fn same_step<'t>(old: &Trace, index: usize, new: &'t Trace, root: &Utf8Path) -> Option<&'t Action> {
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
pub(super) fn resolved(trace: &Trace, action: &Action) -> Option<(Dom, Vec<NodeId>)> {
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
    let frame = frame_of(&dom, action)?;
    let nodes = Page::new(&dom).query(frame, &locator).nodes()?.to_vec();
    Some((dom, nodes))
}

/// Whether two sightings are of one element: what names it agrees, and its id or its place does.
pub(super) fn is_same(a: &Facts, b: &Facts) -> bool {
    a.tag == b.tag
        && a.role == b.role
        && a.test_id == b.test_id
        && a.name_attribute == b.name_attribute
        && (a.name == b.name || a.path == b.path)
        && (a.id == b.id || a.path == b.path)
}

/// Whether the locator that failed in `old` matches something in the page that the healed step saw in the run that left the
/// trace `new`: then nothing had become of it.
pub(super) fn still_matches(old: &Scene, new: &Utf8Path, root: &Utf8Path) -> bool {
    let Ok(trace) = Trace::open(new.as_std_path()) else { return false };
    let Some(action) = same_step(&old.trace, old.action, &trace, root) else { return false };
    let Some((dom, _)) = resolved(&trace, action) else { return false };
    let Some(frame) = frame_of(&dom, action) else { return false };
    Page::new(&dom).query(frame, &old.locator).nodes().is_some_and(|nodes| !nodes.is_empty())
}
