//! The parameters of a call: the selector and strictness by name, the rest as short texts.

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::Limits;
use super::json::{Text, cap, decode};

/// The parameters of a call.
#[derive(Debug, Default)]
pub(super) struct Params {
    pub(super) selector: Option<String>,
    pub(super) strict: bool,
    pub(super) others: Vec<(String, String)>,
}

/// More parameters than any call of Playwright has.
const MOST: usize = 64;

/// Reads the parameters, whatever their shape: nothing in them is descended into.
pub(super) fn read(raw: Option<&RawValue>, limits: &Limits) -> Params {
    let Some(raw) = raw else { return Params::default() };
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    deserializer.deserialize_map(Shallow { limits }).unwrap_or_default()
}

struct Shallow<'a> {
    limits: &'a Limits,
}

impl<'de> Visitor<'de> for Shallow<'_> {
    type Value = Params;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Params, A::Error> {
        let mut params = Params::default();
        while let Some(name) = map.next_key::<Text>()? {
            let raw = map.next_value::<&RawValue>()?.get();
            let value = || if raw.starts_with('"') { decode(raw.as_bytes()) } else { raw.to_owned() };
            match name.0.as_str() {
                "selector" => params.selector = Some(cap(value(), self.limits.text_bytes)),
                "strict" => params.strict = raw == "true",
                _ if params.others.len() < MOST => {
                    let short = raw.get(..raw.floor_char_boundary(self.limits.text_bytes)).unwrap_or_default();
                    let whole = short.len() == raw.len();
                    let text = if whole { value() } else { short.to_owned() };
                    params.others.push((name.capped(self.limits.text_bytes), text));
                }
                _ => {}
            }
        }
        Ok(params)
    }
}
