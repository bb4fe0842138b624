//! The pure core: values in, values out. No file, clock, environment, process, network, randomness, terminal or async.
#![warn(clippy::disallowed_methods)]

pub mod classify;
pub mod dom;
pub mod edit;
pub mod event;
pub mod failure;
pub mod gate;
pub mod locator;
pub mod meaning;
pub mod verdict;
pub mod words;
