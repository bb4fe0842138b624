//! Whether `@media` and `@supports` hold: for Playwright's desktop Chromium, a light page on a screen of known size.

use cssparser::{Parser, Token};

use crate::domain::dom::Viewport;
use crate::domain::dom::css::native::{self, Reading};

/// How deep conditions may be nested, so that hostile text cannot exhaust the stack.
const MAX_DEPTH: usize = 16;
/// What an `em` is in a media query, in CSS pixels: the browser's font size, whatever the page sets.
const EM: f64 = 16.0;

/// What a condition is about.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Media(Viewport),
    Supports,
}

/// A list of media queries, of which one must hold. An empty list holds.
pub(super) fn media(parser: &mut Parser<'_>, viewport: Viewport) -> bool {
    if parser.is_exhausted() {
        return true;
    }
    let queries = parser.parse_comma_separated(|parser| Ok::<_, native::Error>(query(parser, viewport)));
    queries.is_ok_and(|queries| queries.contains(&true))
}

fn query(parser: &mut Parser<'_>, viewport: Viewport) -> bool {
    let kind = Kind::Media(viewport);
    let negated = parser.try_parse(|parser| {
        parser.expect_ident_matching("not").map_err(|_| ())?;
        // `not (…)` is a condition, `not screen` negates a query.
        let before = parser.state();
        let is_type = matches!(parser.next(), Ok(Token::Ident(_)));
        parser.reset(&before);
        if is_type { Ok(()) } else { Err(()) }
    });
    _ = parser.try_parse(|parser| parser.expect_ident_matching("only"));
    let media_type = parser.try_parse(|parser| match parser.next() {
        Ok(Token::Ident(name)) if !name.eq_ignore_ascii_case("not") => Ok(name.to_ascii_lowercase()),
        _ => Err(()),
    });
    let mut holds = media_type.as_ref().map_or(true, |name| matches!(name.as_str(), "all" | "screen"));
    if media_type.is_ok() {
        while parser.try_parse(|parser| parser.expect_ident_matching("and")).is_ok() {
            holds &= condition(parser, kind, 0);
        }
    } else {
        holds = condition(parser, kind, 0);
    }
    let read = parser.is_exhausted();
    while parser.next().is_ok() {}
    read && (holds != negated.is_ok())
}

/// `not (…)`, `(…) and (…)`, `(…) or (…)`.
pub(super) fn condition(parser: &mut Parser<'_>, kind: Kind, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    if parser.try_parse(|parser| parser.expect_ident_matching("not")).is_ok() {
        return !term(parser, kind, depth);
    }
    let mut holds = term(parser, kind, depth);
    loop {
        if parser.try_parse(|parser| parser.expect_ident_matching("and")).is_ok() {
            holds &= term(parser, kind, depth);
        } else if parser.try_parse(|parser| parser.expect_ident_matching("or")).is_ok() {
            holds |= term(parser, kind, depth);
        } else {
            return holds;
        }
    }
}

fn term(parser: &mut Parser<'_>, kind: Kind, depth: usize) -> bool {
    match parser.next().cloned() {
        Ok(Token::ParenthesisBlock) => {
            let held = parser.parse_nested_block(|parser| {
                let before = parser.state();
                let nested = match parser.next().cloned() {
                    Ok(Token::ParenthesisBlock | Token::Function(_)) => true,
                    Ok(Token::Ident(word)) => word.eq_ignore_ascii_case("not"),
                    _ => false,
                };
                parser.reset(&before);
                let held = if nested { condition(parser, kind, depth + 1) } else { feature(parser, kind) };
                while parser.next().is_ok() {}
                Ok::<_, native::Error>(held)
            });
            held.unwrap_or(false)
        }
        Ok(Token::Function(name)) => {
            let selector = name.eq_ignore_ascii_case("selector");
            let held = parser.parse_nested_block(|parser| {
                let held = !selector || native::list(parser, Reading::TOP).is_ok();
                while parser.next().is_ok() {}
                Ok::<_, native::Error>(held)
            });
            held.unwrap_or(false)
        }
        _ => false,
    }
}

fn feature(parser: &mut Parser<'_>, kind: Kind) -> bool {
    match kind {
        Kind::Supports => supported(parser),
        Kind::Media(viewport) => media_feature(parser, viewport),
    }
}

/// Whether Chromium knows the property. It knows nearly all that sheets ask for, except for those of other vendors.
fn supported(parser: &mut Parser<'_>) -> bool {
    let Ok(name) = parser.expect_ident_cloned() else { return false };
    let name = name.to_ascii_lowercase();
    let foreign = ["-moz-", "-ms-", "-o-", "-khtml-", "-apple-"].iter().any(|vendor| name.starts_with(vendor));
    let start = parser.position();
    while parser.next().is_ok() {}
    let value = parser.slice_from(start).to_ascii_lowercase();
    let foreign_value = ["-moz-", "-ms-", "-apple-", "-webkit-sticky"].iter().any(|part| value.contains(part));
    !foreign && !foreign_value && !matches!(name.as_str(), "-webkit-touch-callout" | "-webkit-overflow-scrolling")
}

fn media_feature(parser: &mut Parser<'_>, viewport: Viewport) -> bool {
    let start = parser.position();
    while parser.next().is_ok() {}
    let text = parser.slice_from(start).trim().to_ascii_lowercase();
    if let Some((name, value)) = text.split_once(':') {
        return named(name.trim(), value.trim(), viewport);
    }
    if text.contains(['<', '>', '=']) {
        return range(&text, viewport);
    }
    match text.as_str() {
        "width" => viewport.width > 0.0,
        "height" => viewport.height > 0.0,
        "color"
        | "hover"
        | "any-hover"
        | "pointer"
        | "any-pointer"
        | "update"
        | "scripting"
        | "orientation"
        | "aspect-ratio"
        | "resolution"
        | "prefers-color-scheme"
        | "color-gamut"
        | "overflow-block"
        | "overflow-inline"
        | "-webkit-device-pixel-ratio"
        | "display-mode" => true,
        _ => false,
    }
}

/// The value of a feature that is a length or a number.
fn measured(name: &str, viewport: Viewport) -> Option<f64> {
    Some(match name {
        "width" | "device-width" => viewport.width,
        "height" | "device-height" => viewport.height,
        "aspect-ratio" | "device-aspect-ratio" => viewport.width / viewport.height.max(1.0),
        "resolution" | "device-pixel-ratio" => 1.0,
        "color" => 8.0,
        "monochrome" | "color-index" | "grid" => 0.0,
        _ => return None,
    })
}

fn named(name: &str, value: &str, viewport: Viewport) -> bool {
    let name = name.strip_prefix("-webkit-").unwrap_or(name);
    for (prefix, holds) in
        [("min-", (|a, b| a >= b) as fn(f64, f64) -> bool), ("max-", |a, b| a <= b), ("", |a, b| (a - b).abs() < 1e-6)]
    {
        if let Some(actual) = name.strip_prefix(prefix).and_then(|name| measured(name, viewport)) {
            return number(value).is_some_and(|wanted| holds(actual, wanted));
        }
    }
    match name {
        "orientation" => (value == "landscape") == (viewport.width > viewport.height),
        "prefers-color-scheme" => value == "light",
        "prefers-reduced-motion" | "prefers-reduced-transparency" | "prefers-contrast" | "prefers-reduced-data" => {
            value == "no-preference"
        }
        "hover" | "any-hover" => value == "hover",
        "pointer" | "any-pointer" => value == "fine",
        "update" => value == "fast",
        "scripting" => value == "enabled",
        "display-mode" => value == "browser",
        "forced-colors" | "inverted-colors" => value == "none",
        "color-gamut" => value == "srgb",
        "overflow-block" | "overflow-inline" => value == "scroll",
        _ => false,
    }
}

/// `width >= 600px`, `400px <= width < 900px`.
fn range(text: &str, viewport: Viewport) -> bool {
    let mut parts = Vec::new();
    let mut signs = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['<', '>', '=']) {
        let (part, after) = rest.split_at(at);
        let sign: String = after.chars().take_while(|c| matches!(c, '<' | '>' | '=')).collect();
        parts.push(part.trim());
        rest = after.get(sign.len()..).unwrap_or_default();
        signs.push(sign);
    }
    parts.push(rest.trim());
    let value = |part: &&str| measured(part, viewport).or_else(|| number(part));
    let Some(values) = parts.iter().map(value).collect::<Option<Vec<f64>>>() else { return false };
    values.windows(2).zip(&signs).all(|(pair, sign)| match (pair, sign.as_str()) {
        ([left, right], "<") => left < right,
        ([left, right], "<=") => left <= right,
        ([left, right], ">") => left > right,
        ([left, right], ">=") => left >= right,
        ([left, right], "=") => (left - right).abs() < 1e-6,
        _ => false,
    })
}

/// A length in CSS pixels, a ratio, a resolution or a plain number.
fn number(text: &str) -> Option<f64> {
    if let Some((above, below)) = text.split_once('/') {
        return Some(
            above.trim().parse::<f64>().ok()? / below.trim().parse::<f64>().ok().filter(|below| *below != 0.0)?,
        );
    }
    for (unit, scale) in [
        ("rem", EM),
        ("em", EM),
        ("px", 1.0),
        ("pt", 4.0 / 3.0),
        ("cm", 96.0 / 2.54),
        ("mm", 96.0 / 25.4),
        ("in", 96.0),
        ("dppx", 1.0),
        ("dpi", 1.0 / 96.0),
        ("x", 1.0),
    ] {
        if let Some(amount) = text.strip_suffix(unit) {
            return Some(amount.trim().parse::<f64>().ok()? * scale);
        }
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_queries_hold_on_a_desktop_screen() {
        let viewport = Viewport { width: 1280.0, height: 720.0 };
        let holds = |text: &str| media(&mut Parser::new(text), viewport);
        for query in [
            "",
            "screen",
            "all and (min-width: 768px)",
            "(min-width:48em) and (max-width: 100rem)",
            "not print",
            "not all and (min-width: 5000px)",
            "print, screen",
            "(width >= 600px)",
            "(400px <= width < 1281px)",
            "(hover: hover)",
            "only screen and (orientation: landscape)",
            "(prefers-color-scheme: light)",
            "not (width < 600px)",
            "(min-width: 1px) or (min-width: 9999px)",
            "(not (max-width: 10px))",
            "(min-aspect-ratio: 16/10)",
            "(-webkit-min-device-pixel-ratio: 1)",
        ] {
            assert!(holds(query), "{query}");
        }
        for query in [
            "print",
            "(max-width: 767.98px)",
            "(prefers-color-scheme: dark)",
            "speech and (min-width: 1px)",
            "not screen",
            "(width < 600px)",
            "(prefers-reduced-motion: reduce)",
            "(hover: none)",
            "screen and",
            "(nonsense: 1)",
            "(min-resolution: 2dppx)",
        ] {
            assert!(!holds(query), "{query}");
        }
    }

    #[test]
    fn supports_asks_for_properties_and_selectors() {
        let holds = |text: &str| condition(&mut Parser::new(text), Kind::Supports, 0);
        for text in [
            "(display: grid)",
            "not (-moz-appearance: none)",
            "(display: grid) and (color: red)",
            "selector(:has(a))",
            "((a: b) or (-ms-x: y))",
        ] {
            assert!(holds(text), "{text}");
        }
        for text in ["(-moz-appearance: none)", "not (display: grid)", "selector(:-moz-focusring)"] {
            assert!(!holds(text), "{text}");
        }
    }
}
