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

/// Takes the one line that says `after` back to `before`.
pub fn line_taken_back(text: &[u8], before: &str, after: &str) -> TakenBack {
    let bare =
        |line: &[u8]| line.strip_suffix(b"\n").map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line)).len();
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let saying = |wanted: &str| {
        let wanted = wanted.trim_end_matches(['\r', '\n']).as_bytes();
        let said = lines.iter().enumerate().filter(move |(_, line)| line.get(..bare(line)) == Some(wanted));
        said.map(|(at, _)| at).collect::<Vec<_>>()
    };
    match (saying(after).as_slice(), saying(before).is_empty()) {
        ([at], _) => {
            let mut new = Vec::with_capacity(text.len());
            for (number, line) in lines.iter().enumerate() {
                if number == *at {
                    new.extend_from_slice(before.trim_end_matches(['\r', '\n']).as_bytes());
                    new.extend_from_slice(line.get(bare(line)..).unwrap_or_default());
                } else {
                    new.extend_from_slice(line);
                }
            }
            TakenBack::Text(new)
        }
        ([], false) => TakenBack::Already,
        _ => TakenBack::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::{TakenBack, line_taken_back, unified_diff};

    #[test]
    fn one_line_is_taken_back_and_every_other_byte_stays() {
        let text = |text: &str| TakenBack::Text(text.as_bytes().to_vec());
        for (now, expected) in [
            ("x\nnew\ny\n", text("x\nold\ny\n")),
            ("x\r\nnew\r\ny", text("x\r\nold\r\ny")),
            ("new", text("old")),
            ("\u{feff}a\n\n\nnew\n", text("\u{feff}a\n\n\nold\n")),
            ("old\nnew\n", text("old\nold\n")),
            ("x\nold\n", TakenBack::Already),
            ("new\nnew\n", TakenBack::Unclear),
            (" new\n", TakenBack::Unclear),
            ("", TakenBack::Unclear),
        ] {
            assert_eq!(line_taken_back(now.as_bytes(), "old", "new"), expected, "{now:?}");
        }
    }

    #[test]
    fn the_diff_names_the_file_and_the_line() {
        let diff = unified_diff("t/a.ts", "one\ntwo\nthree\n", "one\n2\nthree\n");
        assert_eq!(diff, "--- a/t/a.ts\n+++ b/t/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    }
}
