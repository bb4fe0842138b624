//! What a stale locator and its action say of the element they meant.
//!
//! In: the steps of the link that stopped matching, and the call. Out: [`Lost`] with nothing but what they name.

use std::sync::LazyLock;

use regex::Regex;

use super::identity::{Action, Facts, Literal, LiteralKind, Lost};
use super::locator::{Pattern, Role, Step};

/// What the steps of the broken link and the call say.
pub fn lost_of(steps: &[Step], action: Action, test_id_attribute: &str) -> Lost {
    let mut lost = Lost { action, ..Lost::default() };
    test_id_attribute.clone_into(&mut lost.from_locator.test_id_attribute);
    for step in steps {
        read(step, &mut lost, test_id_attribute);
    }
    lost
}

/// What a call does to its element: Playwright's method and the text, options or keys that it was given.
pub fn action_of(method: &str, value: Option<&str>) -> Action {
    let value = || value.unwrap_or_default().to_owned();
    match method {
        "click" | "dblclick" | "tap" | "hover" | "dragAndDrop" | "dragTo" => Action::Click,
        "fill" | "type" | "pressSequentially" | "clear" => Action::Fill(value()),
        "check" | "uncheck" | "setChecked" => Action::Check,
        "selectOption" => Action::Select(vec![value()].into_iter().filter(|text| !text.is_empty()).collect()),
        "setInputFiles" => Action::SetFiles,
        _ => Action::Look,
    }
}

fn read(step: &Step, lost: &mut Lost, test_id_attribute: &str) {
    match step {
        Step::Role(role) => read_role(role, lost),
        Step::Text(pattern) | Step::HasText(pattern) => {
            literal(lost, LiteralKind::Text, pattern, |facts, text| facts.text = text);
        }
        Step::Label(pattern) => literal(lost, LiteralKind::Label, pattern, |facts, text| facts.label = text),
        Step::Attribute { name, pattern } => match name.as_str() {
            "placeholder" => literal(lost, LiteralKind::Placeholder, pattern, |facts, text| facts.placeholder = text),
            "alt" => literal(lost, LiteralKind::Alt, pattern, |facts, text| facts.alt = text),
            "title" => literal(lost, LiteralKind::Title, pattern, |facts, text| facts.title = text),
            other => {
                let kind = LiteralKind::Attribute(other.to_owned());
                literal(lost, kind, pattern, |_, _| ());
            }
        },
        Step::TestId { pattern, .. } => literal(lost, LiteralKind::TestId, pattern, |facts, text| facts.test_id = text),
        Step::Css(css) => read_css(css, lost, test_id_attribute),
        Step::XPath(xpath) => read_xpath(xpath, lost, test_id_attribute),
        Step::Engine { name, body } => read_engine(name, body, lost, test_id_attribute),
        Step::And(inner) | Step::Chain(inner) => {
            inner.steps.iter().for_each(|step| read(step, lost, test_id_attribute));
        }
        Step::HasNotText(_)
        | Step::Has(_)
        | Step::HasNot(_)
        | Step::Visible(_)
        | Step::Or(_)
        | Step::Nth(_)
        | Step::EnterFrame
        | Step::AnyFrame => {}
    }
}

fn read_role(role: &Role, lost: &mut Lost) {
    lost.from_locator.role.clone_from(&role.role);
    if let Some(name) = &role.name {
        literal(lost, LiteralKind::Name, name, |facts, text| facts.name = text);
    }
}

fn literal(lost: &mut Lost, kind: LiteralKind, pattern: &Pattern, fill: impl FnOnce(&mut Facts, String)) {
    let value = match pattern {
        Pattern::Text { text, .. } => text.clone(),
        Pattern::Regex(regex) => plain_of(regex.source()),
    };
    push(lost, kind, value, fill);
}

fn push(lost: &mut Lost, kind: LiteralKind, value: String, fill: impl FnOnce(&mut Facts, String)) {
    if !value.is_empty() {
        fill(&mut lost.from_locator, value.clone());
        lost.literals.push(Literal { kind, value });
    }
}

/// The literal text of a simple regular expression; empty where it has operators.
fn plain_of(source: &str) -> String {
    let source = source.strip_prefix('^').unwrap_or(source);
    let source = source.strip_suffix('$').unwrap_or(source);
    let operators = ['(', ')', '[', ']', '{', '}', '*', '+', '?', '|', '.', '\\'];
    if source.contains(operators) { String::new() } else { source.to_owned() }
}

static CSS_TAG: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[a-zA-Z][\w-]*").ok());
static CSS_PART: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"#((?:[\w-]|\\.|[^\x00-\x7f])+)|\.((?:[\w-]|\\.|[^\x00-\x7f])+)|\[\s*([\w-]+)\s*[~|^$*]?=\s*["']?([^"'\]]+)["']?\s*[is]?\s*\]|:(?:has-text|text|text-is)\(\s*["']([^"']+)["']\s*\)"#,
    )
    .ok()
});
static XPATH_ATTRIBUTE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"@([\w-]+)\s*(?:=|,)\s*["']([^"']+)["']|(?:text\(\)|\.)\s*(?:=|,)\s*["']([^"']+)["']"#).ok()
});
static XPATH_LAST: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"/([a-zA-Z][\w-]*)(?:\[[^/]*\])?$").ok());

/// The last compound of a CSS selector: the element itself, not what is around it.
fn read_css(css: &str, lost: &mut Lost, test_id_attribute: &str) {
    let compound = last_compound(css);
    if let Some(tag) = CSS_TAG.as_ref().and_then(|regex| regex.find(compound)) {
        lost.from_locator.tag = tag.as_str().to_ascii_lowercase();
    }
    let Some(parts) = CSS_PART.as_ref() else { return };
    for part in parts.captures_iter(compound) {
        let unescaped = |at: usize| part.get(at).map(|text| text.as_str().replace('\\', ""));
        if let Some(id) = unescaped(1) {
            push(lost, LiteralKind::Id, id, |facts, text| facts.id = text);
        } else if let Some(class) = unescaped(2) {
            push(lost, LiteralKind::Class, class, |facts, text| facts.classes.push(text));
        } else if let (Some(name), Some(value)) = (unescaped(3), unescaped(4)) {
            attribute(lost, &name, value, test_id_attribute);
        } else if let Some(text) = unescaped(5) {
            push(lost, LiteralKind::Text, text, |facts, text| facts.text = text);
        }
    }
}

/// What stands after the last combinator outside of brackets, parentheses and quotes.
pub(super) fn last_compound(css: &str) -> &str {
    let css = css.trim();
    let (mut depth, mut quote, mut start, mut escaped) = (0_i32, None, 0, false);
    for (at, c) in css.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (_, '\\') => escaped = true,
            (Some(open), _) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth -= 1,
            (None, ' ' | '>' | '+' | '~') if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    css.get(start..).unwrap_or(css)
}

fn read_xpath(xpath: &str, lost: &mut Lost, test_id_attribute: &str) {
    if let Some(tag) = XPATH_LAST.as_ref().and_then(|regex| regex.captures(xpath)).and_then(|found| found.get(1)) {
        lost.from_locator.tag = tag.as_str().to_ascii_lowercase();
    }
    let last = xpath.rsplit_once('/').map_or(xpath, |(_, last)| last);
    let Some(regex) = XPATH_ATTRIBUTE.as_ref() else { return };
    for part in regex.captures_iter(last) {
        let text = |at: usize| part.get(at).map(|text| text.as_str().to_owned());
        if let (Some(name), Some(value)) = (text(1), text(2)) {
            attribute(lost, &name, value, test_id_attribute);
        } else if let Some(text) = text(3) {
            push(lost, LiteralKind::Text, text, |facts, text| facts.text = text);
        }
    }
}

fn attribute(lost: &mut Lost, name: &str, value: String, test_id_attribute: &str) {
    match name {
        "id" => push(lost, LiteralKind::Id, value, |facts, text| facts.id = text),
        "class" => push(lost, LiteralKind::Class, value, |facts, text| facts.classes.push(text)),
        "placeholder" => push(lost, LiteralKind::Placeholder, value, |facts, text| facts.placeholder = text),
        "title" => push(lost, LiteralKind::Title, value, |facts, text| facts.title = text),
        "alt" => push(lost, LiteralKind::Alt, value, |facts, text| facts.alt = text),
        "type" => lost.from_locator.input_type = value,
        "role" => lost.from_locator.role = value,
        _ if name == test_id_attribute => push(lost, LiteralKind::TestId, value, |facts, text| facts.test_id = text),
        "name" => {
            push(lost, LiteralKind::Attribute(name.to_owned()), value, |facts, text| facts.name_attribute = text);
        }
        "aria-label" => {
            push(lost, LiteralKind::Attribute(name.to_owned()), value, |facts, text| facts.aria_label = text);
        }
        "href" => push(lost, LiteralKind::Attribute(name.to_owned()), value, |facts, text| facts.href = text),
        "value" => push(lost, LiteralKind::Attribute(name.to_owned()), value, |facts, text| facts.value = text),
        _ => push(lost, LiteralKind::Attribute(name.to_owned()), value, |_, _| ()),
    }
}

/// The old engines: `text=Save`, `id=save`, `data-testid=save`, `role=button[name="Save"]`.
fn read_engine(name: &str, body: &str, lost: &mut Lost, test_id_attribute: &str) {
    let plain = body.trim().trim_matches(['"', '\'']).to_owned();
    match name {
        "text" => push(lost, LiteralKind::Text, plain, |facts, text| facts.text = text),
        "id" => push(lost, LiteralKind::Id, plain, |facts, text| facts.id = text),
        "data-testid" | "data-test-id" | "data-test" => {
            push(lost, LiteralKind::TestId, plain, |facts, text| facts.test_id = text);
        }
        "css" | "css:light" => read_css(body, lost, test_id_attribute),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::locator::Locator;

    fn literals(source: &str) -> (Facts, Vec<String>) {
        let locator = Locator::from_source(source, "data-testid").unwrap();
        let lost = lost_of(&locator.steps, Action::Click, "data-testid");
        let literals =
            lost.literals.iter().map(|literal| format!("{}={}", literal.kind.words(), literal.value)).collect();
        (lost.from_locator, literals)
    }

    #[test]
    fn a_stale_link_says_what_it_names_and_nothing_else() {
        for (source, expected) in [
            ("locator('#submit-btn')", vec!["id=submit-btn"]),
            ("locator('form.user > a.btn.btn-primary')", vec!["class=btn", "class=btn-primary"]),
            ("locator('input[data-testid=\"login\"]')", vec!["test id=login"]),
            ("locator('[name=email]')", vec!["name=email"]),
            ("getByRole('button', { name: 'Save' })", vec!["accessible name=Save"]),
            ("getByText('Gone')", vec!["text=Gone"]),
            ("getByTestId('x')", vec!["test id=x"]),
            ("locator('xpath=//form//a[@id=\"go\"]')", vec!["id=go"]),
            ("locator('//a[contains(text(), \"Go on\")]')", vec!["text=Go on"]),
            ("locator('button:has-text(\"Go\")')", vec!["text=Go"]),
            ("locator('div').nth(3)", vec![]),
        ] {
            assert_eq!(literals(source).1, expected, "{source}");
        }
        assert_eq!(literals("locator('form.user > a.btn')").0.tag, "a");
        assert_eq!(literals("getByRole('link')").0.role, "link");
    }
}
