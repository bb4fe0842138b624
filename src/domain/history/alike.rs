//! How alike two pieces of a hunk are, so that one can be what the other became.

use super::held::{Held, Slot, same_text};
use super::units::Unit;

/// Below this a piece is not what another became.
pub(super) const ALIKE: f64 = 3.0;

/// By so much the best must be better than the next.
pub(super) const CLEARLY: f64 = 0.5;

/// Likeness of two pieces, beyond their place.
pub(super) fn likeness(old: &Unit, new: &Unit) -> f64 {
    if old.piece.element != new.piece.element {
        return f64::MIN;
    }
    let names = if old.piece.element {
        elements(&old.piece.name, &new.piece.name)
    } else if old.piece.name == new.piece.name {
        4.0
    } else {
        0.0
    };
    let near = if old.line.abs_diff(new.line) <= 3 { 0.5 } else { 0.0 };
    names + near + held(old, new)
}

/// What two elements' names say.
fn elements(old: &str, new: &str) -> f64 {
    let (old, new) = (old.to_lowercase(), new.to_lowercase());
    if old == new {
        return 3.0;
    }
    let sort = |name: &str| {
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        if has(&["button", "btn", "link"]) || name == "a" {
            Some("press")
        } else if has(&["input", "textarea", "field", "textbox"]) {
            Some("fill")
        } else if has(&["select", "dropdown", "combobox", "autocomplete"]) {
            Some("choose")
        } else if has(&["checkbox", "switch", "toggle", "radio"]) {
            Some("tick")
        } else {
            None
        }
    };
    // An element that begins outside of the hunk may be anything.
    if old.is_empty() || new.is_empty() || (sort(&old).is_some() && sort(&old) == sort(&new)) { 2.0 } else { 0.0 }
}

/// What two pieces hold alike.
fn held(old: &Unit, new: &Unit) -> f64 {
    let (mut same, mut renewed) = (0.0_f64, 0.0_f64);
    for held in old.held() {
        let is_same = |other: &Held| {
            other.value == held.value || (held.slot == Slot::Text && same_text(&other.value, &held.value))
        };
        let in_slot = || new.held().iter().filter(|other| other.slot == held.slot);
        if in_slot().any(is_same) {
            same += if is_common(&held.slot) { 1.0 } else { 3.0 };
        } else if in_slot().next().is_some() {
            renewed += 0.5;
        }
    }
    same.min(9.0) + renewed.min(2.0)
}

/// Slots whose values many elements share.
fn is_common(slot: &Slot) -> bool {
    let common = ["class", "type", "variant", "color", "size", "style", "role", "icon", "width", "height"];
    matches!(slot, Slot::Attribute(name) | Slot::Entry(name) if common.contains(&name.as_str()))
}
