//! Which elements assistive technology does not get to see.

use crate::domain::dom::style::Display;
use crate::domain::dom::{NodeId, NodeKind, Page, form, text};

/// Whose hiddenness is asked for when a name refers to another element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The element that a reference led to was hidden: hidden text below it counts.
    pub(crate) hidden: bool,
}

impl Page<'_> {
    /// Whether the element is hidden for accessibility: not rendered, invisible, or below `aria-hidden`.
    pub fn is_hidden_for_aria(&self, node: NodeId) -> bool {
        let Some(element) = self.dom.element(node) else { return false };
        if is_ignored(&form::tag(element)) {
            return true;
        }
        let style = self.styles.of(node);
        let is_slot = element.is_html("slot");
        if style.display == Display::Contents && !is_slot {
            return !self.dom.children(node).iter().any(|child| match self.dom.kind(*child) {
                NodeKind::Element(_) => !self.is_hidden_for_aria(*child),
                NodeKind::Text(content) => self.is_shown_text(*child, content),
                NodeKind::Document | NodeKind::ShadowRoot => false,
            });
        }
        let in_select =
            || element.is_html("option") && form::closest(self.dom, node, |above| above.is_html("select")).is_some();
        let shown = style.visible && style.rendered;
        if !(is_slot || shown || in_select()) {
            return true;
        }
        self.is_excluded(node)
    }

    /// Below `display: none` or `aria-hidden`, or in a shadow host without a slot for it.
    fn is_excluded(&self, node: NodeId) -> bool {
        let mut next = Some(node);
        while let Some(node) = next {
            let in_host = self
                .dom
                .parent(node)
                .and_then(|parent| self.dom.element(parent))
                .is_some_and(|parent| parent.shadow_root.is_some());
            if in_host && self.tree.slot(node).is_none() {
                return true;
            }
            let aria_hidden =
                self.attribute(node, "aria-hidden").is_some_and(|value| value.eq_ignore_ascii_case("true"));
            if aria_hidden || self.styles.of(node).display == Display::None {
                return true;
            }
            next = self.dom.parent_element(node);
        }
        false
    }

    /// Whether a text node takes room: there is something in it, and its element is rendered.
    pub(crate) fn is_shown_text(&self, node: NodeId, content: &str) -> bool {
        let rendered = self.dom.parent_element(node).is_none_or(|parent| {
            let style = self.styles.of(parent);
            style.rendered || style.display == Display::Contents
        });
        rendered && content.chars().any(|c| !text::is_space(c) || c == '\u{a0}')
    }

    /// Text that is in the document but in no box: in a closed `<details>`, or in a host without a slot for it.
    pub(super) fn is_unrendered_text(&self, node: NodeId) -> bool {
        let Some(parent) = self.dom.parent(node) else { return false };
        let Some(element) = self.dom.element(parent) else { return false };
        (element.shadow_root.is_some() && self.tree.slot(node).is_none())
            || (form::tag(element) == "details" && element.attribute("open").is_none())
    }
}

/// Elements that are never content.
pub(super) fn is_ignored(tag: &str) -> bool {
    matches!(tag, "style" | "script" | "noscript" | "template")
}
