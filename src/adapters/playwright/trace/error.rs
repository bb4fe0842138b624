//! What can go wrong while a trace is read. Says what and where, never prints text of the trace raw.

use std::io;

/// Why a trace, or a page inside it, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file or folder is not there, or may not be read.
    #[error("cannot open the trace `{path}`")]
    Open {
        /// The path that was asked for.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not a zip archive, or its directory is damaged (a truncated file looks like this).
    #[error("`{path}` is no readable zip archive: it is damaged, or it was cut off")]
    Archive {
        /// The path that was asked for.
        path: String,
        /// What the zip reader said.
        source: zip::result::ZipError,
    },
    /// An archive or a folder without a single `*.trace` inside.
    #[error("`{path}` holds no Playwright trace")]
    NoTrace {
        /// The path that was asked for.
        path: String,
    },
    /// A blob report with several traces: one must be named.
    #[error("`{path}` is a blob report with {count} traces")]
    SeveralTraces {
        /// The path that was asked for.
        path: String,
        /// How many traces there are.
        count: usize,
    },
    /// A part of the trace is damaged.
    #[error("{entry:?} inside the trace is damaged")]
    Entry {
        /// Its name in the archive.
        entry: String,
        /// What the reader said.
        source: io::Error,
    },
    /// There is no such part in the archive.
    #[error("the trace has no part {0:?}")]
    NoEntry(String),
    /// The trace is larger than any real one, as a zip bomb is.
    #[error("the trace is refused: more than {limit} {what}")]
    Limit {
        /// What there was too much of.
        what: &'static str,
        /// The limit from [`super::Limits`].
        limit: u64,
    },
    /// The temporary file that holds the page snapshots failed.
    #[error("cannot keep the page snapshots in a temporary file")]
    Spool(#[source] io::Error),
    /// The trace has no page for this moment.
    #[error("the trace has no page snapshot for `{action}`")]
    NoSnapshot {
        /// The call's name.
        action: String,
    },
    /// A page snapshot cannot be put together.
    #[error("a page snapshot of the trace is damaged: {0}")]
    Snapshot(&'static str),
}
