//! Renders what happened: reads and decides nothing.

pub mod json;
pub mod transcript;
