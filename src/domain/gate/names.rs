//! Names: where they occur, what binds them, and where a bound thing is used.
//!
//! Found by text first and by tree second, so that the cost follows the name and not the file. Scopes are read roughly
//! and always to the wide side: a use too many makes the gate stricter, never laxer.

use std::ops::Range;

use tree_sitter::{Node, QueryCursor, StreamingIterator as _};

use crate::source::language::{Kind, kind};
use crate::source::syntax::{Source, unwrapped};

/// How many occurrences of one name are looked at before the file counts as too hard.
const MAX_OCCURRENCES: usize = 20_000;

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
        cursor.set_byte_range(at..at + name.len());
        let mut matches = cursor.matches(query, source.root(), text.as_bytes());
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

/// A name with what it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bound {
    /// A variable or a function, visible in a range.
    Local(String, Range<usize>),
    /// A member of a class: its name and the class's name, empty where it has none.
    Member(String, String),
    /// A value in an object held by a variable, or in an enum: the variable and the keys.
    Held(String, Vec<String>),
}

/// One mention of a bound thing.
#[derive(Debug, Clone)]
pub(super) struct Use<'s> {
    /// The nodes from the root to the mention, which is last.
    pub(super) path: Vec<Node<'s>>,
    /// Whether the mention is of the whole container, so that anything may become of the value.
    pub(super) whole: bool,
}

/// All mentions of what is bound, apart from the place that binds it. `None` where that cannot be told.
pub(super) fn uses<'s>(source: &'s Source<'_>, bound: &Bound) -> Option<Vec<Use<'s>>> {
    let name = match bound {
        Bound::Local(name, _) | Bound::Member(name, _) | Bound::Held(name, _) => name,
    };
    let mut found = Vec::new();
    for at in occurrences(source.text(), name.trim_start_matches('#'))? {
        if let Bound::Local(_, scope) = bound
            && !scope.contains(&at)
        {
            continue;
        }
        let mut path = source.path_to(at..at + name.trim_start_matches('#').len());
        let Some(mention) = mention(source, &mut path, bound) else { continue };
        if !is_binding(&path) {
            found.push(Use { path, whole: mention });
        }
    }
    Some(found)
}

/// Shapes `path` so that it ends in the mention; says whether it is of the whole container. `None` where it is another
/// thing of that name.
fn mention(source: &Source<'_>, path: &mut Vec<Node<'_>>, bound: &Bound) -> Option<bool> {
    let leaf = *path.last()?;
    let parent = *path.get(path.len().checked_sub(2)?)?;
    match bound {
        Bound::Local(..) => matches!(kind(leaf), Kind::Identifier | Kind::Shorthand).then_some(false),
        Bound::Member(_, class) => {
            let member = match kind(leaf) {
                Kind::Property | Kind::PrivateProperty if kind(parent) == Kind::Member => parent,
                _ => return None,
            };
            let object = unwrapped(member.child_by_field_name("object")?);
            let of_class = match kind(object) {
                Kind::This | Kind::Super => true,
                Kind::Identifier => {
                    let name = source.of(object);
                    name == class || bindings(source, name)?.iter().any(|binding| is_instance(source, binding, class))
                }
                _ => false,
            };
            path.pop();
            of_class.then_some(false)
        }
        Bound::Held(_, keys) => {
            if kind(leaf) != Kind::Identifier {
                return None;
            }
            for key in keys {
                let Some(outer) = enclosing(path) else { return Some(true) };
                let name = match kind(outer) {
                    Kind::Member => outer.child_by_field_name("property").map(|property| source.of(property)),
                    Kind::Subscript => outer
                        .child_by_field_name("index")
                        .filter(|index| kind(*index) == Kind::String)
                        .map(|index| source.of(index).trim_matches(['"', '\''])),
                    _ => return Some(true),
                };
                match name {
                    Some(name) if name == key => {}
                    Some(_) => return None,
                    None => return Some(true),
                }
                while path.last() != Some(&outer) {
                    path.pop();
                }
            }
            Some(false)
        }
    }
}

/// The node around the last one, past wrappers, if the last one is what it accesses.
fn enclosing<'s>(path: &[Node<'s>]) -> Option<Node<'s>> {
    let mut child = path.last()?;
    for parent in path.iter().rev().skip(1) {
        if kind(*parent).is_wrapper() {
            child = parent;
            continue;
        }
        return (parent.child_by_field_name("object").as_ref() == Some(child)).then_some(*parent);
    }
    None
}

fn is_instance(source: &Source<'_>, binding: &Binding<'_>, class: &str) -> bool {
    let typed = binding.annotation.is_some_and(|text| text.trim_start_matches(':').trim() == class);
    let constructed = binding.value.map(unwrapped).is_some_and(|value| {
        kind(value) == Kind::New
            && value.child_by_field_name("constructor").is_some_and(|name| source.of(name) == class)
    });
    !class.is_empty() && (typed || constructed)
}

/// Whether the mention is the place that binds or re-exports the name, or stands in a type.
fn is_binding(path: &[Node<'_>]) -> bool {
    let Some(leaf) = path.last() else { return false };
    let Some(parent) = path.iter().rev().nth(1) else { return false };
    match kind(*parent) {
        Kind::Declarator | Kind::Function | Kind::Enum | Kind::Class => {
            parent.child_by_field_name("name") == Some(*leaf)
        }
        Kind::Assignment => parent.child_by_field_name("left") == Some(*leaf),
        Kind::ExportSpecifier | Kind::TypeQuery | Kind::ImportSpecifier | Kind::Export => true,
        _ => path.iter().rev().take(4).any(|node| kind(*node) == Kind::TypeQuery),
    }
}

/// What the declaration at `path[at]` binds, given that the value of interest is inside `path[at + 1]`.
pub(super) fn bound_by(source: &Source<'_>, path: &[Node<'_>], at: usize) -> Vec<Bound> {
    let Some(declaration) = path.get(at) else { return Vec::new() };
    let text = |node: Node<'_>| source.of(node).to_owned();
    match kind(*declaration) {
        Kind::Declarator => {
            let Some(name) = declaration.child_by_field_name("name") else { return Vec::new() };
            let scope = scope(path, at);
            pattern_names(source, name).into_iter().map(|name| Bound::Local(name, scope.clone())).collect()
        }
        Kind::Assignment => match declaration.child_by_field_name("left") {
            Some(left) if kind(left) == Kind::Identifier => {
                vec![Bound::Local(text(left), 0..source.text().len())]
            }
            Some(left) if kind(left) == Kind::Member => {
                let property = left.child_by_field_name("property").map(text);
                let object = left.child_by_field_name("object").map(|object| kind(object));
                match (property, object) {
                    (Some(property), Some(Kind::This)) => vec![Bound::Member(property, class_of(source, path, at))],
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        },
        Kind::Field | Kind::Method => match declaration.child_by_field_name("name") {
            Some(name) if path.get(at.wrapping_sub(1)).is_some_and(|parent| kind(*parent) == Kind::ClassBody) => {
                vec![Bound::Member(text(name), class_of(source, path, at))]
            }
            Some(_) => held(source, path, at).into_iter().collect(),
            None => Vec::new(),
        },
        Kind::Function => match declaration.child_by_field_name("name") {
            Some(name) => vec![Bound::Local(text(name), scope(path, at))],
            None => Vec::new(),
        },
        Kind::Pair | Kind::EnumMember => held(source, path, at).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The names in a pattern.
fn pattern_names(source: &Source<'_>, pattern: Node<'_>) -> Vec<String> {
    let mut names = Vec::new();
    source.walk(&pattern.byte_range(), |node| {
        if matches!(kind(node), Kind::Identifier | Kind::ShorthandPattern)
            && node.start_byte() >= pattern.start_byte()
            && node.end_byte() <= pattern.end_byte()
        {
            names.push(source.of(node).to_owned());
        }
        true
    });
    names
}

/// The block, or the file, in which a declaration is seen.
fn scope(path: &[Node<'_>], at: usize) -> Range<usize> {
    let around = path.get(..at).unwrap_or_default().iter().rev();
    let mut seen = around.filter(|node| matches!(kind(**node), Kind::Block | Kind::Program | Kind::For | Kind::ForIn));
    seen.next().map_or(0..usize::MAX, tree_sitter::Node::byte_range)
}

/// The name of the class around `path[at]`.
fn class_of(source: &Source<'_>, path: &[Node<'_>], at: usize) -> String {
    let class = path.get(..at).unwrap_or_default().iter().rev().find(|node| kind(**node) == Kind::Class);
    let name = class.and_then(|class| {
        // `const A = class { … }` is as good as a name, but rare; an unnamed class is known by `this` alone.
        class.child_by_field_name("name")
    });
    name.map_or(String::new(), |name| source.of(name).to_owned())
}

/// The container and the keys of the member `path[at]` of an object or enum.
fn held(source: &Source<'_>, path: &[Node<'_>], at: usize) -> Option<Bound> {
    let mut keys = Vec::new();
    for node in path.get(..=at)?.iter().rev() {
        match kind(*node) {
            Kind::Pair | Kind::EnumMember | Kind::Method => {
                let key = node.child_by_field_name(if kind(*node) == Kind::Pair { "key" } else { "name" })?;
                keys.push(source.of(key).trim_matches(['"', '\'']).to_owned());
            }
            Kind::Field => {
                // An object in a field: known by the field.
                let field = node.child_by_field_name("name")?;
                return Some(Bound::Member(source.of(field).to_owned(), String::new()));
            }
            Kind::Declarator | Kind::Enum => {
                keys.reverse();
                let name = node.child_by_field_name("name").filter(|name| kind(*name) == Kind::Identifier)?;
                return Some(Bound::Held(source.of(name).to_owned(), keys));
            }
            Kind::Object | Kind::EnumBody | Kind::Arguments => {}
            Kind::Call => {
                // `Object.freeze({ … })` holds what it is given.
                let function = node.child_by_field_name("function")?;
                if source.of(function) != "Object.freeze" {
                    return None;
                }
            }
            other if other.is_wrapper() => {}
            _ => return None,
        }
    }
    None
}
