//! Playwright: where its project is, how it is started, what it reports.

pub mod command;
pub mod ending;
pub mod project;
pub mod report;
pub mod runner;
pub mod version;
