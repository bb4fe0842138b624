//! The file's own way of writing: which quotes, and whether braces have space inside.

use crate::domain::locator::render::Quote;
use crate::source::tree::{At, SourceFile};

/// How a file writes strings and object literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStyle {
    pub(super) quote: Quote,
    /// `{ a }` rather than `{a}`.
    pub(super) spaced: bool,
}

/// The quotes a literal is written in.
pub(super) fn quote_of(literal: &str) -> Quote {
    match literal.chars().next() {
        Some('"') => Quote::Double,
        Some('`') => Quote::Backtick,
        _ => Quote::Single,
    }
}

/// The file's style; a literal near the change decides the quotes when it has any.
pub(super) fn of_file(file: &SourceFile, near: Option<&str>) -> FileStyle {
    let (mut double, mut single, mut spaced, mut tight) = (0, 0, 0, 0);
    for at in file.root().descendants() {
        match at.kind() {
            "string" if at.text().starts_with('"') => double += 1,
            "string" => single += 1,
            "object" | "object_pattern" | "named_imports" if at.text().len() > 2 && !at.text().contains('\n') => {
                if at.text().starts_with("{ ") {
                    spaced += 1;
                } else {
                    tight += 1;
                }
            }
            _ => {}
        }
    }
    let majority = if double > single { Quote::Double } else { Quote::Single };
    let quote = near.map(quote_of).filter(|quote| *quote != Quote::Backtick).unwrap_or(majority);
    FileStyle { quote, spaced: spaced >= tight }
}

/// Written source with the file's spacing inside braces. `source` is what the renderer writes: one space each.
pub(super) fn respaced(style: FileStyle, source: &str) -> String {
    if style.spaced {
        return source.to_owned();
    }
    let Ok(tree) = crate::source::language::Grammar::TypeScript.parse(source, None) else { return source.to_owned() };
    let file = SourceFile { path: String::new(), text: source.to_owned(), tree };
    let mut cuts: Vec<usize> = Vec::new();
    for at in file.root().descendants().filter(|at: &At<'_>| at.kind() == "object") {
        if at.text().starts_with("{ ") && at.text().ends_with(" }") {
            cuts.extend([at.node.start_byte() + 1, at.node.end_byte() - 2]);
        }
    }
    source.char_indices().filter(|(at, _)| !cuts.contains(at)).map(|(_, c)| c).collect()
}
