//! The `relocator` binary: parses, starts, and maps the result to an exit code; nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    relocator::cli::main().into()
}
