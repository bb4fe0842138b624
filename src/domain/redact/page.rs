//! Whether a recorded page shows a secret, so that a picture of it would.

use std::ops::Range;

use serde_json::Value;

use super::Redactor;
use super::rules::RULES;

/// How pictures and films begin in base 64: PNG, JPEG, `WebP`, GIF, `WebM`.
const BEGINNINGS: [&str; 5] = ["iVBORw0KGgo", "/9j/", "UklGR", "R0lGOD", "GkXfo"];

/// Shorter text in base 64 is no picture of a page, in bytes.
const SHORTEST_PICTURE: usize = 256;

/// The pictures in `text` that are written in base 64.
pub(super) fn pictures(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + text.get(from..)?.find(is_part)?;
            let word = text.get(start..)?;
            let length = word.find(|c| !is_part(c)).unwrap_or(word.len());
            from = start + length;
            if length >= SHORTEST_PICTURE && BEGINNINGS.iter().any(|beginning| word.starts_with(beginning)) {
                return Some(start..from);
            }
        }
    })
}

/// Elements whose text nobody sees.
const UNSEEN: [&str; 5] = ["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "TITLE"];

/// Attributes of an element that are shown as they are.
const SHOWN: [&str; 3] = ["__playwright_value_", "value", "placeholder"];

/// Kinds of rules that tell a secret by its own shape, whatever stands around it.
const SHAPES: [&str; 3] = ["private key", "jwt", "key"];

impl Redactor {
    /// Whether `event`, of a recording, is a snapshot of a page that shows a secret: a known value, or one that is told by
    /// its shape, as text or in a field. A field of type `password` shows dots.
    pub fn is_shown_in(&self, event: &Value) -> bool {
        let snapshot = event.get("snapshot").unwrap_or(event);
        let plain = Self { queries: false, ..self.clone() };
        snapshot.get("html").is_some_and(|html| plain.shown(html))
    }

    fn shown(&self, node: &Value) -> bool {
        match node {
            Value::String(text) => self.tells(text),
            Value::Array(parts) => {
                let Some(tag) = parts.first().and_then(Value::as_str) else { return false };
                if UNSEEN.iter().any(|unseen| tag.eq_ignore_ascii_case(unseen)) {
                    return false;
                }
                let attributes = parts.get(1).and_then(Value::as_object);
                let text = |key: &str| attributes.and_then(|attributes| attributes.get(key)).and_then(Value::as_str);
                let dots = text("type").is_some_and(|kind| kind.eq_ignore_ascii_case("password"));
                let hidden = text("type").is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"));
                let field = !dots && !hidden && SHOWN.iter().filter_map(|key| text(key)).any(|value| self.tells(value));
                field || parts.iter().skip(1).any(|child| self.shown(child))
            }
            _ => false,
        }
    }

    fn tells(&self, text: &str) -> bool {
        let shaped = || RULES.iter().filter(|rule| SHAPES.contains(&rule.kind)).any(|rule| rule.regex.is_match(text));
        !self.known(text).is_empty() || shaped()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::domain::redact::Redactor;

    #[test]
    fn a_page_shows_a_secret_as_text_or_in_a_field_but_not_as_dots() {
        let redactor = Redactor::new(["ladybird".to_owned()]).with_queries();
        for (html, shown) in [
            (json!(["HTML", {}, ["BODY", {}, "Your token is ladybird."]]), true),
            (json!(["P", {}, "ghp_0123456789abcdefghijABCDEFGHIJ"]), true),
            (json!(["DIV", {}, [[1, 4]], ["INPUT", { "type": "text", "__playwright_value_": "ladybird" }]]), true),
            (json!(["INPUT", { "type": "password", "__playwright_value_": "ladybird" }]), false),
            (json!(["INPUT", { "type": "hidden", "value": "ladybird" }]), false),
            (json!(["SCRIPT", {}, "const token = 'ladybird';"]), false),
            (json!(["A", { "href": "https://a.test/?t=ladybird" }, "Next, at https://a.test/?page=2"]), false),
            (json!([[2, 7]]), false),
            (json!(["P", {}, "Password: 8 characters at least"]), false),
        ] {
            let event = json!({ "type": "frame-snapshot", "snapshot": { "html": html } });
            assert_eq!(redactor.is_shown_in(&event), shown, "{event}");
        }
    }
}
