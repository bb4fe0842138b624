//! The top-level error: what kind, what happened, what caused it, what to do.
//!
//! A refusal is not an error: it is an outcome with a reason. An error means that relocator could not decide.

use std::error::Error as StdError;
use std::fmt;

use crate::exit_code::ExitCode;

/// Which exit code an error ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Wrong usage or configuration.
    Usage,
    /// The environment is at fault.
    Blocked,
    /// The test that was asked for does not exist.
    NoTests,
    /// A defect of relocator itself.
    Internal,
    /// Ctrl-C or a termination signal.
    Interrupted,
}

/// An error with its causes and hints, printed by [`crate::ui::Ui::error`].
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    causes: Vec<String>,
    hints: Vec<String>,
}

impl Error {
    /// An error of `kind` that says `message`: lower case, no final period, names the thing.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), causes: Vec::new(), hints: Vec::new() }
    }

    /// Wrong usage or configuration.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// The environment is at fault.
    pub fn blocked(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Blocked, message)
    }

    /// A defect of relocator itself.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// Adds `source` and everything behind it to the list of causes.
    #[must_use]
    pub fn caused_by(mut self, source: &dyn StdError) -> Self {
        let mut next = Some(source);
        while let Some(error) = next {
            self.causes.push(error.to_string());
            next = error.source();
        }
        self
    }

    /// Adds what the reader can do about it.
    #[must_use]
    pub fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// What kind of error this is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The causes, nearest first.
    pub fn causes(&self) -> &[String] {
        &self.causes
    }

    /// What the reader can do about it.
    pub fn hints(&self) -> &[String] {
        &self.hints
    }

    /// The exit code this error ends in.
    pub fn exit_code(&self) -> ExitCode {
        match self.kind {
            ErrorKind::Usage => ExitCode::Usage,
            ErrorKind::Blocked => ExitCode::Blocked,
            ErrorKind::NoTests => ExitCode::NoTests,
            ErrorKind::Internal => ExitCode::Internal,
            ErrorKind::Interrupted => ExitCode::Interrupted,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {}
