//! One list of actions out of all event files: the test runner's steps joined with the library's calls.

use std::collections::HashMap;

use super::context::{Call, Context, snapshot_name};
use super::model::{Action, TestPart};
use super::snapshots::Snapshots;

/// The first trace format that names snapshots by call and phase.
const PHASES_SINCE: u32 = 9;

/// An action with what is still needed to place it.
struct Placed {
    action: Action,
    /// The event file it is from.
    file: usize,
    parent: Option<(usize, String)>,
}

/// Joins the calls of all event files, in order of their beginning.
pub(super) fn join(contexts: &mut [Context], snapshots: &Snapshots) -> Vec<Action> {
    align_clocks(contexts);
    let mut placed = Vec::new();
    let mut names: HashMap<(usize, String), usize> = HashMap::new();
    let mut by_step: HashMap<String, Vec<usize>> = HashMap::new();
    for (file, context) in contexts.iter_mut().enumerate().filter(|(_, context)| context.is_library()) {
        for call in std::mem::take(&mut context.calls) {
            let at = placed.len();
            names.insert((file, call.action.call_id.clone()), at);
            by_step.entry(call.step).or_default().push(at);
            let mut action = call.action;
            name_snapshots(&mut action, context.version, snapshots);
            placed.push(Placed { action, file, parent: parent(file, call.parent) });
        }
    }
    for (file, context) in contexts.iter_mut().enumerate() {
        let steps = std::mem::take(&mut context.calls);
        let mut uses: HashMap<String, usize> = HashMap::new();
        for step in &steps {
            *uses.entry(step.step.clone()).or_default() += 1;
        }
        for step in steps {
            // Where several steps go by one name and time, they are the calls of that name in their order.
            let alone = uses.get(&step.step) == Some(&1);
            let calls: Vec<usize> = match by_step.get_mut(&step.step) {
                Some(calls) if alone => std::mem::take(calls),
                Some(calls) if !calls.is_empty() => vec![calls.remove(0)],
                _ => Vec::new(),
            };
            let at = calls.first().copied().unwrap_or(placed.len());
            names.insert((file, step.action.call_id.clone()), at);
            for &call in &calls {
                if let Some(call) = placed.get_mut(call) {
                    merge(call, file, &step);
                }
            }
            if calls.is_empty() {
                placed.push(Placed { action: step.action, file, parent: parent(file, step.parent) });
            }
        }
    }
    sort(placed, &names)
}

fn parent(file: usize, id: String) -> Option<(usize, String)> {
    (!id.is_empty()).then_some((file, id))
}

/// Formats 9 and later name the snapshots of a call by its id.
fn name_snapshots(action: &mut Action, version: Option<u32>, snapshots: &Snapshots) {
    if version.is_some_and(|version| version >= PHASES_SINCE) {
        let named = |phase| Some(snapshot_name(phase, &action.call_id)).filter(|name| snapshots.has(name));
        (action.before, action.input, action.after) = (named("before"), named("action"), named("after"));
    }
    if action.page_id.is_empty() {
        let names = [&action.before, &action.input, &action.after];
        let page = names.into_iter().flatten().find_map(|name| snapshots.named(name).next());
        action.page_id = page.map(|snapshot| snapshot.page.clone()).unwrap_or_default();
    }
}

/// Adds to a call what the test runner knows of it.
fn merge(call: &mut Placed, file: usize, step: &Call) {
    let (action, own) = (&mut call.action, &step.action);
    action.step_error.clone_from(&own.step_error);
    action.attachments.extend(own.attachments.iter().cloned());
    if action.stack.is_empty() {
        action.stack.clone_from(&own.stack);
    }
    if action.title.is_empty() {
        action.title.clone_from(&own.title);
    }
    (action.start, action.end) = (own.start, own.end.or(action.end));
    if let Some(parent) = parent(file, step.parent.clone()) {
        call.parent = Some(parent);
    }
}

/// Sorts by beginning, a step before what is inside it, and turns the ids of parents into positions.
fn sort(placed: Vec<Placed>, names: &HashMap<(usize, String), usize>) -> Vec<Action> {
    let parents: Vec<Option<usize>> = placed
        .iter()
        .enumerate()
        .map(|(at, placed)| {
            let own = placed.parent.as_ref().and_then(|parent| names.get(parent));
            let foreign = || names.get(&(placed.file, placed.parent.as_ref()?.1.clone()));
            own.or_else(foreign).copied().filter(|&parent| parent != at)
        })
        .collect();
    let depth = |at: usize| {
        // A chain of parents longer than this is a ring.
        std::iter::successors(parents.get(at).copied().flatten(), |&up| parents.get(up).copied().flatten())
            .take(1_000)
            .count()
    };
    let mut order: Vec<(usize, Placed)> = placed.into_iter().enumerate().collect();
    order.sort_by(|(a, left), (b, right)| {
        left.action.start.total_cmp(&right.action.start).then_with(|| depth(*a).cmp(&depth(*b))).then(a.cmp(b))
    });
    let mut position = vec![0; order.len()];
    for (now, (was, _)) in order.iter().enumerate() {
        if let Some(slot) = position.get_mut(*was) {
            *slot = now;
        }
    }
    let mut actions: Vec<Action> = Vec::with_capacity(order.len());
    for (was, placed) in order {
        let parent = parents.get(was).copied().flatten().and_then(|parent| position.get(parent)).copied();
        // A parent begins before its children; anything else is damage.
        let parent = parent.filter(|&parent| parent < actions.len());
        let above = parent.and_then(|parent| actions.get(parent));
        let part = above.map_or_else(|| part(&placed.action), |above| above.part);
        actions.push(Action { parent, part, ..placed.action });
    }
    actions
}

/// The part of the test that a step at the top stands for.
fn part(action: &Action) -> TestPart {
    match action.title.as_str() {
        _ if !action.is_step() => TestPart::Body,
        "Before Hooks" => TestPart::BeforeHooks,
        "After Hooks" => TestPart::AfterHooks,
        "Worker Cleanup" => TestPart::WorkerCleanup,
        _ => TestPart::Body,
    }
}

/// Brings the clocks of all browser contexts to that of the test runner.
fn align_clocks(contexts: &mut [Context]) {
    let origin = contexts.iter().filter(|context| !context.is_library()).find_map(Context::clock_origin);
    let Some(origin) = origin else { return };
    for context in contexts.iter_mut().filter(|context| context.is_library()) {
        let Some(own) = context.clock_origin() else { continue };
        let shift = own - origin;
        for call in &mut context.calls {
            call.action.start += shift;
            call.action.end = call.action.end.map(|end| end + shift);
        }
        context.console.iter_mut().for_each(|message| message.time += shift);
        context.requests.iter_mut().for_each(|request| request.time += shift);
        context.screencast.iter_mut().for_each(|picture| picture.time += shift);
    }
}

impl Context {
    /// Wall clock minus monotonic clock, in ms. Up to format 6 only the calls tell.
    fn clock_origin(&self) -> Option<f64> {
        let first =
            || self.calls.iter().find(|call| call.wall_time > 0.0).map(|call| (call.wall_time, call.action.start));
        let stated = self.options.wall_time.zip(self.options.monotonic_time);
        let (wall, monotonic) = stated.or_else(first).filter(|&(wall, monotonic)| wall > 0.0 && monotonic > 0.0)?;
        Some(wall - monotonic)
    }
}
