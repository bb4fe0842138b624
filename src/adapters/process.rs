//! The only place that starts processes.
//!
//! A child runs in its own process group with no stdin, a deadline, and its output drained all the time but kept only
//! up to a cap. When it is stopped (deadline, Ctrl-C, or the future is dropped) its whole family goes: TERM, a grace
//! period, KILL. The family is more than the group: Playwright starts browsers and web servers in sessions of their
//! own, so on Linux the descendants are walked as well. It judges nothing about what a child printed.

mod cancel;
mod family;
mod output;

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use rustix::process::{Pid, Signal};
use tokio::process::Child;

pub use self::cancel::{Cancel, Stop};
use self::family::Family;
use self::output::Drain;
pub use self::output::Tail;

/// How long a stopped family gets between TERM and KILL: Playwright's workers close their browsers in well under a
/// second (measured: 0.1 to 0.4 s), a web server that saves something may need longer.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(3);

/// How many bytes of each output stream are kept (the last ones).
pub const DEFAULT_OUTPUT_CAP: usize = 256 * 1024;

/// How long a pipe may stay open after the child itself has ended: a daemon it left behind may hold it for ever.
const DRAIN_AFTER_EXIT: Duration = Duration::from_millis(500);

/// How often the family is counted again while it is being stopped.
const RECOUNT: Duration = Duration::from_millis(25);

/// How often the family is counted while it runs: some milliseconds of `/proc` reading each time.
const WATCH: Duration = Duration::from_millis(500);

/// A process to run: composed elsewhere, run here.
#[derive(Debug, Clone)]
pub struct Command {
    program: String,
    args: Vec<String>,
    cwd: Utf8PathBuf,
    set: Vec<(String, String)>,
    unset: Vec<String>,
    deadline: Duration,
    grace: Duration,
    output_cap: usize,
}

impl Command {
    /// `program` with `args` in `cwd`; it is stopped after `deadline`.
    pub fn new(program: impl Into<String>, args: Vec<String>, cwd: impl Into<Utf8PathBuf>, deadline: Duration) -> Self {
        Self {
            program: program.into(),
            args,
            cwd: cwd.into(),
            set: Vec::new(),
            unset: Vec::new(),
            deadline,
            grace: DEFAULT_GRACE,
            output_cap: DEFAULT_OUTPUT_CAP,
        }
    }

    /// Sets an environment variable; all others are inherited.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.set.push((name.into(), value.into()));
        self
    }

    /// Keeps environment variables from the child: secrets of ours, settings that would change its meaning.
    #[must_use]
    pub fn without_env<I: IntoIterator<Item = S>, S: Into<String>>(mut self, names: I) -> Self {
        self.unset.extend(names.into_iter().map(Into::into));
        self
    }

    /// How long the family gets between TERM and KILL.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// How many bytes of each stream to keep.
    #[must_use]
    pub fn output_cap(mut self, bytes: usize) -> Self {
        self.output_cap = bytes;
        self
    }

    /// The program and its arguments, as shown to a person and in a report.
    pub fn argv(&self) -> Vec<String> {
        std::iter::once(self.program.clone()).chain(self.args.iter().cloned()).collect()
    }

    /// The folder it runs in.
    pub fn cwd(&self) -> &Utf8PathBuf {
        &self.cwd
    }

    /// The environment variables it sets, in the order they were given.
    pub fn env_set(&self) -> &[(String, String)] {
        &self.set
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with status 0.
    Success,
    /// By itself, with another status.
    Code(i32),
    /// Killed by a signal that was not ours.
    Signal(i32),
    /// Stopped by us: the deadline had passed.
    TimedOut,
    /// Stopped by us: Ctrl-C or a termination signal.
    Cancelled,
}

/// What is known of a process that has ended.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub exit: Exit,
    /// Wall time from start to end.
    pub duration: Duration,
    /// The end of what it wrote to stdout.
    pub stdout: Tail,
    /// The end of what it wrote to stderr.
    pub stderr: Tail,
}

/// Why a process could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// There is no such program.
    #[error("cannot find `{program}`")]
    NotFound {
        /// What was asked for.
        program: String,
    },
    /// The operating system refused to start it.
    #[error("cannot start `{program}` in {cwd}")]
    Spawn {
        /// What was asked for.
        program: String,
        /// The folder it should run in.
        cwd: Utf8PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The operating system could not say how it ended.
    #[error("lost track of `{program}`")]
    Wait {
        /// What was asked for.
        program: String,
        /// Why.
        source: std::io::Error,
    },
}

/// Runs `command` to its end, or stops it at its deadline or when `cancel` says so.
///
/// Dropping the future kills the whole family at once. A cancelled handle starts nothing.
pub async fn run(command: &Command, cancel: &Cancel) -> Result<Finished, ProcessError> {
    let started = Instant::now();
    if cancel.is_cancelled() {
        return Ok(Finished {
            exit: Exit::Cancelled,
            duration: Duration::ZERO,
            stdout: Tail::default(),
            stderr: Tail::default(),
        });
    }
    let mut child = spawn(command)?;
    let stdout = Drain::start(child.stdout.take(), command.output_cap);
    let stderr = Drain::start(child.stderr.take(), command.output_cap);
    // From here on nothing of it outlives this future, however it ends.
    let mut guard = Guard { family: child.id().and_then(pid).map(Family::of) };

    let exit = tokio::select! {
        status = child.wait() => {
            let status = status.map_err(|source| ProcessError::Wait { program: command.program.clone(), source })?;
            Exit::from(status)
        }
        never = watch(guard.family.as_mut()) => match never {},
        () = tokio::time::sleep(command.deadline) => Exit::TimedOut,
        () = cancel.reached(Stop::Gracefully) => Exit::Cancelled,
    };
    match exit {
        Exit::TimedOut | Exit::Cancelled => stop(&mut child, guard.family.as_mut(), command.grace, cancel).await,
        // It, or under a shell or npx the process that mattered, did not get to clean up behind itself.
        Exit::Signal(_) | Exit::Code(129..) => guard.family.iter_mut().for_each(Family::kill),
        Exit::Success | Exit::Code(_) => {}
    }
    guard.family = None;
    let (stdout, stderr) = tokio::join!(stdout.finish(DRAIN_AFTER_EXIT), stderr.finish(DRAIN_AFTER_EXIT));
    Ok(Finished { exit, duration: started.elapsed(), stdout, stderr })
}

fn spawn(command: &Command) -> Result<Child, ProcessError> {
    let mut tokio_command = tokio::process::Command::new(&command.program);
    tokio_command
        .args(&command.args)
        .current_dir(&command.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    for name in &command.unset {
        tokio_command.env_remove(name);
    }
    tokio_command.env(OWNER, owner());
    tokio_command.envs(command.set.iter().map(|(name, value)| (name, value)));
    tokio_command.spawn().map_err(|source| {
        let missing = source.kind() == std::io::ErrorKind::NotFound && command.cwd.is_dir();
        let program = command.program.clone();
        if missing {
            ProcessError::NotFound { program }
        } else {
            ProcessError::Spawn { program, cwd: command.cwd.clone(), source }
        }
    })
}

/// Keeps the family known while it runs, so that whoever is orphaned by a crash is still found.
async fn watch(mut family: Option<&mut Family>) -> Infallible {
    loop {
        tokio::time::sleep(WATCH).await;
        if let Some(family) = family.as_deref_mut() {
            family.count();
        }
    }
}

/// TERM to the family, then wait for its end while its output goes on being drained, then KILL to what is left.
async fn stop(child: &mut Child, family: Option<&mut Family>, grace: Duration, cancel: &Cancel) {
    if let Some(family) = family {
        family.signal(Signal::TERM);
        let patience = async {
            while family.count() > 0 {
                // Reaps the child, so that it stops counting as soon as it is gone.
                drop(child.try_wait());
                tokio::time::sleep(RECOUNT).await;
            }
        };
        tokio::select! {
            () = patience => {}
            () = tokio::time::sleep(grace) => {}
            () = cancel.reached(Stop::AtOnce) => {}
        }
        family.kill();
    }
    // The child was killed at the latest just now, or never had a process id because it had ended already.
    drop(child.wait().await);
}

/// Kills the family when the future that runs it is dropped.
struct Guard {
    family: Option<Family>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.family.iter_mut().for_each(Family::kill);
    }
}

fn pid(raw: u32) -> Option<Pid> {
    i32::try_from(raw).ok().and_then(Pid::from_raw)
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        use std::os::unix::process::ExitStatusExt as _;
        match (status.code(), status.signal()) {
            (Some(0), _) => Self::Success,
            (Some(code), _) => Self::Code(code),
            (None, signal) => Self::Signal(signal.unwrap_or_default()),
        }
    }
}

/// Starts `program` for a person and leaves it alone: a browser outlives whoever opened it.
///
/// # Errors
/// It cannot be started.
pub fn leave(program: &Path, args: &[String]) -> Result<(), ProcessError> {
    use std::os::unix::process::CommandExt as _;
    let mut command = std::process::Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    command.spawn().map(drop).map_err(|source| ProcessError::Spawn {
        program: program.display().to_string(),
        cwd: Utf8PathBuf::from("."),
        source,
    })
}

/// The variable by which every process that we start, and all that it starts, can be told to be ours.
const OWNER: &str = "RELOCATOR_OWNER";

/// This process, as its children know it: process id and start time, so that a reused id is somebody else.
pub fn owner() -> String {
    let pid = std::process::id();
    format!("{pid}-{}", i32::try_from(pid).map_or(0, family::started))
}

/// Kills what the relocator `owner`, which was killed itself, had started and could not stop any more; returns how many
/// processes that were. Where there is no `/proc` it finds none.
pub fn sweep(owner: &str) -> usize {
    family::kill_marked(&format!("{OWNER}={owner}"))
}

/// Where `program` is found on `PATH`, or by its own path, if anywhere.
pub fn find_program(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|file| is_executable(file));
    }
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|folder| folder.join(program)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests;
