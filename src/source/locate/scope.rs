//! Which declaration a name means at a place, and what a file exports. Syntax only; nothing is evaluated.

use crate::source::project::Project;
use crate::source::tree::{At, SourceFile};

/// What declares a name.
#[derive(Debug, Clone)]
pub(super) enum Declaration<'a> {
    /// A variable: its declarator and the name's node inside its pattern.
    Variable(At<'a>, At<'a>),
    /// A loop variable: the `for … of` and the name's node.
    Loop(At<'a>, At<'a>),
    /// A parameter: its function, its index, its node, the name's node.
    Parameter(At<'a>, usize, At<'a>, At<'a>),
    /// A function, class or enum declaration.
    Item(At<'a>),
    /// An import: the statement's file, the specifier, what is imported.
    Import(At<'a>, String, Imported),
}

/// What an import takes from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Imported {
    Named(String),
    Default,
    All,
}

/// What a file exports under a name.
#[derive(Debug, Clone)]
pub(super) enum Export<'a> {
    /// A declaration.
    Declared(Declaration<'a>),
    /// An expression (`export default …`, `module.exports = …`).
    Expression(At<'a>),
}

/// The declaration that `name` means at `at`.
pub(super) fn declaration<'a>(at: At<'a>, name: &str) -> Option<Declaration<'a>> {
    at.ancestors().find_map(|scope| declared_by(scope, name))
}

fn declared_by<'a>(scope: At<'a>, name: &str) -> Option<Declaration<'a>> {
    if scope.is_function() {
        return parameter(scope, name);
    }
    match scope.kind() {
        "program" | "statement_block" | "switch_case" | "switch_default" | "class_static_block" => {
            scope.children().into_iter().find_map(|statement| declared_in(statement, name))
        }
        "for_statement" => scope.field("initializer").and_then(|statement| declared_in(statement, name)),
        "for_in_statement" => {
            let left = scope.field("left")?;
            binding(left, name).map(|at| Declaration::Loop(scope, at))
        }
        "class" | "class_declaration" | "abstract_class_declaration" => {
            scope.field("name").filter(|at| at.text() == name).map(|_| Declaration::Item(scope))
        }
        _ => None,
    }
}

fn parameter<'a>(function: At<'a>, name: &str) -> Option<Declaration<'a>> {
    let parameters = function.parameters();
    let found = parameters.into_iter().enumerate().find_map(|(index, parameter)| {
        let pattern = parameter.field("pattern").unwrap_or(parameter);
        binding(pattern, name).map(|at| Declaration::Parameter(function, index, parameter, at))
    });
    let own_name = || {
        let is_expression = function.kind() == "function_expression";
        let named = function.field("name").filter(|at| is_expression && at.text() == name)?;
        Some(Declaration::Item(named.parent()?))
    };
    found.or_else(own_name)
}

/// The declaration of `name` that a statement makes.
fn declared_in<'a>(statement: At<'a>, name: &str) -> Option<Declaration<'a>> {
    match statement.kind() {
        "export_statement" => declared_in(statement.field("declaration")?, name),
        "lexical_declaration" | "variable_declaration" => statement.children().into_iter().find_map(|declarator| {
            let pattern = declarator.field("name")?;
            binding(pattern, name).map(|at| Declaration::Variable(declarator, at))
        }),
        "function_declaration"
        | "generator_function_declaration"
        | "class_declaration"
        | "abstract_class_declaration"
        | "enum_declaration" => {
            statement.field("name").filter(|at| at.text() == name).map(|_| Declaration::Item(statement))
        }
        "import_statement" => imported_in(statement, name),
        _ => None,
    }
}

fn imported_in<'a>(statement: At<'a>, name: &str) -> Option<Declaration<'a>> {
    for child in statement.children() {
        if child.kind() == "import_require_clause" {
            let source = child.children().into_iter().find_map(At::string_value)?;
            let local = child.children().into_iter().find(|at| at.kind() == "identifier")?;
            return (local.text() == name).then_some(Declaration::Import(statement, source, Imported::All));
        }
    }
    let source = statement.field("source")?.string_value()?;
    let clause = statement.children().into_iter().find(|child| child.kind() == "import_clause")?;
    let what = clause.children().into_iter().find_map(|part| match part.kind() {
        "identifier" => (part.text() == name).then_some(Imported::Default),
        "namespace_import" => (part.children().first()?.text() == name).then_some(Imported::All),
        "named_imports" => part.children().into_iter().find_map(|specifier| {
            let imported = specifier.field("name")?;
            let local = specifier.field("alias").unwrap_or(imported);
            (local.text() == name).then(|| named(imported))
        }),
        _ => None,
    })?;
    Some(Declaration::Import(statement, source, what))
}

fn named(at: At<'_>) -> Imported {
    match at.key_name() {
        Some(name) if name == "default" => Imported::Default,
        name => Imported::Named(name.unwrap_or_default()),
    }
}

/// The node that binds `name` inside a pattern.
fn binding<'a>(pattern: At<'a>, name: &str) -> Option<At<'a>> {
    pattern.descendants().find(|at| {
        matches!(at.kind(), "identifier" | "shorthand_property_identifier_pattern")
            && at.text() == name
            && !is_default_value(*at, pattern)
    })
}

/// Whether a node lies in the default value (or computed key) of a pattern rather than in what it binds.
fn is_default_value(at: At<'_>, pattern: At<'_>) -> bool {
    let mut below = at;
    for above in at.ancestors() {
        if below == pattern {
            return false;
        }
        let right = above.field("right").or_else(|| above.field("value").filter(|_| above.kind() != "pair_pattern"));
        if right.is_some_and(|right| right == below) || above.kind() == "computed_property_name" {
            return true;
        }
        below = above;
    }
    false
}

/// A step from a destructured value to what a name in its pattern is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    Name(String),
    Index(usize),
    Rest,
}

/// The steps from the value of `pattern` to the binding `name` inside it, outermost first.
pub(super) fn path_in(pattern: At<'_>, name: At<'_>) -> Vec<Key> {
    let mut path = Vec::new();
    let mut below = name;
    if below.kind() == "shorthand_property_identifier_pattern" {
        path.push(Key::Name(below.text().to_owned()));
    }
    for above in name.ancestors() {
        if below == pattern {
            break;
        }
        match above.kind() {
            "pair_pattern" => path.extend(above.field("key").and_then(At::key_name).map(Key::Name)),
            "array_pattern" => path.push(index_in(above, below).map_or(Key::Rest, Key::Index)),
            "rest_pattern" => path.push(Key::Rest),
            _ => {}
        }
        below = above;
    }
    path.reverse();
    path
}

/// The position of an element in an array pattern: holes count, so commas are counted.
fn index_in(array: At<'_>, element: At<'_>) -> Option<usize> {
    let mut cursor = array.node.walk();
    let mut index = 0;
    for child in array.node.children(&mut cursor) {
        if child == element.node {
            return Some(index);
        }
        index += usize::from(child.kind() == ",");
    }
    None
}

/// What `file` exports as `what`; re-exports are followed. `None` where it exports no such thing.
pub(super) fn export<'a>(project: &'a Project, file: &'a SourceFile, what: &Imported) -> Option<Export<'a>> {
    let mut queue = vec![(file, what.clone())];
    let mut seen = 0;
    while let Some((file, what)) = queue.pop() {
        seen += 1;
        if seen > 64 {
            return None;
        }
        for statement in file.root().children() {
            match exported_by(statement, &what) {
                Found::Here(export) => return Some(export),
                Found::Elsewhere(specifier, inner) => {
                    queue.extend(project.imported(file, &specifier).map(|file| (file, inner)));
                }
                Found::Nothing => {}
            }
        }
    }
    None
}

enum Found<'a> {
    Here(Export<'a>),
    Elsewhere(String, Imported),
    Nothing,
}

fn exported_by<'a>(statement: At<'a>, what: &Imported) -> Found<'a> {
    match statement.kind() {
        "export_statement" => exported_by_statement(statement, what),
        "expression_statement" => {
            commonjs(statement, what).map_or(Found::Nothing, |at| Found::Here(Export::Expression(at)))
        }
        _ => Found::Nothing,
    }
}

fn exported_by_statement<'a>(statement: At<'a>, what: &Imported) -> Found<'a> {
    let here = |declaration| Found::Here(Export::Declared(declaration));
    if *what == Imported::Default && statement.has_token("default") {
        if let Some(value) = statement.field("value") {
            return Found::Here(Export::Expression(value));
        }
        return statement.field("declaration").map_or(Found::Nothing, |item| here(Declaration::Item(item)));
    }
    if *what == Imported::Default && statement.has_token("=") {
        let value = statement.children().into_iter().next_back();
        return value.map_or(Found::Nothing, |value| Found::Here(Export::Expression(value)));
    }
    let source = statement.field("source").and_then(At::string_value);
    let clause = statement.children().into_iter().find(|child| child.kind() == "export_clause");
    let wanted = match what {
        Imported::Named(name) => name.as_str(),
        Imported::Default => "default",
        Imported::All => return Found::Nothing,
    };
    if let Some(clause) = clause {
        let specifier = clause.children().into_iter().find(|specifier| {
            let exported = specifier.field("alias").or_else(|| specifier.field("name"));
            exported.and_then(At::key_name).as_deref() == Some(wanted)
        });
        let Some(inner) = specifier.and_then(|specifier| specifier.field("name")) else { return Found::Nothing };
        return match source {
            Some(source) => Found::Elsewhere(source, named(inner)),
            None => declaration(inner, inner.text()).map_or(Found::Nothing, here),
        };
    }
    if let Some(source) = source {
        return Found::Elsewhere(source, what.clone());
    }
    declared_in(statement, wanted).map_or(Found::Nothing, here)
}

/// The value of `module.exports = …`, `module.exports.name = …` and `exports.name = …`.
fn commonjs<'a>(statement: At<'a>, what: &Imported) -> Option<At<'a>> {
    let assignment = statement.children().into_iter().next().filter(|at| at.kind() == "assignment_expression")?;
    let (left, right) = (assignment.field("left")?, assignment.field("right")?);
    let whole = left.text() == "module.exports";
    match what {
        Imported::Named(name) => {
            let owner = left.field("object").filter(|at| matches!(at.text(), "module.exports" | "exports"));
            if owner.is_some() && left.field("property")?.text() == name {
                return Some(right);
            }
            let literal = right.bare();
            (whole && literal.kind() == "object").then(|| property(literal, name)).flatten()
        }
        Imported::Default | Imported::All => whole.then_some(right),
    }
}

/// The value (or shorthand name, or method) that an object literal has under a key; the last one counts.
pub(super) fn property<'a>(object: At<'a>, name: &str) -> Option<At<'a>> {
    object.children().into_iter().rev().find_map(|entry| match entry.kind() {
        "pair" => (entry.field("key")?.key_name()? == name).then(|| entry.field("value")).flatten(),
        "shorthand_property_identifier" => (entry.text() == name).then_some(entry),
        "method_definition" => (entry.field("name")?.key_name()? == name).then_some(entry),
        _ => None,
    })
}
