//! What a failure text says: its errors, and for each the call or assertion, the call log, the place.
//!
//! Reads the structure that Playwright gives its texts, in all wordings from 1.9 on and in the form that CI systems leave
//! them in. Source lines (code frames), stacks and page snapshots inside a text are never evidence. Decides nothing:
//! that is `classify`'s work. Total over all texts: what is not understood becomes `Head::Other`.

mod body;
mod clean;
mod decode;
mod head;
mod line;
mod log;
mod one_line;
mod prefix;
mod site;
mod split;

pub use clean::MAX_TEXT;
pub use site::{SourceSite, frames, is_cut, rejoined};

pub(crate) use body::{Body, Received};
pub(crate) use clean::{Cleaned, clean};
pub(crate) use head::{Call, Expect, Head, Limit};
pub(crate) use line::milliseconds;
pub(crate) use log::{Log, LogEnd, enters_frame, is_closed};

/// One error of a failure text.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each was seen or not, in any combination")]
pub(crate) struct ErrorText<'t> {
    /// What failed.
    pub(crate) head: Head<'t>,
    /// The block below the first line.
    pub(crate) body: Body<'t>,
    /// The call log, where there is one.
    pub(crate) log: Option<Log<'t>>,
    /// Whether the assertion stood in `toPass` or `expect.poll`, whose own time ran out.
    pub(crate) retried: bool,
    /// Whether the error is the cause of the one before it.
    pub(crate) cause: bool,
    /// Whether the author's own message stands before the assertion.
    pub(crate) message: bool,
    /// Whether the text breaks off inside this error.
    pub(crate) cut: bool,
    /// Whether the assertion is a soft one: the test went on, and there may be other errors.
    pub(crate) soft: bool,
    /// The first place in the user's code.
    pub(crate) site: Option<SourceSite>,
}

impl<'t> ErrorText<'t> {
    fn new(head: Head<'t>, line: &'t str, cause: bool) -> Self {
        let mut error = Self {
            head,
            body: Body::default(),
            log: None,
            retried: false,
            cause,
            message: false,
            cut: false,
            soft: false,
            site: None,
        };
        error.body.strict = body::strict_violation(line);
        error
    }

    /// An error that says `text` and nothing else.
    pub(crate) fn other(text: &'t str) -> Self {
        Self::new(Head::Other(text), text, false)
    }

    /// Whether only a sentence was read so far, which may be the author's message of an assertion.
    fn is_message_only(&self) -> bool {
        matches!(self.head, Head::Other(_)) && self.log.is_none() && self.body == Body::default()
    }

    fn restate(&mut self, head: Head<'t>, line: &'t str) {
        self.head = head;
        self.message = true;
        self.body.strict = body::strict_violation(line);
    }
}

/// `text` without colour codes.
pub fn plain(text: &str) -> String {
    decode::colours(text).unwrap_or_else(|| text.to_owned())
}

/// The errors of a cleaned text, and whether they are all errors of a test result.
pub(crate) fn errors<'t>(cleaned: &'t Cleaned<'_>) -> (Vec<ErrorText<'t>>, bool) {
    let (mut errors, titled) = split::errors(&cleaned.text);
    if cleaned.cut
        && let Some(last) = errors.last_mut()
    {
        last.cut = true;
    }
    (errors, titled && !cleaned.annotation)
}
