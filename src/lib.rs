//! relocator repairs stale locators in Playwright test suites, and refuses to do anything else.
//!
//! # Bird's eye
//!
//! A pure core ([`domain`], [`source`]), the world outside ([`adapters`]), the repair loop between them ([`heal`]), and the
//! doors onto it ([`cli`], [`mcp`]). A repair runs through fixed stages; only reading artefacts, running tests and writing one line
//! touch the world:
//!
//! ```text
//! test ─run─► report ──► GATE ONE ──► trace: page at the failing step ──► which link broke ──► where it is defined
//!                        (domain::classify)   (adapters::playwright::trace)  (domain::dom)     (source::locate)
//!      verdict ◄── proofs ◄── runs ◄── journalled edit ◄── GATE TWO ◄── replacement ◄── which element is it now
//!      (domain::verdict) (heal::prove)  (adapters::workspace) (domain::gate) (domain::suggest)  (domain::decide)
//! ```
//!
//! # Where is the thing that …
//!
//! - reads a failure text and says what kind it is: [`domain::failure`], [`domain::classify`] (the rule table)
//! - knows what a locator is, parses and prints it: [`domain::locator`]
//! - evaluates a locator on a recorded page, with roles and names as Playwright computes them: [`domain::dom`]
//! - says which element the lost one is, or none: [`domain::identity`], [`domain::facts`], [`domain::decide`]
//! - says what the repository's history made of a literal: [`domain::history`]; asks git: [`adapters::git`]
//! - tells a renamed label from a neighbour: [`domain::meaning`]
//! - finds the definition of a locator in the source: [`source::locate`]; writes a new one there: [`source::write`]
//! - says whether an edit is one locator swap and nothing else: [`domain::gate`]
//! - takes a step out of a test for the counter-test: [`source::counter`]
//! - folds proofs into an outcome: [`domain::verdict`]
//! - repairs a red suite, several root causes at a time: [`heal::suite`]; which beside which: [`source::reach`], [`heal::turns`],
//!   [`source::parallel`]
//! - names locators for a stale or described element, for whoever writes the edit himself: [`heal::offers`]
//! - says what varies between several runs of a test: [`heal::repeat`], [`domain::flaky`]
//! - serves all this as tools to an agent: [`mcp`] (what it may name: `mcp::confine`; how long an answer may be: `mcp::paging`)
//! - starts processes and stops them with all their children: [`adapters::process`]
//! - composes a Playwright command, runs it, reads its report and traces: [`adapters::playwright`]
//! - writes a project file, and puts it back whatever happens: [`adapters::workspace`]
//! - names a grammar or a node kind: [`source::language`]
//! - reads the reports of a red suite of any size: [`triage`]; says which failures have one cause: [`domain::triage`]
//! - hands repairs over: [`domain::handover`] (what, and whether to ask again), [`adapters::git::branch`], [`adapters::forge`]
//! - writes to the terminal: [`ui`]
//!
//! # Invariants
//!
//! - Nothing but [`domain::gate::check`] makes a [`domain::gate::GatedEdit`]; nothing but [`adapters::workspace`] writes a
//!   project file, and a source only from a `GatedEdit`.
//! - Nothing keeps an edit without proofs that [`domain::verdict::judge`] finds sufficient.
//! - [`domain`] and [`source`] never touch a file, a clock, the environment, a process or the terminal, and never panic on
//!   any bytes.
//! - [`cli`], [`mcp`] and [`report`] decide nothing; only [`mcp`] names rmcp, and in its stdio mode only it writes to stdout.
//! - A file that relocator leaves behind, however it ends, is the original or a proven repair, never half of one.

pub mod adapters;
pub mod cli;
pub mod config;
pub mod doctor;
pub mod domain;
pub mod error;
pub mod exit_code;
pub mod heal;
pub mod mcp;
pub mod report;
pub mod source;
pub mod triage;
pub mod ui;
