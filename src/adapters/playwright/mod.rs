//! Playwright: where its project is, how it is started, what it reports, what it traced.

pub mod command;
pub mod ending;
pub mod error_context;
pub(crate) mod halves;
pub mod merge;
pub mod probe;
pub mod project;
pub mod report;
pub mod runner;
pub mod trace;
pub mod version;
