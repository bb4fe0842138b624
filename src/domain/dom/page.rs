//! A page with everything computed about it kept: build one per snapshot, ask it as often as needed.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::style::Styles;
use super::text::Texts;
use super::tree::Tree;
use super::{Dom, NodeId, NodeKind, form};

/// A [`Dom`] and what follows from it: texts, styles, labels, roles and names, each computed once and when first asked.
#[derive(Debug)]
pub struct Page<'d> {
    pub(crate) dom: &'d Dom,
    pub(crate) tree: Tree<'d>,
    pub(crate) styles: Styles,
    pub(crate) roles: Vec<OnceLock<Option<&'static str>>>,
    pub(crate) names: [Vec<OnceLock<Arc<str>>>; 2],
    texts: OnceLock<Texts>,
    labels: OnceLock<HashMap<NodeId, Vec<NodeId>>>,
    pierced: OnceLock<HashMap<NodeId, Vec<NodeId>>>,
    order: OnceLock<Vec<u32>>,
}

impl<'d> Page<'d> {
    /// Prepares a page for questions. Costs about one pass over its nodes and one over its style sheets.
    pub fn new(dom: &'d Dom) -> Self {
        let tree = Tree::new(dom);
        let styles = Styles::new(dom, &tree);
        let table = || (0..dom.len()).map(|_| OnceLock::new()).collect();
        Self {
            dom,
            styles,
            tree,
            roles: (0..dom.len()).map(|_| OnceLock::new()).collect(),
            names: [table(), table()],
            texts: OnceLock::new(),
            labels: OnceLock::new(),
            pierced: OnceLock::new(),
            order: OnceLock::new(),
        }
    }

    /// The page's nodes.
    pub fn dom(&self) -> &'d Dom {
        self.dom
    }

    /// All elements below `scope` with open shadow trees, in Playwright's order; kept for whole documents.
    pub(crate) fn pierced(&self, scope: NodeId) -> std::borrow::Cow<'_, [NodeId]> {
        let kept = self.pierced.get_or_init(|| {
            self.dom.frames().map(|(_, frame)| (frame.document, self.tree.pierced(frame.document))).collect()
        });
        match kept.get(&scope) {
            Some(list) => list.into(),
            None => self.tree.pierced(scope).into(),
        }
    }

    /// The place of every node in the document order of its tree.
    pub(crate) fn order(&self) -> &[u32] {
        self.order.get_or_init(|| {
            let mut order = vec![0; self.dom.len()];
            let mut next = 0_u32;
            let is_root = |node: &NodeId| matches!(self.dom.kind(*node), NodeKind::Document | NodeKind::ShadowRoot);
            for root in self.dom.nodes().filter(is_root) {
                let mut stack = vec![root];
                while let Some(node) = stack.pop() {
                    if let Some(place) = order.get_mut(node.index()) {
                        *place = next;
                    }
                    next += 1;
                    stack.extend(self.dom.children(node).iter().rev());
                }
            }
            order
        })
    }

    pub(crate) fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| Texts::new(self.dom))
    }

    /// The text that `getByText` and `hasText` see in an element, white space normalised.
    pub fn text(&self, node: NodeId) -> &str {
        self.texts().normalized(node)
    }

    /// The labels of a form control, in document order.
    pub fn labels(&self, node: NodeId) -> &[NodeId] {
        let labels = self.labels.get_or_init(|| {
            let mut labels: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
            for node in self.dom.nodes() {
                let is_label = self.dom.element(node).is_some_and(|element| element.is_html("label"));
                if let Some(control) = is_label.then(|| self.labelled_control(node)).flatten() {
                    labels.entry(control).or_default().push(node);
                }
            }
            labels
        });
        labels.get(&node).map(Vec::as_slice).unwrap_or_default()
    }

    /// What a `<label>` belongs to: by its `for`, else the first control inside.
    pub fn labelled_control(&self, label: NodeId) -> Option<NodeId> {
        let labelable = |node: &NodeId| self.dom.element(*node).is_some_and(form::is_labelable);
        match self.dom.element(label)?.attribute("for") {
            Some(id) => self.tree.by_id(label, id).filter(labelable),
            None => self.tree.descendants(label).iter().find(|node| labelable(node)).copied(),
        }
    }

    /// The elements that an attribute names by id, each once, in the order named.
    pub(crate) fn id_refs(&self, node: NodeId, ids: Option<&str>) -> Vec<NodeId> {
        let mut found = Vec::new();
        for id in ids.unwrap_or_default().split([' ', '\t', '\n', '\u{c}', '\r']).filter(|id| !id.is_empty()) {
            if let Some(element) = self.tree.by_id(node, id).filter(|element| !found.contains(element)) {
                found.push(element);
            }
        }
        found
    }

    pub(crate) fn attribute(&self, node: NodeId, name: &str) -> Option<&'d str> {
        self.dom.element(node)?.attribute(name)
    }

    /// The element's tag without case; empty for what is not an element.
    pub(crate) fn tag(&self, node: NodeId) -> String {
        self.dom.element(node).map(form::tag).unwrap_or_default()
    }

    /// Whether an ancestor within reach of `closest`, shadow hosts' trees included, satisfies `matches`.
    pub(crate) fn closest_across(&self, node: NodeId, matches: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        let mut next = Some(node);
        while let Some(node) = next {
            if matches(node) {
                return Some(node);
            }
            next = self.dom.parent_element(node);
        }
        None
    }
}
