//! The ARIA role: the attribute's, or what the element implies.

use crate::domain::dom::{Dom, Element, NodeId, Page, form, text};

/// The roles that Playwright accepts in a `role` attribute.
const ROLES: [&str; 83] = [
    "alert",
    "alertdialog",
    "application",
    "article",
    "banner",
    "blockquote",
    "button",
    "caption",
    "cell",
    "checkbox",
    "code",
    "columnheader",
    "combobox",
    "complementary",
    "contentinfo",
    "definition",
    "deletion",
    "dialog",
    "directory",
    "document",
    "emphasis",
    "feed",
    "figure",
    "form",
    "generic",
    "grid",
    "gridcell",
    "group",
    "heading",
    "img",
    "insertion",
    "link",
    "list",
    "listbox",
    "listitem",
    "log",
    "main",
    "mark",
    "marquee",
    "math",
    "meter",
    "menu",
    "menubar",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "navigation",
    "none",
    "note",
    "option",
    "paragraph",
    "presentation",
    "progressbar",
    "radio",
    "radiogroup",
    "region",
    "row",
    "rowgroup",
    "rowheader",
    "scrollbar",
    "search",
    "searchbox",
    "separator",
    "slider",
    "spinbutton",
    "status",
    "strong",
    "subscript",
    "superscript",
    "switch",
    "tab",
    "table",
    "tablist",
    "tabpanel",
    "term",
    "textbox",
    "time",
    "timer",
    "toolbar",
    "tooltip",
    "tree",
    "treegrid",
    "treeitem",
];

/// Attributes that make an element matter to assistive technology whatever its role; with the roles they do not count for.
const GLOBAL_ATTRIBUTES: [(&str, &[&str]); 17] = [
    ("aria-atomic", &[]),
    ("aria-busy", &[]),
    ("aria-controls", &[]),
    ("aria-current", &[]),
    ("aria-describedby", &[]),
    ("aria-details", &[]),
    ("aria-dropeffect", &[]),
    ("aria-flowto", &[]),
    ("aria-grabbed", &[]),
    ("aria-hidden", &[]),
    ("aria-keyshortcuts", &[]),
    ("aria-label", NAMELESS),
    ("aria-labelledby", NAMELESS),
    ("aria-live", &[]),
    ("aria-owns", &[]),
    ("aria-relevant", &[]),
    ("aria-roledescription", &["generic"]),
];

const NAMELESS: &[&str] = &[
    "caption",
    "code",
    "deletion",
    "emphasis",
    "generic",
    "insertion",
    "paragraph",
    "presentation",
    "strong",
    "subscript",
    "superscript",
];

impl Page<'_> {
    /// The ARIA role, `None` where Playwright sees none.
    pub fn role(&self, node: NodeId) -> Option<&'static str> {
        let slot = self.roles.get(node.index())?;
        *slot.get_or_init(|| self.compute_role(node))
    }

    fn compute_role(&self, node: NodeId) -> Option<&'static str> {
        let element = self.dom.element(node)?;
        match explicit(element) {
            None => self.implicit(node),
            Some(role @ ("none" | "presentation")) => {
                let implicit = self.implicit(node);
                if self.conflicts_with_presentation(node, implicit) { implicit } else { Some(role) }
            }
            role => role,
        }
    }

    fn conflicts_with_presentation(&self, node: NodeId, role: Option<&str>) -> bool {
        self.dom.element(node).is_some_and(|element| has_global_attribute(element, role)) || self.is_focusable(node)
    }

    fn is_focusable(&self, node: NodeId) -> bool {
        let Some(element) = self.dom.element(node) else { return false };
        !form::is_natively_disabled(self.dom, node) && (is_natively_focusable(element) || has_tab_index(element))
    }

    /// The role that the element implies, unless a table or list around it was declared presentational.
    fn implicit(&self, node: NodeId) -> Option<&'static str> {
        let implied = self.implied_by_tag(node)?;
        let mut node = node;
        while let Some(parent) = self.dom.parent_element(node) {
            let parent_tag = self.tag(parent);
            if !inherits_presentation(&self.tag(node)).contains(&parent_tag.as_str()) {
                break;
            }
            let role = self.dom.element(parent).and_then(explicit);
            if matches!(role, Some("none" | "presentation")) && !self.conflicts_with_presentation(parent, role) {
                return role;
            }
            node = parent;
        }
        Some(implied)
    }

    fn implied_by_tag(&self, node: NodeId) -> Option<&'static str> {
        let element = self.dom.element(node)?;
        let named = || element.attribute("aria-label").is_some() || element.attribute("aria-labelledby").is_some();
        let landmark = |role| {
            let inside = self.closest_across(node, |above| self.dom.element(above).is_some_and(prevents_landmark));
            if inside.is_some() { None } else { Some(role) }
        };
        Some(match form::tag(element).as_str() {
            "a" | "area" => return element.attribute("href").map(|_| "link"),
            "footer" => return landmark("contentinfo"),
            "header" => return landmark("banner"),
            "form" => return named().then_some("form"),
            "section" => return named().then_some("region"),
            "img" => image_role(element),
            "input" => return self.input_role(node, element),
            "select" => {
                if form::is_list_box(element) {
                    "listbox"
                } else {
                    "combobox"
                }
            }
            "td" => self.data_cell_role(node),
            "th" => return self.header_cell_role(node, element),
            tag => return by_tag_alone(tag),
        })
    }

    fn input_role(&self, node: NodeId, element: &Element) -> Option<&'static str> {
        Some(match form::input_type(element) {
            kind @ ("email" | "search" | "tel" | "text" | "url") => {
                let list = self.id_refs(node, element.attribute("list")).first().copied();
                if list.is_some_and(|list| self.tag(list) == "datalist") {
                    "combobox"
                } else if kind == "search" {
                    "searchbox"
                } else {
                    "textbox"
                }
            }
            "hidden" => return None,
            "file" | "button" | "image" | "reset" | "submit" => "button",
            "checkbox" => "checkbox",
            "radio" => "radio",
            "number" => "spinbutton",
            "range" => "slider",
            _ => "textbox",
        })
    }

    fn data_cell_role(&self, node: NodeId) -> &'static str {
        let table =
            self.closest_across(node, |above| self.dom.element(above).is_some_and(|element| element.is_html("table")));
        match table.and_then(|table| self.dom.element(table)).and_then(explicit) {
            Some("grid" | "treegrid") => "gridcell",
            _ => "cell",
        }
    }

    fn header_cell_role(&self, node: NodeId, element: &Element) -> Option<&'static str> {
        match element.attribute("scope") {
            Some("col" | "colgroup") => return Some("columnheader"),
            Some("row" | "rowgroup") => return Some("rowheader"),
            _ => {}
        }
        let (next, previous) = (self.tree.sibling(node, true), self.tree.sibling(node, false));
        let row = self.dom.parent(node).filter(|parent| self.tag(*parent) == "tr");
        if next.is_none() && previous.is_none() {
            let is_table = |above| self.dom.element(above).is_some_and(|element| element.is_html("table"));
            if let Some(table) = row.and_then(|row| self.closest_across(row, is_table))
                && rows(self.dom, table) <= 1
            {
                return None;
            }
            return Some("columnheader");
        }
        let is_header = |cell: Option<NodeId>| cell.is_some_and(|cell| self.tag(cell) == "th");
        let is_data = |cell: Option<NodeId>| {
            cell.is_some_and(|cell| {
                self.tag(cell) == "td"
                    && (!text::text_content(self.dom, cell).trim_matches(text::is_space).is_empty()
                        || self.dom.children(cell).iter().any(|child| self.dom.element(*child).is_some()))
            })
        };
        let row_header = !(is_header(next) && is_header(previous)) && (is_data(next) || is_data(previous));
        Some(if row_header { "rowheader" } else { "columnheader" })
    }
}

/// The first role of the `role` attribute that Playwright knows.
pub(super) fn explicit(element: &Element) -> Option<&'static str> {
    let written = element.attribute("role")?.to_lowercase();
    written.split(' ').find_map(|role| {
        let role = role.trim_matches(text::is_space);
        ROLES.iter().find(|known| **known == role && !role.is_empty()).copied()
    })
}

pub(super) fn has_global_attribute(element: &Element, role: Option<&str>) -> bool {
    GLOBAL_ATTRIBUTES
        .iter()
        .any(|(name, prohibited)| element.attribute(name).is_some() && !prohibited.contains(&role.unwrap_or_default()))
}

fn is_natively_focusable(element: &Element) -> bool {
    match form::tag(element).as_str() {
        "button" | "details" | "select" | "textarea" => true,
        "a" | "area" => element.attribute("href").is_some(),
        "input" => element.attribute("hidden").is_none(),
        _ => false,
    }
}

/// Whether JavaScript's `Number` takes the attribute for a number, as it does an empty one.
fn has_tab_index(element: &Element) -> bool {
    element.attribute("tabindex").is_some_and(|value| {
        let value = value.trim_matches(text::is_space);
        value.is_empty() || value.parse::<f64>().is_ok_and(|number| !number.is_nan())
    })
}

fn image_role(element: &Element) -> &'static str {
    let decorative = element.attribute("alt") == Some("")
        && element.attribute("title").unwrap_or_default().is_empty()
        && !has_global_attribute(element, None)
        && !has_tab_index(element);
    if decorative { "presentation" } else { "img" }
}

/// `article`, `aside`, `main`, `nav` and `section` without a role, and the roles they stand for.
fn prevents_landmark(element: &Element) -> bool {
    match element.attribute("role") {
        None => ["article", "aside", "main", "nav", "section"].iter().any(|tag| element.is_html(tag)),
        Some(role) => ["article", "complementary", "main", "navigation", "region"].contains(&role),
    }
}

fn inherits_presentation(tag: &str) -> &'static [&'static str] {
    match tag {
        "dd" | "dt" => &["dl", "div"],
        "div" => &["dl"],
        "li" => &["ol", "ul"],
        "tbody" | "tfoot" | "thead" => &["table"],
        "td" | "th" => &["tr"],
        "tr" => &["thead", "tbody", "tfoot", "table"],
        _ => &[],
    }
}

/// How many rows `table.rows` has: those of the table itself and of its sections.
fn rows(dom: &Dom, table: NodeId) -> usize {
    let is_row = |node: &&NodeId| dom.element(**node).is_some_and(|element| element.is_html("tr"));
    let mut count = dom.children(table).iter().filter(is_row).count();
    for section in dom.children(table) {
        if dom.element(*section).is_some_and(|element| ["thead", "tbody", "tfoot"].contains(&element.tag.as_str())) {
            count += dom.children(*section).iter().filter(is_row).count();
        }
    }
    count
}

fn by_tag_alone(tag: &str) -> Option<&'static str> {
    Some(match tag {
        "article" => "article",
        "aside" => "complementary",
        "blockquote" => "blockquote",
        "button" => "button",
        "caption" => "caption",
        "code" => "code",
        "datalist" => "listbox",
        "dd" => "definition",
        "del" => "deletion",
        "details" | "fieldset" | "optgroup" => "group",
        "dfn" | "dt" => "term",
        "dialog" => "dialog",
        "em" => "emphasis",
        "figure" => "figure",
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading",
        "hr" => "separator",
        "html" => "document",
        "ins" => "insertion",
        "li" => "listitem",
        "main" => "main",
        "mark" => "mark",
        "math" => "math",
        "menu" | "ol" | "ul" => "list",
        "meter" => "meter",
        "nav" => "navigation",
        "option" => "option",
        "output" => "status",
        "p" => "paragraph",
        "progress" => "progressbar",
        "search" => "search",
        "strong" => "strong",
        "sub" => "subscript",
        "sup" => "superscript",
        "svg" => "img",
        "table" => "table",
        "tbody" | "tfoot" | "thead" => "rowgroup",
        "textarea" => "textbox",
        "time" => "time",
        "tr" => "row",
        _ => return None,
    })
}
