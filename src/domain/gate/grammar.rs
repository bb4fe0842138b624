//! Rule B: the edited text parses as well as before, and holds nothing that tree-sitter lets pass and an engine does not.

use std::ops::Range;

use tree_sitter::Node;

use super::place::Edit;
use super::violation::{Prohibition, Violation};
use super::{literal, regex};
use crate::source::language::{Kind, kind};
use crate::source::syntax::Source;

/// Checks the changed line; `path` tells JavaScript from TypeScript.
pub(super) fn check(edit: &Edit<'_, '_>, path: &str) -> Result<(), Violation> {
    errors(edit)?;
    let new_line = edit.change.start..edit.change.start + edit.change.new.len();
    let old_line = edit.change.start..edit.change.start + edit.change.old.len();
    let typescript = matches!(path.rsplit('.').next(), Some("ts" | "tsx" | "mts" | "cts"));
    if !typescript && typescript_nodes(edit.after, &new_line) > typescript_nodes(edit.before, &old_line) {
        return Err(Prohibition::TypeScriptOnly.into());
    }
    let span = edit.new_span();
    let mut found = None;
    edit.after.walk(&span, |node| {
        if found.is_none() {
            // What stands in the old line in the same words is not the edit's fault.
            found = one(edit.after, node).filter(|_| !edit.change.old.contains(edit.after.of(node)));
        }
        found.is_none()
    });
    found.map_or(Ok(()), |prohibition| Err(prohibition.into()))
}

fn errors(edit: &Edit<'_, '_>) -> Result<(), Violation> {
    let old = edit.before.errors();
    let new = edit.after.errors();
    if old.is_empty() && new.is_empty() {
        return Ok(());
    }
    let (old_length, new_length) = (edit.before.text().len(), edit.after.text().len());
    // Added to both sides, so that nothing is ever negative.
    let shifted = |at: usize| if at >= edit.old_span().end { at + new_length } else { at + old_length };
    let same = old.len() == new.len()
        && old.iter().zip(&new).all(|(old, new)| {
            old.0 == new.0
                && old.1 == new.1
                && shifted(old.2.start) == new.2.start + old_length
                && shifted(old.2.end) == new.2.end + old_length
        });
    let (old_statement, new_statement) =
        (statement(edit.before, edit.old_span()), statement(edit.after, edit.new_span()));
    let touches = |errors: &[(bool, u16, Range<usize>)], statement: &Range<usize>| {
        errors.iter().any(|(_, _, range)| range.start <= statement.end && range.end >= statement.start)
    };
    match (old_statement, new_statement) {
        (Some(old_statement), Some(new_statement))
            if same && !touches(&old, &old_statement) && !touches(&new, &new_statement) =>
        {
            Ok(())
        }
        _ => Err(Prohibition::Errors.into()),
    }
}

/// The statement around `span`; `None` where an error is around it.
fn statement(source: &Source<'_>, span: Range<usize>) -> Option<Range<usize>> {
    let path = source.path_to(span);
    if path.iter().any(|node| node.is_error() || node.is_missing()) {
        return None;
    }
    let innermost = path.iter().rev().find(|node| kind(**node).is_statement());
    innermost.or(path.last()).map(tree_sitter::Node::byte_range)
}

fn typescript_nodes(source: &Source<'_>, line: &Range<usize>) -> usize {
    let mut count = 0;
    source.walk(line, |node| {
        let inside = node.start_byte() >= line.start && node.end_byte() <= line.end;
        count += usize::from(inside && kind(node).is_typescript_only());
        true
    });
    count
}

fn one(source: &Source<'_>, node: Node<'_>) -> Option<Prohibition> {
    match kind(node) {
        Kind::String | Kind::Template => literal::cooked(source, node).is_none().then_some(Prohibition::Escapes),
        Kind::Regex => {
            let field = |name| node.child_by_field_name(name).map_or("", |part| source.of(part));
            regex::read(field("pattern"), field("flags")).is_none().then_some(Prohibition::RegexSyntax)
        }
        Kind::Arguments => {
            let mut cursor = node.walk();
            let mut empty = true;
            for child in node.children(&mut cursor) {
                match child.kind() {
                    "," if empty => return Some(Prohibition::EmptyArgument),
                    "(" | "," => empty = true,
                    ")" => {}
                    _ => empty &= kind(child) == Kind::Comment,
                }
            }
            None
        }
        _ => None,
    }
}
