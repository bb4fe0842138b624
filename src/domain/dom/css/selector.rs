//! The browser's selectors as values.

/// Selectors of which one must match.
pub(crate) type List = Vec<Complex>;

/// Compounds joined by combinators, from left to right.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Complex {
    /// The compounds, each with how it is joined to the one on its left; the first one's is only used in `:has()`.
    pub(crate) compounds: Vec<(Combinator, Compound)>,
    pub(crate) pseudo_element: Option<PseudoElement>,
    pub(crate) specificity: Specificity,
}

/// How many ids; classes, attributes and pseudo-classes; tags and pseudo-elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Specificity(pub(crate) u32, pub(crate) u32, pub(crate) u32);

impl Specificity {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1, self.2 + other.2)
    }
}

/// How a compound is joined to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combinator {
    Descendant,
    Child,
    NextSibling,
    LaterSibling,
}

/// Tests of one element, all of which must hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Compound {
    pub(crate) parts: Vec<Part>,
}

/// A pseudo-element at the end of a selector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PseudoElement {
    Before,
    After,
    DetailsContent,
    Slotted(List),
    Other,
}

/// One test of an element.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Any,
    Tag {
        lower: String,
        written: String,
    },
    Id(String),
    Class(String),
    Attribute(AttributeTest),
    Nth(Nth),
    Is(List),
    Not(List),
    Has(List),
    Host(Option<List>),
    State(State),
    Lang(Vec<String>),
    Dir(String),
    /// `&` and `:scope` outside a query: the parent rule, or the root.
    Scope,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AttributeTest {
    pub(crate) lower: String,
    pub(crate) written: String,
    pub(crate) op: AttributeOp,
    pub(crate) value: String,
    /// Written out behind the value; else it depends on the attribute.
    pub(crate) ignore_case: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttributeOp {
    Exists,
    Equals,
    Contains,
    Prefix,
    Suffix,
    DashPrefix,
    Word,
}

/// `:nth-child(an+b of S)` and its kin.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Nth {
    pub(crate) step: i32,
    pub(crate) offset: i32,
    pub(crate) from_end: bool,
    pub(crate) of_type: bool,
    pub(crate) of: Option<List>,
}

/// Pseudo-classes without arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Root,
    Empty,
    OnlyChild,
    OnlyOfType,
    Checked,
    Disabled,
    Enabled,
    Required,
    Optional,
    ReadOnly,
    ReadWrite,
    PlaceholderShown,
    Link,
    Target,
    Open,
    PopoverOpen,
    Modal,
    Defined,
    /// Never true of a page under test.
    Never,
    /// Not in a snapshot: hovered, focused, valid …
    Doubt,
}
