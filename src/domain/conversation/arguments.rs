//! The arguments of a call, read leniently: `null` and absent are one, a number may come as text.

use serde_json::{Map, Value};

use super::ARGUMENTS_CAP;

pub(super) struct Arguments {
    object: Map<String, Value>,
}

impl Arguments {
    pub(super) fn parse(text: &str, cut: bool) -> Result<Self, String> {
        if text.len() > ARGUMENTS_CAP {
            return Err(format!("The arguments are too long; at most {ARGUMENTS_CAP} bytes are read."));
        }
        if text.trim().is_empty() {
            return Ok(Self { object: Map::new() });
        }
        match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Ok(Self { object }),
            // Some servers encode the arguments twice.
            Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
                Ok(Value::Object(object)) => Ok(Self { object }),
                _ => Err("The arguments must be a JSON object.".to_owned()),
            },
            Ok(Value::Null) => Ok(Self { object: Map::new() }),
            Ok(_) => Err("The arguments must be a JSON object.".to_owned()),
            Err(_) if cut => Err("The arguments were cut off. Call the tool again, in fewer words.".to_owned()),
            Err(error) => Err(format!("The arguments are no valid JSON ({error}). Call the tool again.")),
        }
    }

    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        match self.object.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{key}` must be a string.")),
        }
    }

    pub(super) fn number(&mut self, key: &str) -> Result<Option<u32>, String> {
        let number = match self.object.remove(key) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(Value::Number(number)) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
            Some(_) => None,
        };
        number.map(Some).ok_or_else(|| format!("`{key}` must be a whole number, not negative."))
    }
}
