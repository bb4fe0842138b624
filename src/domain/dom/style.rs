//! The few computed styles that decide what is shown and how names are spaced: `display`, `visibility`, generated content.
//!
//! From the page's own style sheets, as the trace holds them: cascade, layers, media queries, variables, nesting, shadow
//! trees. Without layout, so container queries do not hold; without a mouse, so nothing is hovered.

mod browser;
mod cascade;
mod compute;
mod condition;
mod sheet;
mod values;

use std::collections::HashMap;

use super::css::Ground;
use super::tree::{NotShown, Tree};
use super::{Dom, Element, NodeId, NodeKind};
use cascade::Index;
use compute::Computer;
use sheet::{Declaration, Sheets};

/// What `display` computes to, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Display {
    None,
    Contents,
    #[default]
    Inline,
    /// Anything that makes a block outside.
    Block,
    /// A flex or grid container: its children become blocks.
    Container,
}

/// The computed style of an element.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) display: Display,
    /// `visibility: visible`.
    pub(crate) visible: bool,
    /// Nothing above keeps it from having a box, and its own `display` gives it one.
    pub(crate) rendered: bool,
    pub(crate) layout: Layout,
    inside: Inside,
}

/// The little that a style alone says about an element's box.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Layout {
    /// Width or height is set to nothing.
    pub(crate) zero: bool,
    /// It floats or is positioned, so that its parent need not be as large as it is.
    pub(crate) out_of_flow: bool,
}

/// What an element's style means for what is in it.
#[derive(Debug, Clone, Copy)]
struct Inside {
    /// Its children are boxes of a flex or grid container.
    boxes: bool,
    /// Its content is skipped: `content-visibility: hidden`, or the browser draws something else.
    skipped: bool,
}

impl Style {
    /// What a document gives to its root element.
    const ROOT: Self = Self {
        display: Display::Block,
        visible: true,
        rendered: true,
        layout: Layout { zero: false, out_of_flow: false },
        inside: Inside { boxes: false, skipped: false },
    };
    /// What is in no box gives to its children.
    const NOWHERE: Self = Self { rendered: false, ..Self::ROOT };
}

/// Where CSS generates content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Generated {
    Before,
    After,
    /// Instead of the element's own content.
    Instead,
}

/// The styles of all elements of a page.
#[derive(Debug)]
pub(crate) struct Styles {
    styles: Vec<Option<Style>>,
    generated: HashMap<(NodeId, Generated), String>,
}

impl Styles {
    pub(crate) fn new(dom: &Dom, tree: &Tree<'_>) -> Self {
        let ground = Ground { dom, tree };
        let mut inline = HashMap::new();
        for node in dom.nodes() {
            if let Some(style) = dom.element(node).and_then(|element| element.attribute("style")) {
                inline.insert(node, sheet::inline(style));
            }
        }
        let indexes = indexes(dom, &inline);
        let mut computer = Computer::new(ground, &indexes, &inline);
        let mut all = Self { styles: vec![None; dom.len()], generated: HashMap::new() };
        for node in dom.nodes().filter(|node| dom.element(*node).is_some()) {
            all.complete(&mut computer, node);
        }
        all
    }

    /// Computes the style of an element after those of what it is shown in.
    fn complete(&mut self, computer: &mut Computer<'_, '_, '_>, node: NodeId) {
        let ground = computer.ground;
        let mut chain = Vec::new();
        let mut next = Some(node);
        let mut above = Style::ROOT;
        while let Some(node) = next {
            if let Some(style) = self.styles.get(node.index()).copied().flatten() {
                above = style;
                break;
            }
            chain.push(node);
            match ground.tree.shown_in(node) {
                Ok(Some(parent)) => next = Some(parent),
                Ok(None) => {
                    next = None;
                    above = self.of_document(ground.dom, node);
                }
                Err(NotShown) => {
                    next = None;
                    above = Style::NOWHERE;
                }
            }
        }
        while let Some(node) = chain.pop() {
            let Some(element) = ground.dom.element(node) else { continue };
            let found = computer.found(node, element);
            above = computer.style(node, element, &found, above);
            if let Some(slot) = self.styles.get_mut(node.index()) {
                *slot = Some(above);
            }
            for place in [Generated::Before, Generated::After, Generated::Instead] {
                if let Some(text) = computer.generated(node, element, &found, above, place) {
                    self.generated.insert((node, place), text);
                }
            }
        }
    }

    /// What the document above `root` gives to it: nothing is drawn in a frame that has no box.
    fn of_document(&self, dom: &Dom, root: NodeId) -> Style {
        let document = dom.parent(root);
        let owner = dom.frames().find(|(_, frame)| Some(frame.document) == document).and_then(|(_, frame)| frame.owner);
        let drawn = owner.is_none_or(|owner| self.of(owner).rendered);
        if drawn { Style::ROOT } else { Style::NOWHERE }
    }

    pub(crate) fn of(&self, node: NodeId) -> Style {
        self.styles.get(node.index()).copied().flatten().unwrap_or(Style::ROOT)
    }

    /// The text that CSS puts before, after or in place of an element's content.
    pub(crate) fn generated(&self, node: NodeId, place: Generated) -> Option<&str> {
        self.generated.get(&(node, place)).map(String::as_str)
    }
}

/// The sheets of every document and shadow tree.
fn indexes(dom: &Dom, inline: &HashMap<NodeId, Vec<Declaration>>) -> HashMap<NodeId, Index> {
    let mut sheets: HashMap<NodeId, Sheets> = HashMap::new();
    let is_root = |node: &NodeId| matches!(dom.kind(*node), NodeKind::Document | NodeKind::ShadowRoot);
    for root in dom.nodes().filter(is_root) {
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if let Some(css) = dom.element(node).and_then(|element| own_sheet(dom, node, element)) {
                sheets.entry(root).or_default().add(&css, dom.viewport);
            }
            stack.extend(dom.children(node).iter().rev());
        }
    }
    for (root, css) in dom.adopted_stylesheets() {
        sheets.entry(root).or_default().add(css, dom.viewport);
    }
    // A shadow tree's elements may use variables of the document, so names count page-wide.
    let inline: Vec<Declaration> = dom.nodes().filter_map(|node| inline.get(&node)).flatten().cloned().collect();
    let referring: Vec<Declaration> = dom
        .nodes()
        .filter_map(|root| sheets.get(&root))
        .flat_map(|sheets| sheets.rules.iter().flat_map(|rule| &rule.declarations))
        .filter(|declaration| declaration.value.contains("var("))
        .cloned()
        .chain(inline)
        .collect();
    dom.nodes()
        .filter_map(|root| {
            let mut own = sheets.remove(&root)?;
            own.keep_used(&referring);
            Some((root, Index::new(own)))
        })
        .collect()
}

/// The text of a `<style>`, or what a `<link>` has loaded.
fn own_sheet(dom: &Dom, node: NodeId, element: &Element) -> Option<String> {
    let media = element.attribute("media").unwrap_or_default();
    if !condition::media(&mut cssparser::Parser::new(media), dom.viewport) {
        return None;
    }
    if element.tag == "style" {
        let kind = element.attribute("type").unwrap_or_default();
        let is_css = kind.is_empty() || kind.eq_ignore_ascii_case("text/css");
        return is_css.then(|| super::text::text_content(dom, node));
    }
    let rel = element.attribute("rel").unwrap_or_default().to_ascii_lowercase();
    let disabled = element.attribute("disabled").is_some() || rel.contains("alternate");
    element.stylesheet.clone().filter(|_| element.is_html("link") && !disabled)
}
