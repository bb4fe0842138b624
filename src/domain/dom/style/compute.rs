//! Computes the style of one element from all declarations that apply to it.

use std::collections::HashMap;

use super::cascade::{self, Applied, Index, Target};
use super::sheet::{Declaration, EXTENTS, Property};
use super::values::{self, Given};
use super::{Display, Generated, Inside, Layout, Style, browser};
use crate::domain::dom::css::Ground;
use crate::domain::dom::{Element, Namespace, NodeId, NodeKind};

/// How often a variable is looked up inside another.
const MAX_VARIABLES: usize = 16;
/// The longest value that variables may expand to, in bytes.
const MAX_VALUE: usize = 4096;

/// Computes styles, parents before children.
pub(super) struct Computer<'s, 'p, 'd> {
    pub(super) ground: Ground<'p, 'd>,
    indexes: &'s HashMap<NodeId, Index>,
    inline: &'s HashMap<NodeId, Vec<Declaration>>,
    /// The custom properties that each element sets.
    customs: HashMap<NodeId, Vec<(&'s str, &'s str)>>,
}

impl<'s, 'p, 'd> Computer<'s, 'p, 'd> {
    pub(super) fn new(
        ground: Ground<'p, 'd>,
        indexes: &'s HashMap<NodeId, Index>,
        inline: &'s HashMap<NodeId, Vec<Declaration>>,
    ) -> Self {
        Self { ground, indexes, inline, customs: HashMap::new() }
    }

    /// All declarations for an element, whatever their order.
    pub(super) fn found(&mut self, node: NodeId, element: &Element) -> Vec<Applied<'s>> {
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

    pub(super) fn style(&self, node: NodeId, element: &Element, found: &[Applied<'s>], above: Style) -> Style {
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
        let out_of_flow = out_of_line(&Property::Position) || out_of_line(&Property::Float);
        if display == Display::Inline && element.namespace == Namespace::Html && (above.inside.boxes || out_of_flow) {
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
            rendered: above.rendered && !above.inside.skipped && display != Display::None && !folded,
            layout: Layout { zero: display != Display::Inline && self.is_zero(node, found), out_of_flow },
            inside: Inside {
                boxes: display == Display::Container || (display == Display::Contents && above.inside.boxes),
                skipped: skipped || browser::replaces_children(element),
            },
        }
    }

    fn is_zero(&self, node: NodeId, found: &[Applied<'s>]) -> bool {
        (0..EXTENTS.len()).any(|extent| {
            let given = self.given(node, found, Target::Element, &Property::Extent(extent), values::is_zero);
            given == Some(Given::Value(true))
        })
    }

    /// The text that a pseudo-element, or `content` on the element itself, adds to the element's name.
    pub(super) fn generated(
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
            || style.inside.boxes
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
