//! Renders what happened: reads and decides nothing.

pub mod annotations;
pub mod folder;
pub mod html;
pub mod inspection;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod rehearsal;
pub mod suite;
pub mod table;
pub mod transcript;
