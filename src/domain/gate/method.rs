//! Playwright's methods: which build a locator, what each takes, and which act on a page by a selector.

/// What the first argument of a building method is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// A selector in Playwright's selector language.
    Selector,
    /// A role's name.
    Role,
    /// A text or a regular expression.
    Text,
    /// A test id.
    TestId,
    /// Options only.
    Options,
    /// Another locator.
    Locator,
    /// An index.
    Index,
    /// A label for people.
    Label,
    /// Nothing.
    Nothing,
}

/// A method that builds a locator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Method {
    /// Its name.
    pub(super) name: &'static str,
    /// Its first argument.
    pub(super) takes: Takes,
    /// The names of its options.
    pub(super) options: &'static [&'static str],
}

const HAS: &[&str] = &["has", "hasNot", "hasText", "hasNotText"];
const EXACT: &[&str] = &["exact"];

/// The options that say which state an element is in.
pub(super) const STATES: [&str; 6] = ["checked", "disabled", "expanded", "pressed", "selected", "includeHidden"];

const METHODS: &[Method] = &[
    Method { name: "locator", takes: Takes::Selector, options: HAS },
    Method {
        name: "getByRole",
        takes: Takes::Role,
        options: &[
            "checked",
            "description",
            "disabled",
            "exact",
            "expanded",
            "includeHidden",
            "level",
            "name",
            "pressed",
            "selected",
        ],
    },
    Method { name: "getByText", takes: Takes::Text, options: EXACT },
    Method { name: "getByLabel", takes: Takes::Text, options: EXACT },
    Method { name: "getByPlaceholder", takes: Takes::Text, options: EXACT },
    Method { name: "getByAltText", takes: Takes::Text, options: EXACT },
    Method { name: "getByTitle", takes: Takes::Text, options: EXACT },
    Method { name: "getByTestId", takes: Takes::TestId, options: &[] },
    Method { name: "frameLocator", takes: Takes::Selector, options: &[] },
    Method { name: "contentFrame", takes: Takes::Nothing, options: &[] },
    Method { name: "owner", takes: Takes::Nothing, options: &[] },
    Method { name: "filter", takes: Takes::Options, options: &["has", "hasNot", "hasText", "hasNotText", "visible"] },
    Method { name: "and", takes: Takes::Locator, options: &[] },
    Method { name: "or", takes: Takes::Locator, options: &[] },
    Method { name: "first", takes: Takes::Nothing, options: &[] },
    Method { name: "last", takes: Takes::Nothing, options: &[] },
    Method { name: "nth", takes: Takes::Index, options: &[] },
    Method { name: "describe", takes: Takes::Label, options: &[] },
];

impl Method {
    /// The building method of that name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        METHODS.iter().find(|method| method.name == name)
    }

    /// Whether it says by itself which elements are meant.
    pub(super) fn selects(&self) -> bool {
        matches!(self.takes, Takes::Selector | Takes::Role | Takes::Text | Takes::TestId)
    }
}

const LEGACY: [&str; 28] = [
    "click",
    "dblclick",
    "fill",
    "type",
    "press",
    "check",
    "uncheck",
    "setChecked",
    "hover",
    "tap",
    "focus",
    "selectOption",
    "setInputFiles",
    "dispatchEvent",
    "textContent",
    "innerText",
    "innerHTML",
    "inputValue",
    "getAttribute",
    "isVisible",
    "isHidden",
    "isEnabled",
    "isDisabled",
    "isEditable",
    "isChecked",
    "waitForSelector",
    "$",
    "$$",
];

/// How many of the first arguments of a page's or frame's method are selectors; zero where none is.
pub(super) fn legacy_selectors(name: &str) -> usize {
    match name {
        "dragAndDrop" => 2,
        "$eval" | "$$eval" => 1,
        name => usize::from(LEGACY.contains(&name)),
    }
}

/// Whether a locator's method does something and answers nothing worth asserting.
pub(super) fn is_action(name: &str) -> bool {
    matches!(
        name,
        "click"
            | "dblclick"
            | "fill"
            | "type"
            | "press"
            | "pressSequentially"
            | "check"
            | "uncheck"
            | "setChecked"
            | "hover"
            | "tap"
            | "focus"
            | "blur"
            | "clear"
            | "selectText"
            | "setInputFiles"
            | "dispatchEvent"
            | "dragTo"
            | "scrollIntoViewIfNeeded"
            | "highlight"
            | "screenshot"
    )
}
