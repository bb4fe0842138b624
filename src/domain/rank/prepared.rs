//! Facts made ready for comparing: each text cut into words once, however often it is compared.

use crate::domain::dom::Rect;
use crate::domain::identity::{Facts, Visibility};
use crate::domain::words::{WordSet, squash};

/// A text is compared by its first words; longer ones belong to containers.
const MOST_WORDS: usize = 40;
/// A neighbourhood is compared by its first words.
const MOST_NEIGHBOURS: usize = 60;
/// Up to this many characters a text is a label whose meaning can be asked for.
const LABEL: usize = 60;

/// What kind of thing an element is for the person in front of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    Link,
    Button,
    Field,
    Tick,
    Choice,
    File,
    Heading,
    Image,
    Item,
    Text,
    Container,
}

impl Sort {
    /// Whether it is there to be pressed.
    pub(super) fn is_pressed(self) -> bool {
        matches!(self, Self::Link | Self::Button)
    }
}

/// Facts with their texts cut into words.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub facts: &'a Facts,
    /// The text a person reads: the visible text, else the accessible name; that as well where the text is a mere sign.
    pub said: String,
    pub said_words: WordSet,
    pub class_names: WordSet,
    pub id_tokens: WordSet,
    pub href_words: WordSet,
    pub neighbours: WordSet,
    pub sort: Sort,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(facts: &'a Facts) -> Self {
        let said = if is_sign(&facts.text) && !facts.name.is_empty() { &facts.name } else { &facts.text };
        let shown: String = said.chars().take(400).collect();
        Self {
            facts,
            said_words: WordSet::of_text(&shown, MOST_WORDS),
            said: squash(&shown).to_lowercase(),
            class_names: WordSet::of_names(facts.classes.iter().map(String::as_str)),
            id_tokens: WordSet::of_identifiers([facts.id.as_str()]),
            href_words: WordSet::of_text(&facts.href, MOST_WORDS),
            neighbours: WordSet::of_text(&facts.neighbours, MOST_NEIGHBOURS),
            sort: sort(facts),
        }
    }

    /// The text, if it is short enough to be a label.
    pub(super) fn label(&self) -> Option<&str> {
        (!self.said.is_empty() && self.said.len() <= LABEL).then_some(self.said.as_str())
    }

    pub(super) fn hidden(&self) -> bool {
        self.facts.visibility == Visibility::Hidden
    }
}

/// Whether a text says nothing by itself: none, `×`, `✎`, or one letter that stands for an icon.
fn is_sign(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphanumeric()).nth(1).is_none()
}

fn sort(facts: &Facts) -> Sort {
    let by_role = match facts.role.as_str() {
        "link" => Some(Sort::Link),
        "button" | "menuitem" | "tab" => Some(Sort::Button),
        "textbox" | "searchbox" | "spinbutton" => Some(Sort::Field),
        "checkbox" | "radio" | "switch" | "menuitemcheckbox" | "menuitemradio" => Some(Sort::Tick),
        "combobox" | "listbox" if facts.tag != "input" => Some(Sort::Choice),
        "heading" => Some(Sort::Heading),
        "img" | "image" => Some(Sort::Image),
        "listitem" | "option" | "row" | "cell" | "gridcell" | "treeitem" => Some(Sort::Item),
        _ => None,
    };
    by_role.unwrap_or(match facts.tag.as_str() {
        "a" => Sort::Link,
        "button" | "summary" => Sort::Button,
        "textarea" => Sort::Field,
        "select" => Sort::Choice,
        "input" => match facts.input_type.as_str() {
            "checkbox" | "radio" => Sort::Tick,
            "submit" | "button" | "reset" | "image" => Sort::Button,
            "file" => Sort::File,
            _ => Sort::Field,
        },
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Sort::Heading,
        "img" | "svg" | "picture" => Sort::Image,
        "li" | "td" | "th" | "tr" | "option" | "dt" | "dd" => Sort::Item,
        "span" | "p" | "b" | "strong" | "em" | "i" | "label" | "small" => Sort::Text,
        _ => Sort::Container,
    })
}

/// Intersection over union of two boxes, 0 to 1.
pub(super) fn overlap(a: Rect, b: Rect) -> f64 {
    let width = (a.x + a.width).min(b.x + b.width) - a.x.max(b.x);
    let height = (a.y + a.height).min(b.y + b.height) - a.y.max(b.y);
    let shared = width.max(0.0) * height.max(0.0);
    let all = a.width * a.height + b.width * b.height - shared;
    if all > 0.0 { shared / all } else { 0.0 }
}
