//! relocator repairs stale locators in Playwright test suites, and refuses to do anything else.

pub mod adapters;
pub mod cli;
pub mod config;
pub mod doctor;
pub mod domain;
pub mod error;
pub mod exit_code;
pub mod heal;
pub mod report;
pub mod source;
pub mod ui;
