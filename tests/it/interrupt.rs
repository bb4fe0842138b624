//! Ctrl-C at any moment: exit code 130, every file as it was, nobody left running.

use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Project, Ran, browser_turn, survivors};

/// Moments after the start, in milliseconds: before Node is up, while tests are collected, while the browser starts, while
/// the web server runs.
const MOMENTS: [u64; 6] = [50, 400, 900, 1_600, 2_400, 3_200];

/// Starts `command`, sends it `signal` after `moment`, and waits for its end.
fn interrupted(mut command: Command, signal: Signal, moment: Duration) -> Ran {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("relocator starts");
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    std::thread::sleep(moment);
    // It may have ended by itself, which is fine at a late moment.
    _ = kill_process(pid, signal);
    Ran::from(child.wait_with_output().expect("relocator ends"))
}

/// Every signal that asks a command to stop ends it, at every moment, without traces.
fn check(signal: Signal) {
    let _turn = browser_turn();
    for moment in MOMENTS.map(Duration::from_millis) {
        let project = Project::copy("demo");
        let before = project.tree();
        let ran = interrupted(project.relocator(["doctor"]), signal, moment);
        assert!(matches!(ran.code, Some(130 | 0)), "{signal:?} after {moment:?}: {ran}");
        assert_eq!(before.changes(&project.tree()), [], "{signal:?} after {moment:?}");
        assert_eq!(survivors(project.folder()), Vec::<String>::new(), "{signal:?} after {moment:?}");
    }
}

#[test]
fn an_interrupt_leaves_nobody_running() {
    check(Signal::INT);
}

#[test]
fn a_termination_leaves_nobody_running() {
    check(Signal::TERM);
}
