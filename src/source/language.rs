//! The grammars: which one reads a file, how a text becomes a tree, and what the nodes are called.
//!
//! The only file that names a grammar, and the only one that names its node kinds; everything else asks [`kind`] or
//! one of the embedded queries. It must not know what a locator means.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use tree_sitter::{Language, Node, ParseOptions, Parser, Query, Tree};

/// The largest text that is parsed, in bytes. Generated files are larger; nobody repairs those by hand or by tool.
pub const MAX_BYTES: usize = 1 << 20;

/// A grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// TypeScript without JSX: `.ts`, `.mts`, `.cts`.
    TypeScript,
    /// TypeScript with JSX, which also reads JavaScript: everything else.
    Tsx,
}

/// Why there is no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Longer than [`MAX_BYTES`].
    #[error("longer than {MAX_BYTES} bytes")]
    TooLarge,
    /// The parser used up its budget.
    #[error("too hard to parse")]
    TooHard,
}

/// The embedded queries of one grammar.
#[derive(Debug)]
pub struct Queries {
    /// Calls that build a locator: `grammars/typescript/locators.scm`.
    pub locators: Query,
    /// What binds a name: `grammars/typescript/assertions.scm`.
    pub assertions: Query,
}

static TYPESCRIPT: LazyLock<Option<Queries>> = LazyLock::new(|| compile(&Grammar::TypeScript.language()).ok());
static TSX: LazyLock<Option<Queries>> = LazyLock::new(|| compile(&Grammar::Tsx.language()).ok());

fn compile(language: &Language) -> Result<Queries, tree_sitter::QueryError> {
    Ok(Queries {
        locators: Query::new(language, include_str!("../../grammars/typescript/locators.scm"))?,
        assertions: Query::new(language, include_str!("../../grammars/typescript/assertions.scm"))?,
    })
}

impl Grammar {
    /// The grammar for a file, by its extension.
    pub fn of_path(path: &str) -> Self {
        match path.rsplit_once('.') {
            Some((_, "ts" | "mts" | "cts")) => Self::TypeScript,
            _ => Self::Tsx,
        }
    }

    fn language(self) -> Language {
        match self {
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        }
    }

    /// The embedded queries. `None` would mean that a query does not compile, which a test rules out.
    pub fn queries(self) -> Option<&'static Queries> {
        match self {
            Self::TypeScript => TYPESCRIPT.as_ref(),
            Self::Tsx => TSX.as_ref(),
        }
    }

    /// Parses `text`, reusing what is unchanged of `old` (already told of the edit).
    pub fn parse(self, text: &str, old: Option<&Tree>) -> Result<Tree, ParseError> {
        if text.len() > MAX_BYTES {
            return Err(ParseError::TooLarge);
        }
        let mut parser = Parser::new();
        parser.set_language(&self.language()).map_err(|_| ParseError::TooHard)?;
        // The parser calls back once per hundred of its steps. Ordinary code takes about a hundredth of a call per
        // byte; a budget in calls, not in time, keeps the answer the same on every machine.
        let mut left = 20_000 + text.len() / 4;
        let mut callback = |_: &tree_sitter::ParseState| {
            left = left.saturating_sub(1);
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let bytes = text.as_bytes();
        parser
            .parse_with_options(
                &mut |at, _| bytes.get(at..).unwrap_or_default(),
                old,
                Some(ParseOptions::new().progress_callback(&mut callback)),
            )
            .ok_or(ParseError::TooHard)
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $($name:literal)|+;)*) => {
        /// What a node is, as far as anyone asks.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$doc])* $variant,)*
            /// Anything else.
            Other,
        }

        /// What a node is.
        pub fn kind(node: Node<'_>) -> Kind {
            match node.kind() {
                $($($name)|+ => Kind::$variant,)*
                _ => Kind::Other,
            }
        }
    };
}

kinds! {
    /// `f(x)`
    Call = "call_expression";
    /// `new C(x)`
    New = "new_expression";
    /// `o.p`
    Member = "member_expression";
    /// `o[i]`
    Subscript = "subscript_expression";
    /// `(x, y)` of a call
    Arguments = "arguments";
    /// `?.`
    OptionalChain = "optional_chain";
    /// `<T>` of a call
    TypeArguments = "type_arguments";
    /// A name used as a value
    Identifier = "identifier";
    /// The `p` of `o.p`, or a key
    Property = "property_identifier";
    /// `#p`
    PrivateProperty = "private_property_identifier";
    /// `{ x }`
    Shorthand = "shorthand_property_identifier";
    /// `this`
    This = "this";
    /// `super`
    Super = "super";
    /// A string in quotes
    String = "string";
    /// A template
    Template = "template_string";
    /// `${x}`
    Substitution = "template_substitution";
    /// The plain text in a string or template
    Fragment = "string_fragment";
    /// `\n` in a string or template
    Escape = "escape_sequence";
    /// `/x/i`
    Regex = "regex";
    /// The `x` of `/x/i`
    RegexPattern = "regex_pattern";
    /// The `i` of `/x/i`
    RegexFlags = "regex_flags";
    /// A number
    Number = "number";
    /// `true`
    True = "true";
    /// `false`
    False = "false";
    /// `!x`, `-x`, `typeof x`
    Unary = "unary_expression";
    /// `x + y`, `x && y`
    Binary = "binary_expression";
    /// `c ? x : y`
    Ternary = "ternary_expression";
    /// `(x)`
    Parenthesized = "parenthesized_expression";
    /// `x, y`
    Sequence = "sequence_expression";
    /// `await x`
    Await = "await_expression";
    /// `x as T`
    As = "as_expression";
    /// `x satisfies T`
    Satisfies = "satisfies_expression";
    /// `<T>x`
    TypeAssertion = "type_assertion";
    /// `x!`
    NonNull = "non_null_expression";
    /// `f<T>`
    Instantiation = "instantiation_expression";
    /// `: T`
    TypeAnnotation = "type_annotation";
    /// `typeof x` as a type
    TypeQuery = "type_query";
    /// `[x, y]`
    Array = "array";
    /// `{ a: x }`
    Object = "object";
    /// `a: x`
    Pair = "pair";
    /// `[x]` as a key
    ComputedKey = "computed_property_name";
    /// `{ a, b: c }` as a pattern
    ObjectPattern = "object_pattern";
    /// `[a, b]` as a pattern
    ArrayPattern = "array_pattern";
    /// `{ a }` as a pattern
    ShorthandPattern = "shorthand_property_identifier_pattern";
    /// `b: c` in a pattern
    PairPattern = "pair_pattern";
    /// `x = e`
    Assignment = "assignment_expression";
    /// `x += e`
    AugmentedAssignment = "augmented_assignment_expression";
    /// `x = e` in a declaration
    Declarator = "variable_declarator";
    /// `const x = e`
    Lexical = "lexical_declaration";
    /// `var x = e`
    Var = "variable_declaration";
    /// A named function
    Function = "function_declaration" | "generator_function_declaration";
    /// A function as a value
    FunctionValue = "function_expression" | "generator_function";
    /// `x => y`
    Arrow = "arrow_function";
    /// A method, getter or setter
    Method = "method_definition";
    /// A class field
    Field = "public_field_definition";
    /// A class
    Class = "class_declaration" | "class" | "abstract_class_declaration";
    /// The body of a class
    ClassBody = "class_body";
    /// `enum`
    Enum = "enum_declaration";
    /// The body of an enum
    EnumBody = "enum_body";
    /// `A = 'x'` in an enum
    EnumMember = "enum_assignment";
    /// `{ … }`
    Block = "statement_block";
    /// The whole file
    Program = "program";
    /// An expression as a statement
    ExpressionStatement = "expression_statement";
    /// `return x`
    Return = "return_statement";
    /// `throw x`
    Throw = "throw_statement";
    /// `break`
    Break = "break_statement";
    /// `continue`
    Continue = "continue_statement";
    /// `if`
    If = "if_statement";
    /// `else`
    Else = "else_clause";
    /// `while`, `do`
    While = "while_statement" | "do_statement";
    /// `for (;;)`
    For = "for_statement";
    /// `for (x of y)`, `for (x in y)`
    ForIn = "for_in_statement";
    /// `switch`
    Switch = "switch_statement";
    /// `import`
    Import = "import_statement";
    /// `export`
    Export = "export_statement";
    /// `a as b` in an import
    ImportSpecifier = "import_specifier";
    /// `a as b` in an export
    ExportSpecifier = "export_specifier";
    /// A comment
    Comment = "comment" | "html_comment";
    /// `...x`
    Spread = "spread_element";
}

impl Kind {
    /// Whether code that is not TypeScript cannot contain it, as far as an expression goes.
    pub fn is_typescript_only(self) -> bool {
        matches!(
            self,
            Self::As
                | Self::Satisfies
                | Self::TypeAssertion
                | Self::NonNull
                | Self::Instantiation
                | Self::TypeAnnotation
                | Self::TypeArguments
                | Self::Enum
        )
    }

    /// Whether it is a statement of its own, or a class member: what an error must not touch.
    pub fn is_statement(self) -> bool {
        matches!(
            self,
            Self::ExpressionStatement
                | Self::Lexical
                | Self::Var
                | Self::Return
                | Self::Throw
                | Self::Field
                | Self::EnumMember
                | Self::Import
        )
    }

    /// Whether it is a function of any form.
    pub fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::FunctionValue | Self::Arrow | Self::Method)
    }

    /// Whether it wraps one expression without changing its value.
    pub fn is_wrapper(self) -> bool {
        matches!(self, Self::Parenthesized | Self::As | Self::Satisfies | Self::TypeAssertion | Self::NonNull)
    }
}

#[cfg(test)]
mod tests {
    use super::{Grammar, MAX_BYTES, ParseError, compile};

    #[test]
    fn every_embedded_query_compiles_for_both_grammars() {
        for grammar in [Grammar::TypeScript, Grammar::Tsx] {
            compile(&grammar.language()).unwrap();
        }
    }

    #[test]
    fn the_extension_chooses_the_grammar() {
        for (path, expected) in [
            ("a.ts", Grammar::TypeScript),
            ("a.mts", Grammar::TypeScript),
            ("a.cts", Grammar::TypeScript),
            ("a.tsx", Grammar::Tsx),
            ("a.js", Grammar::Tsx),
            ("a.cjs", Grammar::Tsx),
        ] {
            assert_eq!(Grammar::of_path(path), expected, "{path}");
        }
    }

    #[test]
    fn a_text_over_the_cap_is_not_parsed() {
        assert_eq!(Grammar::Tsx.parse(&" ".repeat(MAX_BYTES + 1), None).unwrap_err(), ParseError::TooLarge);
    }
}
