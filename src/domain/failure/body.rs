//! The lines between an error's first line and its call log: what was expected, what was received, what matched.

use super::line::{milliseconds, without_error_names};
use super::log::is_closed;

/// How many alternatives of a strict mode violation are kept; Playwright prints ten.
const MAX_ALTERNATIVES: usize = 20;

/// What the block of an assertion, or of a strict mode violation, says.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a line that was seen or not, in any combination")]
pub(crate) struct Body<'t> {
    /// The locator that an assertion names.
    pub(crate) locator: Option<&'t str>,
    /// What an assertion received.
    pub(crate) received: Received<'t>,
    /// Whether the block says that nothing matched: `Error: element(s) not found`.
    pub(crate) not_found: bool,
    /// The time-out in milliseconds that the block says ran out.
    pub(crate) timeout: Option<f64>,
    /// The locator of a strict mode violation.
    pub(crate) strict: Option<&'t str>,
    /// The elements of a strict mode violation, as printed, with what Playwright proposes for each.
    pub(crate) alternatives: Vec<Alternative<'t>>,
    /// Whether the block shows a difference line by line.
    pub(crate) diff: bool,
    /// Whether the difference is between lists.
    pub(crate) list: bool,
    /// Whether a line says that page, context or browser are gone.
    pub(crate) closed: bool,
    /// Whether the matcher says that it was given something it cannot judge.
    pub(crate) misused: bool,
    /// Whether an assertion's block was seen at all: expected or received.
    pub(crate) compares: bool,
}

/// One element of a strict mode violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Alternative<'t> {
    /// The element as printed.
    pub(crate) element: &'t str,
    /// The locator behind `aka`.
    pub(crate) locator: &'t str,
}

/// What an assertion received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Received<'t> {
    /// No line says it.
    #[default]
    Unsaid,
    /// `<element(s) not found>`.
    NotFound,
    /// The same in quotes: printed for a missing element by some matchers, and for an element with that text.
    QuotedNotFound,
    /// An empty string.
    Empty,
    /// `undefined`, `None`.
    Undefined,
    /// The number 0.
    Zero,
    /// An empty list.
    EmptyList,
    /// A bare word: `hidden`, `not checked`.
    State(&'t str),
    /// Anything else.
    Value,
}

impl<'t> Body<'t> {
    /// Reads one line.
    pub(crate) fn read(&mut self, line: &'t str) {
        if let Some(violation) = strict_violation(line) {
            self.strict = Some(violation);
        } else if let Some(alternative) = Alternative::read(line) {
            if self.strict.is_some() && self.alternatives.len() < MAX_ALTERNATIVES {
                self.alternatives.push(alternative);
            }
        } else if let Some(locator) = line.strip_prefix("Locator:") {
            self.locator = self.locator.or(Some(locator.trim()));
        } else if line.starts_with("Expected") && line.contains(':') {
            self.compares = true;
        } else if let Some(value) = received(line) {
            self.compares = true;
            // A value of several lines may hold such a line too: the first one is Playwright's.
            if self.received == Received::Unsaid {
                self.received = value;
            }
        } else if line == "+ Received" || line.starts_with("+ Received ") {
            self.compares = true;
            self.diff = true;
            if self.received == Received::Unsaid {
                self.received = Received::Value;
            }
        } else if self.diff {
            self.difference(line);
        } else if let Some(limit) = line.strip_prefix("Timeout:").and_then(|rest| milliseconds(rest.trim_start())) {
            self.timeout = Some(limit.0);
        } else {
            self.sentence(line);
        }
    }

    fn difference(&mut self, line: &'t str) {
        let element = line.trim_start_matches(['+', '-', ' ']);
        if line.starts_with('+') && (element == "Array []" || element == "[]") {
            self.received = Received::EmptyList;
        }
        self.list |= element.starts_with("Array [") || element == "[";
        if let Some((limit, "")) = line.strip_prefix("Timeout:").and_then(|rest| milliseconds(rest.trim_start())) {
            self.timeout = Some(limit);
        }
    }

    fn sentence(&mut self, line: &'t str) {
        let (text, names) = without_error_names(line);
        if names > 0 && text.trim_end() == "element(s) not found" {
            self.not_found = true;
        } else if is_closed(text) {
            self.closed = true;
        } else if text.starts_with("Matcher error: ") || text.contains(" can be only used with ") {
            self.misused = true;
        }
    }
}

/// What stands behind `Received: `, `Received string: `, `Actual value: `, `But was: `.
fn received(line: &str) -> Option<Received<'_>> {
    let rest = line
        .strip_prefix("Received")
        .or_else(|| line.strip_prefix("Actual value"))
        .or_else(|| line.strip_prefix("But was"))?;
    let (kind, value) = rest.split_once(':')?;
    let kinds = ["", " string", " array", " length", " value", " object", " pattern", " number", " class"];
    kinds.contains(&kind).then(|| Received::read(value.trim()))
}

impl<'t> Received<'t> {
    fn read(value: &'t str) -> Self {
        match value {
            "<element(s) not found>" => Self::NotFound,
            "\"<element(s) not found>\"" | "'<element(s) not found>'" => Self::QuotedNotFound,
            "\"\"" | "''" | "" => Self::Empty,
            "undefined" | "None" | "null" => Self::Undefined,
            "0" | "\"0\"" | "'0'" => Self::Zero,
            "[]" | "Array []" => Self::EmptyList,
            _ if value.bytes().all(|b| b.is_ascii_alphabetic() || b == b' ') => Self::State(value),
            _ => Self::Value,
        }
    }
}

/// The locator in `strict mode violation: LOCATOR resolved to 3 elements:`, behind names of errors or a message.
pub(crate) fn strict_violation(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("strict mode violation: ")?;
    if !(before.is_empty() || before.ends_with("Error: ")) {
        return None;
    }
    let (locator, count) = rest.rsplit_once(" resolved to ")?;
    let count = count.trim_end().trim_end_matches(':').strip_suffix(" elements")?;
    count.parse::<u64>().is_ok().then_some(locator)
}

impl<'t> Alternative<'t> {
    /// Reads `1) <button>…</button> aka getByText('x')`.
    fn read(line: &'t str) -> Option<Self> {
        let (number, rest) = line.split_once(") ")?;
        if number.is_empty()
            || number.len() > 3
            || !number.bytes().all(|b| b.is_ascii_digit())
            || !rest.starts_with('<')
        {
            return None;
        }
        let (element, locator) = rest.rsplit_once(" aka ").unwrap_or((rest, ""));
        Some(Self { element, locator })
    }
}

#[cfg(test)]
mod tests {
    use super::{Alternative, Body, Received, strict_violation};

    fn read<'t>(lines: &[&'t str]) -> Body<'t> {
        let mut body = Body::default();
        for line in lines {
            body.read(line);
        }
        body
    }

    #[test]
    fn the_received_value_is_told_from_nothing_received() {
        for (line, expected) in [
            ("Received: <element(s) not found>", Received::NotFound),
            ("Received: \"<element(s) not found>\"", Received::QuotedNotFound),
            ("Received string: \"\"", Received::Empty),
            ("Received: hidden", Received::State("hidden")),
            ("Received:   0", Received::Zero),
            ("Received string:  \"hidden\"", Received::Value),
            ("Actual value: None ", Received::Undefined),
            ("Received something: 1", Received::Unsaid),
        ] {
            assert_eq!(read(&[line]).received, expected, "{line}");
        }
    }

    #[test]
    fn only_the_first_received_line_is_playwrights() {
        assert_eq!(read(&["Received string: \"a", "Received: <element(s) not found>"]).received, Received::Value);
    }

    #[test]
    fn a_difference_of_lists_may_show_an_empty_one() {
        let body = read(&["- Expected  - 3", "+ Received  + 1", "- Array [", "-   \"a\",", "- ]", "+ Array []"]);
        assert_eq!((body.received, body.list), (Received::EmptyList, true));
    }

    #[test]
    fn a_strict_violation_names_its_locator_and_its_elements() {
        let body = read(&[
            "Error: strict mode violation: getByText('a resolved to b') resolved to 2 elements:",
            "1) <a>x</a> aka getByRole('link', { name: 'x' })",
        ]);
        assert_eq!(body.strict, Some("getByText('a resolved to b')"));
        assert_eq!(
            body.alternatives,
            [Alternative { element: "<a>x</a>", locator: "getByRole('link', { name: 'x' })" }]
        );
        assert_eq!(strict_violation("we saw a strict mode violation: x resolved to 2 elements:"), None);
    }
}
