//! Playwright's internal selector strings: parts joined by `>>`, each `engine=body`.

use super::attribute::{self, AttributePart, AttributeSelector, AttributeValue, Operator};
use super::{MAX_DEPTH, ParseError};
use crate::domain::dom::text::is_space;
use crate::domain::locator::{JsRegex, Locator, Pattern, Role, Step, Tristate};

/// Parses a selector string as `page.locator(…)` takes it.
pub(super) fn parse(selector: &str, depth: usize) -> Result<Locator, ParseError> {
    if depth > MAX_DEPTH {
        return Err(ParseError::new("locators are nested too deeply"));
    }
    let mut steps = Vec::new();
    let mut capture = None;
    for part in split(selector) {
        let (name, body) = engine_and_body(&part);
        let (captures, name) = match name.strip_prefix('*') {
            Some(rest) => (true, rest),
            None => (false, name),
        };
        if let Some(step) = step(name, body, &steps, depth)? {
            steps.push(step);
        }
        if captures && capture.replace(steps.len()).is_some() {
            return Err(ParseError::new("only one part of a selector can capture with `*`"));
        }
    }
    if matches!(steps.first(), Some(Step::Has(_) | Step::HasNot(_) | Step::And(_) | Step::Or(_) | Step::Chain(_))) {
        return Err(ParseError::new("a selector cannot start with a nested locator"));
    }
    capture.map_or(Ok(Locator { steps: steps.clone() }), |at| captured(steps, at))
}

/// `*a >> b` asks for the `a` that has a `b`.
fn captured(mut steps: Vec<Step>, at: usize) -> Result<Locator, ParseError> {
    if steps.iter().any(|step| matches!(step, Step::Nth(_))) {
        return Err(ParseError::new("`nth` and the capture `*` cannot be combined"));
    }
    let rest = steps.split_off(at.min(steps.len()));
    if rest.contains(&Step::EnterFrame) {
        return Err(ParseError::new("a selector cannot capture before it enters a frame"));
    }
    if !rest.is_empty() {
        steps.push(Step::Has(Locator { steps: rest }));
    }
    Ok(Locator { steps })
}

/// The parts between `>>`, which does not count inside quotes.
fn split(selector: &str) -> Vec<String> {
    if !selector.contains(">>") {
        return vec![trim(selector).to_owned()];
    }
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut quote = None;
    let mut rest = selector.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' if rest.peek().is_some() => {
                part.push(c);
                part.extend(rest.next());
                continue;
            }
            '>' if quote.is_none() && rest.peek() == Some(&'>') => {
                rest.next();
                parts.push(trim(&part).to_owned());
                part.clear();
                continue;
            }
            '"' | '\'' | '`' if quote == Some(c) => quote = None,
            '"' | '\'' | '`' if quote.is_none() && !is_unquoted_text(&part) => quote = Some(c),
            _ => {}
        }
        part.push(c);
    }
    parts.push(trim(&part).to_owned());
    parts
}

/// Whether `part` is the start of a `text=` selector that does not start with a quote: quotes in it are plain text.
fn is_unquoted_text(part: &str) -> bool {
    let after = part.trim_start_matches(is_space).strip_prefix("text").map(|rest| rest.trim_start_matches(is_space));
    after.and_then(|rest| rest.strip_prefix('=')).is_some_and(|body| !body.is_empty() && !body.contains('\n'))
}

fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

fn engine_and_body(part: &str) -> (&str, &str) {
    if let Some((name, body)) = part.split_once('=') {
        let name = trim(name);
        let is_engine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | ':' | '*');
        if !name.is_empty() && name.chars().all(is_engine) {
            return (name, body);
        }
    }
    let quoted = |quote: char| part.len() > 1 && part.starts_with(quote) && part.ends_with(quote);
    if quoted('"') || quoted('\'') {
        ("text", part)
    } else if part.trim_start_matches('(').starts_with("//") || part.starts_with("..") {
        ("xpath", part)
    } else {
        ("css", part)
    }
}

fn step(name: &str, body: &str, before: &[Step], depth: usize) -> Result<Option<Step>, ParseError> {
    let nested = || nested(body, before, depth);
    Ok(Some(match name {
        "css" => Step::Css(trim(body).to_owned()),
        "css:light" => Step::Css(format!(":light({})", trim(body))),
        "xpath" => Step::XPath(trim(body).to_owned()),
        "nth" => Step::Nth(trim(body).parse().map_err(|_| ParseError::new(format!("`nth={body}` is not a number")))?),
        "visible" => Step::Visible(body == "true"),
        "internal:describe" => return Ok(None),
        "internal:control" if body == "enter-frame" => Step::EnterFrame,
        "internal:control" if body == "any-frame" => Step::AnyFrame,
        "internal:text" => Step::Text(text_body(body)?),
        "internal:label" => Step::Label(text_body(body)?),
        "internal:has-text" => Step::HasText(text_body(body)?),
        "internal:has-not-text" => Step::HasNotText(text_body(body)?),
        "internal:has" => Step::Has(nested()?),
        "internal:has-not" => Step::HasNot(nested()?),
        "internal:and" => Step::And(nested()?),
        "internal:or" => Step::Or(nested()?),
        "internal:chain" => Step::Chain(nested()?),
        "internal:attr" => {
            let (name, pattern) = single_attribute(body)?;
            Step::Attribute { name, pattern }
        }
        "internal:testid" => {
            let (attribute, pattern) = single_attribute(body)?;
            Step::TestId { attribute, pattern }
        }
        "internal:role" => match role(&attribute::parse(body)?) {
            Some(role) => Step::Role(Box::new(role)),
            None => Step::Engine { name: name.into(), body: body.into() },
        },
        _ => Step::Engine { name: name.into(), body: body.into() },
    }))
}

fn nested(body: &str, before: &[Step], depth: usize) -> Result<Locator, ParseError> {
    let text: String = serde_json::from_str(body)
        .map_err(|_| ParseError::new(format!("`{body}` is not a nested selector in JSON quotes")))?;
    let mut inner = parse(&text, depth + 1)?;
    // A nested locator may repeat the way into the frame that the outer one already took.
    if let Some(last) = inner.steps.iter().rposition(|step| *step == Step::EnterFrame) {
        let outer = before.strip_prefix(&[Step::AnyFrame]).unwrap_or(before);
        if outer.get(..=last) == inner.steps.get(..=last) {
            inner.steps.drain(..=last);
        }
    }
    Ok(inner)
}

/// The body of a text engine's internal form: `"text"i`, `"text"s`, `/regex/flags`.
fn text_body(body: &str) -> Result<Pattern, ParseError> {
    if let Some(rest) = body.strip_prefix('/')
        && let Some((source, flags)) = rest.rsplit_once('/')
    {
        return Ok(Pattern::Regex(JsRegex::new(source, flags)));
    }
    let (json, exact) = match body.strip_suffix('i') {
        Some(json) if json.len() > 1 && json.starts_with('"') && json.ends_with('"') => (json, false),
        _ => match body.strip_suffix('s') {
            Some(json) if json.len() > 1 && json.starts_with('"') && json.ends_with('"') => (json, true),
            _ if body.len() > 1 && body.starts_with('"') && body.ends_with('"') => (body, true),
            _ => return Ok(Pattern::substring(body)),
        },
    };
    let text = serde_json::from_str(json).map_err(|_| ParseError::new(format!("`{body}` is not a quoted text")))?;
    Ok(Pattern::Text { text, exact })
}

fn single_attribute(body: &str) -> Result<(String, Pattern), ParseError> {
    let malformed = || ParseError::new(format!("`{body}` is not one attribute in brackets"));
    let AttributeSelector { name, attributes } = attribute::parse(body)?;
    match <[AttributePart; 1]>::try_from(attributes) {
        Ok([part]) if name.is_empty() && part.op == Operator::Equals => {
            let name = part.name.clone();
            Ok((name, pattern(&part).ok_or_else(malformed)?))
        }
        _ => Err(malformed()),
    }
}

fn pattern(part: &AttributePart) -> Option<Pattern> {
    match &part.value {
        AttributeValue::Text(text) => Some(Pattern::Text { text: text.clone(), exact: part.case_sensitive }),
        AttributeValue::Regex(regex) => Some(Pattern::Regex(regex.clone())),
        AttributeValue::Bool(_) | AttributeValue::None => None,
    }
}

/// The options of `getByRole`; `None` where the string says something that no option can say.
fn role(selector: &AttributeSelector) -> Option<Role> {
    let mut role = Role::new(selector.name.clone());
    for part in &selector.attributes {
        if !matches!(part.op, Operator::Equals | Operator::Truthy) {
            return None;
        }
        match part.name.as_str() {
            "name" => role.name = Some(pattern(part)?),
            "description" => role.description = Some(pattern(part)?),
            "checked" => role.checked = Some(tristate(part)?),
            "pressed" => role.pressed = Some(tristate(part)?),
            "disabled" => role.disabled = Some(boolean(part)?),
            "expanded" => role.expanded = Some(boolean(part)?),
            "selected" => role.selected = Some(boolean(part)?),
            "include-hidden" => role.include_hidden = Some(boolean(part)?),
            "level" => match &part.value {
                AttributeValue::Text(text) => role.level = Some(text.parse().ok()?),
                _ => return None,
            },
            _ => return None,
        }
    }
    Some(role)
}

fn boolean(part: &AttributePart) -> Option<bool> {
    match part.value {
        AttributeValue::None => Some(true),
        AttributeValue::Bool(value) => Some(value),
        AttributeValue::Text(_) | AttributeValue::Regex(_) => None,
    }
}

fn tristate(part: &AttributePart) -> Option<Tristate> {
    match &part.value {
        AttributeValue::Text(text) if text == "mixed" => Some(Tristate::Mixed),
        _ => boolean(part).map(Tristate::from),
    }
}
