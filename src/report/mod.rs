//! Renders what happened: reads and decides nothing.

pub mod inspection;
pub mod json;
pub mod transcript;
