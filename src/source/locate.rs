//! From a failure to the exact piece of source: where every link of the failed locator is DEFINED.
//!
//! In: the project's files, the stack of the failing call, the locator as Playwright printed it. Out: an ordered list of
//! pieces of source, each with the hops that lead to it, or a reasoned [`Refusal`]. The literals at a definition must
//! agree with the failed locator, else it is another site and refused. Reads nothing, runs nothing, changes nothing.

use std::fmt;
use std::ops::Range;

use super::project::Project;
use super::tree::At;

mod agree;
mod calls;
mod candidates;
mod classes;
mod eval;
mod names;
mod pieces;
mod scope;
mod steps;
mod value;

#[cfg(test)]
mod tests;

/// A place of the stack, innermost first: a project-relative path, a line from 1, and V8's column (UTF-16 units, from 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Project-relative path with `/`.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in UTF-16 units, from 1; 0 where the report has none.
    pub column: u32,
}

/// What is asked: the failing call and the locator it failed with.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// The stack of the failing call inside the project, innermost first.
    pub frames: &'q [Frame],
    /// The failed locator as printed (`locator('#panel').getByRole('button', { name: 'Save' })`), or a selector string
    /// of an old version. `None` where the report names none; then the call itself must leave no choice.
    pub locator: Option<&'q str>,
}

/// The failed locator in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The pieces that build it, in the order of the printed locator.
    pub pieces: Vec<Piece>,
    /// How many steps the locator has, in Playwright's own count (`first()` is one, `{ hasText }` is one).
    pub steps: usize,
    /// Leading steps that no piece explains (a parent locator that could not be followed), and why.
    pub unexplained: Option<(Range<usize>, Refusal)>,
    /// Whether the locator stands inside an assertion's subject at the failing call.
    pub in_assertion: bool,
    /// The failing call.
    pub call: Site,
}

impl Definition {
    /// The piece that contributes step `step` of the locator.
    pub fn piece_of(&self, step: usize) -> Option<&Piece> {
        self.pieces.iter().find(|piece| piece.steps.contains(&step))
    }
}

/// A byte range of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Project-relative path.
    pub path: String,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// The line it starts on, from 1.
    pub line: u32,
}

/// One piece of source that builds a part of the locator: a building call, or the selector of a legacy call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The method: `getByRole`, or the legacy action (`click`) whose selector it is.
    pub method: String,
    /// From the method's name to the closing parenthesis: `getByRole('button')`.
    pub call: Site,
    /// The argument list with its parentheses.
    pub arguments: Range<usize>,
    /// Whether only the selector string may change, because the method is an action (`page.click('#a')`).
    pub legacy: bool,
    /// The strings among its arguments, and the literals they come from.
    pub texts: Vec<Text>,
    /// Which steps of the locator it contributes; empty for `describe`.
    pub steps: Range<usize>,
    /// How the piece is held.
    pub shape: Shape,
    /// How the reader gets here from the failing call, the failing side first.
    pub hops: Vec<Hop>,
    /// Whether the definition this piece belongs to is also a subject of an assertion in its own file.
    pub feeds_expect: bool,
    /// The lines of its file that use the definition by its name.
    pub uses: Vec<u32>,
}

/// A string argument of a building call, as it is put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Which argument: empty for the first one, else the option's name (`name`, `hasText`).
    pub option: String,
    /// Its pieces, in order.
    pub parts: Vec<TextPart>,
}

impl Piece {
    /// Whether one of its strings was handed over as an argument to a helper of the project.
    pub fn is_handed_over(&self) -> bool {
        let parts = self.texts.iter().flat_map(|text| &text.parts);
        parts.into_iter().any(|part| matches!(part, TextPart::Literal(literal) if literal.shape == Shape::Argument))
    }
}

/// A piece of a string argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextPart {
    /// Literal text.
    Literal(Literal),
    /// What only the run knows: a substitution, a parameter, a filled-in placeholder.
    Hole,
}

/// Literal text of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// The whole `string` or `template_string` that it stands in, with its quotes.
    pub site: Site,
    /// Its value, escapes decoded. A literal that is cut by holes has several entries with the same site.
    pub value: String,
    /// Where it is held; [`Shape::Inline`] when it stands in the call's own argument list.
    pub shape: Shape,
}

impl Text {
    /// The literal that is the whole argument.
    pub fn whole(&self) -> Option<&Literal> {
        match self.parts.as_slice() {
            [TextPart::Literal(literal)] => Some(literal),
            _ => None,
        }
    }

    /// Its literals, in order.
    pub fn literals(&self) -> impl Iterator<Item = &Literal> {
        self.parts.iter().filter_map(|part| match part {
            TextPart::Literal(literal) => Some(literal),
            TextPart::Hole => None,
        })
    }
}

impl Piece {
    /// A string argument by its option's name; the first argument has none.
    pub fn text(&self, option: &str) -> Option<&Text> {
        self.texts.iter().find(|text| text.option == option)
    }
}

/// How a locator, a piece of it, or a selector string is held in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// On the failing call itself.
    Inline,
    /// A variable.
    Variable,
    /// A class field with a value.
    ClassField,
    /// A field that the constructor or a method sets.
    AssignedField,
    /// A static member of a class.
    Static,
    /// A getter.
    Getter,
    /// What a function or method returns.
    Return,
    /// The body of an arrow function.
    Arrow,
    /// A property of an object literal.
    Property,
    /// A member of an enum.
    EnumMember,
    /// An argument that a helper of the project was called with.
    Argument,
    /// A parameter's default value.
    Default,
    /// An element of an array.
    Element,
}

/// A step of the reader from the failing call towards the definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// Project-relative path.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// What is there, for a person: "getter `saveButton`".
    pub what: String,
}

impl Hop {
    fn new(at: At<'_>, what: String) -> Self {
        Self { path: at.file.path.clone(), line: at.line(), what }
    }
}

/// Why no piece of source is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The value is computed at run time.
    Computed,
    /// The name is assigned in several places.
    SeveralDefinitions,
    /// Several places agree with the failed locator and nothing tells which one ran.
    Ambiguous,
    /// The name or member has no definition in the project's files.
    NotFound,
    /// It comes through a parameter and the stack does not show the caller.
    Parameter,
    /// The source at the failing line says another locator: it changed since, or the stack is of another build.
    OtherSite,
    /// No call stands where the stack says.
    NoCall,
    /// The file of the stack is not in the project.
    NoSource,
    /// More definitions in a row than are followed.
    TooDeep,
}

impl Reason {
    /// The reason as a sentence fragment.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Computed => "the locator is computed at run time",
            Self::SeveralDefinitions => "the name is assigned in several places",
            Self::Ambiguous => "several places of the source agree with the failed locator",
            Self::NotFound => "the definition is not in the project's files",
            Self::Parameter => "the locator comes through a parameter and the stack does not show the caller",
            Self::OtherSite => "the source there says another locator than the one that failed",
            Self::NoCall => "no call stands where the stack points",
            Self::NoSource => "the file of the stack is not in the project",
            Self::TooDeep => "the definition lies behind more hops than are followed",
        }
    }
}

/// A reasoned "no".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: Reason,
    /// The file it was seen in; empty when there is none.
    pub path: String,
    /// The line, from 1; 0 when there is none.
    pub line: u32,
}

impl Refusal {
    fn at(reason: Reason, at: At<'_>) -> Self {
        Self { reason, path: at.file.path.clone(), line: at.line() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(self.reason.sentence());
        }
        write!(f, "{} ({}:{})", self.reason.sentence(), self.path, self.line)
    }
}

/// Whether a method name is an assertion's: `toBeVisible`, `toHaveText`.
pub fn is_matcher(name: &str) -> bool {
    candidates::is_matcher(name)
}

/// Whether a method builds a locator: `getByRole`, `filter`, `nth`.
pub fn is_building(name: &str) -> bool {
    calls::BUILDING.contains(&name)
}

/// Finds where the failed locator is defined.
pub fn locate(project: &Project, question: &Question<'_>) -> Result<Definition, Refusal> {
    agree::locate(project, question)
}
