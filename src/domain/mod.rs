//! The pure core: values in, values out. No file, clock, environment, process, network, randomness, terminal or async.
#![warn(clippy::disallowed_methods)]

pub mod budget;
pub mod classify;
pub mod conversation;
pub mod decide;
pub mod described;
pub mod dom;
pub mod edit;
pub mod event;
pub mod facts;
pub mod failure;
pub mod fingerprint;
pub mod flaky;
pub mod gate;
pub mod handover;
pub mod hex;
pub mod history;
pub mod identity;
pub mod locator;
pub mod lost;
pub mod meaning;
pub mod page_check;
pub mod page_mark;
pub mod peers;
pub mod rank;
pub mod redact;
pub mod rehearse;
pub mod relax;
pub mod suggest;
pub mod triage;
pub mod verdict;
pub mod word;
pub mod words;
