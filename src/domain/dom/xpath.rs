//! `XPath` 1.0 over a page, with the browser's habits for HTML: names without case, and no way into shadow trees.

use std::cmp::Ordering;

use xpath_eval::{EvaluationContext, ExpandedName, Expr, Node, Value, evaluate};

use super::query::Stop;
use super::{Dom, Namespace, NodeId, NodeKind, Page, text};

/// Brackets and parentheses within each other: deeper expressions would cost the parser its stack.
const MAX_DEPTH: usize = 64;
const SVG: &str = "http://www.w3.org/2000/svg";
const MATH: &str = "http://www.w3.org/1998/Math/MathML";

/// A parsed expression: from the document, and the same from an element, where Playwright puts a dot in front.
pub(crate) struct XPath {
    absolute: Expr,
    relative: Option<Expr>,
}

impl XPath {
    pub(crate) fn parse(text: &str) -> Result<Self, Stop> {
        let depth = text.chars().scan(0_usize, |depth, c| {
            match c {
                '[' | '(' => *depth += 1,
                ']' | ')' => *depth = depth.saturating_sub(1),
                _ => {}
            }
            Some(*depth)
        });
        if depth.max().unwrap_or(0) > MAX_DEPTH {
            return Err(Stop::Invalid("the XPath expression is nested too deeply".into()));
        }
        // The recorder leaves out where a frame's content came from, and does not tell parsed namespaces from attributes.
        if ["@srcdoc", "@sandbox", "@xmlns"].iter().any(|name| text.contains(name)) {
            return Err(Stop::Unknown(
                "the attribute that the XPath expression asks for is not in the snapshot".into(),
            ));
        }
        let parse = |text: &str| {
            xpath_eval::parse(text).map_err(|_| Stop::Invalid(format!("`{text}` is not an XPath expression")))
        };
        let relative = text.starts_with('/').then(|| parse(&format!(".{text}"))).transpose()?;
        Ok(Self { absolute: parse(text)?, relative })
    }

    /// The elements that the expression selects from `root`, in document order.
    pub(crate) fn query(&self, page: &Page<'_>, root: NodeId) -> Result<Vec<NodeId>, Stop> {
        let is_document = matches!(page.dom.kind(root), NodeKind::Document);
        let expression = self.relative.as_ref().filter(|_| !is_document).unwrap_or(&self.absolute);
        let handle = Handle { dom: page.dom, order: page.order(), node: root, attribute: None };
        let value = evaluate(expression, &EvaluationContext::new(handle))
            .map_err(|error| Stop::Invalid(format!("the XPath expression fails: {error}")))?;
        let Value::NodeSet(mut nodes) = value else {
            return Err(Stop::Invalid("the XPath expression does not select nodes".into()));
        };
        nodes.retain(|handle| handle.attribute.is_none() && page.dom.element(handle.node).is_some());
        nodes.sort_by(|a, b| a.document_order(*b));
        nodes.dedup();
        Ok(nodes.into_iter().map(|handle| handle.node).collect())
    }
}

/// A node, or one of an element's attributes.
#[derive(Clone, Copy)]
struct Handle<'a> {
    dom: &'a Dom,
    /// The place of every node in document order.
    order: &'a [u32],
    node: NodeId,
    attribute: Option<usize>,
}

impl PartialEq for Handle<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node && self.attribute == other.attribute
    }
}

impl Eq for Handle<'_> {}

impl<'a> Handle<'a> {
    fn at(self, node: NodeId) -> Self {
        Self { node, attribute: None, ..self }
    }

    fn own_attribute(self) -> Option<&'a (String, String)> {
        self.dom.element(self.node)?.attributes.get(self.attribute?)
    }
}

impl<'a> Node<'a> for Handle<'a> {
    fn kind(self) -> xpath_eval::NodeKind {
        match self.dom.kind(self.node) {
            _ if self.attribute.is_some() => xpath_eval::NodeKind::Attribute,
            NodeKind::Document | NodeKind::ShadowRoot => xpath_eval::NodeKind::Root,
            NodeKind::Element(_) => xpath_eval::NodeKind::Element,
            NodeKind::Text(_) => xpath_eval::NodeKind::Text,
        }
    }

    fn parent(self) -> Option<Self> {
        if self.attribute.is_some() {
            return Some(self.at(self.node));
        }
        match self.dom.kind(self.node) {
            NodeKind::Document | NodeKind::ShadowRoot => None,
            NodeKind::Element(_) | NodeKind::Text(_) => self.dom.parent(self.node).map(|parent| self.at(parent)),
        }
    }

    fn children(self) -> impl Iterator<Item = Self> + 'a {
        let children = if self.attribute.is_some() { &[] } else { self.dom.children(self.node) };
        children.iter().map(move |child| self.at(*child))
    }

    fn attributes(self) -> impl Iterator<Item = Self> + 'a {
        let count =
            if self.attribute.is_some() { 0 } else { self.dom.element(self.node).map_or(0, |e| e.attributes.len()) };
        (0..count).map(move |at| Self { attribute: Some(at), ..self })
    }

    fn namespaces(self) -> impl Iterator<Item = Self> + 'a {
        std::iter::empty()
    }

    fn expanded_name(self) -> Option<ExpandedName> {
        if let Some((name, _)) = self.own_attribute() {
            return Some(ExpandedName { namespace_uri: None, local_name: name.clone() });
        }
        let element = self.dom.element(self.node)?;
        let namespace = match element.namespace {
            Namespace::Html => None,
            Namespace::Svg => Some(SVG.to_owned()),
            Namespace::MathMl => Some(MATH.to_owned()),
        };
        Some(ExpandedName { namespace_uri: namespace, local_name: element.tag.clone() })
    }

    fn string_value(self) -> String {
        match self.own_attribute() {
            Some((_, value)) => value.clone(),
            None => text::text_content(self.dom, self.node),
        }
    }

    fn document_order(self, other: Self) -> Ordering {
        let place = |handle: Self| (handle.order.get(handle.node.index()), handle.attribute.map(|at| at + 1));
        place(self).cmp(&place(other))
    }

    fn has_expanded_name(self, namespace_uri: Option<&str>, local_name: &str) -> bool {
        if let Some((name, _)) = self.own_attribute() {
            let declares =
                name == "xmlns" && self.dom.element(self.node).is_some_and(|e| e.namespace != Namespace::Html);
            return namespace_uri.is_none() && !declares && name.eq_ignore_ascii_case(local_name);
        }
        self.dom.element(self.node).is_some_and(|element| match element.namespace {
            Namespace::Html => namespace_uri.is_none() && element.tag.eq_ignore_ascii_case(local_name),
            Namespace::Svg => namespace_uri == Some(SVG) && element.tag == local_name,
            Namespace::MathMl => namespace_uri == Some(MATH) && element.tag == local_name,
        })
    }

    fn with_string_value<R>(self, f: impl FnOnce(&str) -> R) -> R {
        match (self.own_attribute(), self.dom.kind(self.node)) {
            (Some((_, value)), _) => f(value),
            (None, NodeKind::Text(text)) => f(text),
            (None, _) => f(&text::text_content(self.dom, self.node)),
        }
    }

    fn is_id_attribute(self) -> bool {
        self.own_attribute().is_some_and(|(name, _)| name == "id")
    }
}
