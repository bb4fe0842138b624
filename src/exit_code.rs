//! The process exit codes: one enum, the same table as in the README.

use std::process::ExitCode as ProcessExitCode;

/// How the process ends. The numbers are a public interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Nothing is left failing, or there was nothing to do.
    Clean = 0,
    /// Failures remain: declined, proposed, escalated, flaky, or a failed check.
    FailuresRemain = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// The environment stopped us: report unreadable, Playwright or the app missing.
    Blocked = 3,
    /// No such test, or no tests at all.
    NoTests = 4,
    /// A defect of relocator itself.
    Internal = 70,
    /// Stopped by Ctrl-C or a termination signal.
    Interrupted = 130,
}

impl From<ExitCode> for ProcessExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}
