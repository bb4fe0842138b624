//! The browser's own style sheet, as far as it decides what is shown, and what it never draws.

use super::Display;
use crate::domain::dom::{Dom, Element, Namespace, NodeId, form};

/// Whether the browser hides the element whatever its display would be; the page's sheets can say otherwise.
pub(super) fn display(element: &Element) -> Display {
    if element.namespace != Namespace::Html {
        return Display::Inline;
    }
    if element.attribute("hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found")) {
        return Display::None;
    }
    let open = element.attribute("open").is_some();
    if element.attribute("popover").is_some() && !element.popover_open && !(element.tag == "dialog" && open) {
        return Display::None;
    }
    by_tag(element, open)
}

fn by_tag(element: &Element, open: bool) -> Display {
    match element.tag.as_str() {
        "head" | "script" | "style" | "template" | "datalist" | "title" | "meta" | "link" | "base" | "area"
        | "noembed" | "noframes" | "param" | "rp" | "noscript" => Display::None,
        "input" if form::input_type(element) == "hidden" => Display::None,
        "dialog" if !open => Display::None,
        "audio" if element.attribute("controls").is_none() => Display::None,
        "slot" => Display::Contents,
        "button" | "input" | "select" | "textarea" | "meter" | "progress" | "marquee" | "summary" | "address"
        | "article" | "aside" | "blockquote" | "body" | "center" | "dd" | "details" | "dialog" | "dir" | "div"
        | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "h1" | "h2" | "h3" | "h4" | "h5"
        | "h6" | "header" | "hgroup" | "hr" | "html" | "legend" | "li" | "listing" | "main" | "menu" | "nav" | "ol"
        | "optgroup" | "option" | "p" | "plaintext" | "pre" | "search" | "section" | "ul" | "xmp" | "table"
        | "caption" | "colgroup" | "col" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th" | "frameset" | "frame"
        | "rt" => Display::Block,
        _ => Display::Inline,
    }
}

/// Whether the browser draws its own content in place of this element's children.
pub(super) fn replaces_children(element: &Element) -> bool {
    const REPLACED: [&str; 11] =
        ["iframe", "canvas", "video", "audio", "object", "textarea", "input", "img", "meter", "progress", "embed"];
    REPLACED.iter().any(|tag| element.is_html(tag)) || (element.is_html("select") && !form::is_list_box(element))
}

/// Whether `node` is content of a closed `<details>`.
pub(super) fn is_folded(dom: &Dom, node: NodeId, parent: &Element) -> bool {
    if !parent.is_html("details") || parent.attribute("open").is_some() {
        return false;
    }
    let siblings = dom.parent(node).map(|parent| dom.children(parent)).unwrap_or_default();
    let is_summary = |child: &&NodeId| dom.element(**child).is_some_and(|element| element.is_html("summary"));
    siblings.iter().find(is_summary) != Some(&node)
}
