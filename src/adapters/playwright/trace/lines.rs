//! Event files line by line, with a cap on the length of a line.

use std::io::{BufRead as _, BufReader, Read as _};

use super::archive::Capped;
use super::{Limits, TraceError};

/// Lines of one event file.
pub(super) struct Lines<'a> {
    reader: BufReader<Capped<'a>>,
    entry: String,
    limit: usize,
    line: Vec<u8>,
}

impl<'a> Lines<'a> {
    /// Reads lines of the part `entry`.
    pub(super) fn new(reader: Capped<'a>, entry: &str, limits: &Limits) -> Self {
        let line = Vec::new();
        Self {
            reader: BufReader::with_capacity(64 << 10, reader),
            entry: entry.to_owned(),
            limit: limits.line_bytes,
            line,
        }
    }

    /// The next line without its end; `None` after the last one.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, TraceError> {
        self.line.clear();
        let limit = self.limit as u64;
        let read = self.reader.by_ref().take(limit + 1).read_until(b'\n', &mut self.line);
        match read {
            Ok(0) => return Ok(None),
            Ok(_) if self.line.len() > self.limit => {
                return Err(TraceError::Limit { what: "bytes in one event", limit });
            }
            Ok(_) => {}
            Err(_) if self.reader.get_ref().exhausted() => return Err(self.reader.get_ref().limit_error()),
            Err(source) => return Err(TraceError::Entry { entry: self.entry.clone(), source }),
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        }
        Ok(Some(&self.line))
    }
}
