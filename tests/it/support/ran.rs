//! A finished run: what it wrote and how it ended.

use std::process::Output;

use serde_json::Value;

/// What a program wrote and how it ended.
#[derive(Debug)]
#[must_use = "a run that nobody looks at proves nothing"]
pub(crate) struct Ran {
    /// The exit code; none when a signal ended it.
    pub(crate) code: Option<i32>,
    /// Everything on stdout.
    pub(crate) stdout: String,
    /// Everything on stderr.
    pub(crate) stderr: String,
}

impl Ran {
    /// The one JSON document on stdout.
    ///
    /// # Panics
    /// When stdout is anything else.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is not one JSON document: {error}\n{self}"))
    }

    /// Whether stdout or stderr contains `text`.
    pub(crate) fn says(&self, text: &str) -> bool {
        self.stdout.contains(text) || self.stderr.contains(text)
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exit code {:?}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}
