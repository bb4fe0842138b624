//! Why a model gave no reply, as kinds that somebody can act on.

use std::error::Error as StdError;
use std::time::Duration;

use async_openai::error::OpenAIError;
use serde_json::Value;

use super::Endpoint;
use super::transport::Failure;
use crate::error::Error;

/// Longest text of a server that is passed on, in characters.
const SAID: usize = 300;

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// What was configured cannot be used.
    #[error("{0}")]
    Settings(String),
    /// Nobody answers at the address.
    #[error("the model cannot be reached: {0}")]
    Unreachable(String),
    /// No reply in time.
    #[error("the model gave no reply within {0:.0?}")]
    TimedOut(Duration),
    /// 401 or 403.
    #[error("the model's server rejects the key: {0}")]
    RejectedKey(String),
    /// The server does not have the model, or has no such path.
    #[error("the server has no model `{model}`: {said}")]
    NoSuchModel {
        /// What was asked for.
        model: String,
        /// What the server says.
        said: String,
    },
    /// Paid for no more.
    #[error("the account's quota is used up: {0}")]
    Quota(String),
    /// Asked too often.
    #[error("the model's server is overloaded: {said}")]
    Overloaded {
        /// How long the server wants to be left alone.
        retry_after: Option<Duration>,
        /// What it says.
        said: String,
    },
    /// 5xx.
    #[error("the model's server fails with status {status}: {said}")]
    Failing {
        /// The status.
        status: u16,
        /// How long the server wants to be left alone.
        retry_after: Option<Duration>,
        /// What it says.
        said: String,
    },
    /// The conversation does not fit into the model.
    #[error("the conversation is too long for the model: {0}")]
    TooLong(String),
    /// Another 4xx, or a redirect.
    #[error("the model's server refuses the request with status {status}: {said}")]
    Refused {
        /// The status.
        status: u16,
        /// What it says.
        said: String,
    },
    /// A reply that cannot be read.
    #[error("the model's server sent a reply that cannot be read: {0}")]
    BadReply(String),
}

impl ModelError {
    /// How long to wait before asking again: what the server wants, else `usual`; `None` where asking again cannot help.
    pub(super) fn wait(&self, usual: Duration) -> Option<Duration> {
        match self {
            Self::Overloaded { retry_after, .. } | Self::Failing { retry_after, .. } => {
                Some(retry_after.unwrap_or(usual))
            }
            _ => None,
        }
    }

    pub(super) fn of(error: OpenAIError, endpoint: &Endpoint) -> Self {
        match error {
            OpenAIError::Boxed(inner) => match inner.downcast::<Failure>() {
                Ok(failure) => Self::of_failure(*failure, endpoint),
                Err(other) => Self::BadReply(short(&other.to_string())),
            },
            OpenAIError::Reqwest(error) if error.is_timeout() && !error.is_connect() => {
                Self::BadReply(short(&innermost(&error)))
            }
            OpenAIError::Reqwest(error) => Self::Unreachable(short(&innermost(&error))),
            OpenAIError::JSONDeserialize(error, _) => Self::BadReply(short(&error.to_string())),
            OpenAIError::ApiError(error) => Self::BadReply(short(&error.to_string())),
            OpenAIError::InvalidArgument(why) => Self::BadReply(short(&why)),
            other => Self::BadReply(short(&other.to_string())),
        }
    }

    fn of_failure(failure: Failure, endpoint: &Endpoint) -> Self {
        let (status, retry_after, body) = match failure {
            Failure::Status { status, retry_after, body } => (status, retry_after, body),
            other => return Self::BadReply(other.to_string()),
        };
        let Said { text, code } = said(&body);
        // A server may print the key that it rejects.
        let text = match endpoint.secret() {
            Some(key) => text.replace(key, "[redacted:key]"),
            None => text,
        };
        let text = crate::domain::redact::Redactor::default().clean(&text);
        let about = |words: &[&str]| words.iter().any(|word| code.contains(word) || text.to_lowercase().contains(word));
        match status {
            401 | 403 => Self::RejectedKey(text),
            402 => Self::Quota(text),
            404 => Self::NoSuchModel { model: endpoint.model.clone(), said: text },
            413 => Self::TooLong(text),
            _ if about(&["insufficient_quota", "billing_hard_limit", "exceeded your current quota"]) => {
                Self::Quota(text)
            }
            429 => Self::Overloaded { retry_after, said: text },
            _ if about(&[
                "context_length",
                "exceed_context_size",
                "context size",
                "maximum context",
                "too many tokens",
            ]) =>
            {
                Self::TooLong(text)
            }
            _ if about(&["model_not_found", "model not found"]) => {
                Self::NoSuchModel { model: endpoint.model.clone(), said: text }
            }
            500.. => Self::Failing { status, retry_after, said: text },
            _ => Self::Refused { status, said: text },
        }
    }
}

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Self {
        let hint = match &error {
            ModelError::Settings(_) => {
                return Self::usage(error.to_string()).hinted(
                    "set --model or RELOCATOR_MODEL, OPENAI_API_KEY or --key-command, and OPENAI_BASE_URL for another server",
                );
            }
            ModelError::Unreachable(_) => "is OPENAI_BASE_URL right, and is the server running?",
            ModelError::RejectedKey(_) => "see whether OPENAI_API_KEY belongs to that server",
            ModelError::NoSuchModel { .. } => "see which models the server has: GET …/v1/models",
            ModelError::Quota(_) => "the account at the provider needs attention",
            ModelError::TooLong(_) => "take a model with a longer context",
            ModelError::TimedOut(_) | ModelError::Overloaded { .. } | ModelError::Failing { .. } => {
                "try again later, or use --engine ranker, which needs no model"
            }
            ModelError::Refused { .. } | ModelError::BadReply(_) => "is it an OpenAI-compatible server?",
        };
        Self::blocked(error.to_string()).hinted(hint)
    }
}

/// What a server says about an error: a message for people, and all its codes in lower case.
struct Said {
    text: String,
    code: String,
}

fn said(body: &str) -> Said {
    let json: Value = serde_json::from_str(body).unwrap_or_default();
    // Some wrap the error in a list, some leave out the outer object.
    let json = json.get(0).unwrap_or(&json);
    let error = json.get("error").unwrap_or(json);
    let message = [error.get("message"), error.as_str().map(|_| error), json.get("detail"), json.get("message")]
        .into_iter()
        .flatten()
        .find_map(Value::as_str);
    let codes = ["code", "type", "status"].iter().filter_map(|key| error.get(*key));
    let code = codes.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect::<Vec<_>>();
    Said { text: short(message.unwrap_or(body)), code: code.join(" ").to_lowercase() }
}

fn short(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    flat.chars().take(SAID).collect()
}

/// The cause that says what happened; the outer ones name the URL.
pub(super) fn innermost(error: &dyn StdError) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
