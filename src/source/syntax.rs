//! A text with its tree: where a byte lies, what is around a node, what is inside it.
//!
//! Everything here walks with cursors and loops, so the depth of the input costs no stack. Nothing here knows what a
//! locator or an assertion is.

use std::ops::Range;

use tree_sitter::{InputEdit, Node, Point, Tree, TreeCursor};

use crate::source::language::{Grammar, Kind, ParseError, kind};

/// A text, its grammar and its tree.
#[derive(Debug)]
pub struct Source<'t> {
    text: &'t str,
    grammar: Grammar,
    tree: Tree,
}

impl<'t> Source<'t> {
    /// Parses `text`.
    pub fn parse(grammar: Grammar, text: &'t str) -> Result<Self, ParseError> {
        Ok(Self { text, grammar, tree: grammar.parse(text, None)? })
    }

    /// Parses `text`, which differs from this one only between `prefix` bytes from the start and `suffix` bytes from
    /// the end. The old tree is reused where it holds no error: error recovery depends on what was parsed before.
    pub fn reparse<'n>(&self, text: &'n str, prefix: usize, suffix: usize) -> Result<Source<'n>, ParseError> {
        if self.tree.root_node().has_error() {
            return Source::parse(self.grammar, text);
        }
        let (old_end, new_end) = (self.text.len() - suffix, text.len() - suffix);
        let mut old = self.tree.clone();
        old.edit(&InputEdit {
            start_byte: prefix,
            old_end_byte: old_end,
            new_end_byte: new_end,
            start_position: point(self.text, prefix),
            old_end_position: point(self.text, old_end),
            new_end_position: point(text, new_end),
        });
        Ok(Source { text, grammar: self.grammar, tree: self.grammar.parse(text, Some(&old))? })
    }

    /// The text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The grammar.
    pub fn grammar(&self) -> Grammar {
        self.grammar
    }

    /// The root of the tree.
    pub fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// The text of a node.
    pub fn of(&self, node: Node<'_>) -> &'t str {
        self.slice(node.byte_range())
    }

    /// The text of a range; empty where the range does not fit.
    pub fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    /// The nodes from the root down to the smallest one that holds `range`.
    pub fn path_to(&self, range: Range<usize>) -> Vec<Node<'_>> {
        self.descend(range, None)
    }

    /// The nodes from the root down to `node`, which is last.
    pub fn ancestry(&self, node: Node<'_>) -> Vec<Node<'_>> {
        self.descend(node.byte_range(), Some(node.id()))
    }

    fn descend(&self, range: Range<usize>, until: Option<usize>) -> Vec<Node<'_>> {
        let mut cursor = self.tree.walk();
        let mut path = vec![cursor.node()];
        while until.is_none_or(|id| cursor.node().id() != id) && step_into(&mut cursor, &range) {
            path.push(cursor.node());
        }
        path
    }

    /// Every ERROR and MISSING node: whether it is missing, its kind, its range. Descends only where there are any.
    pub fn errors(&self) -> Vec<(bool, u16, Range<usize>)> {
        let mut found = Vec::new();
        let mut cursor = self.tree.walk();
        loop {
            let node = cursor.node();
            if node.is_error() || node.is_missing() {
                found.push((node.is_missing(), node.kind_id(), node.byte_range()));
            }
            if !(node.has_error() && cursor.goto_first_child() || next(&mut cursor)) {
                return found;
            }
        }
    }

    /// Whether any node that overlaps or touches `range` lies deeper than `limit`. Queries cost the square of the depth.
    pub fn is_deeper_than(&self, limit: usize, range: &Range<usize>) -> bool {
        let mut cursor = self.tree.walk();
        let mut depth = 0_usize;
        loop {
            let node = cursor.node();
            let near = node.start_byte() <= range.end && node.end_byte() >= range.start;
            if near && goto_child_near(&mut cursor, range.start) {
                depth += 1;
                if depth > limit {
                    return true;
                }
                continue;
            }
            let mut late = node.start_byte() > range.end;
            while late || !cursor.goto_next_sibling() {
                late = false;
                if !cursor.goto_parent() {
                    return false;
                }
                depth -= 1;
            }
        }
    }

    /// Calls `visit` for every node that overlaps or touches `range`, in document order; `visit` says whether to look
    /// inside.
    pub fn walk<'s>(&'s self, range: &Range<usize>, mut visit: impl FnMut(Node<'s>) -> bool) {
        let mut cursor = self.tree.walk();
        loop {
            let node = cursor.node();
            let near = node.start_byte() <= range.end && node.end_byte() >= range.start;
            if near && visit(node) && goto_child_near(&mut cursor, range.start) {
                continue;
            }
            // The siblings after a node that starts too late start later still.
            if node.start_byte() > range.end && !cursor.goto_parent() || !next(&mut cursor) {
                return;
            }
        }
    }
}

/// To the first child that reaches `at`.
fn goto_child_near(cursor: &mut TreeCursor<'_>, at: usize) -> bool {
    // The child that ends exactly at `at` touches it too, so ask for the byte before.
    cursor.goto_first_child_for_byte(at.saturating_sub(1)).is_some()
}

/// To the next node that is not inside this one.
fn next(cursor: &mut TreeCursor<'_>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

/// To the child that holds the whole of `range`.
fn step_into(cursor: &mut TreeCursor<'_>, range: &Range<usize>) -> bool {
    if cursor.goto_first_child_for_byte(range.start).is_none() {
        return false;
    }
    loop {
        let child = cursor.node();
        if child.start_byte() <= range.start && child.end_byte() >= range.end {
            return true;
        }
        if child.start_byte() > range.start || !cursor.goto_next_sibling() {
            cursor.goto_parent();
            return false;
        }
    }
}

fn point(text: &str, at: usize) -> Point {
    let before = text.get(..at).unwrap_or_default();
    let row = before.matches('\n').count();
    let column = at - before.rfind('\n').map_or(0, |line| line + 1);
    Point { row, column }
}

/// The named children that are not comments.
pub fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| kind(*child) != Kind::Comment).collect()
}

/// The expression inside parentheses, casts and non-null marks.
pub fn unwrapped(mut node: Node<'_>) -> Node<'_> {
    while kind(node).is_wrapper() {
        // The expression comes first, but for `<T>x`, where it comes last.
        let children = named(node);
        let inner = if kind(node) == Kind::TypeAssertion { children.last() } else { children.first() };
        let Some(inner) = inner else { return node };
        node = *inner;
    }
    node
}
