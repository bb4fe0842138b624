//! Changing a whole building call: its method and arguments, with every expression that stood in it kept.

use crate::domain::locator::{Pattern, Step};
use crate::source::language::Grammar;
use crate::source::locate::{Piece, Text};
use crate::source::project::Project;
use crate::source::tree::{At, SourceFile};

use super::style::{self, FileStyle};
use super::{Change, Patch, Reason, selector, text};

/// Rewrites the call of one piece.
pub(super) fn of_one<'p>(project: &'p Project, change: &Change<'_>, piece: &Piece) -> Result<Patch<'p>, Reason> {
    let covers_start = change.steps.start >= piece.steps.start;
    if piece.legacy || !covers_start || change.steps.end > piece.steps.end {
        return Err(Reason::NotAString);
    }
    let file = project.file(&piece.call.path).ok_or(Reason::NoPiece)?;
    let call = call_node(file, piece).ok_or(Reason::NoPiece)?;
    let style = style::of_file(file, near(file, piece));
    // What the call says besides the steps that are replaced.
    let own = if piece.method == "locator" || piece.method == "frameLocator" {
        selector::own_parts(change, piece)
    } else {
        change.old.steps.get(piece.steps.clone()).unwrap_or_default()
    };
    let first = change.steps.start - piece.steps.start;
    let last = change.steps.end - piece.steps.start;
    let (Some(before), Some(behind)) = (own.get(..first), own.get(last..)) else {
        return Err(Reason::NotWritable);
    };
    if piece.method == "filter" {
        return Err(Reason::NotWritable);
    }
    let receiver = page_of(call);
    let mut written: Vec<String> = selector::calls(before, style, receiver);
    let kept = Kept::of(change, piece, call);
    let new_calls = selector::calls(change.new, style, receiver);
    written.extend(kept.woven(new_calls, style)?);
    written.extend(selector::calls(behind, style, receiver));
    if piece.method == "frameLocator" && change.new.last() != Some(&Step::EnterFrame) {
        written.push("contentFrame()".to_owned());
    }
    if piece.method == "locator"
        && let Some(options) = call.arguments().get(1)
    {
        written.push(format!("filter({})", options.text()));
    }
    Ok(Patch { file, range: piece.call.range.clone(), text: written.join(".") })
}

/// Rewrites several neighbouring calls of one chain as one: a base with its position, a frame with what is in it.
pub(super) fn of_several<'p>(
    project: &'p Project,
    change: &Change<'_>,
    pieces: &[&Piece],
) -> Result<Patch<'p>, Reason> {
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return Err(Reason::NoPiece) };
    let whole = first.steps.start == change.steps.start && last.steps.end == change.steps.end;
    let same_file = pieces.iter().all(|piece| piece.call.path == first.call.path && !piece.legacy);
    if !whole || !same_file {
        return Err(Reason::SeveralPlaces);
    }
    let file = project.file(&first.call.path).ok_or(Reason::NoPiece)?;
    for pair in pieces.windows(2) {
        let [one, next] = pair else { continue };
        let between = file.text.get(one.call.range.end..next.call.range.start).ok_or(Reason::SeveralPlaces)?;
        if between.trim() != "." {
            return Err(Reason::SeveralPlaces);
        }
    }
    if pieces.iter().any(|piece| holds_expressions(file, piece)) {
        return Err(Reason::DroppedExpression);
    }
    let style = style::of_file(file, near(file, first));
    let receiver = call_node(file, first).map_or("page", page_of);
    let written = selector::calls(change.new, style, receiver).join(".");
    Ok(Patch { file, range: first.call.range.start..last.call.range.end, text: written })
}

/// Whether a call's arguments hold an expression that must not be lost.
pub(super) fn holds_expressions(file: &SourceFile, piece: &Piece) -> bool {
    call_node(file, piece).is_none_or(|call| !retained(call).is_empty())
}

/// The source of the call's first literal, which decides the quotes.
fn near<'p>(file: &'p SourceFile, piece: &Piece) -> Option<&'p str> {
    let literals = piece.texts.iter().flat_map(Text::literals);
    let inside =
        literals.filter(|literal| literal.site.path == file.path && literal.site.range.start >= piece.arguments.start);
    inside.into_iter().find_map(|literal| file.text.get(literal.site.range.clone()))
}

fn call_node<'p>(file: &'p SourceFile, piece: &Piece) -> Option<At<'p>> {
    let name = file.at(piece.call.range.start)?;
    name.ancestors().find(|at| at.kind() == "call_expression" && at.node.end_byte() == piece.call.range.end)
}

/// The page that the chain of a call hangs on, for locators inside arguments; `page` where it hangs on something else.
fn page_of(call: At<'_>) -> &str {
    let mut at = call;
    while let Some(inner) = match at.kind() {
        "call_expression" => at.field("function"),
        "member_expression" if at.parent().is_some_and(|above| above.kind() == "call_expression") => at.field("object"),
        _ => None,
    } {
        at = inner.bare();
    }
    let text = at.text();
    let name = text.rsplit(['.', '#']).next().unwrap_or_default();
    if name.to_ascii_lowercase().ends_with("page") && !text.contains('(') { text } else { "page" }
}

/// The expressions in a call's arguments that are not literals, as they stand there.
fn retained(call: At<'_>) -> Vec<&str> {
    expressions_in(call.arguments())
}

fn expressions_in(arguments: Vec<At<'_>>) -> Vec<&str> {
    let mut out = Vec::new();
    let mut queue = arguments;
    while let Some(at) = queue.pop() {
        match at.kind() {
            "string" | "number" | "true" | "false" | "regex" | "undefined" | "null" => {}
            "template_string" => {
                queue.extend(at.children().into_iter().filter(|child| child.kind() == "template_substitution"));
            }
            "template_substitution" | "object" | "array" | "parenthesized_expression" => queue.extend(at.children()),
            "pair" => queue.extend(at.field("value")),
            _ => out.push(at.text()),
        }
    }
    out
}

/// The expressions in the arguments of a written chain.
fn retained_in(chain: &str) -> Vec<String> {
    let Some(file) = parsed(&format!("page.{chain}")) else { return Vec::new() };
    let calls = file.root().descendants().filter(|at| at.kind() == "call_expression");
    calls.flat_map(|call| retained(call).into_iter().map(str::to_owned).collect::<Vec<String>>()).collect()
}

fn parsed(source: &str) -> Option<SourceFile> {
    let tree = Grammar::TypeScript.parse(source, None).ok()?;
    Some(SourceFile { path: String::new(), text: source.to_owned(), tree })
}

/// The expressions of the old call with the values they had in the run, so that the new call can hold them.
struct Kept<'p> {
    retained: Vec<&'p str>,
    /// A value of the run, the expression it came from, and whether that expression is the whole argument.
    values: Vec<(String, Expression<'p>)>,
}

/// Where a value came from.
#[derive(Clone)]
enum Expression<'p> {
    /// The whole argument is this expression; its option's name decides whether shorthand may stay.
    Whole(&'p str, &'static str),
    /// A substitution of a template.
    Substitution(&'p str),
}

impl<'p> Kept<'p> {
    fn of(change: &Change<'_>, piece: &Piece, call: At<'p>) -> Self {
        let mut values = Vec::new();
        let old = change.old.steps.get(piece.steps.clone()).unwrap_or_default();
        for option in ["", "name", "hasText", "hasNotText"] {
            let Some(value) = value_of(old, option) else { continue };
            let Some(expression) = argument(call, option) else { continue };
            match expression.kind() {
                "string" => {}
                "template_string" => {
                    let substitutions =
                        expression.children().into_iter().filter(|child| child.kind() == "template_substitution");
                    let holes = piece.text(option).and_then(|text| text::hole_values(text, &value));
                    let holes = holes.unwrap_or_default().into_iter();
                    values.extend(holes.zip(substitutions.map(|at| Expression::Substitution(at.text()))));
                }
                _ => values.push((value, Expression::Whole(expression.text(), option))),
            }
        }
        // The options of `locator` move to a filter as they are.
        let own = if piece.method == "locator" { 1 } else { usize::MAX };
        Self { retained: expressions_in(call.arguments().into_iter().take(own).collect()), values }
    }

    /// The new calls with the old expressions in place of the values they had.
    fn woven(&self, calls: Vec<String>, style: FileStyle) -> Result<Vec<String>, Reason> {
        let mut calls = calls;
        for (value, expression) in &self.values {
            let literal = style.quote.quote(value);
            for call in &mut calls {
                match expression {
                    Expression::Whole(source, option) => {
                        let shorthand = format!("{option}: {literal}");
                        if source == option && call.contains(&shorthand) {
                            *call = call.replacen(&shorthand, source, 1);
                        } else {
                            *call = call.replacen(&literal, source, 1);
                        }
                    }
                    Expression::Substitution(source) => {
                        if let Some(new) = substituted(call, value, source, style) {
                            *call = new;
                        }
                    }
                }
            }
        }
        let written = retained_in(&calls.join("."));
        let all = self.retained.iter().all(|expression| written.iter().any(|kept| kept == expression));
        if all { Ok(calls) } else { Err(Reason::DroppedExpression) }
    }
}

/// The call with the one string that contains `value` turned into a template with `source` in its place.
fn substituted(call: &str, value: &str, source: &str, style: FileStyle) -> Option<String> {
    let file = parsed(call)?;
    let mut literals = file.root().descendants().filter(|at| matches!(at.kind(), "string" | "template_string"));
    let literal = literals.find(|at| at.text().contains(value))?;
    let inside = if literal.kind() == "string" {
        crate::source::literal::escape(&literal.string_value()?, '`')
    } else {
        literal.text().trim_matches('`').to_owned()
    };
    if inside.matches(value).count() != 1 || style.quote == crate::domain::locator::render::Quote::Backtick {
        return None;
    }
    let mut out = call.to_owned();
    out.replace_range(literal.range(), &format!("`{}`", inside.replacen(value, source, 1)));
    Some(out)
}

/// The string that the old steps say under an option's name.
fn value_of(steps: &[Step], option: &str) -> Option<String> {
    let text = |pattern: &Pattern| pattern.text().map(str::to_owned);
    steps.iter().find_map(|step| match (step, option) {
        (Step::Role(role), "") => Some(role.role.clone()),
        (Step::Role(role), "name") => role.name.as_ref().and_then(text),
        (
            Step::Text(pattern) | Step::Label(pattern) | Step::TestId { pattern, .. } | Step::Attribute { pattern, .. },
            "",
        )
        | (Step::HasText(pattern), "hasText")
        | (Step::HasNotText(pattern), "hasNotText") => text(pattern),
        (Step::Css(body) | Step::XPath(body), "") => Some(body.clone()),
        _ => None,
    })
}

/// The expression of the first argument, or of an option.
fn argument<'p>(call: At<'p>, option: &str) -> Option<At<'p>> {
    let arguments = call.arguments();
    if option.is_empty() {
        return arguments.first().copied();
    }
    let objects = arguments.into_iter().filter(|at| at.kind() == "object");
    objects.flat_map(At::children).find_map(|entry| match entry.kind() {
        "pair" => (entry.field("key")?.key_name()? == option).then(|| entry.field("value")).flatten(),
        "shorthand_property_identifier" => (entry.text() == option).then_some(entry),
        _ => None,
    })
}
