//! Role locators: which options a role may be asked for, and how names are compared.

use regex::Regex;

use super::Stop;
use crate::domain::dom::aria::{CHECKED_ROLES, EXPANDED_ROLES, LEVEL_ROLES, PRESSED_ROLES, SELECTED_ROLES};
use crate::domain::dom::{NodeId, Page, pattern, text};
use crate::domain::locator::parse::attribute::{AttributePart, AttributeSelector, AttributeValue, Operator};
use crate::domain::locator::{Pattern, Role, Tristate};

/// A role locator made ready.
pub(super) struct RoleQuery {
    role: String,
    name: Option<NameMatcher>,
    description: Option<NameMatcher>,
    checked: Option<Tristate>,
    disabled: Option<bool>,
    expanded: Option<bool>,
    include_hidden: bool,
    level: Option<f64>,
    pressed: Option<Tristate>,
    selected: Option<bool>,
}

enum NameMatcher {
    Text { text: String, op: Operator, case_sensitive: bool },
    Regex(Regex),
}

impl RoleQuery {
    pub(super) fn new(role: &Role) -> Result<Self, Stop> {
        let query = Self {
            role: role.role.to_lowercase(),
            name: role.name.as_ref().map(NameMatcher::new).transpose()?,
            description: role.description.as_ref().map(NameMatcher::new).transpose()?,
            checked: role.checked,
            disabled: role.disabled,
            expanded: role.expanded,
            include_hidden: role.include_hidden.unwrap_or(false),
            level: role.level.map(f64::from),
            pressed: role.pressed,
            selected: role.selected,
        };
        query.checked()
    }

    /// The `role=` engine: names are whole and with case unless it says otherwise. `internal:role` compares like
    /// `getByRole`.
    pub(super) fn from_selector(selector: &AttributeSelector, internal: bool) -> Result<Self, Stop> {
        let mut query = Self::new(&Role::new(selector.name.as_str()))?;
        for part in &selector.attributes {
            let bad = || Stop::Invalid(format!("`{}` of a role cannot be compared like this", part.name));
            let flag = boolean(part);
            match part.name.as_str() {
                "name" => query.name = Some(NameMatcher::from_part(part, internal)?),
                "description" => query.description = Some(NameMatcher::from_part(part, internal)?),
                "checked" => query.checked = Some(tristate(part).ok_or_else(bad)?),
                "pressed" => query.pressed = Some(tristate(part).ok_or_else(bad)?),
                "selected" => query.selected = Some(flag.ok_or_else(bad)?),
                "expanded" => query.expanded = Some(flag.ok_or_else(bad)?),
                "disabled" => query.disabled = Some(flag.ok_or_else(bad)?),
                "include-hidden" => query.include_hidden = flag.ok_or_else(bad)?,
                "level" => match &part.value {
                    AttributeValue::Text(text) => query.level = Some(text.parse().map_err(|_| bad())?),
                    _ => return Err(bad()),
                },
                name => return Err(Stop::Invalid(format!("a role has no attribute `{name}`"))),
            }
        }
        query.checked()
    }

    /// Refuses what Playwright refuses: a role without a name, and states that a role cannot have.
    fn checked(self) -> Result<Self, Stop> {
        let states: [(bool, &str, &[&str]); 5] = [
            (self.checked.is_some(), "checked", CHECKED_ROLES),
            (self.pressed.is_some(), "pressed", PRESSED_ROLES),
            (self.selected.is_some(), "selected", SELECTED_ROLES),
            (self.expanded.is_some(), "expanded", EXPANDED_ROLES),
            (self.level.is_some(), "level", LEVEL_ROLES),
        ];
        if self.role.is_empty() {
            return Err(Stop::Invalid("the role is empty".into()));
        }
        match states.iter().find(|(asked, _, roles)| *asked && !roles.contains(&self.role.as_str())) {
            Some((_, state, _)) => Err(Stop::Invalid(format!("`{state}` does not exist for the role `{}`", self.role))),
            None => Ok(self),
        }
    }

    pub(super) fn matches(&self, page: &Page<'_>, node: NodeId) -> bool {
        page.role(node) == Some(self.role.as_str())
            && self.selected.is_none_or(|wanted| page.is_selected(node) == wanted)
            && self.checked.is_none_or(|wanted| page.checked(node) == wanted)
            && self.pressed.is_none_or(|wanted| page.pressed(node) == wanted)
            && self.expanded.is_none_or(|wanted| page.expanded(node) == Some(wanted))
            && self.level.is_none_or(|wanted| (f64::from(page.level(node)) - wanted).abs() < f64::EPSILON)
            && self.disabled.is_none_or(|wanted| page.is_disabled(node) == wanted)
            && (self.include_hidden || !page.is_hidden_for_aria(node))
            && self.name.as_ref().is_none_or(|name| name.matches(&page.name_with(node, self.include_hidden)))
            && self
                .description
                .as_ref()
                .is_none_or(|description| description.matches(&page.description(node, self.include_hidden)))
    }
}

impl NameMatcher {
    fn new(pattern: &Pattern) -> Result<Self, Stop> {
        Ok(match pattern {
            Pattern::Text { text, exact } => {
                Self::text(text, if *exact { Operator::Equals } else { Operator::Contains }, *exact)
            }
            Pattern::Regex(regex) => Self::Regex(pattern::compile(regex)?),
        })
    }

    fn from_part(part: &AttributePart, internal: bool) -> Result<Self, Stop> {
        match &part.value {
            AttributeValue::Text(text) if part.op != Operator::Truthy => {
                let loose = internal && !part.case_sensitive && part.op == Operator::Equals;
                Ok(Self::text(text, if loose { Operator::Contains } else { part.op }, part.case_sensitive))
            }
            AttributeValue::Regex(regex) => Ok(Self::Regex(pattern::compile(regex)?)),
            _ => Err(Stop::Invalid(format!("`{}` must be a text or a regular expression", part.name))),
        }
    }

    fn text(text: &str, op: Operator, case_sensitive: bool) -> Self {
        let text = text::normalize(text);
        Self::Text { text: if case_sensitive { text } else { text.to_uppercase() }, op, case_sensitive }
    }

    fn matches(&self, actual: &str) -> bool {
        match self {
            Self::Regex(regex) => regex.is_match(actual),
            Self::Text { text, op, case_sensitive: true } => compare(actual, *op, text),
            Self::Text { text, op, case_sensitive: false } => compare(&actual.to_uppercase(), *op, text),
        }
    }
}

fn compare(actual: &str, op: Operator, wanted: &str) -> bool {
    match op {
        Operator::Truthy => !actual.is_empty(),
        Operator::Equals => actual == wanted,
        Operator::Contains => actual.contains(wanted),
        Operator::Prefix => actual.starts_with(wanted),
        Operator::Suffix => actual.ends_with(wanted),
        Operator::DashPrefix => {
            actual.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        }
        Operator::Word => actual.split(' ').any(|word| word == wanted),
    }
}

fn boolean(part: &AttributePart) -> Option<bool> {
    match (part.op, &part.value) {
        (Operator::Truthy, _) => Some(true),
        (Operator::Equals, AttributeValue::Bool(value)) => Some(*value),
        _ => None,
    }
}

fn tristate(part: &AttributePart) -> Option<Tristate> {
    match &part.value {
        AttributeValue::Text(text) if text == "mixed" && part.op == Operator::Equals => Some(Tristate::Mixed),
        _ => boolean(part).map(Tristate::from),
    }
}
