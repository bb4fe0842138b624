//! Which values a recording shows to be secret: passwords that were typed, cookies, tokens in headers, addresses and bodies.

use serde_json::{Map, Value};
use url::Url;

use super::Redactor;
use super::json::{is_secret_input, names_secret, typed};

/// Names of an address's parameters that are secret there, though not everywhere.
const PARAMETERS: [&str; 9] = ["sid", "session", "code", "auth", "jwt", "sig", "signature", "key", "otp"];

/// Longest text in a recording that is read as JSON or as a form once more, in bytes.
const BODY: usize = 256 * 1024;

/// Values on their way into a redactor.
#[derive(Default)]
struct Found {
    values: Vec<String>,
    typed: Vec<String>,
}

impl Redactor {
    /// Learns what `value`, an event of a recording or the body of a request, shows to be secret.
    pub fn learn_json(&mut self, value: &Value) {
        let mut found = Found::default();
        visit(self, value, false, &mut found);
        self.learn(found.values);
        self.learn_typed(found.typed);
    }

    /// Learns from the body of a request or an answer: JSON, or the fields of a form.
    pub fn learn_body(&mut self, text: &str) {
        let mut found = Found::default();
        body(self, text, &mut found);
        self.learn(found.values);
        self.learn_typed(found.typed);
    }
}

fn visit(redactor: &Redactor, value: &Value, cookies: bool, found: &mut Found) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| visit(redactor, item, cookies, found)),
        Value::Object(fields) => object(redactor, fields, cookies, found),
        _ => {}
    }
}

fn object(redactor: &Redactor, fields: &Map<String, Value>, cookies: bool, found: &mut Found) {
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let field = is_secret_input(redactor, fields);
    let named = names_secret(redactor, fields);
    let name = text("name").unwrap_or_default().to_ascii_lowercase();
    for (key, value) in fields {
        let Some(text) = value.as_str() else {
            visit(redactor, value, key.eq_ignore_ascii_case("cookies"), found);
            continue;
        };
        match key.as_str() {
            "value" if name == "cookie" => {
                found.values.extend(text.split(';').filter_map(|pair| Some(pair.split_once('=')?.1.to_owned())));
            }
            "value" if name == "set-cookie" => {
                let first = |line: &str| Some(line.split(';').next()?.split_once('=')?.1.to_owned());
                found.values.extend(text.lines().filter_map(first));
            }
            "value" if name.ends_with("authorization") => {
                found.values.extend(text.split_whitespace().next_back().map(str::to_owned));
            }
            "value" if cookies => found.values.push(text.to_owned()),
            "__playwright_value_" | "value" if field => found.typed.push(text.to_owned()),
            key if named && typed(key) => found.typed.push(text.to_owned()),
            key if redactor.is_named(key) => found.values.push(text.to_owned()),
            "url" | "frameUrl" => address(redactor, text, found),
            "text" | "postData" | "body" => body(redactor, text, found),
            _ => {}
        }
    }
}

fn body(redactor: &Redactor, text: &str, found: &mut Found) {
    if text.len() > BODY {
        return;
    }
    let text = text.trim();
    if text.starts_with("--") {
        let secret = parts_of_form(text).filter(|(name, _)| is_parameter(redactor, name));
        found.values.extend(secret.map(|(_, value)| value.to_owned()));
    } else if text.starts_with(['{', '[']) {
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            visit(redactor, &value, false, found);
        }
    } else if text.contains('=') && !text.contains(char::is_whitespace) {
        parameters(redactor, url::form_urlencoded::parse(text.as_bytes()), found);
    }
}

/// Name and value of the parts of a form that was sent as `multipart/form-data`.
fn parts_of_form(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("name=\"").skip(1).filter_map(|part| {
        let (name, rest) = part.split_once('"')?;
        let value = rest.strip_prefix("\r\n\r\n").or_else(|| rest.strip_prefix("\n\n"))?;
        Some((name, value.lines().next()?))
    })
}

fn address(redactor: &Redactor, text: &str, found: &mut Found) {
    let Ok(address) = Url::parse(text) else { return };
    found.values.extend(address.password().map(str::to_owned));
    parameters(redactor, address.query_pairs(), found);
    let fragment = address.fragment().filter(|fragment| fragment.contains('=')).unwrap_or_default();
    parameters(redactor, url::form_urlencoded::parse(fragment.as_bytes()), found);
}

fn parameters(redactor: &Redactor, pairs: url::form_urlencoded::Parse<'_>, found: &mut Found) {
    let secret = pairs.filter(|(name, _)| is_parameter(redactor, name));
    found.values.extend(secret.map(|(_, value)| value.into_owned()));
}

/// Whether what a form or an address hands over under that name is a secret.
fn is_parameter(redactor: &Redactor, name: &str) -> bool {
    redactor.is_named(name) || PARAMETERS.contains(&name.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::domain::redact::Redactor;

    #[test]
    fn what_a_recording_shows_to_be_secret_is_secret_everywhere() {
        let events = [
            json!({ "type": "before", "method": "fill", "params": { "selector": "#password", "value": "pa55" } }),
            json!({ "html": ["FORM", {}, ["INPUT", { "type": "password", "__playwright_value_": "ladybird" }]] }),
            json!({ "request": { "url": "https://shop.test/in?token=tick-et-1&page=second",
                "headers": [{ "name": "cookie", "value": "sid=abc-def-1; theme=dark" },
                    { "name": "Authorization", "value": "Basic dXNlcjpvbmU=" }],
                "cookies": [{ "name": "sid", "value": "abc-def-1" }],
                "postData": { "text": "user=ada.lovelace&password=horse+battery" } } }),
            json!({ "postData": { "text": "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nmulti part\r\n--b--" } }),
            json!({ "postData": { "text": "{\"otp\":\"none\",\"apiKey\":\"key-of-ada\"}" } }),
        ];
        let mut redactor = Redactor::default().keeping_ids();
        for event in &events {
            redactor.learn_json(event);
        }
        for secret in
            ["pa55", "ladybird", "tick-et-1", "abc-def-1", "dXNlcjpvbmU=", "horse battery", "key-of-ada", "multi part"]
        {
            assert_eq!(redactor.redact_values(&format!("it says {secret}.")).text, "it says [redacted:value].");
        }
        for plain in ["second", "dark", "ada.lovelace", "none"] {
            assert_eq!(redactor.redact_values(plain).text, plain);
        }
    }
}
