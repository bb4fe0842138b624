//! Everybody else who uses an edited line: which test files, and whether a red test among them speaks against the edit.

use super::super::reproduce::Failing;
use crate::adapters::playwright::report::Test;
use crate::domain::gate::GatedEdit;
use crate::domain::verdict::Proof;
use crate::heal::sources::{Sources, inside};
use crate::source::shape::tests;
use crate::source::tree::SourceFile;

/// The other tests that use an edited line, as they ended with all edits in place.
pub(super) struct Others<'t> {
    /// All that ran.
    pub(super) ran: Vec<&'t Test>,
    /// What is to be said of tests that were left out; may be empty.
    pub(super) tail: String,
}

impl Others<'_> {
    /// Whether they end as before. Tests that are red with the edit are held against it only if they are green without;
    /// `before` is how those that are red ended without any edit. One of `escalated`, which was red for a reason that no
    /// repair ends, must not be green by the edit: what it checks may be nothing any more, as where it asserts that the
    /// element is not there. `None` where one of them came to no end.
    pub(super) fn judge(
        &self,
        before: &[Test],
        escalated: &[(String, u32)],
        place: impl Fn(&Test) -> (String, u32),
    ) -> Option<Proof> {
        let Self { ran, tail } = self;
        if ran.iter().any(|test| test.unfinished()) {
            return None;
        }
        let count = ran.len();
        let plural = if count == 1 { "test that may use" } else { "tests that may use" };
        let red: Vec<&Test> = ran.iter().copied().filter(|test| test.failed()).collect();
        let red_before = |test: &&Test| before.iter().any(|old| old.is_same(test) && old.failed());
        let (before, broke): (Vec<&Test>, Vec<&Test>) = red.into_iter().partition(red_before);
        let name = |test: &&Test| {
            let (file, line) = place(test);
            format!("{file}:{line}")
        };
        let names = |tests: &[&Test]| tests.iter().map(name).collect::<Vec<_>>().join(", ");
        let turned = ran.iter().copied().filter(|test| test.passed() && escalated.contains(&place(test)));
        let turned: Vec<&Test> = turned.collect();
        Some(if count == 0 {
            Proof::Held(format!("no other test uses the line{tail}"))
        } else if !broke.is_empty() {
            Proof::Failed(format!("with the new line these fail, with the old one they pass: {}", names(&broke)))
        } else if !turned.is_empty() {
            Proof::Failed(format!(
                "red for another reason before, and green with the new line, so that what they check may be nothing any more: {}",
                names(&turned)
            ))
        } else if before.is_empty() {
            Proof::Held(format!("{count} other {plural} the line: all pass{tail}"))
        } else {
            Proof::Held(format!(
                "{count} other {plural} the line: all end as before; red before as well: {}{tail}",
                names(&before)
            ))
        })
    }
}

/// The test files, healed test's own included, in which other tests run through the edited line.
pub(super) fn users(sources: &Sources<'_>, failing: &Failing, gated: &GatedEdit) -> Vec<String> {
    let spec = inside(sources.root, &failing.test.file).unwrap_or_default();
    if gated.path() == spec && is_inside_test(gated, failing.test.line) {
        return Vec::new();
    }
    // A file that is no test is no test to Playwright either: it takes only what its `testMatch` does.
    let is_test = |path: &String| sources.read(path).is_some_and(|text| text.contains("test"));
    let mut users: Vec<String> =
        sources.graph(&spec).users_of(gated.path()).into_iter().map(|user| user.path).filter(is_test).collect();
    users.sort();
    users
}

/// Whether the edited line lies inside the test that starts on `line`, so that no other test runs through it.
fn is_inside_test(gated: &GatedEdit, line: u32) -> bool {
    let Some(file) = SourceFile::parse(gated.path(), gated.after()) else { return false };
    let edited = gated.new_range().start;
    tests(&file).iter().any(|test| test.line == line && test.body.contains(&edited) && !test.repeated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::playwright::report::{Attempt, AttemptStatus, Status};

    fn test(line: u32, passed: bool) -> Test {
        let (status, ended) = if passed {
            (Status::Expected, AttemptStatus::Passed)
        } else {
            (Status::Unexpected, AttemptStatus::Failed)
        };
        Test { line, status, attempts: vec![Attempt { status: ended, ..Attempt::default() }], ..Test::default() }
    }

    #[test]
    fn who_fails_by_the_edit_or_was_red_otherwise_and_is_green_by_it_speaks_against_it() {
        let place = |test: &Test| ("a.spec.ts".to_owned(), test.line);
        let held = |ran: &[Test], before: &[Test], escalated: &[(String, u32)]| {
            let others = Others { ran: ran.iter().collect(), tail: String::new() };
            matches!(others.judge(before, escalated, place), Some(Proof::Held(_)))
        };
        let (green, red, here) = (test(3, true), test(3, false), ("a.spec.ts".to_owned(), 3));
        assert!(held(&[], &[], std::slice::from_ref(&here)));
        assert!(held(std::slice::from_ref(&green), &[], &[]));
        assert!(held(std::slice::from_ref(&green), &[], &[("a.spec.ts".to_owned(), 9)]));
        assert!(held(std::slice::from_ref(&red), std::slice::from_ref(&red), std::slice::from_ref(&here)));
        assert!(!held(&[red], std::slice::from_ref(&green), &[]));
        assert!(!held(&[green], &[], &[here]));
    }
}
