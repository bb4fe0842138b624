//! What happened, in the order it happened: the stream that the terminal, the run record and later readers consume.
//!
//! Events carry text as it was seen; whoever shows one makes it printable. They decide nothing.

use std::time::Duration;

use super::verdict::Reason;

/// One thing that happened while a failing test was being repaired.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A run of the test, or of several, began.
    RunStarted {
        /// What it is for, as it reads after a colon: `reproducing the failure`.
        purpose: String,
    },
    /// Gate one read the failure.
    GateOne {
        /// The category's stable name.
        category: String,
        /// Whether a repair may be tried.
        eligible: bool,
        /// What was seen, in a sentence.
        why: String,
    },
    /// A source file was read to find the locator.
    SourceRead {
        /// Project-relative path.
        path: String,
    },
    /// The page at the failing step was ranked.
    PageInspected {
        /// How many elements were ranked.
        candidates: usize,
        /// The best of them, described.
        best: Option<String>,
        /// Which link of the chain stopped matching, in words.
        broken: Option<String>,
    },
    /// An edit was proposed.
    Edit {
        /// Project-relative path.
        path: String,
        /// 1-based line.
        line: usize,
        /// The line before.
        before: String,
        /// The line after.
        after: String,
    },
    /// Gate two judged the edit: nothing, or why it refuses.
    GateTwo {
        /// `reason: sentence` of the violation.
        refused: Option<String>,
    },
    /// The test ran with the edit in place.
    TestRun {
        /// Which of the allowed runs this was, from 1.
        number: u32,
        /// How many are allowed.
        allowed: u32,
        /// Whether the test passed.
        passed: bool,
        /// How long it took.
        duration: Duration,
        /// Whether it passed again, where it was asked to.
        again: Option<bool>,
        /// Why it failed, where it did.
        failure: Option<String>,
    },
    /// A further proof was made.
    ProofMade {
        /// Which one.
        name: &'static str,
        /// What was seen.
        seen: String,
        /// Whether it held; `None` where it does not apply.
        held: Option<bool>,
    },
    /// The source was put back.
    Restored {
        /// Project-relative path.
        path: String,
    },
    /// The first byte is about to go to a model on another machine.
    Sending {
        /// The address.
        to: String,
        /// What kind of content goes there, and how to switch it off.
        what: String,
    },
    /// Something was said in a conversation with a model, redacted.
    Said {
        /// Who.
        role: &'static str,
        /// What.
        text: String,
    },
    /// Something a reader should know, which decided nothing.
    Note(String),
    /// The step of the root cause before works, and the test fails later: another root cause.
    NextCause {
        /// Which one it is, from 1.
        number: usize,
    },
    /// How one of several root causes ended.
    CauseEnded {
        /// Which one, from 1.
        number: usize,
        /// Where its locator is defined, or where the test failed: `tests/a.spec.ts:12`.
        place: String,
        /// Outcome and reason.
        reason: Reason,
    },
    /// How it ended.
    Ended {
        /// Outcome and reason.
        reason: Reason,
        /// Runs with an edit in place.
        runs: u32,
    },
}
