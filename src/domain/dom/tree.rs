//! Where every element stands: the elements of each tree in document order, ids, slots and shadow roots.

use std::collections::HashMap;

use super::{Dom, NodeId, NodeKind};

/// One document or shadow tree.
#[derive(Debug, Default)]
pub(crate) struct Root<'d> {
    /// Its elements in document order.
    pub(crate) elements: Vec<NodeId>,
    /// The first element with each id.
    pub(crate) ids: HashMap<&'d str, NodeId>,
    /// Positions in `elements` of those that have a shadow root.
    hosts: Vec<u32>,
}

/// The place of an element: its tree, its position there, and where its descendants end.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    root: u32,
    at: u32,
    end: u32,
}

/// The trees of a page.
#[derive(Debug)]
pub(crate) struct Tree<'d> {
    dom: &'d Dom,
    roots: Vec<Root<'d>>,
    places: Vec<Place>,
    /// The slot that each child of a host is shown in.
    slots: HashMap<NodeId, NodeId>,
    /// What each slot shows, where anything is assigned.
    assigned: HashMap<NodeId, Vec<NodeId>>,
}

impl<'d> Tree<'d> {
    pub(crate) fn new(dom: &'d Dom) -> Self {
        let mut tree = Self {
            dom,
            roots: Vec::new(),
            places: vec![Place::default(); dom.len()],
            slots: HashMap::new(),
            assigned: HashMap::new(),
        };
        for node in dom.nodes() {
            if matches!(dom.kind(node), NodeKind::Document | NodeKind::ShadowRoot) {
                tree.add_root(node);
            }
        }
        tree.assign_slots();
        tree
    }

    fn add_root(&mut self, root_node: NodeId) {
        let index = u32::try_from(self.roots.len()).unwrap_or(u32::MAX);
        let mut root = Root::default();
        // Each entry is a node with the next of its children to visit.
        let mut stack = vec![(root_node, 0_usize)];
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            let Some(child) = self.dom.children(node).get(*next).copied() else {
                if let Some(place) = self.places.get_mut(node.index()) {
                    place.root = index;
                    place.end = position(root.elements.len());
                }
                stack.pop();
                continue;
            };
            *next += 1;
            let Some(element) = self.dom.element(child) else {
                if let Some(place) = self.places.get_mut(child.index()) {
                    place.root = index;
                }
                continue;
            };
            if let Some(place) = self.places.get_mut(child.index()) {
                place.at = position(root.elements.len());
            }
            if element.shadow_root.is_some() {
                root.hosts.push(position(root.elements.len()));
            }
            if let Some(id) = element.attribute("id").filter(|id| !id.is_empty()) {
                root.ids.entry(id).or_insert(child);
            }
            root.elements.push(child);
            stack.push((child, 0));
        }
        self.roots.push(root);
    }

    fn assign_slots(&mut self) {
        for node in self.dom.nodes() {
            let Some(shadow) = self.dom.element(node).and_then(|element| element.shadow_root) else { continue };
            let mut by_name: HashMap<&str, NodeId> = HashMap::new();
            for slot in &self.root(shadow).elements {
                if let Some(element) = self.dom.element(*slot).filter(|element| element.is_html("slot")) {
                    by_name.entry(element.attribute("name").unwrap_or_default()).or_insert(*slot);
                }
            }
            for child in self.dom.children(node) {
                let name = match self.dom.kind(*child) {
                    NodeKind::Element(element) => element.attribute("slot").unwrap_or_default(),
                    NodeKind::Text(_) => "",
                    NodeKind::Document | NodeKind::ShadowRoot => continue,
                };
                if let Some(slot) = by_name.get(name) {
                    self.slots.insert(*child, *slot);
                    self.assigned.entry(*slot).or_default().push(*child);
                }
            }
        }
    }

    fn place(&self, node: NodeId) -> Place {
        self.places.get(node.index()).copied().unwrap_or_default()
    }

    /// The document or shadow tree that a node belongs to; of a shadow root, its own tree.
    pub(crate) fn root(&self, node: NodeId) -> &Root<'d> {
        &self.roots[self.place(node).root as usize]
    }

    /// The first element with `id` in the tree of `node`.
    pub(crate) fn by_id(&self, node: NodeId, id: &str) -> Option<NodeId> {
        self.root(node).ids.get(id).copied()
    }

    /// The elements below `scope` in its own tree, in document order.
    pub(crate) fn descendants(&self, scope: NodeId) -> &[NodeId] {
        let elements = &self.root(scope).elements;
        match self.dom.kind(scope) {
            NodeKind::Document | NodeKind::ShadowRoot => elements,
            NodeKind::Element(_) => {
                let place = self.place(scope);
                elements.get(place.at as usize + 1..place.end as usize).unwrap_or_default()
            }
            NodeKind::Text(_) => &[],
        }
    }

    /// The elements below `scope`, open shadow trees included, in the order in which Playwright lists them: a tree
    /// first, then the shadow trees of its elements.
    pub(crate) fn pierced(&self, scope: NodeId) -> Vec<NodeId> {
        let mut list = Vec::new();
        let mut pending = vec![scope];
        while let Some(scope) = pending.pop() {
            list.extend_from_slice(self.descendants(scope));
            let first = pending.len();
            pending.extend(self.dom.element(scope).and_then(|element| element.shadow_root));
            pending.extend(self.hosts(scope).filter_map(|host| self.dom.element(host)?.shadow_root));
            pending.get_mut(first..).unwrap_or_default().reverse();
        }
        list
    }

    /// The elements below `scope` in its own tree that have a shadow root.
    fn hosts(&self, scope: NodeId) -> impl Iterator<Item = NodeId> {
        let root = self.root(scope);
        let place = self.place(scope);
        let range = match self.dom.kind(scope) {
            NodeKind::Document | NodeKind::ShadowRoot => 0..u32::MAX,
            NodeKind::Element(_) | NodeKind::Text(_) => place.at + 1..place.end,
        };
        root.hosts.iter().filter(move |at| range.contains(at)).filter_map(|at| root.elements.get(*at as usize).copied())
    }

    /// Whether `node` is `ancestor` or below it in the same tree.
    pub(crate) fn contains(&self, ancestor: NodeId, node: NodeId) -> bool {
        let (above, below) = (self.place(ancestor), self.place(node));
        ancestor == node || (above.root == below.root && above.at < below.at && below.at < above.end)
    }

    /// The slot in which a child of a shadow host is shown.
    pub(crate) fn slot(&self, node: NodeId) -> Option<NodeId> {
        self.slots.get(&node).copied()
    }

    /// What a slot shows; empty where it shows its own content.
    pub(crate) fn assigned(&self, slot: NodeId) -> &[NodeId] {
        self.assigned.get(&slot).map(Vec::as_slice).unwrap_or_default()
    }

    /// The element that `node` is shown in: `Err` where it is shown nowhere, because its parent hosts a shadow tree that
    /// has no slot for it, or because something else is shown in its slot.
    pub(crate) fn shown_in(&self, node: NodeId) -> Result<Option<NodeId>, NotShown> {
        if let Some(slot) = self.slot(node) {
            return Ok(Some(slot));
        }
        let parent = self.dom.parent(node);
        let hosts = |parent| self.dom.element(parent).is_some_and(|element| element.shadow_root.is_some());
        if parent.is_some_and(|parent| hosts(parent) || self.assigned.contains_key(&parent)) {
            return Err(NotShown);
        }
        Ok(self.dom.parent_element(node))
    }

    /// The element before or after `node` among its siblings.
    pub(crate) fn sibling(&self, node: NodeId, forward: bool) -> Option<NodeId> {
        let siblings = self.dom.children(self.dom.parent(node)?);
        let at = siblings.binary_search(&node).ok().or_else(|| siblings.iter().position(|child| *child == node))?;
        let is_element = |child: &&NodeId| self.dom.element(**child).is_some();
        if forward {
            siblings.get(at + 1..)?.iter().find(is_element).copied()
        } else {
            siblings.get(..at)?.iter().rfind(is_element).copied()
        }
    }

    /// Sorts by document order as Playwright does for `or` and selector lists: what hangs below an element follows it,
    /// its shadow tree last; and drops repetitions.
    pub(crate) fn sort(&self, nodes: &mut Vec<NodeId>) {
        if nodes.len() < 2 {
            return;
        }
        let mut keyed: Vec<(Vec<(bool, u32)>, NodeId)> =
            nodes.iter().map(|node| (self.sort_key(*node), *node)).collect();
        keyed.sort();
        nodes.clear();
        nodes.extend(keyed.into_iter().map(|(_, node)| node));
        nodes.dedup();
    }

    /// The way down to `node`: for every element its position among its siblings; shadow trees behind light ones.
    fn sort_key(&self, node: NodeId) -> Vec<(bool, u32)> {
        let mut key = Vec::new();
        let mut next = Some(node);
        while let Some(node) = next {
            let in_shadow =
                self.dom.parent(node).is_some_and(|parent| matches!(self.dom.kind(parent), NodeKind::ShadowRoot));
            key.push((in_shadow, self.place(node).at));
            next = self.dom.parent_element(node);
        }
        key.reverse();
        key
    }
}

/// A node that is shown nowhere, whatever its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotShown;

fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
