//! Pages for tests, written as markup.
#![expect(clippy::string_slice, reason = "the markup of tests is ASCII")]

use super::{Dom, Element, Namespace, NodeId};

const VOID: [&str; 9] = ["input", "img", "br", "hr", "meta", "link", "area", "base", "col"];

/// Builds a page from well-formed markup. `<shadow>` as a child opens the shadow root of its parent, `<document>` inside an
/// `<iframe>` its content. `<html>` and `<body>` are not added.
pub(crate) fn dom(markup: &str) -> Dom {
    dom_at("", markup)
}

/// As [`dom`], with the address of the page.
pub(crate) fn dom_at(url: &str, markup: &str) -> Dom {
    let mut dom = Dom::default();
    let frame = dom.add_frame("", url, None);
    let mut open = vec![(dom.frame(frame).document, String::new())];
    let mut rest = markup;
    while let Some(at) = rest.find('<') {
        let top = open.last().unwrap().0;
        if at > 0 {
            dom.add_text(top, unescape(&rest[..at]));
        }
        rest = &rest[at + 1..];
        let end = tag_end(rest);
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(closed) = tag.strip_prefix('/') {
            let (_, name) = open.pop().unwrap();
            assert_eq!(closed, name, "in {markup}");
            continue;
        }
        let name_end = tag.find([' ', '/']).unwrap_or(tag.len());
        let name = tag[..name_end].to_owned();
        let node = match name.as_str() {
            "shadow" => dom.add_shadow_root(top),
            "document" => {
                let frame = dom.add_frame("", "", Some(top));
                dom.frame(frame).document
            }
            _ => dom.add_element(top, element(&dom, top, &name, &tag[name_end..])),
        };
        if !VOID.contains(&name.as_str()) && !tag.ends_with('/') {
            open.push((node, name));
        }
    }
    if !rest.is_empty() {
        dom.add_text(open.last().unwrap().0, unescape(rest));
    }
    assert_eq!(open.len(), 1, "unclosed in {markup}");
    dom
}

fn tag_end(text: &str) -> usize {
    let mut quoted = false;
    text.find(|c| {
        quoted ^= c == '"';
        c == '>' && !quoted
    })
    .unwrap()
}

fn element(dom: &Dom, parent: NodeId, tag: &str, attributes: &str) -> Element {
    let in_svg =
        dom.element(parent).is_some_and(|above| above.namespace == Namespace::Svg && above.tag != "foreignObject");
    let namespace = if tag == "svg" || in_svg { Namespace::Svg } else { Namespace::Html };
    let mut element = Element { tag: tag.into(), namespace, ..Element::default() };
    let mut rest = attributes.trim_end_matches('/').trim();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        rest = &rest[end..];
        let value = if let Some(quoted) = rest.strip_prefix("=\"") {
            let close = quoted.find('"').unwrap();
            rest = &quoted[close + 1..];
            unescape(&quoted[..close])
        } else {
            String::new()
        };
        element.attributes.push((name, value));
        rest = rest.trim_start();
    }
    element
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u{a0}").replace("&amp;", "&")
}
