//! From the texts of a page's frames to a [`Dom`].
//!
//! What the recorder added is taken out again: its own `<base>`, its attributes, the `<template>` elements that stand
//! for shadow roots and style sheets. What it left out (scripts, comments, closed shadow roots) is not guessed.

use std::collections::{HashSet, VecDeque};

use serde::Deserialize;

use crate::domain::dom::{Dom, Element, Namespace, NodeId, NodeKind, Rect};

use super::json;
use super::markup::{self, Cursor, Piece};
use super::snapshots::{Snapshot, Snapshots, Texts};
use super::{Limits, TraceError};

/// Puts together the page whose snapshot goes by `name`: its main frame, and every frame that hangs in it.
///
/// `None` where no main frame was recorded under that name.
pub(super) fn build(snapshots: &Snapshots, name: &str, limits: &Limits) -> Result<Option<Dom>, TraceError> {
    let Some(main) = snapshots.named(name).find(|snapshot| snapshot.main) else { return Ok(None) };
    let mut dom = Dom::default();
    dom.viewport = main.viewport.unwrap_or_default();
    let mut waiting = VecDeque::from([(main, None)]);
    let mut seen = HashSet::from([main.frame.as_str()]);
    let mut bytes = 0;
    while let Some((snapshot, owner)) = waiting.pop_front() {
        let texts = snapshots.gather(snapshot, limits)?;
        let frame = dom.add_frame(snapshot.frame.as_str(), snapshot.url.as_str(), owner);
        let document = dom.frame(frame).document;
        let mut builder = Builder { dom: &mut dom, document, call: &snapshot.call, limits, bytes, frames: Vec::new() };
        builder.run(&texts, document)?;
        bytes = builder.bytes;
        for (owner, guid) in builder.frames {
            let child = snapshots.named(name).find(|child| child.frame == guid && !child.main);
            if let Some(child) = child.filter(|child| seen.insert(child.frame.as_str())) {
                waiting.push_back((child, Some(owner)));
            }
        }
    }
    Ok(Some(dom))
}

/// The snapshot of the frame with this guid among those that go by `name`.
pub(super) fn frame<'a>(snapshots: &'a Snapshots, name: &str, guid: &str) -> Option<&'a Snapshot> {
    snapshots.named(name).find(|snapshot| snapshot.frame == guid)
}

/// The `<link>`s that load style sheets, each with its frame (the guid) and the sheet's absolute address.
pub(super) fn linked_style_sheets(dom: &Dom) -> Vec<(NodeId, String, String)> {
    let mut links = Vec::new();
    for (_, frame) in dom.frames() {
        let mut base = url::Url::parse(&frame.url).ok();
        let mut stack = vec![frame.document];
        while let Some(node) = stack.pop() {
            if let Some(element) = dom.element(node) {
                let href = element.attribute("href");
                if element.is_html("base")
                    && let (Some(from), Some(href)) = (&base, href)
                {
                    base = from.join(href).ok().or(base);
                }
                let loads = element.attribute("rel").unwrap_or_default().split_ascii_whitespace();
                if element.is_html("link")
                    && loads.into_iter().any(|word| word.eq_ignore_ascii_case("stylesheet"))
                    && let Some(address) = base.as_ref().zip(href).and_then(|(base, href)| base.join(href).ok())
                {
                    links.push((node, frame.guid.clone(), address.to_string()));
                }
                stack.extend(element.shadow_root);
            }
            stack.extend(dom.children(node).iter().rev());
        }
    }
    links
}

/// Builds the tree of one frame.
struct Builder<'a> {
    dom: &'a mut Dom,
    document: NodeId,
    call: &'a str,
    limits: &'a Limits,
    bytes: usize,
    frames: Vec<(NodeId, String)>,
}

/// An element that has begun and not ended.
struct Open {
    /// Where its children go; `None` where they are dropped with it.
    node: Option<NodeId>,
    /// The vocabulary of its children.
    namespace: Namespace,
    /// A `<head>` without children: the recorder's `<base>` comes first.
    fresh_head: bool,
}

impl Builder<'_> {
    fn run(&mut self, texts: &Texts, document: NodeId) -> Result<(), TraceError> {
        let mut open = vec![Open { node: Some(document), namespace: Namespace::Html, fresh_head: false }];
        let mut cursors = vec![(texts.ordinal, Cursor::new(&texts.root))];
        while let Some((ordinal, cursor)) = cursors.last_mut() {
            let ordinal = *ordinal;
            let piece = cursor.next()?;
            // Also what is dropped takes time.
            self.spend(1)?;
            match piece {
                None => {
                    cursors.pop();
                }
                Some(Piece::Reference(reference)) => {
                    let missing = TraceError::Snapshot("it refers to nodes that the trace does not hold");
                    let (from, text) = texts.resolve(ordinal, reference).ok_or(missing)?;
                    self.check_depth(cursors.len())?;
                    cursors.push((from, Cursor::new(text)));
                }
                Some(Piece::Text(text)) => self.text(&mut open, text)?,
                Some(Piece::Open { name, attributes }) => {
                    self.check_depth(open.len())?;
                    let child = self.element(&mut open, name, attributes)?;
                    open.push(child);
                }
                Some(Piece::Close) => {
                    open.pop();
                }
            }
        }
        Ok(())
    }

    fn check_depth(&self, depth: usize) -> Result<(), TraceError> {
        let limit = self.limits.depth;
        if depth > limit { Err(TraceError::Limit { what: "levels in one page", limit: limit as u64 }) } else { Ok(()) }
    }

    /// Counts a node whose text is `bytes` long. References can repeat a small text without end.
    fn spend(&mut self, bytes: usize) -> Result<(), TraceError> {
        self.bytes += bytes;
        let (nodes, bytes) = (self.limits.nodes, self.limits.page_bytes);
        if self.dom.len() >= nodes {
            return Err(TraceError::Limit { what: "nodes in one page", limit: nodes as u64 });
        }
        if self.bytes > bytes {
            return Err(TraceError::Limit { what: "bytes in one page", limit: bytes as u64 });
        }
        Ok(())
    }

    fn text(&mut self, open: &mut [Open], text: &[u8]) -> Result<(), TraceError> {
        let Some(parent) = open.last_mut() else { return Ok(()) };
        parent.fresh_head = false;
        if let Some(node) = parent.node {
            self.spend(text.len())?;
            self.dom.add_text(node, json::decode(text));
        }
        Ok(())
    }

    fn element(&mut self, open: &mut [Open], name: &[u8], attributes: &[u8]) -> Result<Open, TraceError> {
        let dropped = Open { node: None, namespace: Namespace::Html, fresh_head: false };
        let Some(parent) = open.last_mut() else { return Ok(dropped) };
        let fresh_head = std::mem::take(&mut parent.fresh_head);
        let Some(above) = parent.node else { return Ok(dropped) };
        self.spend(name.len() + attributes.len())?;
        let name = json::decode(name);
        let recorded = Recorded::from_attributes(markup::attributes(attributes)?);
        if name == "template" && recorded.shadow_root && self.dom.element(above).is_some() {
            let root = self.dom.add_shadow_root(above);
            return Ok(Open { node: Some(root), ..dropped });
        }
        if let Some(css) = recorded.style_sheet {
            let root = if matches!(self.dom.kind(above), NodeKind::ShadowRoot) { above } else { self.document };
            self.dom.adopt_stylesheet(root, css);
            return Ok(dropped);
        }
        if fresh_head && name == "BASE" {
            return Ok(dropped);
        }
        let namespace = namespace(&name, parent.namespace);
        let tag = if namespace == Namespace::Html { name.to_ascii_lowercase() } else { name };
        let is_frame = namespace == Namespace::Html && matches!(tag.as_str(), "iframe" | "frame");
        let (element, frame) = recorded.into_element(tag, namespace, self.call, is_frame);
        let inner = inner_namespace(&element.tag, namespace);
        let fresh_head = namespace == Namespace::Html && element.tag == "head";
        let node = self.dom.add_element(above, element);
        self.frames.extend(frame.map(|guid| (node, guid)));
        Ok(Open { node: Some(node), namespace: inner, fresh_head })
    }
}

/// The vocabulary of an element. Names of HTML elements are recorded in upper case, others as written.
fn namespace(name: &str, parent: Namespace) -> Namespace {
    if !name.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return Namespace::Html;
    }
    match name {
        "svg" => Namespace::Svg,
        "math" => Namespace::MathMl,
        _ => parent,
    }
}

/// The vocabulary of the children of an element.
fn inner_namespace(tag: &str, own: Namespace) -> Namespace {
    match own {
        Namespace::Svg if matches!(tag, "foreignObject" | "desc" | "title") => Namespace::Html,
        Namespace::MathMl if matches!(tag, "mi" | "mo" | "mn" | "ms" | "mtext" | "annotation-xml") => Namespace::Html,
        _ => own,
    }
}

/// The attributes of an element, the page's own and the recorder's.
#[derive(Default)]
struct Recorded {
    attributes: Vec<(String, String)>,
    shadow_root: bool,
    style_sheet: Option<String>,
    popover_open: bool,
    value: Option<String>,
    checked: Option<bool>,
    selected: Option<bool>,
    bounds: Option<Rect>,
    target: Option<String>,
    source: Option<String>,
}

impl Recorded {
    fn from_attributes(attributes: Vec<(String, String)>) -> Self {
        let mut own = Self::default();
        for (name, value) in attributes {
            match name.as_str() {
                "__playwright_shadow_root_" => own.shadow_root = true,
                "__playwright_style_sheet_" => own.style_sheet = Some(value),
                "__playwright_popover_open_" => own.popover_open = true,
                "__playwright_value_" => own.value = Some(value),
                "__playwright_checked_" => own.checked = Some(value == "true"),
                "__playwright_selected_" => own.selected = Some(value == "true"),
                "__playwright_bounding_rect__" => own.bounds = rect(&value),
                "__playwright_target__" => own.target = Some(value),
                "__playwright_src__" => own.source = Some(value),
                // An open dialog is recorded in place of its `open` attribute.
                "__playwright_dialog_open_" => own.attributes.push(("open".to_owned(), String::new())),
                _ if name.starts_with("__playwright_") => {}
                _ => own.attributes.push((name, value)),
            }
        }
        // Pages have many elements with one or two attributes.
        own.attributes.shrink_to_fit();
        own
    }

    /// The element, and the guid of the frame inside it.
    fn into_element(self, tag: String, namespace: Namespace, call: &str, is_frame: bool) -> (Element, Option<String>) {
        let Self { mut attributes, value, checked, selected, bounds, target, mut source, popover_open, .. } = self;
        if is_frame && let Some(at) = attributes.iter().position(|(name, _)| name == "src") {
            source = Some(attributes.remove(at).1);
        }
        let frame = source.filter(|_| is_frame).and_then(|source| Some(source.rsplit_once('/')?.1.to_owned()));
        let target_of = target.map(|mark| marking_call(mark, call)).into_iter().collect();
        let element = Element {
            tag,
            namespace,
            attributes,
            value,
            checked,
            selected,
            popover_open,
            bounds,
            target_of,
            ..Element::default()
        };
        (element, frame)
    }
}

/// The call that marked its target: format 3 names the snapshot (`action@call@21`), formats 4 to 9 the call, and newer ones
/// mark the target of the call at hand without naming it.
fn marking_call(mark: String, at_hand: &str) -> String {
    match mark.strip_prefix("action@") {
        _ if mark.is_empty() => at_hand.to_owned(),
        Some(call) => call.to_owned(),
        None => mark,
    }
}

fn rect(text: &str) -> Option<Rect> {
    #[derive(Deserialize)]
    struct Sides {
        left: f64,
        top: f64,
        right: f64,
        bottom: f64,
    }
    let sides: Sides = serde_json::from_str(text).ok()?;
    Some(Rect { x: sides.left, y: sides.top, width: sides.right - sides.left, height: sides.bottom - sides.top })
}
