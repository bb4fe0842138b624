//! The accessible name: Playwright's reading of the name computation.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use super::Place;
use super::hidden::is_ignored;
use crate::domain::dom::style::{Display, Generated};
use crate::domain::dom::text::{self, is_space};
use crate::domain::dom::{Element, Namespace, NodeId, NodeKind, Page, form};

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
    labelled_by: Option<Place>,
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

    fn visit(&self, node: NodeId) {
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

    fn child(&self) -> Context<'_> {
        let target = if self.target == Target::Itself { Target::Descendant } else { self.target };
        Context { target, ..self.step() }
    }

    fn referenced(&self, labelled_by: Option<Place>, label: Option<Place>) -> Context<'_> {
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

    /// A control inside a name contributes its value.
    fn embedded_value(&self, node: NodeId, element: &Element, role: &str, context: &Context<'_>) -> Option<String> {
        let tag = form::tag(element);
        let value = match role {
            "textbox" | "searchbox" => {
                context.visit(node);
                match tag.as_str() {
                    "input" => form::value(element).to_owned(),
                    "textarea" => self.textarea_value(node, element),
                    _ => text::text_content(self.dom, node),
                }
            }
            "combobox" | "listbox" => {
                context.visit(node);
                let chosen = self.chosen_options(node, element, role);
                if chosen.is_empty() && tag == "input" {
                    return Some(form::value(element).to_owned());
                }
                let parts: Vec<String> =
                    chosen.into_iter().map(|option| self.alternative(option, &context.child())).collect();
                parts.join(" ")
            }
            "progressbar" | "scrollbar" | "slider" | "spinbutton" | "meter" => {
                context.visit(node);
                ["aria-valuetext", "aria-valuenow", "value"]
                    .iter()
                    .find_map(|name| element.attribute(name))
                    .unwrap_or_default()
                    .to_owned()
            }
            "menu" => {
                context.visit(node);
                String::new()
            }
            _ => return None,
        };
        Some(value)
    }

    fn textarea_value(&self, node: NodeId, element: &Element) -> String {
        element.value.clone().unwrap_or_else(|| text::text_content(self.dom, node))
    }

    fn chosen_options(&self, node: NodeId, element: &Element, role: &str) -> Vec<NodeId> {
        if form::tag(element) == "select" {
            let options = form::options(self.dom, node);
            let selected: Vec<NodeId> =
                options.iter().filter(|option| form::is_selected(self.dom, **option)).copied().collect();
            return if selected.is_empty() { options.into_iter().take(1).collect() } else { selected };
        }
        let list_box = if role == "combobox" {
            self.owned_elements(node).into_iter().find(|element| self.role(*element) == Some("listbox"))
        } else {
            Some(node)
        };
        let Some(list_box) = list_box else { return Vec::new() };
        let mut options = self.owned_elements(list_box);
        options.retain(|option| {
            let selected =
                self.attribute(*option, "aria-selected").is_some_and(|value| value.eq_ignore_ascii_case("true"));
            selected && self.role(*option) == Some("option")
        });
        options
    }

    /// The elements below `node` and below what it owns by `aria-owns`.
    fn owned_elements(&self, node: NodeId) -> Vec<NodeId> {
        let mut elements = self.tree.descendants(node).to_vec();
        for owned in self.id_refs(node, self.attribute(node, "aria-owns")) {
            elements.push(owned);
            elements.extend_from_slice(self.tree.descendants(owned));
        }
        elements
    }

    fn name_from_labels(&self, labels: &[NodeId], context: &Context<'_>) -> String {
        let parts: Vec<String> = labels
            .iter()
            .map(|label| {
                let place = Place { hidden: self.is_hidden_for_aria(*label) };
                self.alternative(*label, &context.referenced(None, Some(place)))
            })
            .filter(|name| !name.is_empty())
            .collect();
        parts.join(" ")
    }

    /// What HTML and SVG themselves say about the element's name; `None` to go on with its content.
    fn native_name(&self, node: NodeId, element: &Element, labelled: bool, context: &Context<'_>) -> Option<String> {
        let tag = form::tag(element);
        let title = || element.attribute("title").unwrap_or_default().to_owned();
        let labels = self.labels(node);
        match tag.as_str() {
            "input" if matches!(form::input_type(element), "button" | "submit" | "reset" | "file" | "image") => {
                context.visit(node);
                Some(self.input_button_name(element, labels, context))
            }
            "button" if !labelled => {
                context.visit(node);
                (!labels.is_empty()).then(|| self.name_from_labels(labels, context))
            }
            "output" | "textarea" | "select" | "input" | "meter" | "progress" if !labelled => {
                context.visit(node);
                if !labels.is_empty() {
                    return Some(self.name_from_labels(labels, context));
                }
                let title = title();
                if title.is_empty() && takes_placeholder(element) {
                    return Some(element.attribute("placeholder").unwrap_or_default().to_owned());
                }
                Some(title)
            }
            "fieldset" if !labelled => {
                context.visit(node);
                Some(self.name_from_child(node, "legend", context).unwrap_or_else(title))
            }
            "figure" if !labelled => {
                context.visit(node);
                Some(self.name_from_child(node, "figcaption", context).unwrap_or_else(title))
            }
            "img" | "area" => {
                context.visit(node);
                let alt = element.attribute("alt").filter(|alt| !is_blank(alt));
                Some(alt.map_or_else(title, str::to_owned))
            }
            "table" => {
                context.visit(node);
                self.name_from_child(node, "caption", context)
                    .or_else(|| element.attribute("summary").filter(|summary| !summary.is_empty()).map(str::to_owned))
            }
            _ => self.svg_name(node, &tag, element, context),
        }
    }

    fn input_button_name(&self, element: &Element, labels: &[NodeId], context: &Context<'_>) -> String {
        let written = |name: &str| element.attribute(name).filter(|value| !is_blank(value)).map(str::to_owned);
        let kind = form::input_type(element);
        if matches!(kind, "file" | "image") && !labels.is_empty() && context.labelled_by.is_none() {
            return self.name_from_labels(labels, context);
        }
        match kind {
            "file" => "Choose File".into(),
            "image" => written("alt").or_else(|| written("title")).unwrap_or_else(|| "Submit".into()),
            _ if !is_blank(form::value(element)) => form::value(element).to_owned(),
            "submit" => "Submit".into(),
            "reset" => "Reset".into(),
            _ => element.attribute("title").unwrap_or_default().to_owned(),
        }
    }

    /// The text of the first child with this tag.
    fn name_from_child(&self, node: NodeId, tag: &str, context: &Context<'_>) -> Option<String> {
        let child = self.dom.children(node).iter().copied().find(|child| self.tag(*child) == tag)?;
        let place = Place { hidden: self.is_hidden_for_aria(child) };
        Some(self.alternative(child, &Context { native: Some(place), ..context.child() }))
    }

    fn svg_name(&self, node: NodeId, tag: &str, element: &Element, context: &Context<'_>) -> Option<String> {
        let in_svg = |node: NodeId| {
            let mut above = self.dom.parent(node);
            // `ownerSVGElement`: the nearest `<svg>` above, through SVG elements only.
            while let Some(parent) = above {
                let found = self.dom.element(parent)?;
                if found.namespace != Namespace::Svg {
                    return None;
                }
                if found.tag == "svg" {
                    return Some(parent);
                }
                above = self.dom.parent(parent);
            }
            None
        };
        let owned = element.namespace == Namespace::Svg && in_svg(node).is_some();
        if tag != "svg" && !owned {
            return None;
        }
        context.visit(node);
        let is_title = |child: &NodeId| self.tag(*child) == "title" && in_svg(*child).is_some();
        if let Some(child) = self.dom.children(node).iter().copied().find(is_title) {
            let place = Place { hidden: self.is_hidden_for_aria(child) };
            return Some(self.alternative(child, &Context { labelled_by: Some(place), ..context.child() }));
        }
        let title = (owned && tag == "a").then(|| element.attribute("xlink:title")).flatten();
        title.filter(|title| !is_blank(title)).map(str::to_owned)
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

fn takes_placeholder(element: &Element) -> bool {
    form::tag(element) == "textarea"
        || form::is_input(element, &["text", "password", "number", "search", "tel", "email", "url"])
}

fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}
