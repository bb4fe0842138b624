//! Writes a locator: as JavaScript source, link by link, and in Playwright's internal form.
//!
//! Whatever is written here reads back as an equal locator.

use std::fmt::Write as _;
use std::ops::Range;

use super::{Locator, Pattern, Role, Step, Tristate};

/// How JavaScript strings are quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quote {
    /// `'…'`, as Playwright prints.
    #[default]
    Single,
    /// `"…"`.
    Double,
    /// `` `…` ``.
    Backtick,
}

/// How source is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style<'a> {
    /// The quotes around strings.
    pub quote: Quote,
    /// What locators inside arguments hang on, such as `page`; empty for Playwright's printed form.
    pub receiver: &'a str,
}

/// One link of a printed chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The call, such as `getByRole('dialog')`.
    pub text: String,
    /// The steps that it stands for.
    pub steps: Range<usize>,
}

impl Quote {
    fn mark(self) -> char {
        match self {
            Self::Single => '\'',
            Self::Double => '"',
            Self::Backtick => '`',
        }
    }

    /// `text` as a JavaScript string in these quotes.
    pub fn quote(self, text: &str) -> String {
        let mark = self.mark();
        let mut out = String::from(mark);
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                '\u{0}'..='\u{1f}' | '\u{2028}' | '\u{2029}' => {
                    _ = write!(out, "\\u{:04x}", u32::from(c));
                }
                '\\' => out.push_str("\\\\"),
                '$' if self == Self::Backtick && rest.peek() == Some(&'{') => out.push_str("\\$"),
                _ if c == mark => out.extend(['\\', c]),
                _ => out.push(c),
            }
        }
        out.push(mark);
        out
    }
}

impl Locator {
    /// The locator as JavaScript, without a receiver: `getByRole('button', { name: 'Save' })`.
    pub fn to_js(&self, style: Style<'_>) -> String {
        let links: Vec<String> = self.links(style).into_iter().map(|link| link.text).collect();
        links.join(".")
    }

    /// The locator as Playwright prints it, one link at a time.
    pub fn links(&self, style: Style<'_>) -> Vec<Link> {
        let mut links = Vec::new();
        let mut at = 0;
        while let Some(step) = self.steps.get(at) {
            let enters = self.steps.get(at + 1) == Some(&Step::EnterFrame);
            let (text, length) = match step {
                Step::Css(_) | Step::XPath(_) if enters => {
                    (format!("frameLocator({})", style.quote.quote(&internal_step(step))), 2)
                }
                _ => (call(step, style), 1),
            };
            links.push(Link { text, steps: at..at + length });
            at += length;
        }
        links
    }

    /// Playwright's internal form: `internal:role=button[name="Save"i] >> nth=0`.
    pub fn to_internal(&self) -> String {
        let parts: Vec<String> = self.steps.iter().map(internal_step).collect();
        parts.join(" >> ")
    }
}

fn call(step: &Step, style: Style<'_>) -> String {
    let nested = |inner: &Locator| {
        let chain = inner.to_js(style);
        if style.receiver.is_empty() { chain } else { format!("{}.{chain}", style.receiver) }
    };
    match step {
        Step::Text(pattern) => by_text("getByText", pattern, style),
        Step::Label(pattern) => by_text("getByLabel", pattern, style),
        Step::Attribute { name, pattern } => match name.as_str() {
            "placeholder" => by_text("getByPlaceholder", pattern, style),
            "alt" => by_text("getByAltText", pattern, style),
            "title" => by_text("getByTitle", pattern, style),
            _ => raw(step, style),
        },
        Step::TestId { pattern: pattern @ (Pattern::Regex(_) | Pattern::Text { exact: true, .. }), .. } => {
            format!("getByTestId({})", value(pattern, style))
        }
        Step::Role(role) => by_role(role, style).unwrap_or_else(|| raw(step, style)),
        Step::HasText(pattern @ (Pattern::Regex(_) | Pattern::Text { exact: false, .. })) => {
            format!("filter({{ hasText: {} }})", value(pattern, style))
        }
        Step::HasNotText(pattern @ (Pattern::Regex(_) | Pattern::Text { exact: false, .. })) => {
            format!("filter({{ hasNotText: {} }})", value(pattern, style))
        }
        Step::Has(inner) => format!("filter({{ has: {} }})", nested(inner)),
        Step::HasNot(inner) => format!("filter({{ hasNot: {} }})", nested(inner)),
        Step::Visible(visible) => format!("filter({{ visible: {visible} }})"),
        Step::And(inner) => format!("and({})", nested(inner)),
        Step::Or(inner) => format!("or({})", nested(inner)),
        Step::Chain(inner) => format!("locator({})", nested(inner)),
        Step::Nth(0) => "first()".into(),
        Step::Nth(-1) => "last()".into(),
        Step::Nth(index) => format!("nth({index})"),
        Step::EnterFrame => "contentFrame()".into(),
        Step::AnyFrame => "frameLocator()".into(),
        Step::Css(_)
        | Step::XPath(_)
        | Step::Engine { .. }
        | Step::TestId { .. }
        | Step::HasText(_)
        | Step::HasNotText(_) => raw(step, style),
    }
}

/// `locator('…')` with the internal form, for what no method can say.
fn raw(step: &Step, style: Style<'_>) -> String {
    format!("locator({})", style.quote.quote(&internal_step(step)))
}

fn value(pattern: &Pattern, style: Style<'_>) -> String {
    match pattern {
        Pattern::Text { text, .. } => style.quote.quote(text),
        Pattern::Regex(regex) => regex.to_string(),
    }
}

fn by_text(method: &str, pattern: &Pattern, style: Style<'_>) -> String {
    let exact = if matches!(pattern, Pattern::Text { exact: true, .. }) { ", { exact: true }" } else { "" };
    format!("{method}({}{exact})", value(pattern, style))
}

/// `None` where name and description differ in exactness, which one `exact` option cannot say.
fn by_role(role: &Role, style: Style<'_>) -> Option<String> {
    let mut options = Vec::new();
    let mut exactness = None;
    for (option, pattern) in [("name", &role.name), ("description", &role.description)] {
        let Some(pattern) = pattern else { continue };
        options.push(format!("{option}: {}", value(pattern, style)));
        if let Pattern::Text { exact, .. } = pattern
            && exactness.replace(*exact).is_some_and(|before| before != *exact)
        {
            return None;
        }
    }
    if exactness == Some(true) {
        options.push("exact: true".into());
    }
    let tristate = |option: &str, state: Option<Tristate>| {
        state.map(|state| match state {
            Tristate::Mixed => format!("{option}: {}", style.quote.quote("mixed")),
            _ => format!("{option}: {}", state == Tristate::True),
        })
    };
    let flag = |option: &str, state: Option<bool>| state.map(|state| format!("{option}: {state}"));
    options.extend(tristate("checked", role.checked));
    options.extend(flag("disabled", role.disabled));
    options.extend(flag("selected", role.selected));
    options.extend(flag("expanded", role.expanded));
    options.extend(flag("includeHidden", role.include_hidden));
    options.extend(role.level.map(|level| format!("level: {level}")));
    options.extend(tristate("pressed", role.pressed));
    let options = if options.is_empty() { String::new() } else { format!(", {{ {} }}", options.join(", ")) };
    Some(format!("getByRole({}{options})", style.quote.quote(&role.role)))
}

fn internal_step(step: &Step) -> String {
    match step {
        Step::Css(css) => with_engine("css", css),
        Step::XPath(xpath) => with_engine("xpath", xpath),
        Step::Text(pattern) => format!("internal:text={}", text_body(pattern)),
        Step::Label(pattern) => format!("internal:label={}", text_body(pattern)),
        Step::HasText(pattern) => format!("internal:has-text={}", text_body(pattern)),
        Step::HasNotText(pattern) => format!("internal:has-not-text={}", text_body(pattern)),
        Step::Attribute { name, pattern } => {
            format!("internal:attr=[{}={}]", attribute_name(name), attribute_value(pattern))
        }
        Step::TestId { attribute, pattern } => {
            format!("internal:testid=[{}={}]", attribute_name(attribute), attribute_value(pattern))
        }
        Step::Role(role) => format!("internal:role={}", role_body(role)),
        Step::Has(inner) => format!("internal:has={}", json(&inner.to_internal())),
        Step::HasNot(inner) => format!("internal:has-not={}", json(&inner.to_internal())),
        Step::And(inner) => format!("internal:and={}", json(&inner.to_internal())),
        Step::Or(inner) => format!("internal:or={}", json(&inner.to_internal())),
        Step::Chain(inner) => format!("internal:chain={}", json(&inner.to_internal())),
        Step::Visible(visible) => format!("visible={visible}"),
        Step::Nth(index) => format!("nth={index}"),
        Step::EnterFrame => "internal:control=enter-frame".into(),
        Step::AnyFrame => "internal:control=any-frame".into(),
        Step::Engine { name, body } => format!("{name}={body}"),
    }
}

/// The bare body where it is recognised as what it is, else with the engine's name in front.
fn with_engine(engine: &str, body: &str) -> String {
    let bare = Locator::from_internal(body).is_ok_and(|read| match read.steps.as_slice() {
        [Step::Css(css)] => engine == "css" && css == body,
        [Step::XPath(xpath)] => engine == "xpath" && xpath == body,
        _ => false,
    });
    if bare { body.to_owned() } else { format!("{engine}={body}") }
}

fn text_body(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Text { text, exact } => format!("{}{}", json(text), if *exact { 's' } else { 'i' }),
        Pattern::Regex(regex) => regex.for_selector(),
    }
}

fn attribute_name(name: &str) -> String {
    let plain = name.chars().all(|c| c >= '\u{80}' || c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if plain { name.to_owned() } else { json(name) }
}

fn attribute_value(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Text { text, exact } => {
            let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
            format!("\"{escaped}\"{}", if *exact { 's' } else { 'i' })
        }
        Pattern::Regex(regex) => regex.for_selector(),
    }
}

fn role_body(role: &Role) -> String {
    let mut body = role.role.clone();
    let mut attribute = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            _ = write!(body, "[{name}={value}]");
        }
    };
    let tristate = |state: Option<Tristate>| {
        state.map(|state| {
            match state {
                Tristate::True => "true",
                Tristate::False => "false",
                Tristate::Mixed => "mixed",
            }
            .to_owned()
        })
    };
    attribute("checked", tristate(role.checked));
    attribute("disabled", role.disabled.map(|state| state.to_string()));
    attribute("selected", role.selected.map(|state| state.to_string()));
    attribute("expanded", role.expanded.map(|state| state.to_string()));
    attribute("include-hidden", role.include_hidden.map(|state| state.to_string()));
    attribute("level", role.level.map(|level| level.to_string()));
    attribute("name", role.name.as_ref().map(attribute_value));
    attribute("description", role.description.as_ref().map(attribute_value));
    attribute("pressed", tristate(role.pressed));
    body
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
