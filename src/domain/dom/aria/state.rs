//! ARIA states: checked, pressed, selected, expanded, disabled, level.

use crate::domain::dom::{NodeId, Page, form};
use crate::domain::locator::Tristate;

pub(crate) const SELECTED_ROLES: &[&str] =
    &["gridcell", "option", "row", "tab", "rowheader", "columnheader", "treeitem"];
pub(crate) const CHECKED_ROLES: &[&str] =
    &["checkbox", "menuitemcheckbox", "option", "radio", "switch", "menuitemradio", "treeitem"];
pub(crate) const PRESSED_ROLES: &[&str] = &["button"];
pub(crate) const EXPANDED_ROLES: &[&str] = &[
    "application",
    "button",
    "checkbox",
    "combobox",
    "gridcell",
    "link",
    "listbox",
    "menuitem",
    "row",
    "rowheader",
    "tab",
    "treeitem",
    "columnheader",
    "menuitemcheckbox",
    "menuitemradio",
    "switch",
];
pub(crate) const LEVEL_ROLES: &[&str] = &["heading", "listitem", "row", "treeitem"];
const DISABLED_ROLES: &[&str] = &[
    "application",
    "button",
    "composite",
    "gridcell",
    "group",
    "input",
    "link",
    "menuitem",
    "scrollbar",
    "separator",
    "tab",
    "checkbox",
    "columnheader",
    "combobox",
    "grid",
    "listbox",
    "menu",
    "menubar",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "radiogroup",
    "row",
    "rowheader",
    "searchbox",
    "select",
    "slider",
    "spinbutton",
    "switch",
    "tablist",
    "textbox",
    "toolbar",
    "tree",
    "treegrid",
    "treeitem",
];

impl Page<'_> {
    fn has_role(&self, node: NodeId, roles: &[&str]) -> bool {
        self.role(node).is_some_and(|role| roles.contains(&role))
    }

    fn says_true(&self, node: NodeId, attribute: &str) -> bool {
        self.attribute(node, attribute).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// Whether the element counts as selected.
    pub fn is_selected(&self, node: NodeId) -> bool {
        if self.tag(node) == "option" {
            return form::is_selected(self.dom, node);
        }
        self.has_role(node, SELECTED_ROLES) && self.says_true(node, "aria-selected")
    }

    /// Whether the element counts as checked. What only a script knows (`indeterminate`) is not in a snapshot.
    pub fn checked(&self, node: NodeId) -> Tristate {
        if let Some(element) = self.dom.element(node).filter(|element| form::is_input(element, &["checkbox", "radio"]))
        {
            return form::is_checked(element).into();
        }
        if !self.has_role(node, CHECKED_ROLES) {
            return Tristate::False;
        }
        self.tristate(node, "aria-checked")
    }

    /// Whether the element counts as pressed.
    pub fn pressed(&self, node: NodeId) -> Tristate {
        if self.has_role(node, PRESSED_ROLES) { self.tristate(node, "aria-pressed") } else { Tristate::False }
    }

    fn tristate(&self, node: NodeId, attribute: &str) -> Tristate {
        match self.attribute(node, attribute).map(str::to_ascii_lowercase).as_deref() {
            Some("true") => Tristate::True,
            Some("mixed") => Tristate::Mixed,
            _ => Tristate::False,
        }
    }

    /// Whether the element counts as expanded; `None` where it says nothing about it.
    pub fn expanded(&self, node: NodeId) -> Option<bool> {
        if self.tag(node) == "details" {
            return Some(self.attribute(node, "open").is_some());
        }
        if !self.has_role(node, EXPANDED_ROLES) {
            return None;
        }
        self.attribute(node, "aria-expanded").map(|value| value.eq_ignore_ascii_case("true"))
    }

    /// The level of a heading, row or item; 0 where it has none.
    pub fn level(&self, node: NodeId) -> u32 {
        let tag = self.tag(node);
        if let Some(digit) =
            tag.strip_prefix('h').and_then(|rest| rest.parse::<u32>().ok()).filter(|level| (1..=6).contains(level))
        {
            return digit;
        }
        if !self.has_role(node, LEVEL_ROLES) {
            return 0;
        }
        self.attribute(node, "aria-level").and_then(|level| level.trim().parse().ok()).unwrap_or(0)
    }

    /// Whether the element counts as disabled.
    pub fn is_disabled(&self, node: NodeId) -> bool {
        if form::is_natively_disabled(self.dom, node) {
            return true;
        }
        if !self.has_role(node, DISABLED_ROLES) {
            return false;
        }
        let mut next = Some(node);
        while let Some(node) = next {
            match self.attribute(node, "aria-disabled").map(str::to_ascii_lowercase).as_deref() {
                Some("true") => return true,
                Some("false") => return false,
                _ => next = self.dom.parent_element(node),
            }
        }
        false
    }
}
