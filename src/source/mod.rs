//! Test source as syntax trees; pure, like `domain`.
#![warn(clippy::disallowed_methods)]

pub mod language;
pub mod syntax;
