//! A literal in the application's source, with the slot that holds it, and whether a locator's literal is it.

use crate::domain::identity::{Literal, LiteralKind};

/// What holds a literal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    /// An attribute or a component's property, by its plain name in lower case: `id`, `class`, `data-testid`, `buttontext`.
    Attribute(String),
    /// The text between tags.
    Text,
    /// The value of a key in an object, a catalogue or an assignment.
    Entry(String),
    /// A string of the code that has no name: an argument, a returned value.
    Bare,
}

/// A literal where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Held {
    /// What holds it.
    pub(super) slot: Slot,
    /// The literal: entities decoded, white space squashed in texts.
    pub(super) value: String,
    /// Whether it is handed to a translator, so that it may be the key of a text and not the text.
    pub(super) key: bool,
}

impl Held {
    pub(super) fn new(slot: Slot, value: impl Into<String>) -> Self {
        Self { slot, value: value.into(), key: false }
    }
}

/// The name of an attribute without what frameworks put around it: `:id`, `v-bind:id`, `[id]`, `[attr.id]`, `bind:id`,
/// `className`, `htmlFor`, `aria_label`.
pub(super) fn plain_name(name: &str) -> String {
    let inner = name.trim_start_matches("v-bind").trim_start_matches(':');
    let inner = inner.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(inner);
    let inner = inner.strip_prefix("attr.").or(inner.strip_prefix("bind:")).unwrap_or(inner);
    match inner {
        "className" | "ngClass" | "class.name" | "class:list" => "class".to_owned(),
        "htmlFor" => "for".to_owned(),
        "ariaLabel" | "aria_label" => "aria-label".to_owned(),
        _ => inner.to_lowercase(),
    }
}

/// The letters and digits of a name: `data-test-id`, `dataTestId` and `data_testid` are one.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether an attribute or property holds test ids.
fn is_test_id(name: &str, test_id_attribute: &str) -> bool {
    let name = letters(name);
    let known = ["datatest", "dataqa", "datacy", "datae2e", "dataauto", "datapw"];
    name == letters(test_id_attribute) || name.contains("testid") || known.iter().any(|start| name.starts_with(start))
}

fn is_id(name: &str, test_id_attribute: &str) -> bool {
    let ends_in_id = name.ends_with("id") && name.len() > 2 && !name.contains('-') && !name.ends_with("valid");
    (name == "id" || ends_in_id) && !is_test_id(name, test_id_attribute)
}

/// Attributes and keys that hold no text for people.
fn is_machine(name: &str, test_id_attribute: &str) -> bool {
    let machine = [
        "class",
        "name",
        "for",
        "type",
        "role",
        "href",
        "src",
        "to",
        "style",
        "key",
        "ref",
        "slot",
        "rel",
        "method",
        "action",
        "target",
        "icon",
        "variant",
        "color",
        "size",
        "width",
        "height",
        "path",
        "routerlink",
        "autocomplete",
        "pattern",
    ];
    machine.contains(&name)
        || is_id(name, test_id_attribute)
        || is_test_id(name, test_id_attribute)
        || name.starts_with("on")
        || name.starts_with('@')
        || name.starts_with('(')
        || (name.starts_with("aria-") && !matches!(name, "aria-label" | "aria-description" | "aria-placeholder"))
}

/// Whether a slot holds what people read: a text, a label, a placeholder.
pub(super) fn is_shown(slot: &Slot, test_id_attribute: &str) -> bool {
    match slot {
        Slot::Text => true,
        Slot::Attribute(name) => {
            let name = letters(name);
            ["label", "text", "title", "placeholder", "caption", "alt"].iter().any(|word| name.ends_with(word))
                && !is_test_id(&name, test_id_attribute)
        }
        Slot::Entry(_) | Slot::Bare => false,
    }
}

/// Whether a slot may hold what a literal of the kind is matched against.
pub(super) fn may_hold(slot: &Slot, kind: &LiteralKind, test_id_attribute: &str) -> bool {
    let (Slot::Attribute(name) | Slot::Entry(name)) = slot else {
        return match slot {
            Slot::Text => {
                kind.is_text() && !matches!(kind, LiteralKind::Placeholder | LiteralKind::Alt | LiteralKind::Title)
            }
            _ => *kind != LiteralKind::Class,
        };
    };
    // The key of a catalogue or a constant may be called anything that is not the name of another slot.
    let free = matches!(slot, Slot::Entry(_)) && !is_machine(name, test_id_attribute);
    match kind {
        LiteralKind::TestId => is_test_id(name, test_id_attribute) || free,
        LiteralKind::Id => is_id(name, test_id_attribute) || free,
        LiteralKind::Class => name == "class",
        LiteralKind::Attribute(wanted) => {
            plain_name(wanted) == *name || (wanted == "name" && name == "fieldname") || free
        }
        LiteralKind::Name | LiteralKind::Text | LiteralKind::Label => !is_machine(name, test_id_attribute),
        LiteralKind::Placeholder | LiteralKind::Alt | LiteralKind::Title => {
            letters(name).contains(match kind {
                LiteralKind::Placeholder => "placeholder",
                LiteralKind::Alt => "alt",
                _ => "title",
            }) || free
        }
    }
}

/// What a locator has to match to find what a slot holds; `old` is what it matched before.
pub(super) fn kind_of(slot: &Slot, old: &LiteralKind, test_id_attribute: &str) -> LiteralKind {
    let (Slot::Attribute(name) | Slot::Entry(name)) = slot else {
        return if *slot == Slot::Text && !old.is_text() { LiteralKind::Text } else { old.clone() };
    };
    match name.as_str() {
        _ if is_test_id(name, test_id_attribute) => LiteralKind::TestId,
        _ if is_id(name, test_id_attribute) => LiteralKind::Id,
        "class" => LiteralKind::Class,
        "placeholder" => LiteralKind::Placeholder,
        "alt" => LiteralKind::Alt,
        "title" if *old == LiteralKind::Title => LiteralKind::Title,
        "aria-label" => LiteralKind::Name,
        _ if may_hold(slot, old, test_id_attribute) => old.clone(),
        _ => LiteralKind::Attribute(name.clone()),
    }
}

/// How well an attribute names an element; the smaller the better. `None` for what names nothing.
pub(super) fn naming(slot: &Slot, test_id_attribute: &str) -> Option<u8> {
    match slot {
        Slot::Attribute(name) if is_test_id(name, test_id_attribute) => Some(0),
        Slot::Attribute(name) if name == "id" => Some(1),
        Slot::Attribute(name) if name == "name" => Some(2),
        Slot::Attribute(name) if name == "aria-label" => Some(3),
        _ => None,
    }
}

/// Whether `value` is the literal, as far as a locator can tell.
pub(super) fn is_literal(held: &Held, literal: &Literal) -> bool {
    if literal.kind == LiteralKind::Class {
        return held.value.split_whitespace().any(|token| token == literal.value);
    }
    if literal.kind.is_text() { same_text(&held.value, &literal.value) } else { held.value == literal.value }
}

/// Whether two texts are one to a reader: case, white space and what stands behind a label do not count.
pub(super) fn same_text(one: &str, other: &str) -> bool {
    plain_text(one) == plain_text(other)
}

/// A text without what does not count.
fn plain_text(text: &str) -> String {
    let squashed = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    squashed.trim_end_matches([':', '*', '…', '.', ' ']).to_owned()
}
