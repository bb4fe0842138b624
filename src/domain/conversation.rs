//! A conversation with a model, and what its last reply asks for: actions, one after the other, or what is wrong with them.
//!
//! Pure reading of untrusted text. It runs nothing and believes nothing: an action is a wish, and whoever carries it out
//! judges it. Any bytes give an answer.

mod arguments;
mod tools;

use self::arguments::Arguments;
pub use self::tools::{Tool, object_schema, tools};

/// Longest arguments of a call that are read, in bytes: an edit of one line takes some hundred.
const ARGUMENTS_CAP: usize = 16 * 1024;
/// Longest text of a reply that is kept, in bytes.
pub const TEXT_CAP: usize = 16 * 1024;
/// How many calls of one reply are looked at.
const CALLS_CAP: usize = 16;
/// How many opening braces of a text are tried as the start of a call.
const BRACES_TRIED: usize = 32;

/// A call of a tool, as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Call {
    /// The server's name for the call; may be empty.
    pub id: String,
    /// The tool.
    pub name: String,
    /// JSON, as far as one may hope.
    pub arguments: String,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// What the model is for.
    System(String),
    /// The case, or a correction.
    User(String),
    /// What the model said.
    Assistant {
        /// Its text.
        text: String,
        /// Its calls.
        calls: Vec<Call>,
    },
    /// What a call came to.
    Result {
        /// The call's id.
        id: String,
        /// The tool.
        name: String,
        /// The answer.
        text: String,
    },
}

impl Message {
    /// Who speaks.
    pub fn role(&self) -> &'static str {
        match self {
            Self::System(_) => "system",
            Self::User(_) => "user",
            Self::Assistant { .. } => "assistant",
            Self::Result { .. } => "tool",
        }
    }

    /// Everything it says, calls included.
    pub fn text(&self) -> String {
        match self {
            Self::System(text) | Self::User(text) | Self::Result { text, .. } => text.clone(),
            Self::Assistant { text, calls } => {
                let said = Some(text.clone()).filter(|text| !text.is_empty());
                let called = calls.iter().map(|call| format!("{}({})", call.name, call.arguments));
                said.into_iter().chain(called).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// What a model replied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// Its text.
    pub text: String,
    /// Its calls.
    pub calls: Vec<Call>,
    /// Whether the server cut it off.
    pub cut: bool,
    /// Tokens sent and received, where the server counts.
    pub usage: Option<(u64, u64)>,
}

/// What the model wants to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Lines of a file.
    ReadFile {
        /// From the project's root.
        path: String,
        /// First line, from 1.
        from: u32,
        /// Last line; `None` for as many as are given at once.
        to: Option<u32>,
    },
    /// The candidates, or what is inside one of them.
    InspectDom {
        /// The number of a candidate.
        candidate: Option<u32>,
        /// Which page of the answer, from 1.
        page: u32,
    },
    /// One replacement.
    EditFile(Edit),
    /// The test, with the edit that was accepted last.
    RunTest,
    /// No repair.
    Decline {
        /// The model's words.
        reason: String,
    },
}

/// An edit that the model wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Name this candidate; the text is written by us.
    Choose(u32),
    /// This text in place of that one.
    Replace {
        /// From the project's root.
        path: String,
        /// A piece of the line that defines the stale locator.
        old: String,
        /// What should stand there.
        new: String,
    },
}

/// What a reply asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// These, one after the other; at least one.
    Calls(Vec<Wish>),
    /// Nothing; what to say to that.
    Nothing(String),
}

/// A call and what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// The call.
    pub call: Call,
    /// The action, or what is wrong with the call.
    pub action: Result<Action, String>,
}

/// Reads a reply. What is kept of it is in the calls of the turn; a call found in plain text is given as one.
pub fn read(reply: &Reply) -> Turn {
    let mut calls: Vec<Call> = reply.calls.iter().take(CALLS_CAP).cloned().collect();
    if calls.is_empty()
        && let Some(call) = call_in(&reply.text)
    {
        calls.push(Call { id: String::new(), ..call });
    }
    if calls.is_empty() {
        let text = if reply.cut {
            "Your reply was cut off before it called a tool. Answer with one short tool call and nothing else."
        } else {
            "Your reply called no tool, so nothing was done. Call exactly one of the tools; to give up, call decline."
        };
        return Turn::Nothing(text.to_owned());
    }
    let wish = |call: Call| Wish { action: action_of(&call, reply.cut), call };
    Turn::Calls(calls.into_iter().map(wish).collect())
}

fn action_of(call: &Call, cut: bool) -> Result<Action, String> {
    let mut arguments = Arguments::parse(&call.arguments, cut)?;
    match call.name.as_str() {
        "read_file" => Ok(Action::ReadFile {
            path: arguments.text("path")?.ok_or("read_file needs `path`.")?,
            from: arguments.number("from")?.unwrap_or(1).max(1),
            to: arguments.number("to")?,
        }),
        "inspect_dom" => Ok(Action::InspectDom {
            candidate: arguments.number("candidate")?,
            page: arguments.number("page")?.unwrap_or(1).max(1),
        }),
        "edit_file" => {
            let texts = (arguments.text("path")?, arguments.text("old")?, arguments.text("new")?);
            match (arguments.number("candidate")?, texts) {
                (_, (Some(path), Some(old), Some(new))) => Ok(Action::EditFile(Edit::Replace { path, old, new })),
                (Some(candidate), _) => Ok(Action::EditFile(Edit::Choose(candidate))),
                _ => Err("edit_file needs either `candidate`, or `path`, `old` and `new`.".to_owned()),
            }
        }
        "run_test" => Ok(Action::RunTest),
        "decline" => Ok(Action::Decline { reason: arguments.text("reason")?.unwrap_or_default() }),
        other => {
            let shown: String = other.chars().filter(|c| !c.is_control()).take(40).collect();
            let known: Vec<&str> = tools().iter().map(|tool| tool.name).collect();
            Err(format!("There is no tool `{shown}`. The tools are {}.", known.join(", ")))
        }
    }
}

/// A call that stands in plain text: an object with a tool's name, alone, in a fence, or behind words.
fn call_in(text: &str) -> Option<Call> {
    text.match_indices('{').take(BRACES_TRIED).find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(text.get(at..)?).into_iter::<serde_json::Value>();
        let serde_json::Value::Object(mut object) = values.next()?.ok()? else { return None };
        let name = ["tool", "name", "action"].iter().find_map(|key| Some(object.get(*key)?.as_str()?.to_owned()))?;
        let arguments = match object.remove("arguments").or_else(|| object.remove("parameters")) {
            Some(serde_json::Value::String(text)) => text,
            Some(other) => other.to_string(),
            None => {
                object.retain(|key, _| !matches!(key.as_str(), "tool" | "name" | "action"));
                serde_json::Value::Object(object).to_string()
            }
        };
        Some(Call { id: String::new(), name, arguments })
    })
}

#[cfg(test)]
mod tests;
