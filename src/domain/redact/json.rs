//! Secrets in JSON: what a name of the structure says, besides what the texts show.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::{MARK, Redactor};

/// What stands in the place of a value whose name says that it is secret.
const NAMED: &str = "[redacted:name]";

/// How a snapshot of a page calls what stands in a field that is typed into.
const TYPED: &str = "__playwright_value_";

/// The attributes of a field that hold what stands in it.
const FIELD_VALUES: [&str; 2] = [TYPED, "value"];

/// Keys under which reports have bytes in base 64: attachments, and output that was no text.
const BYTES: [&str; 3] = ["body", "base64", "buffer"];

impl Redactor {
    /// Takes the secrets out of all texts of `value`, and returns how many there were. Keys stay.
    pub fn redact_json(&self, value: &mut Value) -> usize {
        self.walk(value, false)
    }

    /// `listed` says that the parent is a list of names with secret values: cookies, the parts of a query.
    fn walk(&self, value: &mut Value, listed: bool) -> usize {
        match value {
            Value::String(text) => {
                let redacted = self.redact(text);
                if redacted.count > 0 {
                    *text = redacted.text;
                }
                redacted.count
            }
            Value::Array(items) => items.iter_mut().map(|item| self.walk(item, listed)).sum(),
            Value::Object(fields) => self.object(fields, listed),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
    }

    /// Takes the secrets out of a text in base 64, and returns how many there were; `None` for what is none.
    fn bytes(&self, bytes: &mut String) -> Option<usize> {
        let text = String::from_utf8(STANDARD.decode(bytes.as_bytes()).ok()?).ok()?;
        let (clean, count) = if let Ok(mut value) = serde_json::from_str::<Value>(&text) {
            let count = self.redact_json(&mut value);
            (value.to_string(), count)
        } else {
            let redacted = self.redact(&text);
            (redacted.text, redacted.count)
        };
        if count > 0 {
            *bytes = STANDARD.encode(clean);
        }
        Some(count)
    }

    fn object(&self, fields: &mut Map<String, Value>, listed: bool) -> usize {
        let named = names_secret(self, fields) || listed;
        let field = is_secret_input(self, fields);
        let mut count = 0;
        for (key, value) in fields.iter_mut() {
            let secret = self.is_named(key)
                || (named && key == "value")
                || (field && FIELD_VALUES.contains(&key.as_str()))
                || (named && typed(key));
            match value {
                Value::String(text) if secret => {
                    if !text.is_empty() && !text.starts_with(MARK) {
                        NAMED.clone_into(text);
                        count += 1;
                    }
                }
                Value::String(bytes) if BYTES.contains(&key.as_str()) => {
                    count += self.bytes(bytes).unwrap_or_else(|| self.walk(value, false));
                }
                other => {
                    let query = self.queries && key == "queryString";
                    count += self.walk(other, query || key.eq_ignore_ascii_case("cookies"));
                }
            }
        }
        count
    }
}

/// Whether an object is a named value whose name, or a call whose field, is one for secrets.
pub(super) fn names_secret(redactor: &Redactor, fields: &Map<String, Value>) -> bool {
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    text("name").is_some_and(|name| redactor.is_named(name) && fields.contains_key("value"))
        || text("selector").is_some_and(|selector| redactor.is_field(selector))
}

/// Whether a key of a call holds what is typed.
pub(super) fn typed(key: &str) -> bool {
    matches!(key, "value" | "text")
}

/// Whether the attributes are those of a field whose contents nobody should see.
pub(super) fn is_secret_input(redactor: &Redactor, attributes: &Map<String, Value>) -> bool {
    let text = |key: &str| attributes.get(key).and_then(Value::as_str).unwrap_or_default();
    let is = |key: &str, wanted: &[&str]| wanted.iter().any(|wanted| text(key).eq_ignore_ascii_case(wanted));
    let called = || ["id", "name", "aria-label", "placeholder"].iter().any(|key| redactor.is_field(text(key)));
    is("type", &["password"])
        || is("autocomplete", &["current-password", "new-password", "one-time-code", "cc-csc"])
        || (attributes.contains_key(TYPED) && called())
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;

    use crate::domain::redact::Redactor;

    #[test]
    fn what_the_structure_names_as_secret_goes_and_the_rest_stays() {
        let redactor = Redactor::default().with_names(["X-Shop"]).keeping_ids().with_queries();
        for (mut value, expected, count) in [
            (
                json!({ "headers": [{ "name": "Cookie", "value": "a=b" }, { "name": "accept", "value": "*/*" }] }),
                json!({ "headers": [{ "name": "Cookie", "value": "[redacted:name]" }, { "name": "accept", "value": "*/*" }] }),
                1,
            ),
            (
                json!({ "cookies": [{ "name": "theme", "value": "dark", "path": "/" }] }),
                json!({ "cookies": [{ "name": "theme", "value": "[redacted:name]", "path": "/" }] }),
                1,
            ),
            (
                json!({ "method": "fill", "params": { "selector": "#pin", "value": "1", "strict": true } }),
                json!({ "method": "fill", "params": { "selector": "#pin", "value": "[redacted:name]", "strict": true } }),
                1,
            ),
            (
                json!(["INPUT", { "type": "password", "__playwright_value_": "x", "id": "a" }]),
                json!(["INPUT", { "type": "password", "__playwright_value_": "[redacted:name]", "id": "a" }]),
                1,
            ),
            (
                json!({ "url": "https://a.test/x?page=2", "queryString": [{ "name": "page", "value": "2" }] }),
                json!({ "url": "https://a.test/x?page=[redacted:query]", "queryString": [{ "name": "page", "value": "[redacted:name]" }] }),
                2,
            ),
            (
                json!(["INPUT", { "type": "text", "__playwright_value_": "x", "name": "api-key" }]),
                json!(["INPUT", { "type": "text", "__playwright_value_": "[redacted:name]", "name": "api-key" }]),
                1,
            ),
            (
                json!({ "body": STANDARD.encode("{\"token\":\"a-b\"}"), "buffer": STANDARD.encode("password=hunter2") }),
                json!({ "body": STANDARD.encode("{\"token\":\"[redacted:name]\"}"),
                    "buffer": STANDARD.encode("password=[redacted:password]") }),
                2,
            ),
            (json!({ "body": "password=hunter2" }), json!({ "body": "password=[redacted:password]" }), 1),
            (json!({ "x-shop": "v", "y": 1 }), json!({ "x-shop": "[redacted:name]", "y": 1 }), 1),
            (
                json!({ "id": "6f9b2080f554a8cb9b310a5f86886674" }),
                json!({ "id": "6f9b2080f554a8cb9b310a5f86886674" }),
                0,
            ),
        ] {
            assert_eq!(redactor.redact_json(&mut value), count, "{expected}");
            assert_eq!(value, expected);
            assert_eq!(redactor.redact_json(&mut value), 0, "twice: {expected}");
        }
    }
}
