//! Where in the test's source a failure happened: stack frames, annotations, pytest's last line.
//!
//! A place read here is text out of a report: it is shown, and looked up in the project by others, never opened.

use super::decode;

/// A place in a source file, as printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSite {
    /// The file, with the separators of the system that printed it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, where it was printed.
    pub column: Option<u32>,
}

/// All places in the user's code that the stack frames of a text name, innermost first.
pub fn frames(text: &str) -> Vec<SourceSite> {
    text.lines().filter_map(frame).collect()
}

/// The place of a JavaScript stack frame, `at fn (file:12:3)` or `at file:12:3`, if it is the user's code.
pub(super) fn frame(line: &str) -> Option<SourceSite> {
    let place = line.trim_start().strip_prefix("at ")?.trim_end();
    let place = match place.strip_suffix(')') {
        Some(inner) if is_path(inner) => inner,
        Some(inner) => inner.split_once(" (").or_else(|| inner.rsplit_once('(')).map_or(inner, |(_, place)| place),
        None => place.strip_prefix("async ").unwrap_or(place),
    };
    let site = position(place)?;
    let foreign = ["node_modules", "node:", "<anonymous>", "internal/", "eval at ", "/package/lib/"];
    (!foreign.iter().any(|part| site.file.contains(part))).then_some(site)
}

/// The file of a frame whose path has a bracket behind a blank, as in `/home/ada/shop (1)/a.spec.ts`: Playwright takes what is
/// before that bracket for the name of a function, and the rest for the file. `None` where nothing was cut.
pub fn rejoined(function: &str, file: &str) -> Option<String> {
    let start = if is_path(function) { 0 } else { function.find(" (").map(|at| at + 2)? };
    let start = function.get(start..).filter(|start| is_path(start))?;
    is_cut(file).then(|| format!("{start} ({file}"))
}

/// Whether the beginning of the path was taken for the name of a function: it closes a bracket that it does not open.
pub fn is_cut(file: &str) -> bool {
    file.find(')').is_some_and(|close| !file.get(..close).unwrap_or_default().contains('('))
}

/// Whether a text begins as an absolute path does.
fn is_path(text: &str) -> bool {
    let drive = || text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && text.get(1..3) == Some(":\\");
    text.starts_with('/') || text.starts_with("file://") || drive()
}

/// Splits `file:12:3` or `file:12`; a drive letter stays with the file.
fn position(place: &str) -> Option<SourceSite> {
    let (rest, last) = place.rsplit_once(':')?;
    let last = last.parse().ok()?;
    let (file, line, column) = match rest.rsplit_once(':').map(|(file, line)| (file, line.parse::<u32>())) {
        Some((file, Ok(line))) => (file, line, Some(last)),
        _ => (rest, last, None),
    };
    let file = file.strip_prefix("file://").unwrap_or(file);
    (file.contains('.') && !file.contains(['<', '>', '"'])).then(|| SourceSite { file: file.to_owned(), line, column })
}

/// The text of GitHub annotations, `::error file=a.ts,line=1,col=2::text`, and the place the first of them names.
///
/// `None` when no line is an annotation.
pub(super) fn annotations(text: &str) -> Option<(String, Option<SourceSite>)> {
    if !text.contains("::error") {
        return None;
    }
    let mut place = None;
    let mut found = false;
    let mut plain = String::with_capacity(text.len());
    for line in text.lines() {
        if let Some((body, site)) = annotation(line) {
            found = true;
            place = place.or(site);
            plain.push_str(&decode::percent(body));
            plain.push('\n');
        } else {
            plain.push_str(line);
        }
        plain.push('\n');
    }
    found.then_some((plain, place))
}

fn annotation(line: &str) -> Option<(&str, Option<SourceSite>)> {
    let rest = line.trim_start().strip_prefix("::error")?;
    if let Some(body) = rest.strip_prefix("::") {
        return Some((body, None));
    }
    let rest = rest.strip_prefix(' ')?;
    // The title may hold single colons, never two in a row: those are escaped.
    let (head, body) = rest.split_once("::")?;
    let value = |key: &str| head.split(',').find_map(|field| field.trim_start().strip_prefix(key)?.strip_prefix('='));
    let site = value("file").zip(value("line").and_then(|line| line.parse().ok())).map(|(file, line)| SourceSite {
        file: file.to_owned(),
        line,
        column: value("col").and_then(|column| column.parse().ok()),
    });
    Some((body, site))
}

/// The place in a line such as `tests/test_cart.py:12: TimeoutError`.
pub(super) fn pytest(line: &str) -> Option<SourceSite> {
    let (place, _) = line.trim().split_once(": ").or_else(|| line.trim().rsplit_once(':'))?;
    let site = position(place)?;
    (site.file.rsplit_once('.').is_some_and(|(_, end)| end == "py")
        && !site.file.contains("site-packages")
        && !site.file.contains(' '))
    .then_some(site)
}

#[cfg(test)]
mod tests {
    use super::{SourceSite, annotations, frame, pytest, rejoined};

    fn site(file: &str, line: u32, column: Option<u32>) -> SourceSite {
        SourceSite { file: file.to_owned(), line, column }
    }

    #[test]
    fn a_stack_frame_names_file_line_and_column() {
        assert_eq!(frame("    at /repo/a.spec.ts:3:14"), Some(site("/repo/a.spec.ts", 3, Some(14))));
        assert_eq!(frame("  at Page.open (C:\\repo\\a.ts:17:45)"), Some(site("C:\\repo\\a.ts", 17, Some(45))));
        assert_eq!(frame("   at ../pages/login.ts:17"), Some(site("../pages/login.ts", 17, None)));
        assert_eq!(frame(" at f (/my shop (1)/a.ts:3:4)"), Some(site("/my shop (1)/a.ts", 3, Some(4))));
        assert_eq!(frame(" at /my shop (1)/a.ts:3:4"), Some(site("/my shop (1)/a.ts", 3, Some(4))));
        assert_eq!(frame(" at /my shop (1)/a.ts:3:4)"), Some(site("/my shop (1)/a.ts", 3, Some(4))));
        assert_eq!(frame("\tat shop.CartTest.pay(CartTest.java:31)"), Some(site("CartTest.java", 31, None)));
    }

    #[test]
    fn a_path_that_was_cut_at_a_bracket_is_joined_again() {
        for (function, file, whole) in [
            ("/my shop", "1)/a.ts", Some("/my shop (1)/a.ts")),
            ("Page.open (/my shop", "1)/a (2).ts", Some("/my shop (1)/a (2).ts")),
            ("C:\\my shop", "1)\\a.ts", Some("C:\\my shop (1)\\a.ts")),
            ("Page.open", "/my/a (2).ts", None),
            ("Page.open", "1)/a.ts", None),
            ("", "/my shop/a.ts", None),
        ] {
            assert_eq!(rejoined(function, file).as_deref(), whole, "{function} ({file}");
        }
    }

    #[test]
    fn frames_of_node_and_of_the_page_are_nobodys_code() {
        assert_eq!(frame("at Object.queryAll (<anonymous>:37:26)"), None);
        assert_eq!(frame("at x (/repo/node_modules/playwright/lib/a.js:1:2)"), None);
        assert_eq!(frame("at async Promise.all (index 0)"), None);
        assert_eq!(frame("at process (node:internal/x.js:1:2)"), None);
    }

    #[test]
    fn an_annotation_names_its_place_and_hands_on_its_text() {
        let (body, place) =
            annotations("::error file=a.ts,title=[x] › a.ts:1:2 › b,line=7,col=9::  1) no%0Ax").unwrap();
        assert_eq!((body.as_str(), place), ("  1) no\nx\n\n", Some(site("a.ts", 7, Some(9)))));
    }

    #[test]
    fn pytest_names_the_place_in_its_last_line() {
        assert_eq!(pytest("tests/test_cart.py:12: TimeoutError"), Some(site("tests/test_cart.py", 12, None)));
        assert_eq!(pytest("x: 12"), None);
    }
}
