//! Bound things and their uses: variables, functions, members of classes, and values held in objects and enums.

use std::ops::Range;

use tree_sitter::Node;

use super::names::{Binding, bindings, occurrences};
use crate::source::language::{Kind, kind};
use crate::source::syntax::{Source, unwrapped};

/// A name with what it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bound {
    /// The name of the variable or the member.
    name: String,
    base: Base,
    /// The keys from there to the value, where an object or an enum holds it.
    keys: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Base {
    /// A variable, a function or an enum, visible in a range.
    Local(Range<usize>),
    /// A member of a class of that name; the name is empty where it has none.
    Member(String),
}

impl Bound {
    fn local(name: String, scope: Range<usize>) -> Self {
        Self { name, base: Base::Local(scope), keys: Vec::new() }
    }

    fn member(name: String, class: String) -> Self {
        Self { name, base: Base::Member(class), keys: Vec::new() }
    }
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
    let name = bound.name.trim_start_matches('#');
    let mut found = Vec::new();
    for at in occurrences(source.text(), name)? {
        let seen = match &bound.base {
            Base::Local(scope) => scope.contains(&at),
            Base::Member(_) => true,
        };
        if !seen {
            continue;
        }
        let mut path = source.path_to(at..at + name.len());
        if is_binding(&path) || !is_mention(source, &mut path, &bound.base) || is_binding(&path) {
            continue;
        }
        if let Some(whole) = held_mention(source, &mut path, &bound.keys) {
            found.push(Use { path, whole });
        }
    }
    Some(found)
}

/// Whether `path` ends in a mention of the variable or member; makes it end in the whole access to a member.
fn is_mention(source: &Source<'_>, path: &mut Vec<Node<'_>>, base: &Base) -> bool {
    let [.., parent, leaf] = path.as_slice() else { return false };
    let Base::Member(class) = base else {
        return matches!(kind(*leaf), Kind::Identifier | Kind::Shorthand);
    };
    let member = matches!(kind(*leaf), Kind::Property | Kind::PrivateProperty) && kind(*parent) == Kind::Member;
    let Some(object) = parent.child_by_field_name("object").map(unwrapped).filter(|_| member) else { return false };
    let of_class = match kind(object) {
        Kind::This | Kind::Super => true,
        Kind::Identifier => {
            let name = source.of(object);
            name == class
                || bindings(source, name)
                    .is_none_or(|bindings| bindings.iter().any(|binding| is_instance(source, binding, class)))
        }
        _ => false,
    };
    path.pop();
    of_class
}

/// Follows the keys from the mention of a container to that of the value, and makes `path` end there. Says whether the
/// container is used as a whole; `None` where another of its values is meant.
fn held_mention(source: &Source<'_>, path: &mut Vec<Node<'_>>, keys: &[String]) -> Option<bool> {
    for key in keys {
        let Some(outer) = enclosing(path) else { return Some(true) };
        let name = match kind(outer) {
            Kind::Member => outer.child_by_field_name("property").map(|property| source.of(property)),
            Kind::Subscript => outer
                .child_by_field_name("index")
                .filter(|index| kind(*index) == Kind::String)
                .map(|index| source.of(index).trim_matches(['"', '\'', '`'])),
            _ => None,
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
        Kind::ExportSpecifier | Kind::TypeQuery | Kind::ImportSpecifier | Kind::Export | Kind::ArrayPattern => true,
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
            pattern_names(source, name).into_iter().map(|name| Bound::local(name, scope.clone())).collect()
        }
        Kind::Assignment => match declaration.child_by_field_name("left") {
            Some(left) if kind(left) == Kind::Identifier => {
                vec![Bound::local(text(left), 0..source.text().len())]
            }
            Some(left) if kind(left) == Kind::Member => {
                let property = left.child_by_field_name("property").map(text);
                let object = left.child_by_field_name("object").map(|object| kind(object));
                match (property, object) {
                    (Some(property), Some(Kind::This)) => vec![Bound::member(property, class_of(source, path, at))],
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        },
        Kind::Field | Kind::Method => match declaration.child_by_field_name("name") {
            Some(name) if path.get(at.wrapping_sub(1)).is_some_and(|parent| kind(*parent) == Kind::ClassBody) => {
                vec![Bound::member(text(name), class_of(source, path, at))]
            }
            Some(_) => held(source, path, at).into_iter().collect(),
            None => Vec::new(),
        },
        Kind::Function => match declaration.child_by_field_name("name") {
            Some(name) => vec![Bound::local(text(name), scope(path, at))],
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
    for (above, node) in path.get(..=at)?.iter().enumerate().rev() {
        match kind(*node) {
            Kind::Pair | Kind::EnumMember | Kind::Method => {
                let key = node.child_by_field_name(if kind(*node) == Kind::Pair { "key" } else { "name" })?;
                keys.push(source.of(key).trim_matches(['"', '\'']).to_owned());
            }
            Kind::Declarator | Kind::Enum | Kind::Field => {
                keys.reverse();
                let name = source.of(node.child_by_field_name("name")?).to_owned();
                let base = match kind(*node) {
                    Kind::Field => Base::Member(class_of(source, path, above)),
                    _ => Base::Local(scope(path, above)),
                };
                return Some(Bound { name, base, keys });
            }
            Kind::Object | Kind::EnumBody | Kind::Arguments => {}
            Kind::Call => {
                // `Object.freeze({ … })` holds what it is given.
                if source.of(node.child_by_field_name("function")?) != "Object.freeze" {
                    return None;
                }
            }
            other if other.is_wrapper() => {}
            _ => return None,
        }
    }
    None
}
