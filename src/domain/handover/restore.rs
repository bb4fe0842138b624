//! A swap as a report keeps it has no secrets; made whole again by the line as it stands in the repository.

use super::Swap;
use crate::domain::redact::MARK;

/// `swap` with what was taken out of it, as `line` (the line before the swap, as it is) has it. A swap from which nothing was
/// taken is itself. `None` where the line is another one.
pub fn restored(swap: &Swap, line: &str) -> Option<Swap> {
    if !swap.before.contains(MARK) && !swap.after.contains(MARK) {
        return Some(swap.clone());
    }
    let (before, kinds) = pieces(&swap.before);
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
    let (after, same) = pieces(&swap.after);
    let whole = rest.is_empty() && (same.is_empty() || same == kinds);
    let secrets = taken.into_iter().take(same.len()).chain([""]);
    let text = after.into_iter().zip(secrets).flat_map(|(piece, secret)| [piece, secret]).collect();
    whole.then(|| Swap { before: line.to_owned(), after: text, ..swap.clone() })
}

/// `swap` without its secrets, as `clean` takes them out of one line. Where the line before is not enough to make it whole
/// again, the marks of the line after say so, and [`restored`] refuses it.
pub fn kept(swap: &Swap, mut clean: impl FnMut(&str) -> String) -> Swap {
    let mut kept = Swap { before: clean(&swap.before), after: clean(&swap.after), ..swap.clone() };
    if restored(&kept, &swap.before).as_ref() != Some(swap) {
        kept.after = kept.after.replace(&format!("{MARK}:"), &format!("{MARK}:another "));
    }
    kept
}

/// What stands around the marks of what was taken out, and what the marks say.
fn pieces(text: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut pieces, mut marks) = (Vec::new(), Vec::new());
    let mut rest = text;
    while let Some((before, mark)) = rest.split_once(MARK) {
        let Some((kind, behind)) = mark.split_once(']') else { break };
        pieces.push(before);
        marks.push(kind);
        rest = behind;
    }
    pieces.push(rest);
    (pieces, marks)
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
            ("fill('[redacted:a]')", "go('[redacted:b]')", "fill('tulip')", None),
        ] {
            assert_eq!(restored(&swap(before, after), line).map(|swap| swap.after).as_deref(), expected, "{before}");
        }
    }
    #[test]
    fn a_swap_that_the_line_cannot_make_whole_says_so_and_is_refused() {
        let clean = |text: &str| {
            ["1", "2", "ab"].iter().fold(text.to_owned(), |text, value| text.replace(value, "[redacted:v]"))
        };
        for (before, after, expected) in [
            ("go('/x?a=1')", "go('/y?a=1')", "go('/y?a=[redacted:v]')"),
            ("go('/x?a=1')", "go('/x?a=2')", "go('/x?a=[redacted:another v]')"),
            ("go('1', '2')", "go('2', '1')", "go('[redacted:another v]', '[redacted:another v]')"),
            ("go('1')", "go('1', '1')", "go('[redacted:another v]', '[redacted:another v]')"),
            ("go('x')", "go('1')", "go('[redacted:another v]')"),
            ("go('1')", "go('x')", "go('x')"),
            ("go('x')", "go('y')", "go('y')"),
        ] {
            let kept = kept(&swap(before, after), clean);
            assert_eq!(kept.after, expected);
            let back = restored(&kept, before);
            assert!(back.is_none_or(|back| back == swap(before, after)), "{before}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_made_whole_again_is_what_was_kept(before in "[abxy12]{0,9}", after in "[abxy12]{0,9}") {
            let clean = |text: &str| text.replace("ab", "[redacted:v]").replace("12", "[redacted:w]");
            let swap = swap(&before, &after);
            let back = restored(&kept(&swap, clean), &before);
            proptest::prop_assert!(back.is_none_or(|back| back == swap));
        }
    }
}
