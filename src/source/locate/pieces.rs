//! What is known about a piece of source once it is found: its ranges, how it is held, who else uses it.

use std::ops::Range;

use crate::source::tree::At;

use super::agree::Match;
use super::candidates;
use super::eval::Evaluator;
use super::steps::Step;
use super::value::{Link, Part, Value};
use super::{Definition, Literal, Piece, Refusal, Shape, Site, TextPart};

pub(super) fn definition<'a>(evaluator: &Evaluator<'a>, found: &Match<'a>) -> Definition {
    let pieces: Vec<Piece> = found
        .chain
        .links
        .iter()
        .zip(&found.steps)
        .filter_map(|(link, steps)| piece(evaluator, link, steps, found))
        .collect();
    let first = found.steps.iter().filter(|steps| !steps.is_empty()).map(|steps| steps.start).min().unwrap_or(0);
    let unexplained = found.chain.head.filter(|_| first > 0).map(|(reason, at)| (0..first, Refusal::at(reason, at)));
    Definition { pieces, steps: found.total, unexplained, in_assertion: found.in_assertion, call: site(found.call) }
}

fn piece<'a>(evaluator: &Evaluator<'a>, link: &Link<'a>, steps: &Range<usize>, found: &Match<'a>) -> Option<Piece> {
    let call = link.call?;
    let name = call.method().or_else(|| call.field("function"))?;
    let arguments = call.field("arguments")?.range();
    let shape = if found.call.contains(call) { Shape::Inline } else { held(call) };
    let mut hops = link.hops.clone();
    hops.reverse();
    let (uses, feeds_expect) = uses(call, shape);
    let from_name = name.node.start_byte()..call.node.end_byte();
    Some(Piece {
        method: link.method.clone(),
        call: Site { range: from_name, ..site(name) },
        arguments,
        legacy: link.legacy,
        texts: texts(evaluator, link, call, found.printed.get(steps.clone()).unwrap_or_default()),
        steps: steps.clone(),
        shape,
        hops,
        feeds_expect,
        uses,
    })
}

/// Whether two matches change the same places.
pub(super) fn same_places(one: &Match<'_>, other: &Match<'_>) -> bool {
    let places = |found: &Match<'_>| -> Vec<(usize, Vec<usize>)> {
        let links = found.chain.links.iter();
        links
            .map(|link| {
                let literals = link.arguments.iter().flat_map(parts_of).map(|at| at.node.id()).collect();
                (link.call.map_or(0, |call| call.node.id()), literals)
            })
            .collect()
    };
    places(one) == places(other)
}

fn parts_of<'v, 'a>(value: &'v Value<'a>) -> impl Iterator<Item = At<'a>> + use<'v, 'a> {
    let parts = match value {
        Value::Text(text) => text.parts.as_slice(),
        _ => &[],
    };
    parts.iter().filter_map(|part| match part {
        Part::Literal(_, at) => Some(*at),
        Part::Hole => None,
    })
}

fn texts<'a>(evaluator: &Evaluator<'a>, link: &Link<'a>, call: At<'a>, printed: &[Step]) -> Vec<super::Text> {
    let arguments = call.field("arguments");
    let part = |part: Part<'a>| match part {
        Part::Hole => TextPart::Hole,
        Part::Literal(value, at) => {
            let is_own = arguments.is_some_and(|arguments| arguments.contains(at));
            let shape = if is_own { Shape::Inline } else { held(at) };
            TextPart::Literal(Literal { site: site(at), value, shape })
        }
    };
    let text = |(option, value)| match value {
        Value::Text(text) => Some(super::Text { option, parts: text.parts.into_iter().map(part).collect() }),
        _ => None,
    };
    evaluator.texts(link, printed).into_iter().filter_map(text).collect()
}

pub(super) fn site(at: At<'_>) -> Site {
    Site { path: at.file.path.clone(), range: at.range(), line: at.line() }
}

/// How an expression is held: by the nearest construct that gives it a name or hands it on.
fn held(at: At<'_>) -> Shape {
    let mut below = at;
    for above in at.ancestors() {
        let is_value = above.field("value") == Some(below);
        match above.kind() {
            "variable_declarator" => return Shape::Variable,
            "public_field_definition" if above.has_token("static") => return Shape::Static,
            "public_field_definition" => return Shape::ClassField,
            "assignment_expression" => {
                let left = above.field("left");
                let is_member = left.is_some_and(|left| left.kind() == "member_expression");
                return if is_member { Shape::AssignedField } else { Shape::Variable };
            }
            "return_statement" => {
                let getter = above.function().is_some_and(|function| function.has_token("get"));
                return if getter { Shape::Getter } else { Shape::Return };
            }
            "arrow_function" => return Shape::Arrow,
            "pair" if is_value && !is_option(above) => return Shape::Property,
            "enum_assignment" => return Shape::EnumMember,
            "required_parameter" | "optional_parameter" | "object_assignment_pattern" => return Shape::Default,
            "array" => return Shape::Element,
            "arguments" if !is_building(above) => return Shape::Argument,
            kind if kind.ends_with("_statement") => return Shape::Inline,
            _ => {}
        }
        below = above;
    }
    Shape::Inline
}

/// Whether an argument list is that of a call that builds a locator.
fn is_building(arguments: At<'_>) -> bool {
    let method = arguments.parent().and_then(At::method);
    method.is_some_and(|name| super::calls::BUILDING.contains(&name.text()))
}

/// Whether a property belongs to the options of a building call.
fn is_option(pair: At<'_>) -> bool {
    pair.parent().and_then(At::parent).is_some_and(|above| above.kind() == "arguments" && is_building(above))
}

/// The node that gives a name to the definition an expression belongs to.
fn naming(at: At<'_>, shape: Shape) -> Option<At<'_>> {
    at.ancestors().find_map(|above| match (shape, above.kind()) {
        (Shape::Inline | Shape::Argument | Shape::Element | Shape::Default, _) => None,
        (Shape::AssignedField | Shape::Variable, "assignment_expression") => {
            let left = above.field("left")?;
            left.field("property").or(Some(left))
        }
        (
            _,
            "variable_declarator"
            | "public_field_definition"
            | "method_definition"
            | "function_declaration"
            | "enum_assignment",
        ) => above.field("name"),
        (_, "pair") => above.field("key"),
        _ => None,
    })
}

/// The other lines of the file that name the definition, and whether one of them asserts on it.
fn uses(at: At<'_>, shape: Shape) -> (Vec<u32>, bool) {
    let Some(name) = naming(at, shape) else { return (Vec::new(), false) };
    let users: Vec<At<'_>> = at
        .file
        .root()
        .descendants()
        .filter(|node| {
            matches!(
                node.kind(),
                "identifier" | "property_identifier" | "private_property_identifier" | "shorthand_property_identifier"
            )
        })
        .filter(|node| node.text() == name.text() && *node != name && !is_declaration(*node))
        .collect();
    let mut lines: Vec<u32> = users.iter().map(|user| user.line()).collect();
    lines.dedup();
    (lines, users.iter().any(|user| is_asserted(*user)))
}

fn is_declaration(name: At<'_>) -> bool {
    name.parent().is_some_and(|parent| {
        matches!(parent.kind(), "public_field_definition" | "variable_declarator" | "method_definition")
            && parent.field("name") == Some(name)
    })
}

/// Whether a node lies in the subject of an assertion, or in a call of something named like one.
pub(super) fn is_asserted(node: At<'_>) -> bool {
    let mut below = node;
    for above in node.ancestors() {
        if above.kind() == "call_expression" && above.field("arguments") == Some(below) {
            let name = above.method().or_else(|| above.field("function")).map_or("", At::text);
            let root = above.field("function").map_or("", At::text);
            let is_expect = root.starts_with("expect") || name.starts_with("expect") || name.starts_with("assert");
            if is_expect || candidates::is_matcher(name) {
                return true;
            }
        }
        if above.kind() == "statement_block" {
            return false;
        }
        below = above;
    }
    false
}
