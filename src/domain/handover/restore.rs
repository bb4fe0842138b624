//! A swap as a report keeps it has no secrets; made whole again by the line as it stands in the repository.

use super::Swap;
use crate::domain::redact::MARK;

/// `swap` with what was taken out of it, as `line` (the line before the swap, as it is) has it. A swap from which nothing was
/// taken is itself. `None` where the line is another one.
pub fn restored(swap: &Swap, line: &str) -> Option<Swap> {
    if !swap.before.contains(MARK) && !swap.after.contains(MARK) {
        return Some(swap.clone());
    }
    let before = pieces(&swap.before);
    let (first, others) = before.split_first()?;
    let mut rest = line.strip_prefix(first)?;
    let mut taken = Vec::new();
    for (at, piece) in others.iter().enumerate() {
        // The last piece is the end of the line; one in between is where it is first found.
        let found = if at + 1 == others.len() { rest.len().checked_sub(piece.len())? } else { rest.find(piece)? };
        let (secret, behind) = rest.split_at_checked(found)?;
        rest = behind.strip_prefix(piece)?;
        taken.push(secret);
    }
    let after = pieces(&swap.after);
    let whole = rest.is_empty() && after.len() == before.len();
    let mut text = String::new();
    for (at, piece) in after.iter().enumerate() {
        text.push_str(piece);
        text.push_str(taken.get(at).copied().unwrap_or_default());
    }
    whole.then(|| Swap { before: line.to_owned(), after: text, ..swap.clone() })
}

/// What stands around the marks of what was taken out.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, mark)) = rest.split_once(MARK) {
        let Some((_, behind)) = mark.split_once(']') else { break };
        pieces.push(before);
        rest = behind;
    }
    pieces.push(rest);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swap(before: &str, after: &str) -> Swap {
        Swap { path: "a.ts".to_owned(), line: 1, before: before.to_owned(), after: after.to_owned() }
    }

    #[test]
    fn what_was_taken_out_comes_back_from_the_line_itself() {
        for (before, after, line, expected) in [
            (
                "  fill('#a', '[redacted:typed]');",
                "  fill('#b', '[redacted:typed]');",
                "  fill('#a', 'tulip');",
                Some("  fill('#b', 'tulip');"),
            ),
            ("x[redacted:a]y[redacted:b c]z", "1[redacted:a]2[redacted:b c]3", "xAyBz", Some("1A2B3")),
            ("click('#a')", "click('#b')", "anything", Some("click('#b')")),
            ("fill('[redacted:a]')", "fill('[redacted:a]', '[redacted:a]')", "fill('tulip')", None),
            ("fill('[redacted:a]')", "go('[redacted:a]')", "full('tulip')", None),
            ("fill('[redacted:a]')", "go('[redacted:a]')", "", None),
        ] {
            assert_eq!(restored(&swap(before, after), line).map(|swap| swap.after).as_deref(), expected, "{before}");
        }
    }
}
