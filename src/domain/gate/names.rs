//! Names: where they occur and what binds them.
//!
//! Found by text first and by tree second, so that the cost follows the name and not the file. Scopes are read roughly
//! and always to the wide side: a use too many makes the gate stricter, never laxer.

use tree_sitter::{Node, QueryCursor, StreamingIterator as _};

use crate::source::language::kind;
use crate::source::syntax::{Source, unwrapped};

/// How many occurrences of one name are looked at before the file counts as too hard.
const MAX_OCCURRENCES: usize = 20_000;
/// How deep a name may stand before the file counts as too hard.
const MAX_DEPTH: usize = 512;
/// How far above a name the pattern that binds it may begin.
const PATTERN_DEPTH: usize = 8;

/// One thing that gives a name its meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Binding<'s> {
    /// The name it had where it came from, or the key it was taken by.
    pub(super) imported: Option<&'s str>,
    /// The module it comes from.
    pub(super) module: Option<&'s str>,
    /// The expression bound to it.
    pub(super) value: Option<Node<'s>>,
    /// The type written beside it.
    pub(super) annotation: Option<&'s str>,
    /// The body of the function it names.
    pub(super) body: Option<Node<'s>>,
}

/// Where `name` occurs as a word, in order. `None` where that is too often to look at.
pub(super) fn occurrences(text: &str, name: &str) -> Option<Vec<usize>> {
    if name.is_empty() {
        return Some(Vec::new());
    }
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || *b >= 0x80);
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for (at, _) in text.match_indices(name) {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        if !is_word(before) && !is_word(bytes.get(at + name.len())) {
            found.push(at);
            if found.len() > MAX_OCCURRENCES {
                return None;
            }
        }
    }
    Some(found)
}

/// Everything in the file that binds `name`, in order. `None` where that cannot be told.
pub(super) fn bindings<'s>(source: &'s Source<'_>, name: &str) -> Option<Vec<Binding<'s>>> {
    let query = &source.grammar().queries()?.assertions;
    let captures = query.capture_names();
    let mut cursor = QueryCursor::new();
    let mut found = Vec::new();
    let text = source.text();
    for at in occurrences(text, name)? {
        // A name that is only read is followed by `.`; a member is bound only by an assignment.
        let after = text.get(at + name.len()..).unwrap_or_default().trim_start();
        let member = text.get(..at).unwrap_or_default().ends_with('.');
        if after.starts_with('.') || member && (!after.starts_with('=') || after.starts_with("==")) {
            continue;
        }
        let path = source.path_to(at..at + name.len());
        if path.len() > MAX_DEPTH {
            return None;
        }
        // No pattern is deeper than this, and a file is much larger.
        let Some(near) = path.get(path.len().saturating_sub(PATTERN_DEPTH)) else { continue };
        cursor.set_byte_range(at..at + name.len());
        let mut matches = cursor.matches(query, *near, text.as_bytes());
        while let Some(one) = matches.next() {
            let mut binding = Binding { imported: None, module: None, value: None, annotation: None, body: None };
            let mut here = false;
            for capture in one.captures() {
                let node = capture.node;
                match captures.get(capture.index as usize).copied() {
                    Some("name") => here |= node.start_byte() == at,
                    Some("source") => binding.module = Some(source.of(node).trim_matches(['"', '\''])),
                    Some("value") => binding.value = Some(node),
                    Some("body") => binding.body = Some(node),
                    Some("type") => binding.annotation = Some(source.of(node)),
                    _ => {}
                }
                if captures.get(capture.index as usize) == Some(&"imported") {
                    binding.imported = Some(source.of(node).trim_matches(['"', '\'']));
                }
            }
            if here {
                if binding.body.is_none() {
                    binding.body = binding.value.and_then(function_body);
                }
                found.push(binding);
            }
        }
        if cursor.did_exceed_match_limit() {
            return None;
        }
    }
    Some(found)
}

fn function_body(value: Node<'_>) -> Option<Node<'_>> {
    let value = unwrapped(value);
    kind(value).is_function().then(|| value.child_by_field_name("body")).flatten()
}
