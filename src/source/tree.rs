//! A node together with the text it was parsed from, and the few questions everybody asks of it. Knows JavaScript's node
//! kinds, not Playwright.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::language::Grammar;
use super::{literal, position};

/// A parsed source file.
#[derive(Debug)]
pub struct SourceFile {
    /// The path it was asked for by, with `/`.
    pub path: String,
    /// The text, as it is on disk.
    pub text: String,
    /// Its syntax tree.
    pub tree: Tree,
}

/// A node of a file.
#[derive(Debug, Clone, Copy)]
pub struct At<'a> {
    /// The file.
    pub file: &'a SourceFile,
    /// The node, of the file's tree.
    pub node: Node<'a>,
}

impl PartialEq for At<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl Eq for At<'_> {}

impl SourceFile {
    /// Parses a text; `None` for one that is too long or too hard to parse.
    pub fn parse(path: &str, text: &str) -> Option<Self> {
        let tree = Grammar::of_path(path).parse(text, None).ok()?;
        Some(Self { path: path.to_owned(), text: text.to_owned(), tree })
    }

    /// The whole program.
    pub fn root(&self) -> At<'_> {
        At { file: self, node: self.tree.root_node() }
    }

    /// Whether the tree is nested deeper than anything written by hand: `limit` levels.
    pub fn is_deeper_than(&self, limit: u32) -> bool {
        let mut cursor = self.tree.walk();
        loop {
            if cursor.depth() > limit {
                return true;
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return false;
                }
            }
        }
    }

    /// The smallest node that spans a byte offset.
    pub fn at(&self, offset: usize) -> Option<At<'_>> {
        let node = self.tree.root_node().descendant_for_byte_range(offset, offset)?;
        Some(At { file: self, node })
    }
}

impl<'a> At<'a> {
    /// The source text.
    pub fn text(self) -> &'a str {
        self.file.text.get(self.node.byte_range()).unwrap_or_default()
    }

    /// The node kind.
    pub fn kind(self) -> &'a str {
        self.node.kind()
    }

    /// A child by its field.
    pub fn field(self, name: &str) -> Option<At<'a>> {
        Some(At { file: self.file, node: self.node.child_by_field_name(name)? })
    }

    /// The named children without comments, in order.
    pub fn children(self) -> Vec<At<'a>> {
        let mut cursor = self.node.walk();
        self.node
            .named_children(&mut cursor)
            .filter(|node| node.kind() != "comment")
            .map(|node| At { file: self.file, node })
            .collect()
    }

    /// Whether a token such as `static` or `get` stands among the direct children.
    pub fn has_token(self, token: &str) -> bool {
        let mut cursor = self.node.walk();
        self.node.children(&mut cursor).any(|child| child.kind() == token)
    }

    /// The node above.
    pub fn parent(self) -> Option<At<'a>> {
        Some(At { file: self.file, node: self.node.parent()? })
    }

    /// The nodes above, nearest first. One way down from the root: asking for parent after parent is quadratic.
    pub fn ancestors(self) -> impl Iterator<Item = At<'a>> {
        let root = self.file.tree.root_node();
        let down = |node: &Node<'a>| node.child_with_descendant(self.node);
        let path: Vec<Node<'a>> =
            std::iter::successors(Some(root), down).take_while(|node| *node != self.node).collect();
        let file = self.file;
        path.into_iter().rev().map(move |node| At { file, node })
    }

    /// Every node below and this one, in document order.
    pub fn descendants(self) -> Descendants<'a> {
        Descendants { file: self.file, cursor: Some(self.node.walk()) }
    }

    /// Where it stands, in bytes.
    pub fn range(self) -> Range<usize> {
        self.node.byte_range()
    }

    /// The line it starts on, from 1.
    pub fn line(self) -> u32 {
        position::line_of(&self.file.text, self.node.start_byte())
    }

    /// Whether `other` lies inside this node (or is it).
    pub fn contains(self, other: At<'_>) -> bool {
        self.file.path == other.file.path
            && self.node.start_byte() <= other.node.start_byte()
            && other.node.end_byte() <= self.node.end_byte()
    }

    /// The expression without what changes nothing about its value here: parentheses, `await`, `as T`, `!`.
    #[must_use]
    pub fn bare(self) -> At<'a> {
        let mut at = self;
        loop {
            let inner = match at.kind() {
                "parenthesized_expression"
                | "await_expression"
                | "as_expression"
                | "satisfies_expression"
                | "non_null_expression" => at.children().into_iter().next(),
                "type_assertion" => at.children().into_iter().next_back(),
                _ => None,
            };
            match inner {
                Some(inner) => at = inner,
                None => return at,
            }
        }
    }

    /// The value of a string literal or of a template without substitution.
    pub fn string_value(self) -> Option<String> {
        let plain = match self.kind() {
            "string" => true,
            "template_string" => !self.children().iter().any(|child| child.kind() == "template_substitution"),
            _ => false,
        };
        let inner = self.file.text.get(self.node.start_byte() + 1..self.node.end_byte().checked_sub(1)?)?;
        plain.then(|| literal::cook(inner)).flatten()
    }

    /// The name that a property key, identifier or string key stands for.
    pub fn key_name(self) -> Option<String> {
        match self.kind() {
            "string" => self.string_value(),
            "computed_property_name" => self.children().first()?.bare().string_value(),
            _ => Some(self.text().to_owned()),
        }
    }

    /// The argument expressions of a call or `new`.
    pub fn arguments(self) -> Vec<At<'a>> {
        match self.field("arguments") {
            Some(arguments) if arguments.kind() == "arguments" => arguments.children(),
            _ => Vec::new(),
        }
    }

    /// The called method's name node: `click` of `a.b().click()`.
    pub fn method(self) -> Option<At<'a>> {
        let function = self.field("function")?.bare();
        if function.kind() == "member_expression" { function.field("property") } else { None }
    }

    /// Whether the node is a function of any form.
    pub fn is_function(self) -> bool {
        matches!(
            self.kind(),
            "arrow_function"
                | "function_expression"
                | "function_declaration"
                | "generator_function"
                | "generator_function_declaration"
                | "method_definition"
        )
    }

    /// The innermost function around the node.
    pub fn function(self) -> Option<At<'a>> {
        self.ancestors().find(|at| at.is_function())
    }

    /// The parameters of a function, each as its node (`required_parameter`, or the bare identifier of `x => …`).
    pub fn parameters(self) -> Vec<At<'a>> {
        if let Some(single) = self.field("parameter") {
            return vec![single];
        }
        self.field("parameters").map(At::children).unwrap_or_default()
    }
}

/// Walks a subtree in document order without recursion.
pub struct Descendants<'a> {
    file: &'a SourceFile,
    cursor: Option<tree_sitter::TreeCursor<'a>>,
}

impl<'a> Iterator for Descendants<'a> {
    type Item = At<'a>;

    fn next(&mut self) -> Option<At<'a>> {
        let cursor = self.cursor.as_mut()?;
        let node = cursor.node();
        if !cursor.goto_first_child() {
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    self.cursor = None;
                    break;
                }
            }
        }
        Some(At { file: self.file, node })
    }
}
