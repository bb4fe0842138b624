//! Draining a pipe: everything is read, so that the child never blocks, but only the end is kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::JoinHandle;

/// The end of what a process wrote.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tail {
    bytes: VecDeque<u8>,
    total: u64,
}

impl Tail {
    /// How many bytes were written in all.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The bytes that were kept.
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.iter().copied().collect()
    }

    /// The bytes that were kept, as text; untrusted, not fit for a terminal as it is.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    fn push(&mut self, bytes: &[u8], cap: usize) {
        self.total += bytes.len() as u64;
        self.bytes.extend(bytes);
        let excess = self.bytes.len().saturating_sub(cap);
        self.bytes.drain(..excess);
    }
}

/// A pipe being drained in the background.
pub(super) struct Drain {
    tail: Arc<Mutex<Tail>>,
    task: Option<JoinHandle<()>>,
}

impl Drain {
    /// Starts draining `pipe`, keeping the last `cap` bytes.
    pub(super) fn start<R: AsyncRead + Unpin + Send + 'static>(pipe: Option<R>, cap: usize) -> Self {
        let tail = Arc::new(Mutex::new(Tail::default()));
        let task = pipe.map(|mut pipe| {
            let tail = Arc::clone(&tail);
            tokio::spawn(async move {
                let mut buffer = vec![0; 16 * 1024];
                // A read error ends the pipe like its end does: what was read so far stands.
                while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
                    let bytes = buffer.get(..read).unwrap_or_default();
                    tail.lock().unwrap_or_else(PoisonError::into_inner).push(bytes, cap);
                }
            })
        });
        Self { tail, task }
    }

    /// Waits for the end of the pipe, at most `patience`, and returns what was kept.
    pub(super) async fn finish(mut self, patience: Duration) -> Tail {
        if let Some(mut task) = self.task.take()
            && tokio::time::timeout(patience, &mut task).await.is_err()
        {
            task.abort();
        }
        std::mem::take(&mut *self.tail.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Drain {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}
