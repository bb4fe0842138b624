//! The few computed styles that decide what is shown and how names are spaced: `display`, `visibility`, generated content.
//!
//! From the page's own style sheets, as the trace holds them: cascade, layers, media queries, variables, nesting, shadow
//! trees. Without layout, so container queries do not hold; without a mouse, so nothing is hovered.

mod browser;
mod cascade;
mod condition;
mod sheet;
mod values;

use std::collections::HashMap;

use super::css::Ground;
use super::tree::{NotShown, Tree};
use super::{Dom, Element, Namespace, NodeId, NodeKind};
use cascade::{Applied, Index, Target};
use sheet::{Declaration, Property, Sheets};
use values::Given;

/// How often a variable is looked up inside another.
const MAX_VARIABLES: usize = 16;
/// The longest value that variables may expand to, in bytes.
const MAX_VALUE: usize = 4096;

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
    /// Its children are boxes of a flex or grid container.
    contains: bool,
    /// Its content is skipped: `content-visibility: hidden`, or the browser draws something else.
    skips_content: bool,
}

impl Style {
    /// What a document gives to its root element.
    const ROOT: Self =
        Self { display: Display::Block, visible: true, rendered: true, contains: false, skips_content: false };
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
        let mut computer = Computer { ground, indexes: &indexes, inline: &inline, customs: HashMap::new() };
        let mut all = Self { styles: vec![None; dom.len()], generated: HashMap::new() };
        for node in dom.nodes().filter(|node| dom.element(*node).is_some()) {
            all.complete(&mut computer, node);
        }
        all
    }

    /// Computes the style of an element after those of what it is shown in.
    fn complete(&mut self, computer: &mut Computer<'_, '_, '_>, node: NodeId) {
        let mut chain = Vec::new();
        let mut next = Some(node);
        let mut above = Style::ROOT;
        while let Some(node) = next {
            if let Some(style) = self.styles.get(node.index()).copied().flatten() {
                above = style;
                break;
            }
            chain.push(node);
            match computer.ground.tree.shown_in(node) {
                Ok(Some(parent)) => next = Some(parent),
                Ok(None) => {
                    next = None;
                    above = self.of_document(computer.ground.dom, node);
                }
                Err(NotShown) => {
                    next = None;
                    above = Style::NOWHERE;
                }
            }
        }
        while let Some(node) = chain.pop() {
            let Some(element) = computer.ground.dom.element(node) else { continue };
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

/// Computes styles, parents before children.
struct Computer<'s, 'p, 'd> {
    ground: Ground<'p, 'd>,
    indexes: &'s HashMap<NodeId, Index>,
    inline: &'s HashMap<NodeId, Vec<Declaration>>,
    /// The custom properties that each element sets.
    customs: HashMap<NodeId, Vec<(&'s str, &'s str)>>,
}

impl<'s> Computer<'s, '_, '_> {
    /// All declarations for an element, whatever their order.
    fn found(&mut self, node: NodeId, element: &Element) -> Vec<Applied<'s>> {
        let mut found = Vec::new();
        let dom = self.ground.dom;
        let root = self.root_of(node);
        let host = root.and_then(|root| dom.parent(root));
        if let Some(index) = root.and_then(|root| self.indexes.get(&root)) {
            index.own(self.ground, node, host, &mut found);
        }
        if let Some(index) = element.shadow_root.and_then(|shadow| self.indexes.get(&shadow)) {
            index.host(self.ground, node, &mut found);
        }
        if let Some(slot) = self.ground.tree.slot(node) {
            let root = self.root_of(slot);
            if let Some(index) = root.and_then(|root| self.indexes.get(&root)) {
                index.slotted(self.ground, node, slot, root.and_then(|root| dom.parent(root)), &mut found);
            }
        }
        if let Some(declarations) = self.inline.get(&node) {
            cascade::inline(declarations, &mut found);
        }
        self.note_customs(node, &found);
        found
    }

    fn root_of(&self, node: NodeId) -> Option<NodeId> {
        let mut node = node;
        loop {
            let parent = self.ground.dom.parent(node)?;
            if matches!(self.ground.dom.kind(parent), NodeKind::Document | NodeKind::ShadowRoot) {
                return Some(parent);
            }
            node = parent;
        }
    }

    fn note_customs(&mut self, node: NodeId, found: &[Applied<'s>]) {
        let mut customs: Vec<(&'s str, &'s str)> = Vec::new();
        for applied in found.iter().filter(|applied| applied.target == Target::Element) {
            let Property::Custom(name) = &applied.declaration.property else { continue };
            if customs.iter().any(|(known, _)| known == name) {
                continue;
            }
            if let Some(winner) = cascade::winners(found, Target::Element, &applied.declaration.property).first() {
                customs.push((name, &winner.declaration.value));
            }
        }
        if !customs.is_empty() {
            self.customs.insert(node, customs);
        }
    }

    /// The value of a custom property as an element inherits it.
    fn custom(&self, node: NodeId, name: &str) -> Option<&'s str> {
        let mut next = Some(node);
        while let Some(node) = next {
            let own = self.customs.get(&node).into_iter().flatten().find(|(known, _)| *known == name);
            if let Some((_, value)) = own {
                return Some(*value).filter(|value| !value.eq_ignore_ascii_case("initial"));
            }
            next = self.ground.tree.shown_in(node).ok().flatten();
        }
        None
    }

    /// A value with every `var()` replaced; `None` where one has no value.
    fn substituted(&self, node: NodeId, value: &str, depth: usize) -> Option<String> {
        let Some(start) = value.find("var(") else { return Some(value.to_owned()) };
        if depth > MAX_VARIABLES || value.len() > MAX_VALUE {
            return None;
        }
        let (before, rest) = value.split_at(start);
        let inside = rest.strip_prefix("var(")?;
        let end = closing(inside)?;
        let (reference, after) = inside.split_at(end);
        let (name, fallback) = match reference.split_once(',') {
            Some((name, fallback)) => (name.trim(), Some(fallback.trim())),
            None => (reference.trim(), None),
        };
        let found = self.custom(node, name).and_then(|value| self.substituted(node, value, depth + 1));
        let replaced = found.or_else(|| self.substituted(node, fallback?, depth + 1))?;
        let rest = self.substituted(node, after.strip_prefix(')')?, depth + 1)?;
        Some(format!("{before}{replaced}{rest}").trim().to_owned())
    }

    /// The winning value of a property that `read` understands; `None` where no declaration gives one.
    fn given<T>(
        &self,
        node: NodeId,
        found: &[Applied<'s>],
        target: Target,
        property: &Property,
        read: fn(&str) -> Option<Given<T>>,
    ) -> Option<Given<T>> {
        for applied in cascade::winners(found, target, property) {
            let value = &applied.declaration.value;
            if !value.contains("var(") {
                match read(value) {
                    Some(given) => return Some(given),
                    // The browser did not take it when it read the sheet.
                    None => continue,
                }
            }
            let value = self.substituted(node, value, 0);
            return Some(value.and_then(|value| read(&value)).unwrap_or(Given::Unset));
        }
        None
    }

    fn style(&self, node: NodeId, element: &Element, found: &[Applied<'s>], above: Style) -> Style {
        let own = |property: &Property, read| self.given(node, found, Target::Element, property, read);
        let default = hinted(element, "display", values::display).unwrap_or_else(|| browser::display(element));
        let mut display = match own_display(self, node, found) {
            None | Some(Given::Revert) => default,
            Some(Given::Value(display)) => display,
            Some(Given::Inherit) => above.display,
            Some(Given::Initial | Given::Unset) => Display::Inline,
        };
        let visible = match own(&Property::Visibility, values::visibility) {
            Some(Given::Value(visible)) => visible,
            Some(Given::Initial) => true,
            None => hinted(element, "visibility", values::visibility).unwrap_or(above.visible),
            Some(Given::Inherit | Given::Unset | Given::Revert) => above.visible,
        };
        let out_of_line = |property: &Property| own(property, values::out_of_line) == Some(Given::Value(true));
        if display == Display::Inline
            && element.namespace == Namespace::Html
            && (above.contains || out_of_line(&Property::Position) || out_of_line(&Property::Float))
        {
            display = Display::Block;
        }
        let found_hidden = element.attribute("hidden").is_some_and(|value| value.eq_ignore_ascii_case("until-found"));
        let skipped = match own(&Property::ContentVisibility, values::content_visibility) {
            Some(Given::Value(hidden)) => hidden,
            None | Some(Given::Revert) => found_hidden,
            Some(_) => false,
        };
        let folded = self
            .ground
            .dom
            .parent(node)
            .and_then(|parent| self.ground.dom.element(parent))
            .is_some_and(|parent| browser::is_folded(self.ground.dom, node, parent));
        Style {
            display,
            visible,
            rendered: above.rendered && !above.skips_content && display != Display::None && !folded,
            contains: display == Display::Container || (display == Display::Contents && above.contains),
            skips_content: skipped || browser::replaces_children(element),
        }
    }

    /// The text that a pseudo-element, or `content` on the element itself, adds to the element's name.
    fn generated(
        &self,
        node: NodeId,
        element: &Element,
        found: &[Applied<'s>],
        style: Style,
        place: Generated,
    ) -> Option<String> {
        let target = match place {
            Generated::Before => Target::Before,
            Generated::After => Target::After,
            Generated::Instead => Target::Element,
        };
        if !found.iter().any(|applied| applied.target == target && applied.declaration.property == Property::Content) {
            return None;
        }
        let winner = cascade::winners(found, target, &Property::Content).into_iter().next()?;
        let value = self.substituted(node, &winner.declaration.value, 0)?;
        if matches!(value.as_str(), "none" | "normal" | "initial" | "unset" | "revert" | "") {
            return None;
        }
        let text = values::content(&value, element, place != Generated::Instead)?;
        if place == Generated::Instead {
            return Some(text);
        }
        let own = |property: &Property, read| self.given(node, found, target, property, read);
        let display = match self.given(node, found, target, &Property::Display, values::display) {
            Some(Given::Value(display)) => display,
            Some(Given::Inherit) => style.display,
            _ => Display::Inline,
        };
        let visible = match own(&Property::Visibility, values::visibility) {
            Some(Given::Value(visible)) => visible,
            _ => style.visible,
        };
        if display == Display::None || !visible {
            return None;
        }
        let out_of_line = |property: &Property| own(property, values::out_of_line) == Some(Given::Value(true));
        let boxed = display != Display::Inline
            || style.contains
            || out_of_line(&Property::Position)
            || out_of_line(&Property::Float);
        Some(if boxed { format!(" {text} ") } else { text })
    }
}

fn own_display(computer: &Computer<'_, '_, '_>, node: NodeId, found: &[Applied<'_>]) -> Option<Given<Display>> {
    computer.given(node, found, Target::Element, &Property::Display, values::display)
}

/// What an SVG attribute of the same name says.
fn hinted<T>(element: &Element, name: &str, read: fn(&str) -> Option<Given<T>>) -> Option<T> {
    let value = element.attribute(name).filter(|_| element.namespace == Namespace::Svg)?;
    match read(value.trim()) {
        Some(Given::Value(value)) => Some(value),
        _ => None,
    }
}

/// Where the parenthesis that is open at the start of `text` closes.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}
