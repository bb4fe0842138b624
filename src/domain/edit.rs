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

/// What becomes of a text when the line `after` in it is to be `before` again. Lines are compared without their ends, which stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenBack {
    /// The text with that one line changed.
    Text(Vec<u8>),
    /// The line is not there any more, and the old one is.
    Already,
    /// It cannot be told which line it is, or it is not there.
    Unclear,
}

/// Takes the line of `now` that says `after` back to `before`. `old` is the text before the edit that had changed the one into
/// the other: which line it is can only be told where `old` had the one line once and the other not at all.
pub fn line_taken_back(old: &[u8], now: &[u8], before: &str, after: &str) -> TakenBack {
    let lines: Vec<&[u8]> = now.split_inclusive(|&byte| byte == b'\n').collect();
    let was: Vec<&[u8]> = old.split_inclusive(|&byte| byte == b'\n').collect();
    if !saying(&was, after).is_empty() || saying(&was, before).len() != 1 {
        return TakenBack::Unclear;
    }
    match (saying(&lines, after).as_slice(), saying(&lines, before).len()) {
        ([at], _) => {
            let mut new = Vec::with_capacity(now.len());
            for (number, line) in lines.iter().enumerate() {
                if number == *at {
                    new.extend_from_slice(without_end(before.as_bytes()));
                    new.extend_from_slice(line.get(without_end(line).len()..).unwrap_or_default());
                } else {
                    new.extend_from_slice(line);
                }
            }
            TakenBack::Text(new)
        }
        ([], 1) => TakenBack::Already,
        _ => TakenBack::Unclear,
    }
}

/// Which of the lines say `wanted`.
fn saying(lines: &[&[u8]], wanted: &str) -> Vec<usize> {
    let wanted = without_end(wanted.as_bytes());
    lines.iter().enumerate().filter(|(_, line)| without_end(line) == wanted).map(|(at, _)| at).collect()
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::{TakenBack, line_taken_back, unified_diff};

    #[test]
    fn one_line_is_taken_back_and_every_other_byte_stays() {
        let text = |text: &str| TakenBack::Text(text.as_bytes().to_vec());
        for (old, now, expected) in [
            ("x\nold\ny\n", "x\nnew\ny\n", text("x\nold\ny\n")),
            ("old\r\ny", "x\r\nnew\r\ny", text("x\r\nold\r\ny")),
            ("old", "new", text("old")),
            ("\u{feff}a\nold\n", "\u{feff}a\n\n\nnew\n", text("\u{feff}a\n\n\nold\n")),
            ("old\n", "old\nnew\n", text("old\nold\n")),
            ("old\n", "x\nold\n", TakenBack::Already),
            ("old\n", "new\nnew\n", TakenBack::Unclear),
            ("old\n", " new\n", TakenBack::Unclear),
            ("old\n", "", TakenBack::Unclear),
            // The line that is left was never edited.
            ("old\nnew\n", "new\n", TakenBack::Unclear),
            ("old\nold\n", "mine\nold\n", TakenBack::Unclear),
            ("old\nold\n", "new\n// mine\nold\n", TakenBack::Unclear),
        ] {
            assert_eq!(line_taken_back(old.as_bytes(), now.as_bytes(), "old", "new"), expected, "{now:?}");
        }
    }

    #[test]
    fn the_diff_names_the_file_and_the_line() {
        let diff = unified_diff("t/a.ts", "one\ntwo\nthree\n", "one\n2\nthree\n");
        assert_eq!(diff, "--- a/t/a.ts\n+++ b/t/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    }
}
