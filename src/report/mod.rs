//! Renders what happened: reads and decides nothing.

pub mod transcript;
