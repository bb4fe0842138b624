//! A locator as Playwright understands it: a chain of steps, free of the language it was written in.
//!
//! [`parse`] reads it from Playwright's internal selector strings, from what Playwright prints, and from source text;
//! [`render`] writes it back. Knows nothing of pages: [`crate::domain::dom`] evaluates a locator, this module only says
//! what was asked for.

pub mod parse;
pub mod pattern;
pub mod render;
#[cfg(test)]
mod tests;

pub use parse::ParseError;
pub use pattern::{JsRegex, Pattern};

/// A chain of steps, each applied to what the step before it matched.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Locator {
    /// The steps, outermost first. An empty chain matches nothing.
    pub steps: Vec<Step>,
}

/// One step of a [`Locator`]. The names follow Playwright's methods and engines.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// `locator('css')`: Playwright's CSS, with its own pseudo-classes.
    Css(String),
    /// `locator('xpath=…')`.
    XPath(String),
    /// `getByText`.
    Text(Pattern),
    /// `getByRole`.
    Role(Box<Role>),
    /// `getByLabel`.
    Label(Pattern),
    /// `getByPlaceholder`, `getByAltText`, `getByTitle`: an attribute that holds a text.
    Attribute {
        /// The attribute: `placeholder`, `alt` or `title` where a method exists for it.
        name: String,
        /// What its value must be.
        pattern: Pattern,
    },
    /// `getByTestId`.
    TestId {
        /// The attribute that holds test ids, or several joined by commas.
        attribute: String,
        /// What its value must be; a text is compared exactly.
        pattern: Pattern,
    },
    /// `filter({ hasText })`.
    HasText(Pattern),
    /// `filter({ hasNotText })`.
    HasNotText(Pattern),
    /// `filter({ has })`.
    Has(Locator),
    /// `filter({ hasNot })`.
    HasNot(Locator),
    /// `filter({ visible })`.
    Visible(bool),
    /// `and(…)`.
    And(Locator),
    /// `or(…)`.
    Or(Locator),
    /// `locator(locator)`: a whole locator, looked up inside each match.
    Chain(Locator),
    /// `nth(…)`, `first()` (0), `last()` (-1).
    Nth(i64),
    /// `contentFrame()`: goes on inside the frame.
    EnterFrame,
    /// `page.frameLocator()` without argument: looks in every frame.
    AnyFrame,
    /// Any other engine of Playwright, named in front of `=`: `text`, `role`, `id`, `data-testid`, `css:light` …
    Engine {
        /// The engine's name.
        name: String,
        /// What stands behind `=`.
        body: String,
    },
}

/// What `getByRole` asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Role {
    /// The ARIA role.
    pub role: String,
    /// The accessible name.
    pub name: Option<Pattern>,
    /// The accessible description.
    pub description: Option<Pattern>,
    /// Ticked or not.
    pub checked: Option<Tristate>,
    /// Disabled or not.
    pub disabled: Option<bool>,
    /// Expanded or not.
    pub expanded: Option<bool>,
    /// Whether elements hidden for accessibility count.
    pub include_hidden: Option<bool>,
    /// The heading's (or row's, item's) level.
    pub level: Option<u32>,
    /// Pressed or not.
    pub pressed: Option<Tristate>,
    /// Selected or not.
    pub selected: Option<bool>,
}

/// A state that can be half-way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tristate {
    /// Yes.
    True,
    /// No.
    False,
    /// Partly.
    Mixed,
}

impl From<bool> for Tristate {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

impl Role {
    /// `getByRole(role)` with no option.
    pub fn new(role: impl Into<String>) -> Self {
        Self { role: role.into(), ..Self::default() }
    }

    /// `getByRole(role, { name })`.
    pub fn named(role: impl Into<String>, name: Pattern) -> Self {
        Self { role: role.into(), name: Some(name), ..Self::default() }
    }
}

impl Step {
    /// `getByPlaceholder`.
    pub fn placeholder(pattern: Pattern) -> Self {
        Self::Attribute { name: "placeholder".into(), pattern }
    }

    /// `getByAltText`.
    pub fn alt_text(pattern: Pattern) -> Self {
        Self::Attribute { name: "alt".into(), pattern }
    }

    /// `getByTitle`.
    pub fn title(pattern: Pattern) -> Self {
        Self::Attribute { name: "title".into(), pattern }
    }

    /// Whether the step only narrows what the step before it matched, and so cannot come first.
    pub fn narrows(&self) -> bool {
        match self {
            Self::HasText(_)
            | Self::HasNotText(_)
            | Self::Has(_)
            | Self::HasNot(_)
            | Self::Visible(_)
            | Self::And(_)
            | Self::Or(_)
            | Self::Nth(_)
            | Self::EnterFrame => true,
            Self::Css(_)
            | Self::XPath(_)
            | Self::Text(_)
            | Self::Role(_)
            | Self::Label(_)
            | Self::Attribute { .. }
            | Self::TestId { .. }
            | Self::Chain(_)
            | Self::AnyFrame
            | Self::Engine { .. } => false,
        }
    }
}

impl Locator {
    /// This locator with `step` behind it.
    #[must_use]
    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Whether the locator leaves the frame it starts in.
    pub fn enters_frame(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::EnterFrame | Step::AnyFrame))
    }
}

impl From<Step> for Locator {
    fn from(step: Step) -> Self {
        Self { steps: vec![step] }
    }
}
