//! The integration tests: one binary.
#![cfg(test)]

mod classify;
mod classify_total;
mod gate;
mod locate;
mod locator_corpus;
#[expect(dead_code, unused_imports, reason = "the tests of heal, which need the rest of it, come with that command")]
mod support;

mod projects;
mod trace;
mod trace_hostile;

mod doctor;
mod interrupt;
mod undo;
