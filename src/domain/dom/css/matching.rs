//! Whether an element matches the browser's selectors.

use std::cell::Cell;

use super::attribute::{self, has_word};
use super::selector::{Combinator, Complex, Compound, List, Nth, Part, State};
use super::{Ground, Truth};
use crate::domain::dom::{Element, Namespace, NodeId, NodeKind, form, text};

/// How deep `:is(:not(…))` is followed.
const MAX_DEPTH: usize = 64;
/// How many tests of one element all selectors of a page may take together, against hostile sheets: about a second.
pub(crate) const BUDGET: u64 = 20_000_000;

/// What selectors are matched against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matching<'p, 'd> {
    pub(crate) ground: Ground<'p, 'd>,
    /// The host, for the style sheets of its shadow tree.
    pub(crate) host: Option<NodeId>,
    /// What `:scope` and `&` stand for.
    pub(crate) scope: Option<NodeId>,
    pub(crate) depth: usize,
    /// What is left of [`BUDGET`]; once it is spent, everything is in doubt.
    pub(crate) budget: &'p Cell<u64>,
}

impl<'p, 'd> Matching<'p, 'd> {
    pub(crate) fn new(ground: Ground<'p, 'd>, budget: &'p Cell<u64>) -> Self {
        Self { ground, host: None, scope: None, depth: 0, budget }
    }

    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    pub(crate) fn any(self, node: NodeId, list: &List) -> Truth {
        Truth::any(list.iter().map(|complex| self.complex(node, complex)))
    }

    /// Whether the element that the whole selector names, pseudo-elements aside, can be `node`.
    pub(crate) fn complex(self, node: NodeId, complex: &Complex) -> Truth {
        match complex.compounds.split_last() {
            Some(((joined, last), rest)) => self.compound(node, last).and(|| self.before(node, *joined, rest).truth),
            None => Truth::Yes,
        }
    }

    /// Whether something that stands to `node` as `joined` says matches the last of `rest`, and so on to the left.
    fn before(self, node: NodeId, joined: Combinator, rest: &[(Combinator, Compound)]) -> Outcome {
        let Some(((left, compound), rest)) = rest.split_last() else { return Outcome::of(Truth::Yes, Futile::Nothing) };
        let here = |node: NodeId| match self.compound(node, compound) {
            Truth::No => Outcome::of(Truth::No, Futile::Nothing),
            own => {
                let left = self.before(node, *left, rest);
                Outcome { truth: own.and(|| left.truth), ..left }
            }
        };
        let back = |node: NodeId| self.ground.tree.sibling(node, false);
        match joined {
            Combinator::Child => {
                let outcome = self.parent(node).map_or(Outcome::of(Truth::No, Futile::Nothing), here);
                // Its siblings have the same parent.
                Outcome { futile: outcome.futile.max(Futile::Siblings), ..outcome }
            }
            Combinator::NextSibling => back(node).map_or(Outcome::of(Truth::No, Futile::Nothing), here),
            Combinator::Descendant => first(self.parent(node), |node| self.parent(node), here, Futile::Everything),
            Combinator::LaterSibling => first(back(node), back, here, Futile::Siblings),
        }
    }

    /// The element above in the same tree; above a shadow tree its host, for `:host` alone.
    fn parent(self, node: NodeId) -> Option<NodeId> {
        let parent = self.ground.dom.parent(node)?;
        match self.ground.dom.kind(parent) {
            NodeKind::Element(_) => Some(parent),
            NodeKind::ShadowRoot => self.host.filter(|host| self.ground.dom.parent(parent) == Some(*host)),
            NodeKind::Document | NodeKind::Text(_) => None,
        }
    }

    pub(crate) fn compound(self, node: NodeId, compound: &Compound) -> Truth {
        let Some(element) = self.ground.dom.element(node) else { return Truth::No };
        self.budget.set(self.budget.get().saturating_sub(1));
        if self.budget.get() == 0 {
            return Truth::Doubt;
        }
        if self.host == Some(node) && !compound.parts.iter().any(|part| matches!(part, Part::Host(_))) {
            // A host has no features of its own inside its shadow tree.
            return Truth::No;
        }
        Truth::all(compound.parts.iter().map(|part| self.part(node, element, part)))
    }

    fn part(self, node: NodeId, element: &Element, part: &Part) -> Truth {
        match part {
            Part::Any => Truth::Yes,
            Part::Tag { lower, written } => {
                let name = if element.namespace == Namespace::Html { lower } else { written };
                (element.tag == *name).into()
            }
            Part::Id(id) => (element.attribute("id") == Some(id)).into(),
            Part::Class(class) => has_word(element.attribute("class").unwrap_or_default(), class).into(),
            Part::Attribute(test) if attribute::is_lost(element, &test.lower) => Truth::Doubt,
            Part::Attribute(test) => attribute::matches(element, test).into(),
            Part::Nth(nth) => self.nth(node, element, nth),
            Part::Is(list) => self.deeper().guarded(node, list),
            Part::Not(list) => !self.deeper().guarded(node, list),
            Part::Has(list) => self.has(node, list),
            Part::Host(list) => {
                let inner = Self { host: None, ..self };
                Truth::from(self.host == Some(node))
                    .and(|| list.as_ref().map_or(Truth::Yes, |list| inner.any(node, list)))
            }
            Part::Scope => match self.scope {
                Some(scope) => (scope == node).into(),
                None => self.is_root(node).into(),
            },
            Part::State(state) => self.state(node, element, *state),
            Part::Lang(languages) => self.lang(node, languages),
            Part::Dir(direction) => self.dir(node, direction),
        }
    }

    fn guarded(self, node: NodeId, list: &List) -> Truth {
        if self.depth > MAX_DEPTH { Truth::Doubt } else { self.any(node, list) }
    }

    fn has(self, node: NodeId, list: &List) -> Truth {
        if self.depth > MAX_DEPTH {
            return Truth::Doubt;
        }
        let inner = Self { scope: Some(node), depth: self.depth + 1, ..self };
        Truth::any(list.iter().map(|complex| {
            let joined = complex.compounds.first().map_or(Combinator::Descendant, |(joined, _)| *joined);
            let siblings = || std::iter::successors(Some(node), |node| self.ground.tree.sibling(*node, true)).skip(1);
            match joined {
                Combinator::Descendant | Combinator::Child => {
                    let below = self.ground.tree.descendants(node).iter();
                    Truth::any(below.map(|below| inner.relative(*below, complex)))
                }
                Combinator::NextSibling | Combinator::LaterSibling => Truth::any(siblings().map(|sibling| {
                    let below = self.ground.tree.descendants(sibling).iter();
                    Truth::any(std::iter::once(&sibling).chain(below).map(|below| inner.relative(*below, complex)))
                })),
            }
        }))
    }

    /// Matches a selector that starts at `scope`.
    fn relative(self, node: NodeId, complex: &Complex) -> Truth {
        let Some(((joined, last), rest)) = complex.compounds.split_last() else { return Truth::No };
        let scope = (Combinator::Descendant, Compound { parts: vec![Part::Scope] });
        let mut anchored = vec![scope];
        anchored.extend_from_slice(rest);
        self.compound(node, last).and(|| self.before(node, *joined, &anchored).truth)
    }

    fn siblings(self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let dom = self.ground.dom;
        let all = dom.parent(node).map(|parent| dom.children(parent)).unwrap_or_default();
        all.iter().copied().filter(move |sibling| dom.element(*sibling).is_some())
    }

    fn nth(self, node: NodeId, element: &Element, nth: &Nth) -> Truth {
        let mut position = 0_i32;
        let mut doubt = Truth::Yes;
        let mut own = Truth::Yes;
        if let Some(list) = &nth.of {
            own = self.deeper().guarded(node, list);
        }
        let siblings: Vec<NodeId> = self.siblings(node).collect();
        let upto: Box<dyn Iterator<Item = &NodeId>> =
            if nth.from_end { Box::new(siblings.iter().rev()) } else { Box::new(siblings.iter()) };
        for sibling in upto {
            let counts = match (&nth.of, nth.of_type) {
                (Some(list), _) => self.deeper().guarded(*sibling, list),
                (None, true) => self
                    .ground
                    .dom
                    .element(*sibling)
                    .is_some_and(|other| other.tag == element.tag && other.namespace == element.namespace)
                    .into(),
                (None, false) => Truth::Yes,
            };
            if counts == Truth::Doubt {
                doubt = Truth::Doubt;
            }
            position += i32::from(counts != Truth::No);
            if *sibling == node {
                break;
            }
        }
        let distance = position.saturating_sub(nth.offset);
        let fits = match nth.step {
            0 => distance == 0,
            step => distance % step == 0 && distance / step >= 0,
        };
        own.and(|| if doubt == Truth::Doubt { Truth::Doubt } else { fits.into() })
    }

    fn is_root(self, node: NodeId) -> bool {
        self.ground.dom.parent(node).is_some_and(|parent| matches!(self.ground.dom.kind(parent), NodeKind::Document))
    }

    fn state(self, node: NodeId, element: &Element, state: State) -> Truth {
        let dom = self.ground.dom;
        let has = |name: &str| element.attribute(name).is_some();
        let control = ["button", "input", "select", "textarea", "option", "optgroup", "fieldset"]
            .iter()
            .any(|tag| element.is_html(tag));
        let disabled = || form::is_natively_disabled(dom, node) || (element.is_html("fieldset") && has("disabled"));
        let field = ["input", "select", "textarea"].iter().any(|tag| element.is_html(tag));
        let alone = |siblings: usize| siblings == 1;
        match state {
            State::Root => self.is_root(node),
            State::Empty => !dom.children(node).iter().any(|child| match dom.kind(*child) {
                NodeKind::Text(text) => !text.is_empty(),
                _ => true,
            }),
            State::OnlyChild => alone(self.siblings(node).count()),
            State::OnlyOfType => {
                let same = |other: &NodeId| dom.element(*other).is_some_and(|other| other.tag == element.tag);
                alone(self.siblings(node).filter(same).count())
            }
            State::Checked => {
                (form::is_input(element, &["checkbox", "radio"]) && form::is_checked(element))
                    || (element.is_html("option") && form::is_selected(dom, node))
            }
            State::Disabled => control && disabled(),
            State::Enabled => control && !disabled(),
            State::Required => field && has("required"),
            State::Optional => field && !has("required"),
            State::ReadWrite => is_writable(self.ground, node, element),
            State::ReadOnly => !is_writable(self.ground, node, element),
            State::PlaceholderShown => {
                let text = form::is_input(element, &["text", "search", "url", "tel", "email", "password", "number"]);
                let empty = if element.is_html("textarea") {
                    element.value.clone().unwrap_or_else(|| text::text_content(dom, node)).is_empty()
                } else {
                    text && form::value(element).is_empty()
                };
                empty && has("placeholder")
            }
            State::Link => ["a", "area"].iter().any(|tag| element.is_html(tag)) && has("href"),
            State::Target => return self.target(node, element),
            State::Open => ["details", "dialog"].iter().any(|tag| element.is_html(tag)) && has("open"),
            State::PopoverOpen => element.popover_open,
            State::Modal | State::Doubt => return Truth::Doubt,
            State::Defined => !element.tag.contains('-') || element.shadow_root.is_some(),
            State::Never => false,
        }
        .into()
    }

    fn target(self, node: NodeId, element: &Element) -> Truth {
        let mut top = node;
        while let Some(above) = self.ground.dom.parent(top) {
            top = above;
        }
        let frame = self.ground.dom.frames().find(|(_, frame)| frame.document == top);
        let fragment = frame.and_then(|(_, frame)| frame.url.split_once('#')).map(|(_, fragment)| fragment);
        fragment.is_some_and(|fragment| !fragment.is_empty() && element.attribute("id") == Some(fragment)).into()
    }

    fn lang(self, node: NodeId, languages: &[String]) -> Truth {
        let mut next = Some(node);
        while let Some(node) = next {
            let language = self.ground.dom.element(node).and_then(|element| element.attribute("lang"));
            if let Some(language) = language {
                let language = language.to_ascii_lowercase();
                let within = |wanted: &String| {
                    language.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
                };
                return languages.iter().any(within).into();
            }
            next = self.ground.dom.parent_element(node);
        }
        Truth::No
    }

    fn dir(self, node: NodeId, direction: &str) -> Truth {
        let mut next = Some(node);
        while let Some(node) = next {
            let own = self.ground.dom.element(node).and_then(|element| element.attribute("dir"));
            match own.map(str::to_ascii_lowercase).as_deref() {
                Some(own @ ("ltr" | "rtl")) => return (own == direction).into(),
                Some("auto") => return Truth::Doubt,
                _ => next = self.ground.dom.parent_element(node),
            }
        }
        (direction == "ltr").into()
    }
}

/// Whether a part of a selector matched, and if not, which other places need not be tried for the part on its right.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    truth: Truth,
    futile: Futile,
}

/// Which attempts would end like this one. This keeps long selectors from trying every combination of ancestors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Futile {
    Nothing,
    /// Siblings further back.
    Siblings,
    /// Siblings further back and ancestors further up.
    Everything,
}

impl Outcome {
    fn of(truth: Truth, futile: Futile) -> Self {
        Self { truth, futile }
    }
}

/// Tries a row of elements until one matches; `exhausted` says what is futile once none is left.
fn first(
    start: Option<NodeId>,
    next: impl Fn(NodeId) -> Option<NodeId>,
    here: impl Fn(NodeId) -> Outcome,
    exhausted: Futile,
) -> Outcome {
    let mut truth = Truth::No;
    for node in std::iter::successors(start, |node| next(*node)) {
        let outcome = here(node);
        match outcome.truth {
            Truth::Yes => return outcome,
            Truth::Doubt => truth = Truth::Doubt,
            Truth::No => {}
        }
        if outcome.futile >= exhausted {
            return Outcome { truth, ..outcome };
        }
    }
    Outcome::of(truth, exhausted)
}

fn is_writable(ground: Ground<'_, '_>, node: NodeId, element: &Element) -> bool {
    const FIXED: [&str; 9] = ["hidden", "range", "color", "checkbox", "radio", "file", "submit", "image", "reset"];
    let typed = element.is_html("input")
        && !FIXED.contains(&form::input_type(element))
        && form::input_type(element) != "button";
    if typed || element.is_html("textarea") {
        return element.attribute("readonly").is_none() && !form::is_natively_disabled(ground.dom, node);
    }
    let mut next = Some(node);
    while let Some(node) = next {
        match ground.dom.element(node).and_then(|element| element.attribute("contenteditable")) {
            Some(value) => return !value.eq_ignore_ascii_case("false"),
            None => next = ground.dom.parent(node),
        }
    }
    false
}
