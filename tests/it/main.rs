//! The integration tests: one binary.
#![cfg(test)]

mod classify;
mod classify_total;
mod gate;
mod locate;
mod locator_corpus;
mod support;

#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod heal;
#[cfg(test)]
mod projects;
mod trace;
mod trace_hostile;

mod doctor;
mod interrupt;
mod undo;
