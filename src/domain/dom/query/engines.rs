//! One step of a locator, made ready, applied below one root.

use super::matcher::{Matcher, Reach};
use super::role::RoleQuery;
use super::{Hit, Hits, Stop};
use crate::domain::dom::css::{Css, Scope};
use crate::domain::dom::{NodeId, Page, form, pattern, xpath};
use crate::domain::locator::parse::attribute;
use crate::domain::locator::{Pattern, Step};

/// A step made ready for one page.
pub(super) enum Engine<'s> {
    Css(Css),
    XPath(xpath::XPath),
    Text {
        matcher: Matcher,
        legacy: bool,
        pierces: bool,
    },
    HasText {
        matcher: Matcher,
        wanted: bool,
    },
    Label(Matcher),
    Attribute {
        names: Vec<&'s str>,
        value: AttributeMatcher,
    },
    /// An attribute that equals a text: `id=`, `data-testid=` …
    Equals {
        name: &'s str,
        value: &'s str,
        pierces: bool,
    },
    Role(RoleQuery),
    /// Steps that [`super`] applies itself.
    Nothing,
}

/// How the value of an attribute is compared.
pub(super) enum AttributeMatcher {
    Exact(String),
    Contains(String),
    Regex(regex::Regex),
}

impl<'s> Engine<'s> {
    pub(super) fn new(page: &Page<'_>, step: &'s Step) -> Result<Self, Stop> {
        Ok(match step {
            Step::Css(css) => Self::Css(Css::parse(css).map_err(Stop::Invalid)?),
            Step::XPath(path) => Self::XPath(xpath::XPath::parse(path)?),
            Step::Text(pattern) => Self::Text { matcher: Matcher::new(page, pattern)?, legacy: false, pierces: true },
            Step::HasText(pattern) => Self::HasText { matcher: Matcher::new(page, pattern)?, wanted: true },
            Step::HasNotText(pattern) => Self::HasText { matcher: Matcher::new(page, pattern)?, wanted: false },
            Step::Label(pattern) => Self::Label(Matcher::new(page, pattern)?),
            Step::Attribute { name, pattern } => {
                Self::Attribute { names: vec![name], value: AttributeMatcher::new(pattern)? }
            }
            Step::TestId { attribute, pattern } => {
                Self::Attribute { names: attribute.split(',').collect(), value: AttributeMatcher::new(pattern)? }
            }
            Step::Role(role) => Self::Role(RoleQuery::new(role)?),
            Step::Engine { name, body } => Self::named(page, name, body)?,
            Step::AnyFrame => return Err(Stop::Invalid("every frame can be searched at the start only".into())),
            Step::Has(_)
            | Step::HasNot(_)
            | Step::Visible(_)
            | Step::And(_)
            | Step::Or(_)
            | Step::Chain(_)
            | Step::Nth(_)
            | Step::EnterFrame => Self::Nothing,
        })
    }

    fn named(page: &Page<'_>, name: &'s str, body: &'s str) -> Result<Self, Stop> {
        let (plain, light) = name.strip_suffix(":light").map_or((name, false), |plain| (plain, true));
        Ok(match plain {
            "text" => Self::Text { matcher: Matcher::legacy(page, body)?, legacy: true, pierces: !light },
            "id" | "data-testid" | "data-test-id" | "data-test" => {
                Self::Equals { name: plain, value: body, pierces: !light }
            }
            "xpath" => Self::XPath(xpath::XPath::parse(body)?),
            "role" | "internal:role" => {
                let selector = attribute::parse(body).map_err(|error| Stop::Invalid(error.to_string()))?;
                Self::Role(RoleQuery::from_selector(&selector, plain == "internal:role")?)
            }
            "left-of" | "right-of" | "above" | "below" | "near" => {
                return Err(Stop::Unknown("layout is not in the snapshot".into()));
            }
            "_react" | "_vue" | "aria-ref" | "aria-template" | "internal:control" => {
                return Err(Stop::Unknown(format!("what `{name}=` asks for is not in the snapshot")));
            }
            _ => return Err(Stop::Invalid(format!("unknown engine `{name}`"))),
        })
    }

    pub(super) fn query(&self, page: &Page<'_>, root: NodeId) -> Hits {
        if !page.is_queryable(root) {
            return Ok(Vec::new());
        }
        Ok(match self {
            Self::Css(css) => return css.query(page, Scope::new(root)),
            Self::XPath(path) => sure(path.query(page, root)?),
            Self::Text { matcher, legacy, pierces } => sure(texts(page, root, matcher, *legacy, *pierces)),
            Self::HasText { matcher, wanted } => {
                let holds = page.dom.element(root).is_some() && matcher.matches(page, root) == *wanted;
                if holds { vec![Hit::sure(root)] } else { Vec::new() }
            }
            Self::Label(matcher) => filter(page, root, |node| has_label(page, node, matcher)),
            Self::Attribute { names, value } => filter(page, root, |node| {
                names.iter().any(|name| page.attribute(node, name).is_some_and(|actual| value.matches(actual)))
            }),
            Self::Equals { name, value, pierces: true } => {
                filter(page, root, |node| page.attribute(node, name) == Some(*value))
            }
            Self::Equals { name, value, pierces: false } => {
                let light = page.tree.descendants(root).iter().copied();
                sure(light.filter(|node| page.attribute(*node, name) == Some(*value)).collect())
            }
            Self::Role(role) => filter(page, root, |node| role.matches(page, node)),
            Self::Nothing => Vec::new(),
        })
    }
}

impl AttributeMatcher {
    fn new(pattern: &Pattern) -> Result<Self, Stop> {
        Ok(match pattern {
            Pattern::Text { text, exact: true } => Self::Exact(text.clone()),
            Pattern::Text { text, exact: false } => Self::Contains(text.to_lowercase()),
            Pattern::Regex(regex) => Self::Regex(pattern::compile(regex)?),
        })
    }

    fn matches(&self, actual: &str) -> bool {
        match self {
            Self::Exact(text) => actual == text,
            Self::Contains(text) => actual.to_lowercase().contains(text.as_str()),
            Self::Regex(regex) => regex.is_match(actual),
        }
    }
}

fn sure(nodes: Vec<NodeId>) -> Vec<Hit> {
    nodes.into_iter().map(Hit::sure).collect()
}

fn filter(page: &Page<'_>, root: NodeId, matches: impl Fn(NodeId) -> bool) -> Vec<Hit> {
    page.pierced(root).iter().copied().filter(|node| matches(*node)).map(Hit::sure).collect()
}

/// The elements that match by their own text and not through a child.
fn texts(page: &Page<'_>, root: NodeId, matcher: &Matcher, legacy: bool, pierces: bool) -> Vec<NodeId> {
    let below = if pierces { page.pierced(root) } else { page.tree.descendants(root).into() };
    let own = page.dom.element(root).map(|_| root);
    let lax = matches!(matcher, Matcher::Lax { .. });
    let strict = matches!(matcher, Matcher::Immediate(_) | Matcher::Whole(_));
    let mut found = Vec::new();
    let mut without: Option<NodeId> = None;
    for node in own.into_iter().chain(below.iter().copied()) {
        // What does not contain a text has no descendant that does.
        if lax && without.is_some_and(|above| page.tree.contains(above, node)) {
            continue;
        }
        match matcher.reach(page, node) {
            Reach::Nothing => without = Some(node),
            Reach::Itself => found.push(node),
            Reach::ItselfAndChildren if strict && legacy => found.push(node),
            Reach::ItselfAndChildren => {}
        }
    }
    found
}

/// Whether one of the texts that label a control matches.
fn has_label(page: &Page<'_>, node: NodeId, matcher: &Matcher) -> bool {
    let Some(element) = page.dom.element(node) else { return false };
    let references = page.id_refs(node, element.attribute("aria-labelledby"));
    if !references.is_empty() {
        return references.iter().any(|label| matcher.matches(page, *label));
    }
    if let Some(label) = element
        .attribute("aria-label")
        .filter(|label| !label.trim_matches(crate::domain::dom::text::is_space).is_empty())
    {
        return matcher.matches_text(label);
    }
    form::is_labelable(element) && page.labels(node).iter().any(|label| matcher.matches(page, *label))
}
