//! Test source as syntax trees; pure, like `domain`.
#![warn(clippy::disallowed_methods)]

pub mod counter;
pub mod graph;
pub mod house;
pub mod imports;
pub mod language;
pub mod later;
pub mod literal;
pub mod locate;
pub mod names;
pub mod parallel;
pub mod position;
pub mod project;
pub mod reach;
pub mod reread;
pub mod shape;
pub mod syntax;
pub mod tree;
pub mod tsconfig;
pub mod write;
