//! The services as tools of the Model Context Protocol: a door onto `heal`, `domain` and `report`, which decides nothing.
//!
//! ```text
//! stdio | http ─► server ─► tools/NOUN ─► call: turn in the queue, project, writer ─► heal::…
//!                   │           └─ confine: what a caller may name        progress ◄─┘ events
//!                   └─ paging: every answer bounded, the rest behind a cursor
//! ```
//!
//! What must never happen here: a path outside the root is opened, a word of a caller reaches a command line, an answer
//! outgrows its bound, a byte that is not the protocol's is written to stdout, a run outlives its caller. A refusal is an
//! answer with a reason; a protocol error says only that there is no such tool.

mod answer;
pub mod audit;
mod call;
mod confine;
pub mod http;
mod paging;
mod progress;
mod queue;
mod server;
pub mod stdio;
pub mod tokens;
mod tools;

pub use server::{Options, Server};
