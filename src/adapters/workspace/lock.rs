//! One writer per project at a time, across processes.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

use super::recover::PutBack;
use super::{Workspace, WorkspaceError};
use crate::adapters::process;

/// How often a waiting process tries again.
const RETRY: Duration = Duration::from_millis(200);

/// Who writes in a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// Its command.
    pub command: String,
    /// Since when, as a UTC time stamp.
    pub since: String,
    /// How the processes that it starts know it.
    #[serde(default)]
    owner: String,
}

impl Holder {
    /// This process, running `command`.
    pub fn this(command: impl Into<String>) -> Self {
        let since = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        Self { pid: std::process::id(), command: command.into(), since, owner: process::owner() }
    }
}

impl Holder {
    fn unknown() -> Self {
        Self { pid: 0, command: "unknown".to_owned(), since: "just now".to_owned(), owner: String::new() }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`, process {}, since {}", self.command, self.pid, self.since)
    }
}

/// What to do when somebody else holds the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Say who it is and give up.
    None,
    /// Wait, at most this long.
    UpTo(Duration),
}

/// The right to change files of the project, until it is dropped.
///
/// The lock goes with the process, also with one that is killed.
#[derive(Debug)]
pub struct Writer {
    pub(super) workspace: Workspace,
    pub(super) recovered: Vec<PutBack>,
    /// Files with an edit in flight.
    pub(super) busy: Mutex<BTreeSet<Utf8PathBuf>>,
    pub(super) mishaps: Mutex<Vec<String>>,
    next: AtomicU32,
    lock: File,
}

impl Drop for Writer {
    fn drop(&mut self) {
        // An orderly end: there is nobody left to sweep up after.
        drop(self.lock.set_len(0));
    }
}

impl Workspace {
    /// Becomes the project's only writer, and puts back what a former one left in the journal.
    ///
    /// `waiting` is told once who it is that has to be waited for.
    pub async fn writer(
        &self,
        holder: &Holder,
        patience: Patience,
        waiting: impl FnOnce(&Holder),
    ) -> Result<Writer, WorkspaceError> {
        self.make(&self.journal())?;
        let path = self.state().join("lock");
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(WorkspaceError::io("open", &path))?;
        let give_up = match patience {
            Patience::None => None,
            Patience::UpTo(longest) => tokio::time::Instant::now().checked_add(longest),
        };
        let mut waiting = Some(waiting);
        while let Err(error) = file.try_lock() {
            let std::fs::TryLockError::WouldBlock = error else {
                return Err(WorkspaceError::io("lock", &path)(error.into()));
            };
            // It may be writing its name at this very moment.
            let other = read_holder(&mut file).unwrap_or_else(Holder::unknown);
            if give_up.is_none_or(|end| tokio::time::Instant::now() >= end) {
                return Err(WorkspaceError::Locked { holder: other });
            }
            if let Some(tell) = waiting.take() {
                tell(&other);
            }
            tokio::time::sleep(RETRY).await;
        }
        // Whoever ends in an orderly way leaves the file empty.
        if let Some(killed) = read_holder(&mut file).filter(|former| !former.owner.is_empty()) {
            process::sweep(&killed.owner);
        }
        write_holder(&mut file, holder).map_err(WorkspaceError::io("write", &path))?;
        let mut writer = Writer {
            workspace: self.clone(),
            recovered: Vec::new(),
            busy: Mutex::default(),
            mishaps: Mutex::default(),
            next: AtomicU32::new(1),
            lock: file,
        };
        writer.recovered = writer.recover()?;
        self.prune()?;
        Ok(writer)
    }
}

impl Writer {
    /// The project.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// What a former process had left behind, and what became of it.
    pub fn recovered(&self) -> &[PutBack] {
        &self.recovered
    }

    /// What went wrong when an edit was dropped, in sentences; they are for a person, loudly.
    pub fn mishaps(&self) -> Vec<String> {
        self.mishaps.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remembers what went wrong while something was dropped.
    pub(super) fn mishap(&self, sentence: String) {
        self.mishaps.lock().unwrap_or_else(PoisonError::into_inner).push(sentence);
    }

    /// The next number for whatever needs a name of its own in this process.
    pub fn number(&self) -> u32 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }
}

fn read_holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.rewind().and_then(|()| file.take(4096).read_to_string(&mut text)).ok()?;
    serde_json::from_str(&text).ok()
}

fn write_holder(file: &mut File, holder: &Holder) -> std::io::Result<()> {
    file.rewind()?;
    file.set_len(0)?;
    file.write_all(&serde_json::to_vec(holder)?)
}
