//! Everything one element can be called by: a step for each lasting attribute, name, label and text of it.

use crate::domain::dom::{Element, NodeId, Page};
use crate::domain::gate::SINGLETONS;
use crate::domain::locator::{Pattern, Role, Step};

use super::kind::{self, Kind};
use super::stable::{self, Tokens};

/// A way to say which element is meant, not yet held against the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) step: Step,
    pub(super) kind: Kind,
    /// The literal that carries it.
    pub(super) literal: String,
    /// Whether it is a shortened form of the offer before it.
    pub(super) shortened: bool,
}

/// What is needed to make offers.
pub(super) struct Offers<'a> {
    pub(super) page: &'a Page<'a>,
    pub(super) tokens: &'a Tokens,
    /// The attribute that `getByTestId` looks at.
    pub(super) test_id: &'a str,
    /// The step that is replaced; it decides exactness, states and the shape of CSS.
    pub(super) old: &'a Step,
    /// Texts that the test itself typed: what shows them is data, not a label.
    pub(super) typed: &'a [String],
    /// Whether a filter behind the step says which of several is meant.
    pub(super) filtered: bool,
}

/// Roles whose text is what the page is about, not what it is called.
const HOLDS_DATA: [&str; 7] = ["article", "cell", "gridcell", "listitem", "row", "rowgroup", "rowheader"];

/// Attributes besides ids and test ids that name an element in CSS.
const NAMING: [&str; 8] = ["name", "aria-label", "placeholder", "title", "alt", "href", "for", "autocomplete"];

impl Offers<'_> {
    /// All offers for an element.
    pub(super) fn of(&self, node: NodeId) -> Vec<Offer> {
        let Some(element) = self.page.dom().element(node) else { return Vec::new() };
        let mut out = Vec::new();
        self.by_role(node, &mut out);
        self.by_label(node, element, &mut out);
        self.by_text_attributes(element, &mut out);
        self.by_test_id(element, &mut out);
        self.by_text(node, element, &mut out);
        self.by_css(element, &mut out);
        if matches!(self.old, Step::XPath(_)) {
            self.by_xpath(element, &mut out);
        }
        out
    }

    /// The part of a text that is a label: [`stable::lasting`], and nothing that the test typed itself.
    fn lasting<'t>(&self, text: &'t str) -> Option<&'t str> {
        stable::lasting(text)
            .filter(|text| !self.typed.iter().any(|typed| typed.len() > 2 && text.contains(typed.as_str())))
    }

    /// A text as a pattern: as exact as the old step was where the method stays, else a substring.
    fn pattern(&self, text: &str, kind: Kind) -> Pattern {
        let was_exact = kind::kind_of(self.old) == kind && is_exact(self.old);
        Pattern::Text { text: text.to_owned(), exact: was_exact }
    }

    fn by_role(&self, node: NodeId, out: &mut Vec<Offer>) {
        let Some(role) = self.page.role(node) else { return };
        let old = match self.old {
            Step::Role(old) => Some(&**old),
            _ => None,
        };
        // States that the old locator asked for stay asked for.
        let mut base = Role { role: role.to_owned(), name: None, ..old.cloned().unwrap_or_default() };
        base.level = base.level.map(|_| self.page.level(node));
        let name = self.page.name(node);
        if let Some(name) = self.lasting(&name).filter(|_| !HOLDS_DATA.contains(&role)) {
            let role = Role { name: Some(self.pattern(name, Kind::Role)), ..base };
            out.push(Offer {
                step: Step::Role(Box::new(role)),
                kind: Kind::Role,
                literal: name.to_owned(),
                shortened: false,
            });
        } else if (self.filtered || SINGLETONS.contains(&role)) && old.is_none_or(|old| old.name.is_none()) {
            out.push(Offer {
                step: Step::Role(Box::new(base)),
                kind: Kind::Role,
                literal: role.to_owned(),
                shortened: false,
            });
        }
    }

    fn by_label(&self, node: NodeId, element: &Element, out: &mut Vec<Offer>) {
        let is_field =
            matches!(element.tag.as_str(), "input" | "textarea" | "select" | "meter" | "progress" | "output");
        let own = element.attribute("aria-label").map(str::to_owned);
        let labels = self.page.labels(node).iter().map(|label| self.page.text(*label).to_owned());
        let named = element.attribute("aria-labelledby").map(|_| self.page.name(node).to_string());
        let all = own.into_iter().chain(labels.filter(|_| is_field)).chain(named);
        for text in all {
            let text = crate::domain::dom::text::normalize(&text);
            let bare = text.trim_end_matches(['*', ':', ' ']);
            if let Some(text) = self.lasting(bare) {
                let step = Step::Label(self.pattern(text, Kind::Label));
                out.push(Offer { step, kind: Kind::Label, literal: text.to_owned(), shortened: false });
            }
        }
    }

    fn by_text_attributes(&self, element: &Element, out: &mut Vec<Offer>) {
        for (name, kind) in [("placeholder", Kind::Placeholder), ("alt", Kind::AltText), ("title", Kind::Title)] {
            let Some(value) = element.attribute(name).map(crate::domain::dom::text::normalize) else { continue };
            if let Some(value) = self.lasting(&value) {
                let step = Step::Attribute { name: name.to_owned(), pattern: self.pattern(value, kind) };
                out.push(Offer { step, kind, literal: value.to_owned(), shortened: false });
            }
        }
    }

    fn by_test_id(&self, element: &Element, out: &mut Vec<Offer>) {
        for (name, value) in &element.attributes {
            let is_own = self.test_id.split(',').any(|own| own.trim() == name);
            if value.is_empty() || self.tokens.is_generated(value) || !(is_own || kind::is_test_attribute(name)) {
                continue;
            }
            let was_css = matches!(self.old, Step::Css(_)) && kind::kind_of(self.old) == Kind::TestId;
            let step = if is_own && !was_css {
                Step::TestId { attribute: self.test_id.to_owned(), pattern: Pattern::exact(value.clone()) }
            } else {
                Step::Css(self.in_css(element, &attribute_selector(name, value)))
            };
            out.push(Offer { step, kind: Kind::TestId, literal: value.clone(), shortened: false });
        }
    }

    fn by_text(&self, node: NodeId, element: &Element, out: &mut Vec<Offer>) {
        let is_field = matches!(element.tag.as_str(), "input" | "textarea" | "select" | "html" | "body");
        let text = crate::domain::dom::text::normalize(self.page.text(node));
        let holds_data = self.page.role(node).is_some_and(|role| HOLDS_DATA.contains(&role));
        let Some(text) = self.lasting(&text).filter(|_| !is_field && !holds_data) else { return };
        let pattern = self.pattern(text, Kind::Text);
        let step = match self.old {
            Step::Engine { name, .. } if name == "text" => {
                let exact = is_exact(self.old);
                Step::Engine { name: name.clone(), body: if exact { format!("\"{text}\"") } else { text.to_owned() } }
            }
            _ => Step::Text(pattern),
        };
        out.push(Offer { step, kind: Kind::Text, literal: text.to_owned(), shortened: false });
    }

    fn by_css(&self, element: &Element, out: &mut Vec<Offer>) {
        let mut push = |compound: &str, kind: Kind, literal: &str| {
            let within = self.in_css(element, compound);
            let plain = (within != compound).then(|| compound.to_owned());
            for (css, shortened) in [(Some(within), false), (plain, true)] {
                out.extend(css.map(|css| Offer { step: Step::Css(css), kind, literal: literal.to_owned(), shortened }));
            }
        };
        if let Some(id) = element.attribute("id").filter(|id| !id.is_empty() && !self.tokens.is_generated(id)) {
            push(&id_selector(id), Kind::CssId, id);
        }
        for name in NAMING {
            let Some(value) = element.attribute(name) else { continue };
            let is_name = matches!(name, "name" | "for" | "autocomplete" | "href");
            let lasts = if is_name {
                !value.split(['/', '?', '&', '#']).any(|piece| !piece.is_empty() && self.tokens.is_generated(piece))
            } else {
                self.lasting(value) == Some(value)
            };
            if !value.trim().is_empty() && value != "#" && lasts && !value.starts_with("javascript:") {
                push(&attribute_selector(name, value), Kind::CssAttribute, value);
            }
        }
        let classes = element.attribute("class").unwrap_or_default();
        for class in classes.split_ascii_whitespace() {
            if !stable::is_passing_class(class) && !self.tokens.is_generated(class) {
                push(&format!(".{}", escaped(class)), Kind::CssClass, class);
            }
        }
    }

    /// The compound in the words of the old selector: with its tag, and behind what stood in front of it.
    fn in_css(&self, element: &Element, compound: &str) -> String {
        let Step::Css(old) = self.old else { return compound.to_owned() };
        let (head, last) = kind::last_compound(old);
        let had_tag = last.starts_with(|c: char| c.is_ascii_alphabetic());
        let tag = if had_tag { element.tag.as_str() } else { "" };
        format!("{head}{tag}{compound}")
    }

    fn by_xpath(&self, element: &Element, out: &mut Vec<Offer>) {
        for (name, value) in &element.attributes {
            let names = name == "id" || name == "name" || kind::is_test_attribute(name);
            if names && !value.is_empty() && !value.contains(['\'', '"']) && !self.tokens.is_generated(value) {
                let step = Step::XPath(format!("//{}[@{name}='{value}']", element.tag));
                out.push(Offer { step, kind: Kind::XPath, literal: value.clone(), shortened: false });
            }
        }
    }
}

/// Whether a step wants the whole text.
pub(super) fn is_exact(step: &Step) -> bool {
    let exact = |pattern: &Pattern| matches!(pattern, Pattern::Text { exact: true, .. });
    match step {
        Step::Role(role) => role.name.as_ref().is_some_and(exact),
        Step::Text(pattern) | Step::Label(pattern) | Step::Attribute { pattern, .. } => exact(pattern),
        Step::Engine { name, body } => name == "text" && body.starts_with(['"', '\'']),
        _ => false,
    }
}

/// The same step, wanting the whole text; `None` where it does already or has none.
pub(super) fn exactly(step: &Step) -> Option<Step> {
    let exactly = |pattern: &Pattern| match pattern {
        Pattern::Text { text, exact: false } => Some(Pattern::exact(text.clone())),
        _ => None,
    };
    match step {
        Step::Role(role) => {
            let name = exactly(role.name.as_ref()?)?;
            Some(Step::Role(Box::new(Role { name: Some(name), ..(**role).clone() })))
        }
        Step::Text(pattern) => Some(Step::Text(exactly(pattern)?)),
        Step::Label(pattern) => Some(Step::Label(exactly(pattern)?)),
        Step::Attribute { name, pattern } => Some(Step::Attribute { name: name.clone(), pattern: exactly(pattern)? }),
        Step::Engine { name, body } if name == "text" && !body.starts_with(['"', '\'']) && !body.contains('"') => {
            Some(Step::Engine { name: name.clone(), body: format!("\"{body}\"") })
        }
        _ => None,
    }
}

fn id_selector(id: &str) -> String {
    let plain = !id.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if plain { format!("#{id}") } else { attribute_selector("id", id) }
}

/// `[name="value"]`.
pub(super) fn attribute_selector(name: &str, value: &str) -> String {
    format!("[{name}=\"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))
}

fn escaped(identifier: &str) -> String {
    let mut out = String::new();
    for (at, c) in identifier.char_indices() {
        if !(c.is_alphanumeric() || matches!(c, '-' | '_')) || (at == 0 && c.is_ascii_digit()) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
