//! What an element is: the facts known of one, and what is known of the one that was lost.
//!
//! Values only. Facts come from a snapshot (`domain::facts`), from a fingerprint of the last green run or from labelled
//! data; whoever makes them, the ranker compares them in the same way. An empty field means "none" in complete facts (a
//! snapshot, a fingerprint) and "not known" in facts read off a stale locator.

use crate::domain::dom::Rect;
use crate::domain::page_check::Pages;

/// Everything that may be known of one element. Every field may be empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// Local name in lower case.
    pub tag: String,
    /// The `type` of an input or button.
    pub input_type: String,
    /// ARIA role as Playwright computes it.
    pub role: String,
    /// Accessible name.
    pub name: String,
    /// Visible text, white space squashed, capped.
    pub text: String,
    /// Value of the test id attribute.
    pub test_id: String,
    /// Which attribute held the test id.
    pub test_id_attribute: String,
    /// The `id`.
    pub id: String,
    /// The `name` attribute.
    pub name_attribute: String,
    /// Class tokens in order.
    pub classes: Vec<String>,
    /// Path (and fragment) of a link's target, without scheme, host and query.
    pub href: String,
    /// The `aria-label`.
    pub aria_label: String,
    /// The `placeholder`.
    pub placeholder: String,
    /// The `title`.
    pub title: String,
    /// The `alt`.
    pub alt: String,
    /// Text of the `<label>` of a field.
    pub label: String,
    /// The `value` attribute of a button, check box or radio button: what tells it from its like.
    pub value: String,
    /// Texts and values of a select's options.
    pub options: Vec<String>,
    /// Landmarks above, the outermost first, such as `navigation` or `form Sign in`.
    pub landmarks: Vec<String>,
    /// The nearest heading before or above.
    pub heading: String,
    /// Name or id of the form it belongs to.
    pub form: String,
    /// Name of the nearest group above, such as a fieldset's legend.
    pub group: String,
    /// Place among the elements of the same role in the same landmark, from 0.
    pub order: Option<u32>,
    /// Words of the neighbourhood.
    pub neighbours: String,
    /// The box in CSS pixels.
    pub bounds: Option<Rect>,
    /// Tags from the root down to the element, with their place among siblings: `html[1]/body[1]/…`.
    pub path: Vec<PathStep>,
    /// The frame's address, empty for the main frame.
    pub frame: String,
    /// Whether it can be seen.
    pub visibility: Visibility,
    /// Whether text can be typed into it (`contenteditable` included).
    pub editable: bool,
    /// Whether it is disabled.
    pub disabled: bool,
    /// The nearest element above that is in the same list of facts.
    pub parent: Option<usize>,
}

/// One step of an absolute path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathStep {
    /// Local name.
    pub tag: String,
    /// Place among the siblings of the same tag, from 1.
    pub place: u32,
}

/// Whether an element can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// Not recorded.
    #[default]
    Unknown,
    /// Seen.
    Visible,
    /// Not rendered, not painted or inert.
    Hidden,
}

/// What is known of the lost element, each item with its source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lost {
    /// What the stale locator says of the element: only what it names is filled in.
    pub from_locator: Facts,
    /// The literals of the stale link, each with what it was matched against.
    pub literals: Vec<Literal>,
    /// What the last green run recorded.
    pub fingerprint: Option<Facts>,
    /// What the other controls of its page were called then ([`super::peers`]); empty where that is not known.
    pub peers: Vec<String>,
    /// What was done to the element.
    pub action: Action,
    /// What the repository says took the place of a stale literal.
    pub successors: Vec<Successor>,
    /// The names around it: variable, method, property.
    pub names: Vec<String>,
    /// What the test is called, its file and groups included.
    pub titles: Vec<String>,
    /// Candidates (by index, sorted) that other locators of the same test resolve to.
    pub claimed: Vec<usize>,
    /// Whether what stands around the element is what broke: where it was is not known.
    pub scope_gone: bool,
    /// The candidate that alone submits the form whose fields the test has just filled.
    pub submits: Option<usize>,
    /// Candidates (by index, sorted) that stand in that form; none where the test has just filled no form.
    pub filled_form: Vec<usize>,
    /// Candidates (by index, sorted) that are the only one to fit all of the stale selector but one condition.
    pub all_but_one: Vec<usize>,
    /// The same, of two or three that do.
    pub few_but_one: Vec<usize>,
    /// The page it stood on, the page now, and where the test says it is.
    pub pages: Pages,
}

impl Lost {
    /// What is known in full: the fingerprint, else what the locator says.
    pub fn known(&self) -> &Facts {
        self.fingerprint.as_ref().unwrap_or(&self.from_locator)
    }
}

/// A literal of the stale locator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// What it was matched against.
    pub kind: LiteralKind,
    /// The literal as the locator has it.
    pub value: String,
}

/// What a literal of a locator is matched against.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum LiteralKind {
    /// The test id.
    TestId,
    /// The id.
    Id,
    /// A class token.
    Class,
    /// Another attribute, by name.
    Attribute(String),
    /// The accessible name.
    Name,
    /// The text.
    Text,
    /// The label of a field.
    Label,
    /// The placeholder.
    Placeholder,
    /// The `alt`.
    Alt,
    /// The `title`.
    Title,
}

impl LiteralKind {
    /// The kind in words.
    pub fn words(&self) -> &str {
        match self {
            Self::TestId => "test id",
            Self::Id => "id",
            Self::Class => "class",
            Self::Attribute(name) => name,
            Self::Name => "accessible name",
            Self::Text => "text",
            Self::Label => "label",
            Self::Placeholder => "placeholder",
            Self::Alt => "alt text",
            Self::Title => "title",
        }
    }

    /// Whether the literal is text that people read, so that its meaning counts.
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Name | Self::Text | Self::Label | Self::Placeholder | Self::Alt | Self::Title)
    }
}

/// What the repository says took the place of a literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Successor {
    /// The literal that was removed.
    pub old: String,
    /// What stands in its place; empty where the line was deleted.
    pub new: String,
    /// What a locator matches the new literal against.
    pub kind: LiteralKind,
    /// The commit, short, or empty for the working tree.
    pub commit: String,
    /// The first line of the commit's message; empty for the working tree.
    pub subject: String,
    /// The commit's author date, `2026-11-30`; empty for the working tree.
    pub date: String,
    /// The file of the application that shows it, relative to the repository.
    pub file: String,
    /// Whether the same change gave the element another name and another text, so that it may be another function.
    pub doubtful: bool,
}

/// What a test did to the element, with what that asks of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Action {
    /// Not known, or a mere look at the element.
    #[default]
    Look,
    /// Pressed, hovered, tapped.
    Click,
    /// Filled or typed into, with the text.
    Fill(String),
    /// Ticked or unticked.
    Check,
    /// An option chosen, by value or text.
    Select(Vec<String>),
    /// Files handed over.
    SetFiles,
}

/// The path and fragment of a link's target: what stays when a site moves to another host or adds tracking.
pub fn link_path(target: &str) -> String {
    let after_scheme = target.split_once("://").map_or(target, |(_, rest)| rest);
    let path = if after_scheme.len() == target.len() {
        target
    } else {
        after_scheme.find(['/', '?', '#']).and_then(|at| after_scheme.get(at..)).unwrap_or_default()
    };
    let (path, fragment) = path.split_once('#').unwrap_or((path, ""));
    let path = path.split('?').next().unwrap_or_default().trim_end_matches('/');
    if fragment.is_empty() { path.to_owned() } else { format!("{path}#{fragment}") }
}

/// The steps of an absolute `XPath` such as `/html[1]/body[1]/div[2]`.
pub fn path_steps(xpath: &str) -> Vec<PathStep> {
    let steps = xpath.split('/').filter(|step| !step.is_empty());
    steps
        .map(|step| {
            let (tag, place) = step.split_once('[').unwrap_or((step, "1]"));
            PathStep { tag: tag.to_owned(), place: place.trim_end_matches(']').parse().unwrap_or(1) }
        })
        .collect()
}
