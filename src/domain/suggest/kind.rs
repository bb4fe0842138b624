//! Kinds of locators, the literals in them, and a suite's habits.

use std::collections::BTreeMap;

use crate::domain::locator::{Locator, Pattern, Step};

/// The kinds of locators that people tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `getByRole`.
    Role,
    /// `getByLabel`.
    Label,
    /// `getByPlaceholder`.
    Placeholder,
    /// `getByTestId`, and a test id attribute in CSS.
    TestId,
    /// `getByText`, `text=…`.
    Text,
    /// `getByAltText`.
    AltText,
    /// `getByTitle`.
    Title,
    /// CSS by id.
    CssId,
    /// CSS by another attribute.
    CssAttribute,
    /// CSS by class.
    CssClass,
    /// `XPath`.
    XPath,
    /// Anything else.
    Other,
}

/// How often a suite writes each kind; what makes its house style.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct House {
    counts: BTreeMap<Kind, usize>,
}

/// A habit is what a third of the suite's locators do; fewer than this many locators show none.
const FEWEST: usize = 6;

impl House {
    /// Notes a locator of the suite.
    pub fn note(&mut self, locator: &Locator) {
        for step in locator.steps.iter().filter(|step| !step.narrows()) {
            *self.counts.entry(kind_of(step)).or_default() += 1;
        }
    }

    /// Whether a kind is a habit of the suite that is worth following: classes and paths are nobody's wish.
    pub(super) fn prefers(&self, kind: Kind) -> bool {
        if matches!(kind, Kind::CssClass | Kind::XPath | Kind::Other) {
            return false;
        }
        let all: usize = self.counts.values().sum();
        let own = self.counts.get(&kind).copied().unwrap_or_default();
        all >= FEWEST && own * 3 >= all
    }
}

/// The kind of a step.
pub fn kind_of(step: &Step) -> Kind {
    match step {
        Step::Role(_) => Kind::Role,
        Step::Label(_) => Kind::Label,
        Step::TestId { .. } => Kind::TestId,
        Step::Text(_) => Kind::Text,
        Step::Attribute { name, .. } => match name.as_str() {
            "placeholder" => Kind::Placeholder,
            "alt" => Kind::AltText,
            "title" => Kind::Title,
            _ => Kind::Other,
        },
        Step::XPath(_) => Kind::XPath,
        Step::Css(css) => kind_of_css(css),
        Step::Engine { name, .. } => match name.as_str() {
            "text" | "text:light" => Kind::Text,
            "role" => Kind::Role,
            "id" | "id:light" => Kind::CssId,
            name if name.starts_with("data-test") => Kind::TestId,
            _ => Kind::Other,
        },
        _ => Kind::Other,
    }
}

/// The kind of the last compound of a CSS selector: that is what names the element.
fn kind_of_css(css: &str) -> Kind {
    let last = last_compound(css).1;
    let attribute = last.split_once('[').map(|(_, inside)| inside);
    match attribute {
        _ if last.contains('#') => Kind::CssId,
        Some(inside)
            if is_test_attribute(inside.split(['=', ']', '~', '^', '$', '*', '|']).next().unwrap_or_default()) =>
        {
            Kind::TestId
        }
        Some(inside) if inside.starts_with("id=") => Kind::CssId,
        Some(_) => Kind::CssAttribute,
        None if last.contains(":has-text") || last.contains(":text") => Kind::Text,
        None if last.contains('.') => Kind::CssClass,
        None => Kind::Other,
    }
}

/// Whether an attribute is one of those made for tests.
pub(super) fn is_test_attribute(name: &str) -> bool {
    let name = name.trim();
    ["data-test", "data-cy", "data-qa", "data-e2e", "data-automation", "data-pw"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// A CSS selector cut before its last compound: what stands in front with its combinator, and the compound.
pub(super) fn last_compound(css: &str) -> (&str, &str) {
    let mut depth = 0_u32;
    let mut quote = None;
    let mut cut = 0;
    let mut escaped = false;
    for (at, c) in css.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' | '\'' if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            _ if quote.is_some() => {}
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            ' ' | '>' | '+' | '~' | '\n' | '\t' if depth == 0 => cut = at + c.len_utf8(),
            _ => {}
        }
    }
    css.split_at_checked(cut).unwrap_or(("", css))
}

/// The literals that a step looks for: ids, class names, attribute values, texts.
pub(super) fn literals(step: &Step) -> Vec<String> {
    let text = |pattern: &Pattern| pattern.text().map(str::to_owned).into_iter().collect();
    match step {
        Step::Text(pattern)
        | Step::Label(pattern)
        | Step::Attribute { pattern, .. }
        | Step::TestId { pattern, .. }
        | Step::HasText(pattern) => text(pattern),
        Step::Role(role) => role.name.as_ref().map(text).unwrap_or_default(),
        Step::Css(css) | Step::XPath(css) => of_selector(css),
        Step::Engine { name, body } if name == "css" || name == "xpath" => of_selector(body),
        Step::Engine { body, .. } => vec![body.trim_matches(['"', '\'']).to_owned()],
        _ => Vec::new(),
    }
}

/// The names and quoted values of the last compound of a selector.
fn of_selector(selector: &str) -> Vec<String> {
    let last = last_compound(selector).1;
    let mut out: Vec<String> = Vec::new();
    let mut quoted = last.split(['"', '\'']);
    let outside = quoted.next().unwrap_or_default().to_owned();
    out.extend(quoted.step_by(2).map(str::to_owned));
    let mut current: Option<String> = None;
    for c in outside.chars().chain([' ']) {
        match (&mut current, c) {
            (Some(name), c) if c.is_alphanumeric() || matches!(c, '-' | '_') => name.push(c),
            (_, '#' | '.' | '=') => out.extend(current.replace(String::new())),
            _ => out.extend(current.take()),
        }
    }
    out.retain(|literal| !literal.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_a_selector_are_those_of_its_last_compound() {
        for (css, expected) in [
            ("#submit-btn", vec!["submit-btn"]),
            ("form .a.b", vec!["a", "b"]),
            ("ul > li[data-id='x y']", vec!["x y"]),
            ("input[name=mail]", vec!["mail"]),
        ] {
            assert_eq!(literals(&Step::Css(css.into())), expected, "{css}");
        }
    }

    #[test]
    fn css_is_told_apart_by_what_names_the_element() {
        for (css, kind) in [
            ("#a .b", Kind::CssClass),
            ("div#a", Kind::CssId),
            ("[data-testid=x]", Kind::TestId),
            ("form input[name=x]", Kind::CssAttribute),
            ("button:has-text(\"x\")", Kind::Text),
        ] {
            assert_eq!(kind_of(&Step::Css(css.into())), kind, "{css}");
        }
    }
}
