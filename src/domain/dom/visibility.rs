//! Whether an element is visible in Playwright's sense, as far as a snapshot can say: there is no layout in it.

use super::style::{Display, Generated};
use super::text::is_space;
use super::{Element, Namespace, NodeId, NodeKind, Page, form};

/// What is known of an element's visibility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// It is rendered and has a size.
    Visible,
    /// It is not rendered, invisible, or has no size.
    Hidden,
    /// Only layout could tell.
    Unknown,
}

impl Page<'_> {
    /// Whether the element is visible: rendered, not `visibility: hidden`, and not empty.
    pub fn visibility(&self, node: NodeId) -> Visibility {
        let Some(element) = self.dom.element(node) else { return Visibility::Unknown };
        let style = self.styles.of(node);
        if style.display == Display::Contents {
            return self.visibility_of_content(node);
        }
        if !style.rendered || !style.visible {
            return Visibility::Hidden;
        }
        if let Some(bounds) = element.bounds {
            let sized = bounds.width > 0.0 && bounds.height > 0.0;
            return if sized { Visibility::Visible } else { Visibility::Hidden };
        }
        if style.layout.zero || self.is_inside_svg(node) {
            return Visibility::Unknown;
        }
        if is_drawn(element) || ["html", "body"].iter().any(|tag| element.is_html(tag)) {
            return Visibility::Visible;
        }
        self.visibility_of_content(node)
    }

    fn is_inside_svg(&self, node: NodeId) -> bool {
        let above = std::iter::successors(self.dom.parent_element(node), |node| self.dom.parent_element(*node));
        let mut above = above.filter_map(|node| self.dom.element(node));
        above.any(|element| element.namespace == Namespace::Svg)
    }

    /// Visible where text of its own, or something in it that takes room, is drawn.
    fn visibility_of_content(&self, node: NodeId) -> Visibility {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if self.styles.of(node).rendered && self.has_generated_text(node) {
                return Visibility::Visible;
            }
            for child in self.dom.children(node) {
                match self.dom.kind(*child) {
                    NodeKind::Text(text) if self.is_drawn_text(*child, text) => return Visibility::Visible,
                    NodeKind::Element(element) if element.namespace == Namespace::Html => {
                        let style = self.styles.of(*child);
                        if style.rendered && !style.layout.out_of_flow {
                            if style.visible && !style.layout.zero && is_drawn(element) {
                                return Visibility::Visible;
                            }
                            stack.push(*child);
                        }
                    }
                    _ => {}
                }
            }
        }
        Visibility::Unknown
    }

    fn has_generated_text(&self, node: NodeId) -> bool {
        [Generated::Before, Generated::After]
            .iter()
            .filter_map(|place| self.styles.generated(node, *place))
            .any(|text| text.chars().any(|c| !is_space(c)))
    }

    fn is_drawn_text(&self, node: NodeId, text: &str) -> bool {
        let Ok(Some(parent)) = self.tree.shown_in(node) else { return false };
        let style = self.styles.of(parent);
        style.rendered && style.visible && text.chars().any(|c| !is_space(c))
    }
}

/// Whether the browser gives the element a size of its own, empty or not. A button without content may have none.
fn is_drawn(element: &Element) -> bool {
    let control = ["input", "select", "textarea", "meter", "progress"];
    control.iter().any(|tag| element.is_html(tag)) && form::input_type(element) != "hidden"
}
