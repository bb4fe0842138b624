//! The integration tests: one binary.
#![cfg(test)]

mod classify;
mod classify_command;
mod classify_total;
mod differential;
mod forge;
mod gate;
mod gate_total;
mod locate;
mod locator_corpus;
mod support;

mod at_once;
mod bad_input;
mod handover;
mod heal;
mod history;
mod learn;
mod mcp;
mod mcp_clients;
mod mcp_heal;
mod mcp_http;
mod mcp_pages;
mod mcp_setup;
mod mcp_triage;
mod merge;
mod model;
mod projects;
mod query;
mod trace;
mod trace_hostile;
mod triage;

mod doctor;
mod evidence;
mod interrupt;
mod jobs;
mod undo;
