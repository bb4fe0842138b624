//! Git as its user has it: with his own configuration and credentials, for what he asks to be handed over.

use std::time::Duration;

use camino::Utf8Path;

use crate::adapters::process::{self, Cancel, Command, Exit};
use crate::error::{Error, ErrorKind};

/// How long one question to git may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long one that goes to a remote may take.
const NETWORK: Duration = Duration::from_mins(5);

/// The commands that go to a remote.
const REMOTE: [&str; 3] = ["fetch", "ls-remote", "push"];

/// Bytes of a file that is handed over; relocator edits none that is longer.
const FILE_CAP: usize = 2 << 20;

/// Variables that would lead git to another repository or index.
const UNSET: [&str; 6] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE"];

/// Git in one folder.
pub struct Checkout<'g> {
    pub(super) root: &'g Utf8Path,
    cancel: &'g Cancel,
}

impl<'g> Checkout<'g> {
    /// The checkout around `root`.
    pub fn at(root: &'g Utf8Path, cancel: &'g Cancel) -> Self {
        Self { root, cancel }
    }

    /// The default branch of the remote, where the repository knows it.
    ///
    /// # Errors
    /// Git cannot be started.
    pub async fn default_of(&self, remote: &str) -> Result<Option<String>, Error> {
        let reference = format!("refs/remotes/{remote}/HEAD");
        let full = self.ask(&["symbolic-ref", "--quiet", "--short", &reference]).await?;
        Ok(full.and_then(|full| full.strip_prefix(&format!("{remote}/")).map(str::to_owned)))
    }

    /// The branch that is checked out; `None` where HEAD is detached.
    ///
    /// # Errors
    /// Git cannot be started.
    pub async fn current(&self) -> Result<Option<String>, Error> {
        self.ask(&["symbolic-ref", "--quiet", "--short", "HEAD"]).await
    }

    /// Where the remote is, as git would push to it.
    ///
    /// # Errors
    /// There is no such remote.
    pub async fn address_of(&self, remote: &str) -> Result<String, Error> {
        let unknown = || Error::usage(format!("the repository has no remote `{remote}`"));
        self.ask(&["remote", "get-url", "--push", "--", remote]).await?.ok_or_else(unknown)
    }

    pub(super) async fn run(
        &self,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Result<process::Finished, Error> {
        let name = arguments.first().copied().unwrap_or_default();
        let hooks = if name == "push" {
            [].as_slice()
        } else {
            &["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]
        };
        let deadline = if REMOTE.contains(&name) { NETWORK } else { PATIENCE };
        let all = ["--no-pager"].iter().chain(hooks).chain(arguments).map(|&word| word.to_owned()).collect();
        let mut command = Command::new("git", all, self.root, deadline)
            .without_env(UNSET)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .output_cap(FILE_CAP);
        for (name, value) in environment {
            command = command.env(*name, *value);
        }
        process::run(&command, self.cancel)
            .await
            .map_err(|error| Error::blocked("git cannot be started").caused_by(&error))
            .and_then(|finished| match finished.exit {
                Exit::Success | Exit::Code(_) => Ok(finished),
                Exit::Cancelled => Err(Error::new(ErrorKind::Interrupted, "interrupted")),
                _ => Err(Error::blocked(format!("git {name} did not end"))),
            })
    }

    /// The answer, without its last line ending; `None` where git says no.
    pub(super) async fn ask(&self, arguments: &[&str]) -> Result<Option<String>, Error> {
        let finished = self.run(arguments, &[]).await?;
        Ok((finished.exit == Exit::Success).then(|| finished.stdout.text().trim_end().to_owned()))
    }

    pub(super) async fn bytes(&self, arguments: &[&str]) -> Result<Option<Vec<u8>>, Error> {
        let finished = self.run(arguments, &[]).await?;
        let bytes = finished.stdout.bytes();
        let whole = finished.stdout.total() == bytes.len() as u64;
        Ok((finished.exit == Exit::Success && whole).then_some(bytes))
    }
}
