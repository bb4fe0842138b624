//! The integration tests: one binary.

mod locator_corpus;
