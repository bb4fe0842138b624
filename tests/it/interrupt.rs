//! Ctrl-C at any moment: exit code 130, every file as it was, nobody left running.

use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Project, Ran, browser_turn, survivors};

/// Moments after the start, in milliseconds, each with a signal: before Node is up, while tests are collected, while the
/// browser starts, while the web server runs.
const MOMENTS: [(u64, Signal); 6] = [
    (50, Signal::INT),
    (400, Signal::TERM),
    (900, Signal::INT),
    (1_600, Signal::HUP),
    (2_400, Signal::INT),
    (3_200, Signal::TERM),
];

/// Starts `command`, sends it `signal` after `moment`, and waits for its end.
fn interrupted(mut command: Command, signal: Signal, moment: Duration) -> Ran {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("relocator starts");
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    std::thread::sleep(moment);
    // It may have ended by itself, which is fine at a late moment.
    _ = kill_process(pid, signal);
    Ran::from(child.wait_with_output().expect("relocator ends"))
}

#[test]
fn an_interrupted_doctor_leaves_nobody_running() {
    let _turn = browser_turn();
    for (moment, signal) in MOMENTS {
        let project = Project::copy("demo");
        let before = project.tree();
        let ran = interrupted(project.relocator(["doctor"]), signal, Duration::from_millis(moment));
        assert!(matches!(ran.code, Some(130 | 0)), "{signal:?} after {moment} ms: {ran}");
        assert_eq!(before.changes(&project.tree()), [], "{signal:?} after {moment} ms");
        assert_eq!(survivors(project.folder()), Vec::<String>::new(), "{signal:?} after {moment} ms");
    }
}
