//! Small questions about one line of a failure text.

/// A duration in milliseconds, `1500ms` or `686.29ms`, at the start of `text`, and what stands behind it.
pub(crate) fn milliseconds(text: &str) -> Option<(f64, &str)> {
    let unit = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, rest) = text.split_at(unit);
    Some((number.parse().ok()?, rest.strip_prefix("ms")?))
}

/// How many names of error classes are taken off one line.
const MAX_NAMES: usize = 4;

/// What stands behind the names of error classes at the start of a line, `TimeoutError: Error: …`, and how many there were.
pub(crate) fn without_error_names(line: &str) -> (&str, usize) {
    let mut rest = line.trim_start();
    let mut names = 0;
    while names < MAX_NAMES
        && let Some(behind) = error_name(rest)
    {
        rest = behind;
        names += 1;
    }
    (rest, names)
}

/// What stands behind `Error: `, `package.TimeoutError: ` or `System.TimeoutException : `.
fn error_name(line: &str) -> Option<&str> {
    let colon = line.match_indices(':').find_map(|(at, colon)| {
        let behind = line.get(at + colon.len()..)?;
        (behind.is_empty() || behind.starts_with([' ', '“'])).then_some(at)
    })?;
    let (name, behind) = line.split_at_checked(colon)?;
    let name = name.trim_end();
    let class = name.ends_with("Error") || name.ends_with("Exception");
    let word = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'$'));
    (class && word).then(|| behind.trim_start_matches([':', ' ', '“']))
}

/// Whether the line belongs to a code frame: `  46 |   await …`, `> 46 |`, `     |     ^`.
pub(crate) fn is_code_frame(trimmed: &str) -> bool {
    let rest = trimmed.strip_prefix('>').map_or(trimmed, str::trim_start);
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    match behind.strip_prefix(" |").or_else(|| behind.strip_prefix('|')) {
        Some(code) if behind.len() < rest.len() => code.is_empty() || code.starts_with(' '),
        Some(marker) => marker.trim_start_matches([' ', '^']).is_empty() && marker.contains('^'),
        None => false,
    }
}

/// Whether the line is a frame of a stack: `at fn (file:1:2)`, `at file:1:2`.
pub(crate) fn is_stack_frame(trimmed: &str) -> bool {
    let Some(place) = trimmed.strip_prefix("at ") else { return false };
    let place = place.strip_suffix(')').unwrap_or(place);
    let digits = place.trim_end_matches(|c: char| c.is_ascii_digit());
    digits.len() < place.len() && digits.ends_with(':')
        || place.ends_with("<anonymous>")
        || place.ends_with("(index 0")
        || place.ends_with("(native")
}

/// Where a stack begins in a text on one line.
pub(super) fn stack_start(text: &str) -> Option<usize> {
    text.match_indices(" at ").map(|(at, _)| at).find(|at| {
        let place = text.get(at + 4..).unwrap_or_default().split(' ').next().unwrap_or_default();
        is_stack_frame(&format!("at {place}"))
    })
}

/// Whether the line is a ruler of `=`, `-` or box-drawing characters, possibly behind a title.
pub(crate) fn ends_in_ruler(trimmed: &str) -> bool {
    ["====", "────", "----"].iter().any(|ruler| trimmed.ends_with(ruler))
}

#[cfg(test)]
mod tests {
    use super::{is_code_frame, is_stack_frame, milliseconds, without_error_names};

    #[test]
    fn a_duration_may_have_a_fraction() {
        assert_eq!(milliseconds("686.29ms exceeded"), Some((686.29, " exceeded")));
        assert_eq!(milliseconds("1500ms"), Some((1500.0, "")));
        assert_eq!(milliseconds("ms"), None);
        assert_eq!(milliseconds("1.2.3ms"), None);
    }

    #[test]
    fn names_of_error_classes_are_not_the_message() {
        assert_eq!(
            without_error_names("playwright._impl._errors.TimeoutError: Locator.click: x"),
            ("Locator.click: x", 1)
        );
        assert_eq!(without_error_names("System.TimeoutException : Timeout"), ("Timeout", 1));
        assert_eq!(without_error_names("TimeoutError: Error: a: b"), ("a: b", 2));
        assert_eq!(without_error_names("no Error: here"), ("no Error: here", 0));
    }

    #[test]
    fn a_code_frame_is_known_by_its_bar() {
        for line in ["46 |   await x;", "> 46 |", "|     ^", "46 | "] {
            assert!(is_code_frame(line), "{line:?}");
        }
        for line in ["| Error: x", "46", "- waiting for locator('a |b')", "5 × locator", "|"] {
            assert!(!is_code_frame(line), "{line:?}");
        }
    }

    #[test]
    fn a_stack_frame_ends_in_a_position() {
        assert!(is_stack_frame("at CartPage.open (/repo/a.ts:1:2)"));
        assert!(is_stack_frame("at Object.queryAll (<anonymous>:37:26)"));
        assert!(!is_stack_frame("at 12:30 we meet"));
        assert!(!is_stack_frame("attempting click action"));
    }
}
