//! The element that a call of a green test worked on, and what belongs to it on its page.

use std::collections::BTreeSet;

use super::draft::{Draft, Id};
use super::wording::Sort;
use crate::domain::dom::{Dom, NodeId, Page};

/// Tags that hold the page or a table together: what stands in them is not one with them.
const FRAMEWORK: [&str; 12] =
    ["html", "body", "form", "fieldset", "table", "thead", "tbody", "tr", "td", "th", "dialog", "main"];
/// The landmark roles, and `dialog`, which works like one.
const LANDMARKS: [&str; 9] =
    ["banner", "complementary", "contentinfo", "dialog", "alertdialog", "main", "navigation", "region", "search"];

/// An element and what belongs to it, as nodes of the draft made of its page.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The element itself.
    pub node: Id,
    /// It with the wrappers that hold nothing else: what goes or moves when it goes or moves.
    pub unit: Id,
    /// Its labels.
    pub labels: Vec<Id>,
    /// The nearest landmark above, or the body.
    pub home: Id,
    /// The other landmarks of its page that can be seen.
    pub elsewhere: Vec<Id>,
    /// The body of its document.
    pub body: Id,
    /// What sort of thing it is.
    pub sort: Sort,
    /// The attribute that holds test ids.
    pub test_id: String,
}

impl Subject {
    /// What belongs to `node`; `None` where the page has no body.
    pub fn new(page: &Page<'_>, node: NodeId, test_id: &str) -> Option<Self> {
        let dom = page.dom();
        let body = above(dom, node).find(|&above| is_tag(dom, above, "body"))?;
        let is_landmark = |node: NodeId| page.role(node).is_some_and(|role| LANDMARKS.contains(&role));
        let home = above(dom, node).find(|&node| is_landmark(node)).unwrap_or(body);
        let inside = |node: NodeId, outer: NodeId| node == outer || above(dom, node).any(|above| above == outer);
        let is_elsewhere = |&other: &NodeId| {
            is_landmark(other)
                && other != home
                && inside(other, body)
                && !inside(other, node)
                && !inside(home, other)
                && !inside(other, home)
                && page.visibility(other) == crate::domain::dom::visibility::Visibility::Visible
        };
        let labels: Vec<NodeId> = page.labels(node).to_vec();
        Some(Self {
            unit: unit(page, node, &labels, &is_landmark).into(),
            elsewhere: dom
                .nodes()
                .filter(|&node| dom.element(node).is_some())
                .filter(is_elsewhere)
                .map(Id::from)
                .collect(),
            node: node.into(),
            labels: labels.into_iter().map(Id::from).collect(),
            home: home.into(),
            body: body.into(),
            sort: sort(page, node),
            test_id: test_id.to_owned(),
        })
    }

    /// The text nodes of the element that a person reads, the longest first.
    pub fn texts(&self, draft: &Draft) -> Vec<Id> {
        readable(draft, self.node)
    }
}

/// The text nodes below `node` that hold letters, the longest first.
pub fn readable(draft: &Draft, node: Id) -> Vec<Id> {
    let letters = |id: Id| draft.text(id).map_or(0, |text| text.chars().filter(|c| c.is_alphabetic()).count());
    let hidden = |id: Id| {
        let tag = draft.parent(id).and_then(|parent| draft.element(parent)).map(|element| element.tag.as_str());
        tag.is_some_and(|tag| ["script", "style", "template", "noscript"].contains(&tag))
    };
    let mut texts: Vec<Id> = draft.below(node).into_iter().filter(|&id| letters(id) > 0 && !hidden(id)).collect();
    texts.sort_by_key(|&id| (std::cmp::Reverse(letters(id)), id));
    texts
}

/// Whether `one` and `other` are one element to a person: one lies in the other, which holds nothing else, or labels it.
pub fn same_element(page: &Page<'_>, one: NodeId, other: NodeId) -> bool {
    let dom = page.dom();
    let within = |inner: NodeId, outer: NodeId| above(dom, inner).any(|above| above == outer);
    let (inner, outer) = if within(one, other) { (one, other) } else { (other, one) };
    let alone = within(inner, outer)
        && page.text(inner) == page.text(outer)
        && controls(page, outer).len() <= controls(page, inner).len().max(1);
    one == other || alone || page.labels(one).contains(&other) || page.labels(other).contains(&one)
}

fn above(dom: &Dom, node: NodeId) -> impl Iterator<Item = NodeId> {
    std::iter::successors(dom.parent_element(node), |&above| dom.parent_element(above))
}

fn is_tag(dom: &Dom, node: NodeId, tag: &str) -> bool {
    dom.element(node).is_some_and(|element| element.is_html(tag))
}

/// The element with the wrappers around it that hold nothing but it and its labels.
fn unit(page: &Page<'_>, node: NodeId, labels: &[NodeId], is_landmark: &impl Fn(NodeId) -> bool) -> NodeId {
    let dom = page.dom();
    let said: BTreeSet<&str> = labels.iter().map(|&label| page.text(label)).collect();
    let own = page.text(node);
    let mut unit = node;
    for wrapper in above(dom, node) {
        let framework = dom.element(wrapper).is_none_or(|element| FRAMEWORK.contains(&element.tag.as_str()));
        let text = page.text(wrapper);
        let plain = text == own || said.contains(text);
        let crosses = dom.parent(unit) != Some(wrapper);
        if framework || crosses || is_landmark(wrapper) || !plain || controls(page, wrapper).len() > 1 {
            break;
        }
        unit = wrapper;
    }
    unit
}

/// The controls of which `node` is one or holds them.
fn controls(page: &Page<'_>, node: NodeId) -> Vec<NodeId> {
    let dom = page.dom();
    let (mut found, mut open) = (Vec::new(), vec![node]);
    while let Some(node) = open.pop() {
        let Some(element) = dom.element(node) else { continue };
        let field = ["button", "input", "select", "textarea"].contains(&element.tag.as_str());
        let role = page.role(node).is_some_and(|role| ["button", "link", "checkbox", "radio", "tab"].contains(&role));
        if field || role {
            found.push(node);
        }
        open.extend(dom.children(node));
    }
    found
}

fn sort(page: &Page<'_>, node: NodeId) -> Sort {
    match page.role(node) {
        Some("link") => Sort::Link,
        Some("button" | "menuitem" | "tab") => Sort::Button,
        Some("textbox" | "searchbox" | "spinbutton" | "checkbox" | "radio" | "switch" | "combobox" | "listbox") => {
            Sort::Field
        }
        _ if page
            .dom()
            .element(node)
            .is_some_and(|element| ["input", "select", "textarea"].contains(&element.tag.as_str())) =>
        {
            Sort::Field
        }
        _ => Sort::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::dom::testing::dom;
    use crate::domain::locator::Locator;

    fn find(page: &Page<'_>, css: &str) -> NodeId {
        let locator = Locator::from_source(&format!("locator('{css}')"), "data-testid").unwrap();
        page.query(page.dom().main_frame().unwrap(), &locator).only().unwrap()
    }

    const PAGE: &str = "<html><body><nav><ul><li id=\"item\"><a id=\"home\"><span id=\"inner\">Home</span></a></li>\
        <li><a>Blog</a></li></ul></nav><main><div id=\"group\"><label id=\"label\" for=\"mail\">Mail</label>\
        <div id=\"cell\"><input id=\"mail\"/></div></div><p id=\"note\">Note</p></main></body></html>";

    #[test]
    fn the_wrappers_that_hold_nothing_else_go_with_an_element() {
        let dom = dom(PAGE);
        let page = Page::new(&dom);
        for (css, unit) in [("#home", "#item"), ("#inner", "#item"), ("#mail", "#group"), ("#note", "#note")] {
            let subject = Subject::new(&page, find(&page, css), "data-testid").unwrap();
            assert_eq!(subject.unit, Id::from(find(&page, unit)), "{css}");
        }
    }

    #[test]
    fn other_landmarks_are_elsewhere() {
        let dom = dom(PAGE);
        let page = Page::new(&dom);
        let subject = Subject::new(&page, find(&page, "#home"), "data-testid").unwrap();
        assert_eq!(subject.home, Id::from(find(&page, "nav")));
        assert_eq!(subject.elsewhere, [Id::from(find(&page, "main"))]);
    }

    #[test]
    fn an_element_and_what_holds_only_it_are_the_same_and_neighbours_are_not() {
        let dom = dom(PAGE);
        let page = Page::new(&dom);
        let same = |one: &str, other: &str| same_element(&page, find(&page, one), find(&page, other));
        assert!(same("#inner", "#home") && same("#home", "#item") && same("#mail", "#label"));
        assert!(!same("#home", "nav") && !same("#mail", "#note") && !same("#home", "#note"));
    }
}
