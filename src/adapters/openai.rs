//! A model behind any OpenAI-compatible endpoint: hosted, or a local server.
//!
//! The only room that knows async-openai and the wire format. It sends what it is given (already redacted) and reads the
//! reply as untrusted text; it decides nothing about what the reply asks for. The key is sent to the endpoint and is never
//! logged, printed or handed on. One call has one reply; a server that is busy is asked again while time is left.

mod access;
mod endpoint;
mod error;
mod mode;
mod transport;
mod wire;

use std::time::{Duration, Instant};

use async_openai::Client;

use self::access::Access;
pub use self::endpoint::{Endpoint, key_from};
pub use self::error::ModelError;
pub use self::mode::{Mode, Modes};
use self::transport::Transport;
use super::http;
use crate::domain::conversation::{Message, Reply};

/// How often a busy or failing server is asked again.
const RETRIES: u32 = 3;
/// The first pause before it is asked again; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(400);
/// A pause is never longer, unless the server asks for it.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// A model to talk to.
#[derive(Debug)]
pub struct OpenAi {
    client: Client<Access>,
    endpoint: Endpoint,
    modes: Modes,
    mode: Option<Mode>,
    /// How long one reply may take.
    timeout: Duration,
    /// How many requests were sent.
    sent: u32,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// The conversation so far.
    pub messages: &'q [Message],
    /// How long the answer may take in all, retries included.
    pub within: Duration,
    /// How many tokens the answer may have.
    pub longest: u32,
}

impl OpenAi {
    /// A model at `endpoint`; one reply may take `timeout`. What the endpoint can do is looked up in `modes`.
    pub fn new(endpoint: Endpoint, timeout: Duration, modes: Modes) -> Result<Self, ModelError> {
        let http = http::client(&endpoint.base).connect_timeout(timeout.min(Duration::from_secs(20)));
        let http = http.build().map_err(|error| ModelError::Unreachable(error::innermost(&error)))?;
        let access = Access::new(&endpoint)?;
        let client = Client::build(http.clone(), access).with_http_service(Transport::new(http));
        let mode = modes.known(&endpoint);
        Ok(Self { client, endpoint, modes, mode, timeout, sent: 0 })
    }

    /// Where it is.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// How calls are asked for, once that is known.
    pub fn mode(&self) -> Option<Mode> {
        self.mode
    }

    /// How many requests were sent, those that were repeated included.
    pub fn requests(&self) -> u32 {
        self.sent
    }

    /// Asks, after finding out once how the server takes calls.
    pub async fn ask(&mut self, question: &Question<'_>) -> Result<Reply, ModelError> {
        let begun = Instant::now();
        let left = || question.within.saturating_sub(begun.elapsed());
        let mode = match self.mode {
            Some(mode) => mode,
            None => self.find_mode(question.within).await?,
        };
        let body = wire::request(&self.endpoint.model, question, mode);
        match self.send(&body, left()).await {
            // Some servers offer tools and fail when a conversation with results comes back.
            Err(ModelError::Failing { .. } | ModelError::Refused { .. }) if mode.has_tools() => {
                let body = wire::request(&self.endpoint.model, question, Mode::Schema);
                let reply = self.send(&body, left()).await?;
                self.settle(Mode::Schema);
                Ok(reply)
            }
            other => other,
        }
    }

    /// Asks for a harmless call in one way after the other, until one is answered by a call.
    async fn find_mode(&mut self, within: Duration) -> Result<Mode, ModelError> {
        let begun = Instant::now();
        let mut last = ModelError::BadReply("it has no choices".to_owned());
        for mode in [Mode::Tools, Mode::ToolsAuto, Mode::Schema, Mode::Plain] {
            let body = wire::probe(&self.endpoint.model, mode);
            match self.send(&body, within.saturating_sub(begun.elapsed())).await {
                // What answers at all can be asked in plain words.
                Ok(reply) if mode == Mode::Plain || mode.is_proven_by(&reply) => {
                    self.settle(mode);
                    return Ok(mode);
                }
                Ok(_) => {}
                Err(error @ (ModelError::Refused { .. } | ModelError::Failing { .. } | ModelError::BadReply(_))) => {
                    last = error;
                }
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    fn settle(&mut self, mode: Mode) {
        self.mode = Some(mode);
        self.modes.remember(&self.endpoint, mode);
    }

    /// Sends one request; again where the server is busy and says so in time.
    async fn send(&mut self, body: &serde_json::Value, within: Duration) -> Result<Reply, ModelError> {
        let begun = Instant::now();
        let mut pause = PAUSE;
        for attempt in 0..=RETRIES {
            let left = within.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Err(ModelError::TimedOut(within));
            }
            self.sent += 1;
            let error = match tokio::time::timeout(left.min(self.timeout), self.once(body)).await {
                Ok(Ok(reply)) => return Ok(reply),
                Ok(Err(error)) => error,
                Err(_) => return Err(ModelError::TimedOut(left.min(self.timeout))),
            };
            let Some(wait) = error.wait(pause) else { return Err(error) };
            let left = within.saturating_sub(begun.elapsed());
            if attempt == RETRIES || wait >= left {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        Err(ModelError::TimedOut(within))
    }

    async fn once(&self, body: &serde_json::Value) -> Result<Reply, ModelError> {
        let answer: Result<wire::Completion, _> = self.client.chat().create_byot(body).await;
        answer.map_err(|error| ModelError::of(error, &self.endpoint)).and_then(wire::Completion::reply)
    }
}

#[cfg(test)]
mod tests;
