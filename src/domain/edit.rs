//! An edit of one file: a byte range and what replaces it, the whole text before and after, and how to show it.
//!
//! Judges nothing; [`crate::domain::gate`] does.

use std::ops::Range;

use similar::TextDiff;

/// A file's text before and after an edit that somebody proposes. Not yet judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedEdit {
    /// The file, relative to the project root.
    pub path: String,
    /// The whole text as it is.
    pub before: String,
    /// The whole text as it would be.
    pub after: String,
}

impl ProposedEdit {
    /// The edit that replaces the bytes of `range` by `replacement`. `None` where the range does not fit the text.
    pub fn replacing(path: &str, before: &str, range: Range<usize>, replacement: &str) -> Option<Self> {
        let head = before.get(..range.start)?;
        let tail = before.get(range.end..)?;
        before.get(range)?;
        Some(Self { path: path.to_owned(), before: before.to_owned(), after: format!("{head}{replacement}{tail}") })
    }

    /// The edit as a unified diff with three lines around it, as `git apply` takes it.
    pub fn unified_diff(&self) -> String {
        unified_diff(&self.path, &self.before, &self.after)
    }
}

/// The difference of two texts as a unified diff with three lines around it, as `git apply` takes it.
pub fn unified_diff(path: &str, before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(3)
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::ProposedEdit;

    #[test]
    fn a_range_that_cuts_a_character_is_no_edit() {
        assert_eq!(ProposedEdit::replacing("a.ts", "'ß'", 2..3, "x"), None);
        assert_eq!(ProposedEdit::replacing("a.ts", "ab", 1..9, "x"), None);
    }

    #[test]
    fn the_diff_names_the_file_and_the_line() {
        let edit = ProposedEdit::replacing("t/a.ts", "one\ntwo\nthree\n", 4..7, "2").unwrap();
        assert_eq!(edit.after, "one\n2\nthree\n");
        assert_eq!(edit.unified_diff(), "--- a/t/a.ts\n+++ b/t/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    }
}
