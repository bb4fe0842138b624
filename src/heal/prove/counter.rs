//! The counter-test: a copy of the test without the healed step, which must fail.

use std::collections::BTreeMap;

use crate::adapters::playwright::report::Test;
use crate::adapters::workspace::SCRATCH_TAG;
use crate::domain::verdict::Proof;
use crate::heal::causes::Pile;
use crate::heal::scene::{Sources, inside};
use crate::source::counter::{Scratch, StepSite, scratch};
use crate::source::locate::Shape;
use crate::source::position::offset_of;
use crate::source::project::Project;
use crate::source::tsconfig::aliases_of;

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
    let mut read = |path: &str| sources.read(path);
    let aliases = aliases_of(&spec, &mut read);
    let project = Project::load(&entries, &aliases, &mut read);
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

/// The counter-test must fail, and at its own step or later: a copy that does not even load proves nothing.
pub(super) fn judge_counter(copies: &[&Test], original: &Test) -> Proof {
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
