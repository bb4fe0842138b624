//! Text as Playwright compares it: its notion of white space, and the text of elements.
//!
//! All text of a page lies in a few buffers, once as it is, once with white space normalised, once in lower case too; the
//! text of an element is a range of them. So a page's text is gone through once, however deep the page is.

use std::ops::Range;

use super::{Dom, NodeId, NodeKind, form};

/// Whether JavaScript's `\s` and `trim()` take the character for white space.
pub fn is_space(c: char) -> bool {
    matches!(c, '\t'..='\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
        | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
}

/// Runs of white space made one space, ends trimmed, zero-width spaces and soft hyphens dropped.
pub fn normalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        match c {
            '\u{200b}' | '\u{ad}' => {}
            _ if is_space(c) => gap = !out.is_empty(),
            _ => {
                if gap {
                    out.push(' ');
                    gap = false;
                }
                out.push(c);
            }
        }
    }
    out
}

/// `text` in lower case, character by character.
pub(crate) fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Whether an element's text never counts: scripts, styles, and everything in the document's head.
pub(crate) fn is_skipped(dom: &Dom, node: NodeId) -> bool {
    let Some(element) = dom.element(node) else { return false };
    if ["script", "noscript", "style"].iter().any(|tag| element.is_html(tag)) {
        return true;
    }
    let mut next = Some(node);
    while let Some(node) = next {
        let parent = dom.parent(node);
        if dom.element(node).is_some_and(|element| element.is_html("head")) {
            let grand = parent.and_then(|parent| dom.parent(parent));
            return grand.is_some_and(|grand| matches!(dom.kind(grand), NodeKind::Document));
        }
        next = parent;
    }
    false
}

/// The text of every element and shadow root of a page.
#[derive(Debug)]
pub(crate) struct Texts {
    /// The text that counts, then, buffer by buffer, the texts of skipped elements' children.
    buffers: Vec<Buffer>,
    spans: Vec<Span>,
}

#[derive(Debug, Default)]
struct Buffer {
    full: String,
    /// White space collapsed, not trimmed.
    collapsed: String,
    lower: String,
}

/// Where a node's text lies.
#[derive(Debug, Clone, Default)]
struct Span {
    buffer: usize,
    full: Range<usize>,
    collapsed: Range<usize>,
    lower: Range<usize>,
}

enum Visit {
    Open(NodeId),
    /// Goes back to a buffer, at the end of a node if its text counts.
    Close(Option<NodeId>, usize),
}

impl Texts {
    pub(crate) fn new(dom: &Dom) -> Self {
        let mut texts = Self { buffers: Vec::new(), spans: vec![Span::default(); dom.len()] };
        for (_, frame) in dom.frames() {
            texts.add(dom, frame.document);
        }
        texts
    }

    fn add(&mut self, dom: &Dom, document: NodeId) {
        let mut current = self.open_buffer();
        let mut stack = vec![Visit::Open(document)];
        while let Some(visit) = stack.pop() {
            match visit {
                Visit::Close(node, before) => {
                    if let Some(node) = node {
                        self.close(node);
                    }
                    current = before;
                }
                Visit::Open(node) => {
                    let skipped = Self::is_own_skip(dom, node);
                    self.open(node, current);
                    stack.push(Visit::Close((!skipped).then_some(node), current));
                    if skipped {
                        // Skipped for its parents and for itself, but its children have text of their own.
                        current = self.open_buffer();
                    }
                    if let Some(text) = own_text(dom, node) {
                        self.buffers[current].push(text);
                    }
                    stack.extend(dom.element(node).and_then(|element| element.shadow_root).map(Visit::Open));
                    stack.extend(dom.children(node).iter().rev().copied().map(Visit::Open));
                }
            }
        }
    }

    fn is_own_skip(dom: &Dom, node: NodeId) -> bool {
        let Some(element) = dom.element(node) else { return false };
        if element.is_html("head") {
            return is_skipped(dom, node);
        }
        ["script", "noscript", "style"].iter().any(|tag| element.is_html(tag))
    }

    fn open_buffer(&mut self) -> usize {
        self.buffers.push(Buffer::default());
        self.buffers.len() - 1
    }

    fn open(&mut self, node: NodeId, buffer: usize) {
        let Buffer { full, collapsed, lower } = &self.buffers[buffer];
        let at = |text: &String| text.len()..text.len();
        self.spans[node.index()] = Span { buffer, full: at(full), collapsed: at(collapsed), lower: at(lower) };
    }

    fn close(&mut self, node: NodeId) {
        let span = &mut self.spans[node.index()];
        let Buffer { full, collapsed, lower } = &self.buffers[span.buffer];
        span.full.end = full.len();
        span.collapsed.end = collapsed.len();
        span.lower.end = lower.len();
    }

    /// The whole text, as in the document.
    pub(crate) fn full(&self, node: NodeId) -> &str {
        let span = &self.spans[node.index()];
        self.buffers[span.buffer].full.get(span.full.clone()).unwrap_or_default()
    }

    /// The whole text with white space normalised.
    pub(crate) fn normalized(&self, node: NodeId) -> &str {
        let span = &self.spans[node.index()];
        self.buffers[span.buffer].collapsed.get(span.collapsed.clone()).unwrap_or_default().trim_matches(' ')
    }

    /// Where in each buffer the lower-cased, normalised `needle` stands.
    pub(crate) fn find(&self, needle: &str) -> Occurrences {
        let length = needle.len();
        let starts = self.buffers.iter().map(|buffer| {
            let mut starts = Vec::new();
            let mut from = 0;
            while let Some(at) = buffer.lower.get(from..).and_then(|rest| rest.find(needle)) {
                starts.push(from + at);
                // Overlapping occurrences count: an element may begin inside the one before.
                from +=
                    at + buffer.lower.get(from + at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            }
            starts
        });
        Occurrences { length, starts: starts.collect() }
    }

    /// Whether the node's text contains what [`Texts::find`] looked for.
    pub(crate) fn contains(&self, node: NodeId, occurrences: &Occurrences) -> bool {
        if occurrences.length == 0 {
            return true;
        }
        let span = &self.spans[node.index()];
        let Some(starts) = occurrences.starts.get(span.buffer) else { return false };
        let first = starts.partition_point(|start| *start < span.lower.start);
        starts.get(first).is_some_and(|start| start + occurrences.length <= span.lower.end)
    }
}

/// Where a text stands in the buffers of [`Texts`].
#[derive(Debug)]
pub(crate) struct Occurrences {
    length: usize,
    starts: Vec<Vec<usize>>,
}

impl Buffer {
    fn push(&mut self, text: &str) {
        self.full.push_str(text);
        for c in text.chars() {
            match c {
                '\u{200b}' | '\u{ad}' => {}
                _ if is_space(c) => {
                    if !self.collapsed.ends_with(' ') {
                        self.collapsed.push(' ');
                        self.lower.push(' ');
                    }
                }
                _ => {
                    self.collapsed.push(c);
                    self.lower.extend(c.to_lowercase());
                }
            }
        }
    }
}

/// The text that a node adds by itself: a text node's, or the label of a button made by `<input>`.
fn own_text(dom: &Dom, node: NodeId) -> Option<&str> {
    match dom.kind(node) {
        NodeKind::Text(text) => Some(text),
        NodeKind::Element(element) if form::is_input(element, &["submit", "button", "reset"]) => {
            Some(form::value(element))
        }
        NodeKind::Element(_) | NodeKind::Document | NodeKind::ShadowRoot => None,
    }
}

/// The runs of text directly inside an element, between its child elements.
pub(crate) fn immediate(dom: &Dom, node: NodeId) -> Vec<String> {
    if let Some(element) = dom.element(node)
        && form::is_input(element, &["submit", "button", "reset"])
    {
        return vec![form::value(element).to_owned()];
    }
    let mut runs = vec![String::new()];
    for child in dom.children(node) {
        match dom.kind(*child) {
            NodeKind::Text(text) => {
                if let Some(run) = runs.last_mut() {
                    run.push_str(text);
                }
            }
            _ => runs.push(String::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// The text of all text nodes below `node` in its own tree, like the DOM's `textContent`.
pub(crate) fn text_content(dom: &Dom, node: NodeId) -> String {
    let mut text = String::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        if let NodeKind::Text(part) = dom.kind(node) {
            text.push_str(part);
        }
        stack.extend(dom.children(node).iter().rev());
    }
    text
}
