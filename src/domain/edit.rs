//! How an edit of one file is shown. Judges nothing; [`crate::domain::gate`] does.

use similar::TextDiff;

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
    use super::unified_diff;

    #[test]
    fn the_diff_names_the_file_and_the_line() {
        let diff = unified_diff("t/a.ts", "one\ntwo\nthree\n", "one\n2\nthree\n");
        assert_eq!(diff, "--- a/t/a.ts\n+++ b/t/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    }
}
