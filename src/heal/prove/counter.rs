//! The counter-test: a copy of the test without the healed step, which must fail.

use std::collections::BTreeMap;

use camino::Utf8Path;

use crate::adapters::playwright::report::{Attempt, Test};
use crate::adapters::playwright::trace::{Action, Trace};
use crate::adapters::workspace::SCRATCH_TAG;
use crate::domain::failure::frames;
use crate::domain::verdict::Proof;
use crate::heal::causes::Pile;
use crate::heal::sources::{Sources, inside};
use crate::source::counter::{Scratch, StepSite, scratch};
use crate::source::locate::Shape;
use crate::source::position::offset_of;

/// The scratch copies for the root cause `index` of `pile`, made from the sources as they are with all edits in place;
/// `tag` is theirs alone.
pub(super) fn copies(pile: &Pile, index: usize, sources: &Sources<'_>, tag: &str) -> Result<Scratch, String> {
    let standing = pile.standing.get(index).ok_or("there is no such root cause")?;
    let (diagnosis, failing) = (&standing.diagnosis, &standing.failing);
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
    let project = sources.load(&entries);
    // The stack is that of the failing run: before this repair, and before those behind it.
    let edited =
        pile.standing.iter().skip(index).map(|standing| &standing.gated).find(|gated| gated.path() == frame.path);
    let old = match edited {
        Some(gated) => gated.before().to_owned(),
        None => sources.read(&frame.path).unwrap_or_default(),
    };
    let offset = offset_of(&old, frame.line, frame.column).ok_or("the stack does not fit the source")?;
    let offset = pile.carried(index, &frame.path, offset);
    let tag = format!("{SCRATCH_TAG}-{tag}");
    scratch(&project, &spec, StepSite { path: &frame.path, offset }, &tag)
}

/// The counter-test must fail, and at its own step or later: a copy that does not come so far proves nothing. `reached` says
/// whether it came so far, by its trace.
pub(super) fn judge_counter(copies: &[&Test], original: &Test, reached: impl Fn(&Attempt) -> bool) -> Proof {
    let by_title: BTreeMap<_, _> = copies.iter().map(|test| (&test.titles, *test)).collect();
    let Some(copy) = by_title.get(&original.titles) else {
        return Proof::NotApplicable("Playwright does not take the scratch copy for a test of the suite".to_owned());
    };
    if copy.passed() {
        return Proof::Failed("without the healed step the test passes as well".to_owned());
    }
    if copy.unfinished() {
        return Proof::NotRun;
    }
    let Some((attempt, problem)) = copy.attempts.iter().find_map(|attempt| Some((attempt, attempt.errors.first()?)))
    else {
        return Proof::NotApplicable("the scratch copy did not run to an error".to_owned());
    };
    if problem.message.contains("snapshot doesn't exist") {
        return Proof::NotApplicable("the test compares snapshots, which its copy does not have".to_owned());
    }
    if !reached(attempt) {
        return Proof::NotApplicable("the copy of the test fails before it comes to the healed step".to_owned());
    }
    Proof::Held("the test fails without the healed step, as it must".to_owned())
}

/// Whether a copy came as far as the step at `index` of `original`: all calls before it worked in the copy as well, and the
/// copy went on to another call, or failed on the step's line of the test or below it. Calls are told by method and line,
/// which the copy keeps.
pub(super) fn came_so_far(
    (original, index): (&Trace, usize),
    copy: &Trace,
    root: &Utf8Path,
    failed_at: Option<u32>,
) -> bool {
    let calls = |actions: &[Action], only_passed: bool| {
        let mut count: BTreeMap<(String, u32), usize> = BTreeMap::new();
        for action in actions.iter().filter(|action| !(only_passed && action.failed_or_pending())) {
            if let Some(line) = lines(action, root).first() {
                *count.entry((action.method.clone(), *line)).or_default() += 1;
            }
        }
        count
    };
    let before = calls(original.actions.get(..index).unwrap_or_default(), true);
    let (worked, all) = (calls(&copy.actions, true), calls(&copy.actions, false));
    let is_whole = before.iter().all(|(call, times)| worked.get(call).is_some_and(|found| found >= times));
    let beyond = all.values().sum::<usize>() > before.values().sum::<usize>();
    let step = original.actions.get(index).and_then(|action| lines(action, root).last().copied());
    let below = matches!((failed_at, step), (Some(at), Some(step)) if at >= step);
    is_whole && (beyond || below)
}

/// The lines of a call's stack inside the project, innermost first.
fn lines(action: &Action, root: &Utf8Path) -> Vec<u32> {
    action
        .stack
        .iter()
        .filter(|frame| inside(root, Utf8Path::new(&frame.file)).is_some())
        .map(|frame| frame.line)
        .collect()
}

/// The line of the copy itself on which an attempt failed: the outermost frame of its stack there.
pub(super) fn failed_line(attempt: &Attempt, copy: &Utf8Path) -> Option<u32> {
    let stack = attempt.errors.first().map(|problem| frames(&problem.message)).unwrap_or_default();
    let stack = if stack.is_empty() { attempt.stack.as_deref().map(frames).unwrap_or_default() } else { stack };
    let outermost = stack.iter().rfind(|frame| *copy == *frame.file).map(|frame| frame.line);
    let thrown = attempt.location.as_ref().filter(|at| *copy == *at.file).map(|at| at.line);
    outermost.or(thrown)
}
