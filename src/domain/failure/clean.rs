//! Takes off what terminals, CI systems and copying did to a text: colours, escapes, prefixes, joined lines.
//!
//! The result is Playwright's text with one line per line. Never decides anything about the failure.

use std::borrow::Cow;

use super::decode;
use super::one_line;
use super::prefix;
use super::site::{self, SourceSite};

/// The longest text that is read, in bytes; what stands behind is not looked at, and the text counts as cut.
pub const MAX_TEXT: usize = 1 << 20;

/// A text without decoration.
#[derive(Debug)]
pub(crate) struct Cleaned<'t> {
    /// The lines as Playwright printed them, separated by line feeds.
    pub(crate) text: Cow<'t, str>,
    /// Whether there was more than [`MAX_TEXT`].
    pub(crate) cut: bool,
    /// Whether a text on a single line was taken apart into lines, which is guesswork.
    pub(crate) rejoined: bool,
    /// Whether the text is a GitHub annotation, which shows one error of a result that may have several.
    pub(crate) annotation: bool,
    /// The place a GitHub annotation or a pytest line names.
    pub(crate) site: Option<SourceSite>,
}

/// Cleans `text`.
pub(crate) fn clean(text: &str) -> Cleaned<'_> {
    let (kept, cut) = capped(text);
    let mut cleaned = Cleaned { text: Cow::Borrowed(kept), cut, rejoined: false, annotation: false, site: None };
    cleaned.apply(decode::carriage_returns);
    cleaned.apply(decode::json);
    cleaned.apply(decode::html);
    cleaned.apply(decode::colours);
    cleaned.apply(prefix::strip);
    cleaned.apply(prefix::markers);
    if let Some((text, site)) = site::annotations(&cleaned.text) {
        cleaned.text = Cow::Owned(text);
        cleaned.annotation = true;
        cleaned.site = site;
    }
    if let Some((errors, site)) = prefix::pytest(&cleaned.text) {
        cleaned.text = Cow::Owned(errors);
        cleaned.site = site;
    }
    if let Some(lines) = one_line::split(&cleaned.text) {
        cleaned.text = Cow::Owned(lines);
        cleaned.rejoined = true;
    }
    cleaned
}

impl Cleaned<'_> {
    /// Replaces the text by what `step` makes of it; `None` means that there was nothing to do.
    fn apply(&mut self, step: impl Fn(&str) -> Option<String>) {
        if let Some(text) = step(&self.text) {
            self.text = Cow::Owned(text);
        }
    }
}

fn capped(text: &str) -> (&str, bool) {
    if text.len() <= MAX_TEXT {
        return (text, false);
    }
    let end = text.floor_char_boundary(MAX_TEXT);
    (text.get(..end).unwrap_or_default(), true)
}

#[cfg(test)]
mod tests {
    use super::{MAX_TEXT, clean};

    fn check(text: &str, expected: &str) {
        assert_eq!(clean(text).text, expected, "{text:?}");
    }

    #[test]
    fn a_plain_text_is_borrowed() {
        assert!(matches!(clean("Error: no\n  at x").text, std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn colours_and_carriage_returns_go() {
        check("\u{1b}[2mexpect(\u{1b}[22m\u{1b}[31mreceived\u{1b}[39m\r\nx", "expect(received\nx");
        check("[2mexpect([22m[31mreceived[39m", "expect(received");
    }

    #[test]
    fn the_prefix_of_every_line_goes() {
        check("2026-11-30T11:11:00.1234567Z Error: a\n2026-11-30T11:11:01.1Z   at b", "Error: a\n  at b");
        check("@shop/e2e:test:     Error: a\n@shop/e2e:test:\n@shop/e2e:test:   b", "    Error: a\n\n  b");
        check("[playwright] Error: a\n[playwright]   b", "Error: a\n  b");
        check("@theia/playwright: Error: a\n@theia/playwright:   b", "Error: a\n  b");
        check("[pkg]: Error: a\n[pkg]:   b", "Error: a\n  b");
        check("#15 12.34 Error: a\n#15 12.35   b", "Error: a\n  b");
        check("2026-11-30T11:11:00+00:00 ##[error]Error: a\n2026-11-30T11:11:00+00:00   b", "Error: a\n  b");
        check("::error::Error: a%0A  b", "Error: a\n  b\n\n");
    }

    #[test]
    fn a_word_that_only_the_first_line_has_is_no_prefix() {
        check("[a] Error: b\nc", "[a] Error: b\nc");
        check("a/b: c\nd", "a/b: c\nd");
    }

    #[test]
    fn a_text_escaped_for_json_or_html_is_read_as_it_was() {
        check(
            r#"TimeoutError: locator.click: Timeout 1ms exceeded.\nCall log:\n  - waiting for getByText('\"O\\'Brien\"')"#,
            "TimeoutError: locator.click: Timeout 1ms exceeded.\nCall log:\n  - waiting for getByText('\"O\\'Brien\"')",
        );
        check("<pre>locator.click: &#x27;a&#x27; &lt;b&gt;\n&quot;c&quot;</pre>", "locator.click: 'a' <b>\n\"c\"");
    }

    #[test]
    fn a_text_beyond_the_limit_counts_as_cut() {
        let long = "é".repeat(MAX_TEXT);
        let cleaned = clean(&long);
        assert!(cleaned.cut);
        assert!(cleaned.text.len() <= MAX_TEXT);
    }
}
