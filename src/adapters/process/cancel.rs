//! The cancellation handle: set by Ctrl-C and termination signals, looked at by whoever runs something.

use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// How urgently to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Stop {
    /// Nobody asked.
    #[default]
    No,
    /// The first request: children get a grace period.
    Gracefully,
    /// The second request: children are killed at once.
    AtOnce,
}

/// A cheap handle; all clones share one state, which only ever grows more urgent.
#[derive(Debug, Clone)]
pub struct Cancel {
    state: Arc<watch::Sender<Stop>>,
}

impl Default for Cancel {
    fn default() -> Self {
        Self { state: Arc::new(watch::Sender::new(Stop::No)) }
    }
}

impl Cancel {
    /// A handle that SIGINT, SIGTERM and SIGHUP set; must be called inside a tokio runtime.
    ///
    /// From then on those signals no longer end the process by themselves.
    pub fn on_signals() -> std::io::Result<Self> {
        let cancel = Self::default();
        for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
            let mut stream = signal(kind)?;
            let cancel = cancel.clone();
            tokio::spawn(async move {
                while stream.recv().await.is_some() {
                    cancel.request();
                }
            });
        }
        Ok(cancel)
    }

    /// Asks to stop; asked again, asks to stop at once.
    pub fn request(&self) {
        self.state.send_modify(|state| {
            *state = if *state == Stop::No { Stop::Gracefully } else { Stop::AtOnce };
        });
    }

    /// Whether anybody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        *self.state.borrow() > Stop::No
    }

    /// Waits until somebody asked to stop at least as urgently as `level`.
    pub async fn reached(&self, level: Stop) {
        // The sender lives in `self`, so the wait cannot fail.
        drop(self.state.subscribe().wait_for(|state| *state >= level).await);
    }
}
