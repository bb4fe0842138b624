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
    /// `before` is how those that are red ended without any edit. `None` where one of them came to no end.
    pub(super) fn judge(&self, before: &[Test], name: impl Fn(&Test) -> String) -> Option<Proof> {
        let Self { ran, tail } = self;
        if ran.iter().any(|test| test.unfinished()) {
            return None;
        }
        let count = ran.len();
        let plural = if count == 1 { "test that uses" } else { "tests that use" };
        let red: Vec<&Test> = ran.iter().copied().filter(|test| test.failed()).collect();
        let red_before = |test: &&Test| before.iter().any(|old| old.is_same(test) && old.failed());
        let (before, broke): (Vec<&Test>, Vec<&Test>) = red.into_iter().partition(red_before);
        let names = |tests: &[&Test]| tests.iter().map(|test| name(test)).collect::<Vec<_>>().join(", ");
        Some(if count == 0 {
            Proof::Held(format!("no other test uses the line{tail}"))
        } else if !broke.is_empty() {
            Proof::Failed(format!("with the new line these fail, with the old one they pass: {}", names(&broke)))
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
