//! What the browser knows of form controls: types, values, labels' targets, disabled states.

use super::{Dom, Element, NodeId, NodeKind};

const INPUT_TYPES: [&str; 22] = [
    "hidden",
    "text",
    "search",
    "tel",
    "url",
    "email",
    "password",
    "date",
    "month",
    "week",
    "time",
    "datetime-local",
    "number",
    "range",
    "color",
    "checkbox",
    "radio",
    "file",
    "submit",
    "image",
    "reset",
    "button",
];

/// The `type` property of an `<input>`: one of the types that browsers know, else `text`.
pub(crate) fn input_type(element: &Element) -> &'static str {
    let written = element.attribute("type").unwrap_or_default();
    INPUT_TYPES.iter().find(|known| known.eq_ignore_ascii_case(written)).copied().unwrap_or("text")
}

/// Whether this is an `<input>` of one of these types.
pub(crate) fn is_input(element: &Element, types: &[&str]) -> bool {
    element.is_html("input") && types.contains(&input_type(element))
}

/// The live value of an `<input>`: what the trace recorded, else the attribute.
pub(crate) fn value(element: &Element) -> &str {
    element.value.as_deref().or_else(|| element.attribute("value")).unwrap_or_default()
}

/// Whether a check box or radio button is ticked.
pub(crate) fn is_checked(element: &Element) -> bool {
    element.checked.unwrap_or_else(|| element.attribute("checked").is_some())
}

/// Whether a `<label>` can belong to the element.
pub(crate) fn is_labelable(element: &Element) -> bool {
    match element.tag.as_str() {
        "input" => element.is_html("input") && input_type(element) != "hidden",
        "button" | "meter" | "output" | "progress" | "select" | "textarea" => element.is_html(&element.tag),
        _ => false,
    }
}

/// Whether a `<select>` shows its options as a list.
pub(crate) fn is_list_box(element: &Element) -> bool {
    let size = element.attribute("size").and_then(|size| size.trim().parse::<u32>().ok()).unwrap_or(0);
    element.attribute("multiple").is_some() || size > 1
}

/// The `<option>`s of a `<select>`, in order.
pub(crate) fn options(dom: &Dom, select: NodeId) -> Vec<NodeId> {
    let mut options = Vec::new();
    let mut stack: Vec<NodeId> = dom.children(select).iter().rev().copied().collect();
    while let Some(node) = stack.pop() {
        let NodeKind::Element(element) = dom.kind(node) else { continue };
        if element.is_html("option") {
            options.push(node);
        } else {
            stack.extend(dom.children(node).iter().rev());
        }
    }
    options
}

/// Whether an `<option>` is selected: what the trace recorded, else the attribute, else the first of a drop-down.
pub(crate) fn is_selected(dom: &Dom, option: NodeId) -> bool {
    let Some(element) = dom.element(option) else { return false };
    element.selected.unwrap_or_else(|| element.attribute("selected").is_some())
}

/// The nearest ancestor, or the element itself, that is the HTML element `tag` and in the same tree.
pub(crate) fn closest(dom: &Dom, node: NodeId, matches: impl Fn(&Element) -> bool) -> Option<NodeId> {
    let mut next = Some(node);
    while let Some(node) = next {
        if matches(dom.element(node)?) {
            return Some(node);
        }
        next = dom.parent(node);
    }
    None
}

/// Whether a form control cannot be used because of `disabled` on it, its group or its field set.
pub(crate) fn is_natively_disabled(dom: &Dom, node: NodeId) -> bool {
    let Some(element) = dom.element(node) else { return false };
    if !["button", "input", "select", "textarea", "option", "optgroup"].contains(&tag(element).as_str()) {
        return false;
    }
    let disabled = |element: &Element| element.attribute("disabled").is_some();
    let in_group = || closest(dom, node, |above| tag(above) == "optgroup" && disabled(above)).is_some();
    disabled(element) || (tag(element) == "option" && in_group()) || in_disabled_field_set(dom, node)
}

fn in_disabled_field_set(dom: &Dom, node: NodeId) -> bool {
    let is_disabled = |element: &Element| tag(element) == "fieldset" && element.attribute("disabled").is_some();
    let Some(field_set) = closest(dom, node, is_disabled) else { return false };
    let is_legend = |child: &&NodeId| dom.element(**child).is_some_and(|element| tag(element) == "legend");
    let Some(legend) = dom.children(field_set).iter().find(is_legend) else { return true };
    // A control in the first legend stays usable.
    let mut next = Some(node);
    while let Some(node) = next {
        if node == *legend {
            return false;
        }
        next = dom.parent(node);
    }
    true
}

/// The tag as Playwright compares it: without case, whatever the vocabulary.
pub(crate) fn tag(element: &Element) -> String {
    element.tag.to_ascii_lowercase()
}
