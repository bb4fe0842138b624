//! For tests: ends the process, or reports an error, at a chosen file operation.

use std::cell::RefCell;
use std::io;

use camino::Utf8Path;

/// What happens at an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The process is killed before the operation with this number (one-based).
    KillAt(u32),
    /// The operation with this number fails with this `errno`.
    FailAt(u32, i32),
    /// From the operation with this number on, whatever needs space fails: creating, writing, linking, making folders.
    FullFrom(u32),
}

#[derive(Default)]
struct State {
    fault: Option<Fault>,
    links_fail: bool,
    log: Vec<String>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Starts counting anew, with `fault` in wait; `links_fail` on a file system without hard links.
pub(super) fn plan(fault: Option<Fault>, links_fail: bool) {
    STATE.with_borrow_mut(|state| *state = State { fault, links_fail, log: Vec::new() });
}

/// The operations so far: what, and the last part of its path.
pub(super) fn log() -> Vec<String> {
    STATE.with_borrow(|state| state.log.clone())
}

/// Announces an operation.
pub(super) fn about_to(operation: &'static str, path: &Utf8Path) -> io::Result<()> {
    STATE.with_borrow_mut(|state| {
        state.log.push(format!("{operation} {}", path.file_name().unwrap_or_default()));
        let number = u32::try_from(state.log.len()).unwrap();
        let needs_space = matches!(operation, "create" | "write" | "link" | "make the folder");
        match state.fault {
            Some(Fault::KillAt(at)) if at == number => {
                rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
                unreachable!("killed");
            }
            Some(Fault::FailAt(at, errno)) if at == number => Err(io::Error::from_raw_os_error(errno)),
            Some(Fault::FullFrom(from)) if number >= from && needs_space => {
                Err(io::Error::from_raw_os_error(rustix::io::Errno::NOSPC.raw_os_error()))
            }
            _ if operation == "link" && state.links_fail => {
                Err(io::Error::from_raw_os_error(rustix::io::Errno::PERM.raw_os_error()))
            }
            _ => Ok(()),
        }
    })
}
