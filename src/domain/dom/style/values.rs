//! What the values of declarations mean.

use cssparser::{Parser, Token};

use super::Display;
use crate::domain::dom::Element;

/// A value after the keywords that every property has are taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given<T> {
    Value(T),
    Inherit,
    Initial,
    Unset,
    Revert,
}

fn wide<T>(value: &str) -> Option<Given<T>> {
    Some(match value {
        "inherit" => Given::Inherit,
        "initial" => Given::Initial,
        "unset" => Given::Unset,
        "revert" | "revert-layer" => Given::Revert,
        _ => return None,
    })
}

/// `display`; `None` where the browser would not take the value.
pub(super) fn display(value: &str) -> Option<Given<Display>> {
    const BLOCKS: [&str; 22] = [
        "block",
        "inline-block",
        "flow-root",
        "list-item",
        "table",
        "inline-table",
        "table-row",
        "table-cell",
        "table-caption",
        "table-column",
        "table-column-group",
        "table-row-group",
        "table-header-group",
        "table-footer-group",
        "ruby",
        "ruby-text",
        "math",
        "-webkit-box",
        "-webkit-inline-box",
        "run-in",
        "flow",
        "inline",
    ];
    let value = value.to_ascii_lowercase();
    if let Some(wide) = wide(&value) {
        return Some(wide);
    }
    Some(Given::Value(match value.as_str() {
        "none" => Display::None,
        "contents" => Display::Contents,
        "inline" | "inline flow" => Display::Inline,
        "flex"
        | "inline-flex"
        | "grid"
        | "inline-grid"
        | "-webkit-flex"
        | "-webkit-inline-flex"
        | "block flex"
        | "block grid"
        | "inline flex"
        | "inline grid"
        | "-webkit-box"
        | "-webkit-inline-box" => Display::Container,
        _ if !value.is_empty() && value.split_ascii_whitespace().all(|word| BLOCKS.contains(&word)) => Display::Block,
        _ => return None,
    }))
}

/// `visibility`, as whether it is `visible`.
pub(super) fn visibility(value: &str) -> Option<Given<bool>> {
    let value = value.to_ascii_lowercase();
    match value.as_str() {
        "visible" => Some(Given::Value(true)),
        "hidden" | "collapse" => Some(Given::Value(false)),
        _ => wide(&value),
    }
}

/// `content-visibility`, as whether it is `hidden`.
pub(super) fn content_visibility(value: &str) -> Option<Given<bool>> {
    let value = value.to_ascii_lowercase();
    match value.as_str() {
        "hidden" => Some(Given::Value(true)),
        "visible" | "auto" => Some(Given::Value(false)),
        _ => wide(&value),
    }
}

/// `position` and `float`, as whether they take the element out of the line.
pub(super) fn out_of_line(value: &str) -> Option<Given<bool>> {
    let value = value.to_ascii_lowercase();
    match value.as_str() {
        "absolute" | "fixed" | "left" | "right" | "inline-start" | "inline-end" => Some(Given::Value(true)),
        "static" | "relative" | "sticky" | "-webkit-sticky" | "none" => Some(Given::Value(false)),
        _ => wide(&value),
    }
}

/// A length, as whether it is zero.
pub(super) fn is_zero(value: &str) -> Option<Given<bool>> {
    let value = value.to_ascii_lowercase();
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    wide(&value).or(Some(Given::Value(digits.parse::<f64>() == Ok(0.0))))
}

/// The text of a `content` value; `None` where there is none, or one that is not text. `pseudo` says that it is of
/// `::before` or `::after`; an element's own content counts by its alternative text only.
pub(super) fn content(value: &str, element: &Element, pseudo: bool) -> Option<String> {
    let mut parser = Parser::new(value);
    let mut parts = Vec::new();
    let mut alternative = false;
    while let Ok(token) = parser.next().cloned() {
        match token {
            Token::Delim('/') if !alternative => {
                alternative = true;
                parts.clear();
            }
            Token::QuotedString(text) => parts.push(Some(text.to_string())),
            Token::Function(name) if name.eq_ignore_ascii_case("attr") => {
                let read = parser.parse_nested_block(|parser| {
                    let name = parser.expect_ident_cloned();
                    while parser.next().is_ok() {}
                    Ok::<_, cssparser::ParseError<()>>(name.ok())
                });
                let name = read.ok().flatten();
                parts.push(
                    name.map(|name| element.attribute(&name.to_ascii_lowercase()).unwrap_or_default().to_owned()),
                );
            }
            _ => parts.push(None),
        }
    }
    if parts.is_empty() || (!alternative && !pseudo) {
        return None;
    }
    parts.into_iter().collect()
}
