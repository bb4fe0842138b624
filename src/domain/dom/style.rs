//! The few computed styles that decide what is shown and how names are spaced: `display`, `visibility`, generated content.

use super::tree::Tree;
use super::{Dom, Element, Namespace, NodeId, form};

/// What `display` computes to, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Display {
    None,
    Contents,
    #[default]
    Inline,
    /// Anything that makes a block outside.
    Block,
    /// A flex or grid container: its children become blocks.
    Container,
}

/// The computed style of an element.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Style {
    pub(crate) display: Display,
    /// `visibility: visible`.
    pub(crate) visible: bool,
    /// Has a box, and none above it is skipped: `checkVisibility()`.
    pub(crate) rendered: bool,
}

/// The styles of all elements of a page.
#[derive(Debug)]
pub(crate) struct Styles {
    styles: Vec<Style>,
}

impl Styles {
    pub(crate) fn new(dom: &Dom, tree: &Tree<'_>) -> Self {
        let mut styles: Vec<Option<Style>> = vec![None; dom.len()];
        let mut chain = Vec::new();
        for node in dom.nodes().filter(|node| dom.element(*node).is_some()) {
            // From the element up to what is known already, then down again: parents decide for children.
            let mut next = Some(node);
            let mut above = Some(Style { visible: true, rendered: true, ..Style::default() });
            while let Some(node) = next {
                if let Some(style) = styles[node.index()] {
                    above = Some(style);
                    break;
                }
                chain.push(node);
                if let Ok(parent) = tree.shown_in(node) {
                    next = parent;
                } else {
                    above = None;
                    break;
                }
            }
            while let Some(node) = chain.pop() {
                let style = dom.element(node).map(|element| compute(dom, node, element, above)).unwrap_or_default();
                styles[node.index()] = Some(style);
                above = Some(style);
            }
        }
        Self { styles: styles.into_iter().map(Option::unwrap_or_default).collect() }
    }

    pub(crate) fn of(&self, node: NodeId) -> Style {
        self.styles.get(node.index()).copied().unwrap_or_default()
    }

    /// The text that CSS puts before or after an element's content.
    pub(crate) fn generated(&self, _node: NodeId, _place: Generated) -> Option<&str> {
        None
    }
}

/// Where CSS generates content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generated {
    Before,
    After,
    /// Instead of the element's own content.
    Instead,
}

fn compute(dom: &Dom, node: NodeId, element: &Element, above: Option<Style>) -> Style {
    let shown = above.is_some();
    let parent = above.unwrap_or(Style { visible: true, ..Style::default() });
    let inline = element.attribute("style").unwrap_or_default();
    let mut display = default_display(dom, node, element);
    let mut visible = parent.visible;
    for declaration in inline.split(';') {
        let Some((name, value)) = declaration.split_once(':') else { continue };
        let value = value.trim().trim_end_matches("!important").trim().to_ascii_lowercase();
        match name.trim().to_ascii_lowercase().as_str() {
            "display" => display = named_display(&value).unwrap_or(display),
            "visibility" => visible = value == "visible",
            _ => {}
        }
    }
    if display == Display::Inline && parent.display == Display::Container {
        display = Display::Block;
    }
    let rendered = shown && parent.rendered && parent.display != Display::None && display != Display::None;
    Style { display, visible, rendered }
}

fn named_display(value: &str) -> Option<Display> {
    Some(match value {
        "none" => Display::None,
        "contents" => Display::Contents,
        "inline" => Display::Inline,
        "flex" | "inline-flex" | "grid" | "inline-grid" => Display::Container,
        "" => return None,
        _ => Display::Block,
    })
}

/// What the browser's own style sheet says.
fn default_display(dom: &Dom, node: NodeId, element: &Element) -> Display {
    if element.namespace != Namespace::Html {
        return Display::Inline;
    }
    if element.attribute("hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found")) {
        return Display::None;
    }
    let open = || element.attribute("open").is_some();
    if element.attribute("popover").is_some() && !element.popover_open && !(element.tag == "dialog" && open()) {
        return Display::None;
    }
    match element.tag.as_str() {
        "head" | "script" | "style" | "template" | "datalist" | "title" | "meta" | "link" | "base" | "area"
        | "noembed" | "noframes" | "param" | "rp" | "noscript" => Display::None,
        "input" if form::input_type(element) == "hidden" => Display::None,
        "dialog" if !open() => Display::None,
        "audio" if element.attribute("controls").is_none() => Display::None,
        "slot" => Display::Contents,
        "button" | "input" | "select" | "textarea" | "meter" | "progress" | "marquee" => Display::Block,
        "summary" | "address" | "article" | "aside" | "blockquote" | "body" | "center" | "dd" | "details"
        | "dialog" | "dir" | "div" | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "h1"
        | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hgroup" | "hr" | "html" | "legend" | "li" | "listing"
        | "main" | "menu" | "nav" | "ol" | "optgroup" | "option" | "p" | "plaintext" | "pre" | "search" | "section"
        | "ul" | "xmp" | "table" | "caption" | "colgroup" | "col" | "thead" | "tbody" | "tfoot" | "tr" | "td"
        | "th" | "frameset" | "frame" | "rt" => Display::Block,
        _ => {
            _ = (dom, node);
            Display::Inline
        }
    }
}
