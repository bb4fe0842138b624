//! A page as Playwright saw it: an arena of nodes with frames, open shadow roots and form state.
//!
//! Built by the trace reader, read by the locator engine and the ranker. Knows nothing of archives, of selectors or of
//! ranking. Nodes are appended in document order within their tree; a node's parent always exists before it.

pub mod aria;
pub(crate) mod css;
pub(crate) mod form;
mod page;
mod pattern;
pub mod query;
mod style;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub mod text;
mod tree;
pub mod visibility;
pub(crate) mod xpath;

pub use page::Page;

/// A node of one [`Dom`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// A frame of one [`Dom`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(u32);

/// One page: its main frame, the frames inside it, and all their nodes.
#[derive(Debug, Clone, Default)]
pub struct Dom {
    nodes: Vec<Node>,
    frames: Vec<Frame>,
    adopted: Vec<(NodeId, String)>,
    /// The size of the window in CSS pixels, which media queries ask for; Playwright's default where unknown.
    pub viewport: Viewport,
}

/// The size of a browser window, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Default for Viewport {
    /// Playwright's default viewport.
    fn default() -> Self {
        Self { width: 1280.0, height: 720.0 }
    }
}

/// A frame: a document with its address. Frame 0 is the main frame.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Playwright's name for the frame (`frame@…`), empty where unknown.
    pub guid: String,
    /// The document's address as recorded.
    pub url: String,
    /// The document node.
    pub document: NodeId,
    /// The `<iframe>` that holds this frame; `None` for the main frame.
    pub owner: Option<NodeId>,
}

/// A node: where it hangs and what it is.
#[derive(Debug, Clone)]
pub struct Node {
    parent: Option<NodeId>,
    children: Vec<NodeId>,
    kind: NodeKind,
}

/// What a node is.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// The root of a frame.
    Document,
    /// The root of an open shadow tree; its parent is the host.
    ShadowRoot,
    /// An element.
    Element(Box<Element>),
    /// A text node, as in the document (white space kept).
    Text(String),
}

/// Which vocabulary an element belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Namespace {
    /// HTML.
    #[default]
    Html,
    /// SVG, from `<svg>` down to the next `<foreignObject>`.
    Svg,
    /// MathML.
    MathMl,
}

/// An element: its name, its attributes, and what the browser knew beyond the markup.
#[derive(Debug, Clone, Default)]
pub struct Element {
    /// Local name: lower case in HTML, as written in SVG and MathML.
    pub tag: String,
    /// The vocabulary.
    pub namespace: Namespace,
    /// Attributes in document order, names in lower case for HTML; Playwright's own bookkeeping is not among them.
    pub attributes: Vec<(String, String)>,
    /// The open shadow root, if it has one.
    pub shadow_root: Option<NodeId>,
    /// The frame inside, for `<iframe>` and `<frame>`.
    pub content_frame: Option<FrameId>,
    /// The live value of an `<input>`, `<textarea>` or `<select>`.
    pub value: Option<String>,
    /// Whether a check box or radio button was ticked.
    pub checked: Option<bool>,
    /// Whether an `<option>` was selected.
    pub selected: Option<bool>,
    /// Whether a popover was open.
    pub popover_open: bool,
    /// The style sheet that a `<link rel=stylesheet>` had loaded.
    pub stylesheet: Option<String>,
    /// The box in CSS pixels, where the trace recorded one.
    pub bounds: Option<Rect>,
    /// The calls whose locator resolved to this element (`__playwright_target__`).
    pub target_of: Vec<String>,
}

/// A box in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Element {
    /// Whether this is the HTML element with this name.
    pub fn is_html(&self, tag: &str) -> bool {
        self.namespace == Namespace::Html && self.tag == tag
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl Dom {
    /// Starts a frame with an empty document. `owner` is the `<iframe>` that holds it, `None` for the main frame.
    pub fn add_frame(&mut self, guid: impl Into<String>, url: impl Into<String>, owner: Option<NodeId>) -> FrameId {
        let document = self.push(None, NodeKind::Document);
        let id = FrameId(index(self.frames.len()));
        self.frames.push(Frame { guid: guid.into(), url: url.into(), document, owner });
        if let Some(element) = owner.and_then(|node| self.element_mut(node)) {
            element.content_frame = Some(id);
        }
        id
    }

    /// Appends an element below `parent`.
    pub fn add_element(&mut self, parent: NodeId, element: Element) -> NodeId {
        self.push(Some(parent), NodeKind::Element(Box::new(element)))
    }

    /// Appends a text node below `parent`.
    pub fn add_text(&mut self, parent: NodeId, text: impl Into<String>) -> NodeId {
        self.push(Some(parent), NodeKind::Text(text.into()))
    }

    /// Gives `host` an open shadow root. It is not among the host's children.
    pub fn add_shadow_root(&mut self, host: NodeId) -> NodeId {
        let id = NodeId(index(self.nodes.len()));
        self.nodes.push(Node { parent: Some(host), children: Vec::new(), kind: NodeKind::ShadowRoot });
        if let Some(element) = self.element_mut(host) {
            element.shadow_root = Some(id);
        }
        id
    }

    /// Adds a style sheet that a document or shadow root has adopted (`adoptedStyleSheets`), after the ones before.
    pub fn adopt_stylesheet(&mut self, root: NodeId, css: impl Into<String>) {
        self.adopted.push((root, css.into()));
    }

    /// The adopted style sheets with the document or shadow root that has them, in order.
    pub fn adopted_stylesheets(&self) -> impl Iterator<Item = (NodeId, &str)> {
        self.adopted.iter().map(|(root, css)| (*root, css.as_str()))
    }

    /// All frames, the main frame first.
    pub fn frames(&self) -> impl Iterator<Item = (FrameId, &Frame)> {
        self.frames.iter().enumerate().map(|(at, frame)| (FrameId(index(at)), frame))
    }

    /// A frame by its id.
    ///
    /// # Panics
    /// Never for an id that this `Dom` gave out.
    pub fn frame(&self, id: FrameId) -> &Frame {
        &self.frames[id.0 as usize]
    }

    /// The main frame; `None` while the page is empty.
    pub fn main_frame(&self) -> Option<FrameId> {
        (!self.frames.is_empty()).then_some(FrameId(0))
    }

    /// What the node is.
    pub fn kind(&self, id: NodeId) -> &NodeKind {
        &self.nodes[id.0 as usize].kind
    }

    /// The node above: the parent, a shadow root's host; `None` for a document.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.nodes[id.0 as usize].parent
    }

    /// The element above, or the host of the shadow root above.
    pub fn parent_element(&self, id: NodeId) -> Option<NodeId> {
        let parent = self.parent(id)?;
        match self.kind(parent) {
            NodeKind::Element(_) => Some(parent),
            NodeKind::ShadowRoot => self.parent(parent),
            NodeKind::Document | NodeKind::Text(_) => None,
        }
    }

    /// The light children, in order.
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        &self.nodes[id.0 as usize].children
    }

    /// The element, if the node is one.
    pub fn element(&self, id: NodeId) -> Option<&Element> {
        match self.kind(id) {
            NodeKind::Element(element) => Some(element),
            _ => None,
        }
    }

    /// The text, if the node is a text node.
    pub fn text(&self, id: NodeId) -> Option<&str> {
        match self.kind(id) {
            NodeKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The element, to complete it while building.
    pub fn element_mut(&mut self, id: NodeId) -> Option<&mut Element> {
        match &mut self.nodes[id.0 as usize].kind {
            NodeKind::Element(element) => Some(element),
            _ => None,
        }
    }

    /// Every node, in the order of building: document order within each tree.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..index(self.nodes.len())).map(NodeId)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn push(&mut self, parent: Option<NodeId>, kind: NodeKind) -> NodeId {
        let id = NodeId(index(self.nodes.len()));
        self.nodes.push(Node { parent, children: Vec::new(), kind });
        if let Some(parent) = parent {
            self.nodes[parent.0 as usize].children.push(id);
        }
        id
    }
}

fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl NodeId {
    /// The position in the arena, for tables beside it.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
