//! Requests and replies as they go over the wire. A reply is read with as few demands as possible: compatible servers
//! leave out fields, add values and change types.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Mode, ModelError, Question};
use crate::domain::conversation::{Call, Message, Reply, TEXT_CAP, object_schema, tools};

/// How many tokens the reply to the probe may have.
const PROBE_TOKENS: u32 = 128;
/// How many calls of a reply are kept.
const CALLS_KEPT: usize = 32;
/// Longest arguments that are kept, in bytes.
const ARGUMENTS_KEPT: usize = 64 << 10;

/// What is said to servers that have no tools.
const AS_JSON: &str = "Reply with one JSON object and nothing else: {\"tool\": one of the tools, and its arguments}.";

pub(super) fn request(model: &str, question: &Question<'_>, mode: Mode) -> Value {
    body(model, question.messages, question.longest, mode)
}

/// A request that any model that can call something answers by a call.
pub(super) fn probe(model: &str, mode: Mode) -> Value {
    let ask = "This is a check of the connection. Call the tool `decline` with the reason `check`.";
    body(
        model,
        &[Message::System("You act only by calling tools.".into()), Message::User(ask.into())],
        PROBE_TOKENS,
        mode,
    )
}

fn body(model: &str, messages: &[Message], longest: u32, mode: Mode) -> Value {
    let mut body = json!({ "model": model, "stream": false, "temperature": 0 });
    let mut set =
        |key: &str, value: Value| drop(body.as_object_mut().map(|object| object.insert(key.to_owned(), value)));
    // Models that reason take only the newer name, and only their own temperature.
    set(if reasons(model) { "max_completion_tokens" } else { "max_tokens" }, longest.into());
    if reasons(model) {
        set("temperature", 1.into());
    }
    if mode.has_tools() {
        let tools: Vec<Value> = tools()
            .into_iter()
            .map(|tool| {
                json!({
                    "type": "function",
                    "function": { "name": tool.name, "description": tool.description, "parameters": tool.parameters },
                })
            })
            .collect();
        set("tools", tools.into());
        set("tool_choice", if mode == Mode::Tools { "required" } else { "auto" }.into());
        set("parallel_tool_calls", false.into());
        set("messages", messages.iter().map(with_tools).collect());
    } else {
        if mode == Mode::Schema {
            let schema = json!({ "name": "call", "strict": true, "schema": object_schema() });
            set("response_format", json!({ "type": "json_schema", "json_schema": schema }));
        }
        set("messages", messages.iter().map(as_text).collect());
    }
    body
}

/// Whether the name is one of OpenAI's models that reason.
fn reasons(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let numbered = name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    numbered || name.starts_with("gpt-5")
}

fn with_tools(message: &Message) -> Value {
    match message {
        Message::System(text) => json!({ "role": "system", "content": text }),
        Message::User(text) => json!({ "role": "user", "content": text }),
        Message::Assistant { text, calls } if calls.is_empty() => json!({ "role": "assistant", "content": text }),
        Message::Assistant { text, calls } => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| {
                    json!({
                        "id": call.id, "type": "function",
                        "function": { "name": call.name, "arguments": valid(&call.arguments) },
                    })
                })
                .collect();
            json!({ "role": "assistant", "content": text, "tool_calls": calls })
        }
        Message::Result { id, name, text } => {
            json!({ "role": "tool", "tool_call_id": id, "name": name, "content": text })
        }
    }
}

/// Servers parse the arguments of earlier calls again; text that is no JSON would make them fail for good.
fn valid(arguments: &str) -> &str {
    let is_object = serde_json::from_str::<serde_json::Map<String, Value>>(arguments).is_ok();
    if is_object { arguments } else { "{}" }
}

fn as_text(message: &Message) -> Value {
    match message {
        Message::System(text) => {
            let tools: Vec<String> = tools()
                .iter()
                .map(|tool| {
                    format!("- {}: {} Arguments: {}", tool.name, tool.description, tool.parameters["properties"])
                })
                .collect();
            json!({ "role": "system", "content": format!("{text}\n\nTools:\n{}\n\n{AS_JSON}", tools.join("\n")) })
        }
        Message::User(text) => json!({ "role": "user", "content": text }),
        Message::Assistant { text, calls } => {
            let object = |call: &Call| {
                let mut object: serde_json::Map<String, Value> =
                    serde_json::from_str(&call.arguments).unwrap_or_default();
                object.insert("tool".to_owned(), call.name.clone().into());
                Value::Object(object).to_string()
            };
            let called = calls.iter().map(object).collect::<Vec<_>>().join("\n");
            json!({ "role": "assistant", "content": if calls.is_empty() { text } else { &called } })
        }
        Message::Result { name, text, .. } => {
            json!({ "role": "user", "content": format!("Result of {name}:\n{text}") })
        }
    }
}

/// A reply, whatever it may be.
#[derive(Debug, Deserialize)]
pub(super) struct Completion {
    #[serde(default)]
    choices: Value,
    #[serde(default)]
    usage: Value,
    #[serde(default)]
    error: Value,
}

impl Completion {
    pub(super) fn reply(self) -> Result<Reply, ModelError> {
        let said = |value: &Value| value.to_string().chars().take(200).collect::<String>();
        // Some gateways send an error with status 200.
        if !self.error.is_null() {
            return Err(ModelError::BadReply(said(&self.error)));
        }
        let Some(choice) = self.choices.get(0) else {
            return Err(ModelError::BadReply("it has no choices".to_owned()));
        };
        let message = choice.get("message").unwrap_or(&Value::Null);
        let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
        let cut = choice.get("finish_reason").and_then(Value::as_str) == Some("length");
        let count = |key: &str| self.usage.get(key).and_then(Value::as_u64);
        let usage = count("prompt_tokens").zip(count("completion_tokens")).filter(|(sent, _)| *sent > 0);
        Ok(Reply { text: text_of(message), calls: calls.take(CALLS_KEPT).filter_map(call_of).collect(), cut, usage })
    }
}

/// The text: a string, or a list of parts.
fn text_of(message: &Value) -> String {
    let content = message.get("content").unwrap_or(&Value::Null);
    let refusal = message.get("refusal").and_then(Value::as_str);
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => refusal.unwrap_or_default().to_owned(),
    };
    cut_at(text, TEXT_CAP)
}

fn call_of(call: &Value) -> Option<Call> {
    let function = call.get("function").unwrap_or(call);
    let name = function.get("name")?.as_str()?;
    let arguments = match function.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    };
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().chars().take(200).collect();
    Some(Call {
        id: text(call.get("id")),
        name: name.chars().take(200).collect(),
        arguments: cut_at(arguments, ARGUMENTS_KEPT),
    })
}

fn cut_at(mut text: String, cap: usize) -> String {
    let end = (0..=cap.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or_default();
    text.truncate(end);
    text
}
