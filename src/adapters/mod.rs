//! The world outside: one file or folder per outside system, with its own error type and its own formats.

pub mod evidence;
pub mod fingerprints;
pub mod forge;
pub mod git;
pub mod http;
pub mod junit;
pub mod openai;
pub mod pairs;
pub mod playwright;
pub mod process;
pub mod secrets;
pub mod workspace;
