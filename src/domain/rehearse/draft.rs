//! A page that can be edited, and built again: where every old node went is known to whoever edits, and to nobody else.
//!
//! Pure. Knows nothing of drift; it only moves, copies and drops nodes.

use crate::domain::dom::{Dom, Element, NodeId, NodeKind, Viewport};

/// A node of one [`Draft`]. Nodes of the page it was made from keep their place in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(usize);

impl From<NodeId> for Id {
    fn from(node: NodeId) -> Self {
        Self(node.index())
    }
}

#[derive(Debug, Clone)]
enum Kind {
    Root,
    Element(Box<Element>),
    Text(String),
}

#[derive(Debug, Clone)]
struct Piece {
    kind: Kind,
    parent: Option<Id>,
    children: Vec<Id>,
    shadow: Option<Id>,
    /// The document inside, for a frame: an index into `frames`.
    frame: Option<usize>,
}

#[derive(Debug, Clone)]
struct Frame {
    guid: String,
    url: String,
    document: Id,
}

/// A page taken apart.
#[derive(Debug, Clone)]
pub struct Draft {
    pieces: Vec<Piece>,
    frames: Vec<Frame>,
    adopted: Vec<(Id, String)>,
    viewport: Viewport,
}

/// A page put together again.
#[derive(Debug)]
pub struct Built {
    /// The page.
    pub dom: Dom,
    nodes: Vec<Option<NodeId>>,
}

impl Built {
    /// Where a node of the draft is now; `None` if it is gone.
    pub fn node(&self, id: Id) -> Option<NodeId> {
        self.nodes.get(id.0).copied().flatten()
    }
}

impl From<&Dom> for Draft {
    fn from(dom: &Dom) -> Self {
        let pieces = dom.nodes().map(|node| {
            let (kind, shadow, frame) = match dom.kind(node) {
                NodeKind::Document | NodeKind::ShadowRoot => (Kind::Root, None, None),
                NodeKind::Text(text) => (Kind::Text(text.clone()), None, None),
                NodeKind::Element(element) => {
                    let mut plain = element.clone();
                    // Marks of the run itself are no part of the page.
                    plain.target_of = Vec::new();
                    (plain.shadow_root, plain.content_frame) = (None, None);
                    let frame = element.content_frame.and_then(|id| dom.frames().position(|(other, _)| other == id));
                    (Kind::Element(plain), element.shadow_root.map(Id::from), frame)
                }
            };
            let children = dom.children(node).iter().copied().map(Id::from).collect();
            Piece { kind, parent: dom.parent(node).map(Id::from), children, shadow, frame }
        });
        let frames = dom.frames().map(|(_, frame)| Frame {
            guid: frame.guid.clone(),
            url: frame.url.clone(),
            document: frame.document.into(),
        });
        Self {
            pieces: pieces.collect(),
            frames: frames.collect(),
            adopted: dom.adopted_stylesheets().map(|(root, css)| (root.into(), css.to_owned())).collect(),
            viewport: dom.viewport,
        }
    }
}

impl Draft {
    fn piece(&self, id: Id) -> Option<&Piece> {
        self.pieces.get(id.0)
    }

    fn push(&mut self, kind: Kind) -> Id {
        self.pieces.push(Piece { kind, parent: None, children: Vec::new(), shadow: None, frame: None });
        Id(self.pieces.len() - 1)
    }

    /// The element, if the node is one.
    pub fn element(&self, id: Id) -> Option<&Element> {
        match &self.piece(id)?.kind {
            Kind::Element(element) => Some(element),
            Kind::Root | Kind::Text(_) => None,
        }
    }

    /// The element, to change it.
    pub fn element_mut(&mut self, id: Id) -> Option<&mut Element> {
        match &mut self.pieces.get_mut(id.0)?.kind {
            Kind::Element(element) => Some(element),
            Kind::Root | Kind::Text(_) => None,
        }
    }

    /// The text, if the node is a text node.
    pub fn text(&self, id: Id) -> Option<&str> {
        match &self.piece(id)?.kind {
            Kind::Text(text) => Some(text),
            Kind::Root | Kind::Element(_) => None,
        }
    }

    /// Changes a text node.
    pub fn set_text(&mut self, id: Id, new: impl Into<String>) {
        if let Some(Piece { kind: Kind::Text(text), .. }) = self.pieces.get_mut(id.0) {
            *text = new.into();
        }
    }

    /// The node above.
    pub fn parent(&self, id: Id) -> Option<Id> {
        self.piece(id)?.parent
    }

    /// The children, in order.
    pub fn children(&self, id: Id) -> &[Id] {
        self.piece(id).map(|piece| piece.children.as_slice()).unwrap_or_default()
    }

    /// A node and everything below it in its own tree, in document order.
    pub fn below(&self, id: Id) -> Vec<Id> {
        let (mut found, mut open) = (Vec::new(), vec![id]);
        while let Some(node) = open.pop() {
            found.push(node);
            open.extend(self.children(node).iter().rev());
        }
        found
    }

    /// Every element that hangs in the page, in document order of its tree.
    pub fn elements(&self) -> Vec<Id> {
        let mut roots: Vec<Id> = self.frames.iter().map(|frame| frame.document).collect();
        roots.extend(self.pieces.iter().filter_map(|piece| piece.shadow));
        let all = roots.into_iter().flat_map(|root| self.below(root));
        all.filter(|&id| self.element(id).is_some()).collect()
    }

    /// Whether `id` is `above` or lies below it.
    pub fn is_within(&self, id: Id, above: Id) -> bool {
        std::iter::successors(Some(id), |&node| self.parent(node)).any(|node| node == above)
    }

    /// A new element that hangs nowhere yet.
    pub fn new_element(&mut self, element: Element) -> Id {
        self.push(Kind::Element(Box::new(element)))
    }

    /// A new text that hangs nowhere yet.
    pub fn new_text(&mut self, text: impl Into<String>) -> Id {
        self.push(Kind::Text(text.into()))
    }

    /// Takes a node out, with everything below it.
    pub fn detach(&mut self, id: Id) {
        let parent = self.pieces.get_mut(id.0).and_then(|piece| piece.parent.take());
        if let Some(parent) = parent.and_then(|parent| self.pieces.get_mut(parent.0)) {
            parent.children.retain(|&child| child != id);
        }
    }

    /// Hangs a node below `parent` as the child number `at`; it is taken out of where it was.
    pub fn insert(&mut self, parent: Id, at: usize, id: Id) {
        if self.is_within(parent, id) {
            return;
        }
        self.detach(id);
        let Some(above) = self.pieces.get_mut(parent.0) else { return };
        above.children.insert(at.min(above.children.len()), id);
        if let Some(piece) = self.pieces.get_mut(id.0) {
            piece.parent = Some(parent);
        }
    }

    /// Hangs a node below `parent`, behind all others.
    pub fn append(&mut self, parent: Id, id: Id) {
        self.insert(parent, usize::MAX, id);
    }

    /// Which child of its parent a node is.
    pub fn place(&self, id: Id) -> Option<(Id, usize)> {
        let parent = self.parent(id)?;
        Some((parent, self.children(parent).iter().position(|&child| child == id)?))
    }

    /// Puts a new element around a node.
    pub fn wrap(&mut self, id: Id, element: Element) -> Option<Id> {
        let (parent, at) = self.place(id)?;
        let around = self.new_element(element);
        self.insert(parent, at, around);
        self.append(around, id);
        Some(around)
    }

    /// Gives the children of a node another order, by their present numbers.
    pub fn reorder(&mut self, parent: Id, order: &[Id]) {
        if let Some(piece) = self.pieces.get_mut(parent.0) {
            let place = |id: &Id| order.iter().position(|other| other == id).unwrap_or(usize::MAX);
            piece.children.sort_by_key(place);
        }
    }

    /// A copy of a node with everything below it and its shadow trees; frames inside come out empty. Hangs nowhere yet.
    pub fn copy(&mut self, id: Id) -> Option<Id> {
        let piece = self.piece(id)?.clone();
        let new = self.push(piece.kind);
        for child in piece.children {
            if let Some(child) = self.copy(child) {
                self.append(new, child);
            }
        }
        if let Some(shadow) = piece.shadow.and_then(|shadow| self.copy(shadow)) {
            if let Some(root) = self.pieces.get_mut(shadow.0) {
                root.parent = Some(new);
            }
            if let Some(host) = self.pieces.get_mut(new.0) {
                host.shadow = Some(shadow);
            }
        }
        Some(new)
    }

    /// A number that differs where two drafts of one page differ in what can be seen of them.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest(0xcbf2_9ce4_8422_2325);
        let roots =
            self.frames.iter().map(|frame| frame.document).chain(self.pieces.iter().filter_map(|piece| piece.shadow));
        for id in roots.flat_map(|root| self.below(root)) {
            match self.piece(id).map(|piece| &piece.kind) {
                Some(Kind::Text(text)) => digest.note(text),
                Some(Kind::Element(element)) => {
                    digest.note(&element.tag);
                    element
                        .attributes
                        .iter()
                        .for_each(|(name, value)| [name, value].into_iter().for_each(|part| digest.note(part)));
                }
                Some(Kind::Root) | None => {}
            }
            digest.note(&self.children(id).len().to_string());
        }
        digest.0
    }

    /// The page as it is now.
    pub fn build(&self) -> Built {
        let mut building = Building {
            draft: self,
            built: Built { dom: Dom::default(), nodes: vec![None; self.pieces.len()] },
            done: vec![false; self.frames.len()],
        };
        building.built.dom.viewport = self.viewport;
        // Frames hang in their `<iframe>`; those whose owner is not known stand alone.
        let owned: Vec<usize> = self.pieces.iter().filter_map(|piece| piece.frame).collect();
        for frame in 0..self.frames.len() {
            if frame == 0 || !owned.contains(&frame) {
                building.frame(frame, None);
            }
        }
        let mut built = building.built;
        for (root, css) in &self.adopted {
            if let Some(root) = built.node(*root) {
                built.dom.adopt_stylesheet(root, css.clone());
            }
        }
        built
    }
}

/// FNV-1a over texts.
struct Digest(u64);

impl Digest {
    fn note(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

struct Building<'d> {
    draft: &'d Draft,
    built: Built,
    done: Vec<bool>,
}

impl Building<'_> {
    fn frame(&mut self, at: usize, owner: Option<NodeId>) {
        let Some(frame) = self.draft.frames.get(at) else { return };
        if std::mem::replace(self.done.get_mut(at).unwrap_or(&mut false), true) {
            return;
        }
        let id = self.built.dom.add_frame(frame.guid.clone(), frame.url.clone(), owner);
        let document = self.built.dom.frame(id).document;
        self.fill(frame.document, document);
    }

    /// Builds what is below `from` (whose own node is `to`), without recursion but for shadow trees and frames.
    fn fill(&mut self, from: Id, to: NodeId) {
        self.note(from, to);
        let mut open: Vec<(Id, NodeId)> = self.draft.children(from).iter().rev().map(|&child| (child, to)).collect();
        while let Some((id, parent)) = open.pop() {
            let Some(piece) = self.draft.piece(id) else { continue };
            let node = match &piece.kind {
                Kind::Root => continue,
                Kind::Text(text) => self.built.dom.add_text(parent, text.clone()),
                Kind::Element(element) => self.built.dom.add_element(parent, Element::clone(element)),
            };
            self.note(id, node);
            if let Some(shadow) = piece.shadow {
                let root = self.built.dom.add_shadow_root(node);
                self.fill(shadow, root);
            }
            if let Some(frame) = piece.frame {
                self.frame(frame, Some(node));
            }
            open.extend(piece.children.iter().rev().map(|&child| (child, node)));
        }
    }

    fn note(&mut self, id: Id, node: NodeId) {
        if let Some(slot) = self.built.nodes.get_mut(id.0) {
            *slot = Some(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::dom::{Page, testing::dom};
    use crate::domain::locator::Locator;

    fn only(dom: &Dom, css: &str) -> NodeId {
        let locator = Locator::from_source(&format!("locator('{css}')"), "data-testid").unwrap();
        Page::new(dom).query(dom.main_frame().unwrap(), &locator).only().unwrap()
    }

    const PAGE: &str = "<main><p id=\"a\">one<b>two</b></p><x-card id=\"host\"><shadow><button>in</button></shadow></x-card>\
        <iframe id=\"f\"><document><input id=\"deep\"/></document></iframe></main>";

    #[test]
    fn a_page_that_was_not_edited_comes_back_as_it_was() {
        let before = dom(PAGE);
        let built = Draft::from(&before).build();
        assert_eq!(built.dom.len(), before.len());
        for node in before.nodes() {
            let now = built.node(node.into()).unwrap();
            let parent = |dom: &Dom, node| dom.parent(node).map(NodeId::index);
            assert_eq!(
                before.parent(node).and_then(|above| built.node(above.into())).map(NodeId::index),
                parent(&built.dom, now)
            );
            let tag = |dom: &Dom, node| dom.element(node).map(|element| element.tag.clone());
            assert_eq!(tag(&before, node), tag(&built.dom, now));
            assert_eq!(before.text(node), built.dom.text(now));
        }
        assert_eq!(built.dom.frames().count(), 2);
    }

    #[test]
    fn nodes_are_followed_through_every_edit() {
        let before = dom(PAGE);
        let (p, host) = (only(&before, "#a"), only(&before, "#host"));
        let mut draft = Draft::from(&before);
        let digest = draft.digest();
        draft.wrap(p.into(), Element { tag: "section".into(), ..Element::default() }).unwrap();
        let copy = draft.copy(host.into()).unwrap();
        let (main, _) = draft.place(host.into()).unwrap();
        draft.append(main, copy);
        draft.detach(host.into());
        assert_ne!(draft.digest(), digest);
        let built = draft.build();
        assert_eq!(built.node(host.into()), None);
        assert_eq!(built.node(p.into()), Some(only(&built.dom, "section > #a")));
        let button = Locator::from_source("locator('#host').getByRole('button')", "data-testid").unwrap();
        let found = Page::new(&built.dom).query(built.dom.main_frame().unwrap(), &button);
        assert_eq!(found.nodes().map(<[_]>::len), Some(1), "the copy has its own shadow tree");
    }

    #[test]
    fn nothing_is_hung_below_itself() {
        let before = dom("<div id=\"a\"><div id=\"b\"></div></div>");
        let (outer, inner) = (only(&before, "#a"), only(&before, "#b"));
        let mut draft = Draft::from(&before);
        draft.append(inner.into(), outer.into());
        assert_eq!(draft.build().dom.len(), before.len());
    }
}
