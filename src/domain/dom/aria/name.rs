//! The accessible name: Playwright's reading of the name computation.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use super::Place;
use super::hidden::is_ignored;
use crate::domain::dom::style::{Display, Generated};
use crate::domain::dom::text::{self, is_space};
use crate::domain::dom::{Element, NodeId, NodeKind, Page, form};

/// How deep a name is looked for below its element. Browsers do not parse deeper trees than 512; this bounds the stack.
const MAX_DEPTH: usize = 200;

const NAMELESS_ROLES: &[&str] = &[
    "caption",
    "code",
    "definition",
    "deletion",
    "emphasis",
    "generic",
    "insertion",
    "mark",
    "paragraph",
    "presentation",
    "strong",
    "subscript",
    "suggestion",
    "superscript",
    "term",
    "time",
];
const NAMED_BY_CONTENT: &[&str] = &[
    "button",
    "cell",
    "checkbox",
    "columnheader",
    "gridcell",
    "heading",
    "link",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "row",
    "rowheader",
    "switch",
    "tab",
    "tooltip",
    "treeitem",
];
/// Named by their content as part of another element's name only.
const NAMED_BY_CONTENT_INSIDE: &[&str] = &[
    "",
    "caption",
    "code",
    "contentinfo",
    "definition",
    "deletion",
    "emphasis",
    "insertion",
    "list",
    "listitem",
    "mark",
    "none",
    "paragraph",
    "presentation",
    "region",
    "row",
    "rowgroup",
    "section",
    "strong",
    "subscript",
    "superscript",
    "table",
    "term",
    "time",
];

/// Where in the computation an element is met.
#[derive(Debug, Clone)]
pub(super) struct Context<'v> {
    include_hidden: bool,
    /// Elements met so far, shared by the whole computation.
    visited: Visited<'v>,
    target: Target,
    pub(super) labelled_by: Option<Place>,
    described_by: Option<Place>,
    native: Option<Place>,
    label: Option<Place>,
    depth: usize,
}

#[derive(Debug, Clone)]
enum Visited<'v> {
    Own(RefCell<HashSet<NodeId>>),
    Shared(&'v RefCell<HashSet<NodeId>>),
}

/// How the element relates to the one whose name is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Itself,
    Descendant,
    Elsewhere,
}

impl Context<'_> {
    fn new(include_hidden: bool, target: Target) -> Self {
        Self {
            include_hidden,
            visited: Visited::Own(RefCell::default()),
            target,
            labelled_by: None,
            described_by: None,
            native: None,
            label: None,
            depth: 0,
        }
    }

    /// For a text that `aria-describedby` refers to.
    pub(super) fn described(include_hidden: bool, place: Place) -> Self {
        Self { described_by: Some(place), ..Self::new(include_hidden, Target::Elsewhere) }
    }

    fn seen(&self) -> &RefCell<HashSet<NodeId>> {
        match &self.visited {
            Visited::Own(set) => set,
            Visited::Shared(set) => set,
        }
    }

    pub(super) fn visit(&self, node: NodeId) {
        self.seen().borrow_mut().insert(node);
    }

    /// The same computation one step further.
    fn step(&self) -> Context<'_> {
        Context {
            include_hidden: self.include_hidden,
            visited: Visited::Shared(self.seen()),
            target: self.target,
            labelled_by: self.labelled_by,
            described_by: self.described_by,
            native: self.native,
            label: self.label,
            depth: self.depth + 1,
        }
    }

    pub(super) fn child(&self) -> Context<'_> {
        let target = if self.target == Target::Itself { Target::Descendant } else { self.target };
        Context { target, ..self.step() }
    }

    /// For a child that gives the element its name by the rules of HTML.
    pub(super) fn naming(&self, native: Place) -> Context<'_> {
        Context { native: Some(native), ..self.child() }
    }

    /// For a child that names the element as a label would.
    pub(super) fn labelling(&self, place: Place) -> Context<'_> {
        Context { labelled_by: Some(place), ..self.child() }
    }

    pub(super) fn referenced(&self, labelled_by: Option<Place>, label: Option<Place>) -> Context<'_> {
        let target = Target::Elsewhere;
        Context { target, labelled_by, label, described_by: None, native: None, ..self.step() }
    }

    fn in_hidden_reference(&self) -> bool {
        [self.labelled_by, self.described_by, self.native, self.label].iter().flatten().any(|place| place.hidden)
    }
}

impl Page<'_> {
    /// The accessible name, white space normalised as in a role locator's comparison.
    pub fn name(&self, node: NodeId) -> Arc<str> {
        self.name_with(node, false)
    }

    /// The accessible name; with `include_hidden` also of hidden content.
    pub fn name_with(&self, node: NodeId, include_hidden: bool) -> Arc<str> {
        let Some(slot) = self.names[usize::from(include_hidden)].get(node.index()) else { return Arc::from("") };
        Arc::clone(slot.get_or_init(|| {
            if self.role(node).is_some_and(|role| NAMELESS_ROLES.contains(&role)) {
                return Arc::from("");
            }
            let name = self.alternative(node, &Context::new(include_hidden, Target::Itself));
            Arc::from(text::normalize(&name))
        }))
    }

    fn labelled_by(&self, node: NodeId) -> Option<Vec<NodeId>> {
        let references = self.id_refs(node, self.attribute(node, "aria-labelledby"));
        (!references.is_empty()).then_some(references)
    }

    /// The text alternative of an element, white space as it comes.
    pub(super) fn alternative(&self, node: NodeId, context: &Context<'_>) -> String {
        let Some(element) = self.dom.element(node) else { return String::new() };
        if context.seen().borrow().contains(&node) || context.depth > MAX_DEPTH {
            return String::new();
        }
        let tag = form::tag(element);
        if !context.include_hidden
            && (is_ignored(&tag) || (!context.in_hidden_reference() && self.is_hidden_for_aria(node)))
        {
            context.visit(node);
            return String::new();
        }
        let labelled_by = self.labelled_by(node);
        if context.labelled_by.is_none() {
            let parts: Vec<String> = labelled_by
                .iter()
                .flatten()
                .map(|reference| {
                    let place = Place { hidden: self.is_hidden_for_aria(*reference) };
                    self.alternative(*reference, &context.referenced(Some(place), None))
                })
                .collect();
            let name = parts.join(" ");
            if !name.is_empty() {
                return name;
            }
        }
        let role = self.role(node).unwrap_or_default();
        let inside = context.label.is_some() || context.labelled_by.is_some() || context.target == Target::Descendant;
        if inside
            && !labelled_by.as_ref().is_some_and(|references| references.contains(&node))
            && let Some(value) = self.embedded_value(node, element, role, context)
        {
            return value;
        }
        if let Some(label) = element.attribute("aria-label").filter(|label| !is_blank(label)) {
            context.visit(node);
            return label.to_owned();
        }
        if !matches!(role, "presentation" | "none")
            && let Some(name) = self.native_name(node, element, labelled_by.is_some(), context)
        {
            return name;
        }
        self.name_from_content_or_title(node, element, role, context)
    }

    fn name_from_content_or_title(&self, node: NodeId, element: &Element, role: &str, context: &Context<'_>) -> String {
        let presentational = matches!(role, "presentation" | "none");
        let descendant = context.target == Target::Descendant;
        let from_content = NAMED_BY_CONTENT.contains(&role)
            || (descendant && NAMED_BY_CONTENT_INSIDE.contains(&role))
            || (form::tag(element) == "summary" && !presentational)
            || context.labelled_by.is_some()
            || context.described_by.is_some()
            || context.label.is_some()
            || context.native.is_some();
        if from_content {
            context.visit(node);
            let name = self.accumulated(node, &context.child());
            let is_empty = if context.target == Target::Itself { is_blank(&name) } else { name.is_empty() };
            if !is_empty {
                return name;
            }
        }
        context.visit(node);
        let is_frame = matches!(form::tag(element).as_str(), "iframe" | "frame");
        let title = element.attribute("title").filter(|title| !is_blank(title) && (!presentational || is_frame));
        title.unwrap_or_default().to_owned()
    }

    /// The names of everything inside, spaced as the boxes are.
    fn accumulated(&self, node: NodeId, context: &Context<'_>) -> String {
        let mut name = self.styles.generated(node, Generated::Before).unwrap_or_default().to_owned();
        if let Some(content) = self.styles.generated(node, Generated::Instead) {
            name.push_str(content);
        } else {
            let assigned = self.tree.assigned(node);
            for child in assigned {
                self.accumulate(*child, context, &mut name);
            }
            if assigned.is_empty() {
                let shadow = self.dom.element(node).and_then(|element| element.shadow_root);
                let own = self.dom.children(node).iter();
                let shadowed = shadow.map(|shadow| self.dom.children(shadow)).unwrap_or_default().iter();
                let owned = self.id_refs(node, self.attribute(node, "aria-owns"));
                for child in own.chain(shadowed).chain(&owned).filter(|child| self.tree.slot(**child).is_none()) {
                    self.accumulate(*child, context, &mut name);
                }
            }
        }
        name.push_str(self.styles.generated(node, Generated::After).unwrap_or_default());
        name
    }

    fn accumulate(&self, node: NodeId, context: &Context<'_>, name: &mut String) {
        match self.dom.kind(node) {
            NodeKind::Element(element) => {
                let part = self.alternative(node, context);
                let inline = self.styles.of(node).display == Display::Inline && !element.is_html("br");
                let space = if inline { "" } else { " " };
                name.extend([space, &part, space]);
            }
            NodeKind::Text(content) => {
                let skips = !context.include_hidden && !context.in_hidden_reference();
                if !(skips && self.is_unrendered_text(node)) {
                    name.push_str(content);
                }
            }
            NodeKind::Document | NodeKind::ShadowRoot => {}
        }
    }
}

pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}
