//! Tells a caller who asked for it what is going on: every event of the loop as a progress notification, and a sign of life
//! while nothing happens, so that a client with a time limit does not give up on a slow suite.

use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::answer::cut;
use crate::domain::event::Event;
use crate::report::transcript;

/// How often a caller hears something; the official clients give up after 60 s of silence.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);
/// Longest message, in characters.
const LONGEST: usize = 300;

/// Where messages go; cheap to clone, and silent where nobody asked.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress {
    sender: Option<mpsc::UnboundedSender<String>>,
}

/// Sends the messages on, in order; to be awaited before the answer is sent, so that none comes after it.
pub(super) type Forwarder = Option<JoinHandle<()>>;

impl Progress {
    /// Progress for the caller behind `peer`, if it gave a token.
    pub(super) fn to(peer: Peer<RoleServer>, token: Option<ProgressToken>) -> (Self, Forwarder) {
        let Some(token) = token else { return (Self::default(), None) };
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { sender: Some(sender) }, Some(tokio::spawn(forward(peer, token, receiver))))
    }

    /// Tells the caller something.
    pub(super) fn say(&self, message: &str) {
        if let Some(sender) = &self.sender {
            // Nobody listens any more when the caller is gone.
            drop(sender.send(cut(message, LONGEST)));
        }
    }

    /// Tells the caller an event.
    pub(super) fn event(&self, event: &Event) {
        match event {
            Event::RunStarted { purpose } => self.say(&format!("{purpose}…")),
            Event::Sending { to, what } => self.say(&format!("this sends to {to}: {what}")),
            // A conversation with a model is for the report.
            Event::Said { .. } => {}
            event => {
                if let Some(lines) = transcript::lines(event) {
                    self.say(&lines);
                }
            }
        }
    }
}

async fn forward(peer: Peer<RoleServer>, token: ProgressToken, mut messages: mpsc::UnboundedReceiver<String>) {
    let mut last = String::new();
    let mut count = 0.0;
    loop {
        let message = match tokio::time::timeout(SIGN_OF_LIFE, messages.recv()).await {
            Ok(None) => return,
            Ok(Some(message)) => message,
            Err(_) => last.clone(),
        };
        count += 1.0;
        let sent = peer.notify_progress(ProgressNotificationParam::new(token.clone(), count).with_message(&message));
        if sent.await.is_err() {
            return;
        }
        last = message;
    }
}
