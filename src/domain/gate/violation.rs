//! What the gate answers: the prohibitions with their stable ids, the reason codes, and the flags of an accepted edit.

use std::fmt;

/// Why an edit is rejected. The codes are a public interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The file may not be edited.
    PathNotAllowed,
    /// Encoding, byte order mark, line endings or the final newline differ.
    LineEndingsChanged,
    /// More than one line differs.
    MultipleLines,
    /// Nothing that matters differs.
    NoChange,
    /// A character that hides something is new.
    ForbiddenCharacter,
    /// The edited text would not parse, or the text is too large or too deep to be sure.
    SyntaxError,
    /// The edit touches an assertion.
    InsideExpect,
    /// The edited constant is an expected value.
    ExpectedValue,
    /// The locator decides whether an assertion runs.
    GuardsAssertion,
    /// The locator is only ever expected to be absent.
    VacuousAbsence,
    /// What changed is no locator.
    NotALocator,
    /// Something beside the locator changed.
    OutsideLocator,
    /// More than one locator changed.
    MultipleChains,
    /// The locator starts from somewhere else.
    ReceiverChanged,
    /// The action changed.
    ActionChanged,
    /// An option changed.
    OptionChanged,
    /// An expression that was not there before.
    NewExpression,
    /// A parameter is no longer used.
    DroppedParameter,
    /// A position was added or moved.
    WeakenedPositional,
    /// An alternative was added.
    AlternativesAdded,
    /// The locator matches nearly everything.
    CatchAll,
    /// The locator only became wider.
    WeakenedMatch,
}

impl Reason {
    /// The code: snake case.
    pub fn code(self) -> &'static str {
        match self {
            Self::PathNotAllowed => "path_not_allowed",
            Self::LineEndingsChanged => "line_endings_changed",
            Self::MultipleLines => "multiple_lines",
            Self::NoChange => "no_change",
            Self::ForbiddenCharacter => "forbidden_character",
            Self::SyntaxError => "syntax_error",
            Self::InsideExpect => "inside_expect",
            Self::ExpectedValue => "expected_value",
            Self::GuardsAssertion => "guards_assertion",
            Self::VacuousAbsence => "vacuous_absence",
            Self::NotALocator => "not_a_locator",
            Self::OutsideLocator => "outside_locator",
            Self::MultipleChains => "multiple_chains",
            Self::ReceiverChanged => "receiver_changed",
            Self::ActionChanged => "action_changed",
            Self::OptionChanged => "option_changed",
            Self::NewExpression => "new_expression",
            Self::DroppedParameter => "dropped_parameter",
            Self::WeakenedPositional => "weakened_positional",
            Self::AlternativesAdded => "alternatives_added",
            Self::CatchAll => "catch_all",
            Self::WeakenedMatch => "weakened_match",
        }
    }
}

macro_rules! prohibitions {
    ($($variant:ident, $id:literal, $reason:ident, $says:literal;)*) => {
        /// One thing that an edit must not do. The ids are a public interface; the first letter is the rule.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Prohibition {
            $(#[doc = $says] $variant,)*
        }

        impl Prohibition {
            /// All of them, in the order of the rules.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The stable id.
            pub fn id(self) -> &'static str {
                match self { $(Self::$variant => $id,)* }
            }

            /// The reason code it ends in.
            pub fn reason(self) -> Reason {
                match self { $(Self::$variant => Reason::$reason,)* }
            }

            /// What it says, in a sentence.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $says,)* }
            }
        }
    };
}

prohibitions! {
    Path, "a1-path", PathNotAllowed, "Only test sources inside the project may be edited.";
    Encoding, "a2-encoding", LineEndingsChanged, "Both texts must be UTF-8 without NUL.";
    Endings, "a2-endings", LineEndingsChanged, "The byte order mark, every line ending and the final newline must stay.";
    Lines, "a3-lines", MultipleLines, "Exactly one line may differ.";
    Identical, "a3-identical", NoChange, "One line must differ.";
    Characters, "a4-characters", ForbiddenCharacter, "A repair adds no invisible, steering or line-ending character.";
    Scripts, "a4-scripts", ForbiddenCharacter, "A repair adds no word that mixes Latin with Cyrillic or Greek letters.";
    Size, "b-size", SyntaxError, "The text is too large or too deep to be judged.";
    Errors, "b-errors", SyntaxError, "The edited text must parse as well as before, and the edited statement without error.";
    RegexSyntax, "b-regex", SyntaxError, "A regular expression must be valid JavaScript.";
    Escapes, "b-escapes", SyntaxError, "An escape in a string must be valid and not a legacy octal one.";
    EmptyArgument, "b-empty-argument", SyntaxError, "A call has no empty argument.";
    TypeScriptOnly, "b-typescript", SyntaxError, "A JavaScript file holds no TypeScript syntax.";
    InsideAssertion, "d2-assertion", InsideExpect, "No byte of an assertion may change.";
    NotLocator, "c2-locator", NotALocator, "What changes must be a locator.";
    Foreign, "c5-foreign", NotALocator, "The locator must be Playwright's, not one of another library.";
    Outside, "c8-outside", OutsideLocator, "Nothing beside the locator may change.";
    Chains, "c8-chains", MultipleChains, "Only one locator may change.";
    Receiver, "c4-receiver", ReceiverChanged, "The locator must start from where it started.";
    Migration, "c6-migration", ActionChanged, "An action on the page stays an action on the page.";
    Action, "c7-action", ActionChanged, "The action and its arguments must stay.";
    ActionOptions, "c7-options", OptionChanged, "The options of the action must stay.";
    ConstantUse, "k2-use", NotALocator, "A constant must be a selector wherever it is used.";
    ConstantExpected, "k2-expected", ExpectedValue, "A constant must not be an expected value.";
    ConstantUnproven, "k3-unproven", NotALocator, "A constant without a use must be named and shaped like a selector.";
    ConstantValue, "k4-value", NewExpression, "A constant stays a literal.";
    Guard, "d3-guard", GuardsAssertion, "The locator must not decide whether an assertion runs.";
    Absence, "d4-absence", VacuousAbsence, "A locator that is only expected to be absent cannot be repaired.";
    Same, "g-same", NoChange, "The locator must differ in what it selects.";
    Expression, "e2-expression", NewExpression, "A repair adds literals only, no expression and no comment.";
    Dropped, "e3-dropped", DroppedParameter, "A parameter of the locator must stay in use.";
    UnknownOption, "e4-option", OptionChanged, "A locator method takes its own options only.";
    InnerRoot, "e5-root", ReceiverChanged, "An inner locator must start from where the old one started.";
    Position, "f1-position", WeakenedPositional, "A repair adds or moves no position.";
    Alternatives, "f2-alternatives", AlternativesAdded, "A repair adds no alternative.";
    Everything, "f3-everything", CatchAll, "A repair adds no step that matches everything.";
    Unselective, "f3-unselective", CatchAll, "The last step must say which element is meant.";
    Exact, "f4-exact", WeakenedMatch, "An exact match stays exact.";
    RegexFlag, "f4-flag", WeakenedMatch, "A regular expression gets no wider flag.";
    OnlyDeleted, "f4-deleted", WeakenedMatch, "A repair must not only delete what told elements apart.";
    State, "f5-state", OptionChanged, "State options stay as they are.";
}

impl Prohibition {
    /// The rule of the law that it belongs to: A to G.
    pub fn rule(self) -> char {
        match self.id().chars().next() {
            Some('k') | None => 'C',
            Some(letter) => letter.to_ascii_uppercase(),
        }
    }
}

/// A rejected edit: which prohibition it breaks and what shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The prohibition.
    pub prohibition: Prohibition,
    /// What was found, in a few words; empty where the prohibition says it all. May hold text of the edit.
    pub found: String,
}

impl Violation {
    /// A violation with what shows it.
    pub fn new(prohibition: Prohibition, found: impl Into<String>) -> Self {
        Self { prohibition, found: found.into() }
    }

    /// The reason code.
    pub fn reason(&self) -> Reason {
        self.prohibition.reason()
    }

    /// What the prohibition says and what was found.
    pub fn sentence(&self) -> String {
        if self.found.is_empty() {
            self.prohibition.sentence().to_owned()
        } else {
            format!("{} ({})", self.prohibition.sentence(), self.found)
        }
    }
}

impl From<Prohibition> for Violation {
    fn from(prohibition: Prohibition) -> Self {
        Self::new(prohibition, "")
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

impl std::error::Error for Violation {}

/// What an accepted edit needs attention for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// The locator, or a value read through it, is later the subject of an assertion.
    FeedsExpect,
    /// Some of those assertions expect it to be absent.
    FeedsAbsence,
    /// It decides a condition, though not over an assertion.
    FeedsCondition,
    /// The edit changes a constant that holds a selector.
    SelectorConstant,
    /// No use of that constant is in the file.
    UnprovenUse,
    /// An action on the page, which takes the first of several matches.
    Nonstrict,
    /// It is passed to a function that is not Playwright's.
    HelperArg,
    /// It is waited for.
    PresenceWait,
    /// A step that narrowed the scope is gone.
    ScopeWidened,
    /// A position stays, counted among other elements than before.
    PositionalRetained,
}

impl Flag {
    /// The code: snake case.
    pub fn code(self) -> &'static str {
        match self {
            Self::FeedsExpect => "feeds_expect",
            Self::FeedsAbsence => "feeds_absence",
            Self::FeedsCondition => "feeds_condition",
            Self::SelectorConstant => "selector_constant",
            Self::UnprovenUse => "unproven_use",
            Self::Nonstrict => "nonstrict",
            Self::HelperArg => "helper_arg",
            Self::PresenceWait => "presence_wait",
            Self::ScopeWidened => "scope_widened",
            Self::PositionalRetained => "positional_retained",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Prohibition;

    #[test]
    fn ids_are_unique_and_name_their_rule() {
        let ids: BTreeSet<_> = Prohibition::ALL.iter().map(|one| one.id()).collect();
        assert_eq!(ids.len(), Prohibition::ALL.len());
        for one in Prohibition::ALL {
            assert!(('A'..='G').contains(&one.rule()), "{}", one.id());
        }
    }
}
