//! The facts of every element of a page, in one pass: what the ranker compares.
//!
//! In: a page and which attribute holds test ids. Out: [`Facts`] by element, in document order, frames and open shadow
//! trees included. Decides nothing about who is a candidate.

use std::collections::BTreeMap;

use super::dom::{Dom, Element, FrameId, NodeId, Page, form, text, visibility};
use super::identity::{Facts, PathStep, Visibility, link_path};

/// Longest text kept of an element, in characters: more is a section, not a control.
const TEXT_CAP: usize = 200;
/// Longest neighbourhood kept, in characters.
const NEIGHBOUR_CAP: usize = 300;
/// A text of more bytes around an element is a whole section, not its neighbourhood; looking through it for each of its
/// elements would take time with the square of their number.
const SECTION: usize = 8_192;
/// Tags that are never what a test acts on.
const NO_ELEMENT: [&str; 10] =
    ["head", "meta", "link", "script", "style", "title", "base", "noscript", "template", "html"];
/// The ARIA landmark roles, and `dialog`, which works like one.
const LANDMARKS: [&str; 10] = [
    "banner",
    "complementary",
    "contentinfo",
    "dialog",
    "alertdialog",
    "form",
    "main",
    "navigation",
    "region",
    "search",
];

/// The ARIA roles of what holds controls that belong together.
const GROUPS: [&str; 3] = ["group", "radiogroup", "tabpanel"];

/// An element of the page with its facts.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The element.
    pub node: NodeId,
    /// What is known of it.
    pub facts: Facts,
}

/// The facts of all elements of `page`, in document order; a shadow tree comes before its host's children, a frame's
/// document at its `<iframe>`.
pub fn facts_of(page: &Page<'_>, test_id_attribute: &str) -> Vec<Seen> {
    let mut walk = Walk {
        page,
        dom: page.dom(),
        test_id_attribute,
        seen: Vec::new(),
        landmarks: Vec::new(),
        path: Vec::new(),
        above: Vec::new(),
        heading: String::new(),
        groups: Vec::new(),
        orders: BTreeMap::new(),
    };
    if let Some(main) = page.dom().main_frame() {
        walk.run(main);
    }
    walk.seen
}

struct Walk<'w, 'd> {
    page: &'w Page<'d>,
    dom: &'d Dom,
    test_id_attribute: &'w str,
    seen: Vec<Seen>,
    landmarks: Vec<String>,
    path: Vec<PathStep>,
    /// Indices into `seen` of the elements above.
    above: Vec<usize>,
    heading: String,
    /// Names of the named groups above, the outermost first.
    groups: Vec<String>,
    orders: BTreeMap<(String, String), u32>,
}

enum Task {
    Enter { node: NodeId, frame: FrameId, place: u32 },
    Leave { landmark: bool, group: bool, listed: bool },
}

impl Walk<'_, '_> {
    fn run(&mut self, main: FrameId) {
        let mut tasks = self.below(self.dom.frame(main).document, main);
        while let Some(task) = tasks.pop() {
            match task {
                Task::Enter { node, frame, place } => {
                    let Some(element) = self.dom.element(node) else { continue };
                    let tag = form::tag(element);
                    self.path.push(PathStep { tag: tag.clone(), place });
                    let role = self.page.role(node).unwrap_or_default();
                    let listed = !NO_ELEMENT.contains(&tag.as_str());
                    if listed {
                        let facts = self.facts(node, element, role, frame);
                        self.above.push(self.seen.len());
                        self.seen.push(Seen { node, facts });
                    }
                    let landmark = LANDMARKS.contains(&role);
                    if landmark {
                        let name = self.page.name(node);
                        self.landmarks.push(if name.is_empty() { role.to_owned() } else { format!("{role} {name}") });
                    }
                    let group = GROUPS.contains(&role) && {
                        let name = self.page.name(node);
                        let named = !name.is_empty();
                        self.groups.extend(named.then(|| cut(&name, TEXT_CAP)));
                        named
                    };
                    if role == "heading" {
                        self.heading = cut(&self.page.name(node), TEXT_CAP);
                    }
                    tasks.push(Task::Leave { landmark, group, listed });
                    tasks.extend(self.inside(node, element, frame));
                }
                Task::Leave { landmark, group, listed } => {
                    self.path.pop();
                    if landmark {
                        self.landmarks.pop();
                    }
                    if group {
                        self.groups.pop();
                    }
                    if listed {
                        self.above.pop();
                    }
                }
            }
        }
    }

    /// What lies inside an element, last first: children, behind them its shadow tree, behind them its frame.
    fn inside(&self, node: NodeId, element: &Element, frame: FrameId) -> Vec<Task> {
        let mut tasks = self.below(node, frame);
        tasks.extend(element.shadow_root.map(|root| self.below(root, frame)).into_iter().flatten());
        if let Some(inner) = element.content_frame {
            tasks.extend(self.below(self.dom.frame(inner).document, inner));
        }
        tasks
    }

    fn below(&self, parent: NodeId, frame: FrameId) -> Vec<Task> {
        let mut places: BTreeMap<&str, u32> = BTreeMap::new();
        let mut tasks: Vec<Task> = self
            .dom
            .children(parent)
            .iter()
            .filter_map(|&node| {
                let element = self.dom.element(node)?;
                let place = places.entry(element.tag.as_str()).or_default();
                *place += 1;
                Some(Task::Enter { node, frame, place: *place })
            })
            .collect();
        tasks.reverse();
        tasks
    }

    fn facts(&mut self, node: NodeId, element: &Element, role: &str, frame: FrameId) -> Facts {
        let attribute = |name: &str| element.attribute(name).unwrap_or_default().to_owned();
        let key = (self.landmarks.join("/"), format!("{role}/{}", if role.is_empty() { &element.tag } else { "" }));
        let order = self.orders.entry(key).or_default();
        let place = *order;
        *order += 1;
        let own = self.page.text(node);
        Facts {
            tag: form::tag(element),
            input_type: input_type(element),
            role: role.to_owned(),
            name: cut(&self.page.name(node), TEXT_CAP),
            text: cut(own, TEXT_CAP),
            test_id: attribute(self.test_id_attribute),
            test_id_attribute: self.test_id_attribute.to_owned(),
            id: attribute("id"),
            name_attribute: attribute("name"),
            classes: element.attribute("class").unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
            href: element.attribute("href").map(link_path).unwrap_or_default(),
            aria_label: attribute("aria-label"),
            placeholder: attribute("placeholder"),
            title: attribute("title"),
            alt: attribute("alt"),
            label: self.label(node),
            value: value_of(element),
            options: self.options(node, element),
            landmarks: self.landmarks.clone(),
            heading: self.heading.clone(),
            form: self.form(node),
            group: self.groups.last().cloned().unwrap_or_default(),
            order: Some(place),
            neighbours: self.neighbours(node, own),
            bounds: element.bounds,
            path: self.path.clone(),
            frame: if self.dom.main_frame() == Some(frame) { String::new() } else { self.dom.frame(frame).url.clone() },
            visibility: self.visibility(node),
            editable: is_editable(element),
            disabled: self.page.is_disabled(node),
            parent: self.above.last().copied(),
        }
    }

    fn label(&self, node: NodeId) -> String {
        let texts: Vec<&str> = self.page.labels(node).iter().map(|&label| self.page.text(label)).collect();
        cut(&texts.join(" "), TEXT_CAP)
    }

    fn options(&self, node: NodeId, element: &Element) -> Vec<String> {
        if !element.is_html("select") {
            return Vec::new();
        }
        let mut options = Vec::new();
        for option in form::options(self.dom, node) {
            options.push(cut(self.page.text(option), TEXT_CAP));
            if let Some(value) = self.dom.element(option).and_then(|element| element.attribute("value")) {
                options.push(cut(value, TEXT_CAP));
            }
        }
        options.dedup();
        options
    }

    fn form(&self, node: NodeId) -> String {
        let Some(form) = form::closest(self.dom, node, |element| element.is_html("form")) else { return String::new() };
        let name = self.page.name(form);
        let element = self.dom.element(form);
        let attribute = |name| element.and_then(|element| element.attribute(name)).unwrap_or_default();
        [&*name, attribute("id"), attribute("name"), attribute("action")]
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or("form")
            .to_owned()
    }

    /// The text around the element: of the nearest element above that has more text than it.
    fn neighbours(&self, node: NodeId, own: &str) -> String {
        let mut above = self.dom.parent_element(node);
        for _ in 0..6 {
            let Some(parent) = above else { break };
            let around = self.page.text(parent);
            if around.len() > SECTION {
                break;
            }
            if around.len() > own.len() {
                // A field's label is its own.
                let label = self.label(node);
                let without = |text: &str, part: &str| {
                    if part.is_empty() { text.to_owned() } else { text.replacen(part, " ", 1) }
                };
                let rest = text::normalize(&without(&without(around, own), label.trim()));
                if !rest.is_empty() {
                    return cut(&rest, NEIGHBOUR_CAP);
                }
            }
            above = self.dom.parent_element(parent);
        }
        String::new()
    }

    fn visibility(&self, node: NodeId) -> Visibility {
        let inert = form::closest(self.dom, node, |element| element.attribute("inert").is_some()).is_some();
        match self.page.visibility(node) {
            _ if inert => Visibility::Hidden,
            visibility::Visibility::Visible => Visibility::Visible,
            visibility::Visibility::Hidden => Visibility::Hidden,
            visibility::Visibility::Unknown => Visibility::Unknown,
        }
    }
}

fn input_type(element: &Element) -> String {
    if element.is_html("input") {
        form::input_type(element).to_owned()
    } else if element.is_html("button") {
        element.attribute("type").unwrap_or("submit").to_ascii_lowercase()
    } else {
        String::new()
    }
}

/// The `value` that tells a button, check box or radio button from its like; never what a person typed.
fn value_of(element: &Element) -> String {
    let telling = element.is_html("button")
        || (element.is_html("input")
            && form::is_input(element, &["button", "submit", "reset", "checkbox", "radio", "image"]));
    if telling { element.attribute("value").unwrap_or_default().to_owned() } else { String::new() }
}

/// Whether text can be typed into it.
fn is_editable(element: &Element) -> bool {
    const NOT_TEXT: [&str; 9] = ["button", "submit", "reset", "image", "checkbox", "radio", "file", "hidden", "range"];
    let content = element.attribute("contenteditable").is_some_and(|value| !value.eq_ignore_ascii_case("false"));
    let field = element.is_html("textarea") || (element.is_html("input") && !form::is_input(element, &NOT_TEXT));
    content || (field && element.attribute("readonly").is_none())
}

fn cut(text: &str, cap: usize) -> String {
    text.chars().take(cap).collect()
}
