//! A repair that is stopped at any moment, by Ctrl-C or by `kill -9`: every file as it was, nobody left running.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Project, Ran, Table, browser_turn, survivors};

/// The README's table of faults.
const FAULTS: Table =
    Table { name: "faults-table", columns: &["fault", "times tried", "files lost", "processes left"] };

/// When a repair of two root causes is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// While Playwright starts: so many milliseconds after the start.
    After(u64),
    /// So many lines of the test are changed, and the test runs.
    Lines(usize),
}

/// Waits for the moment; `false` where the repair ended before.
fn reached(moment: Moment, project: &Project, original: &str, child: &mut Child) -> bool {
    let Moment::Lines(count) = moment else {
        let Moment::After(milliseconds) = moment else { return false };
        std::thread::sleep(Duration::from_millis(milliseconds));
        return true;
    };
    let deadline = Instant::now() + Duration::from_mins(2);
    let changed = || {
        let now = project.read("tests/signup.spec.ts");
        original.lines().zip(now.lines()).filter(|(old, new)| old != new).count()
    };
    while changed() < count {
        if Instant::now() > deadline || child.try_wait().expect("the child").is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // Into the run of the test.
    std::thread::sleep(Duration::from_millis(700));
    true
}

/// Stops repairs at `moments`, each with its signal, and notes in the README how often that was and what was lost.
fn stopped(fault: &str, moments: &[(Moment, Signal)]) {
    let (mut lost, mut left) = (0, 0);
    for &(moment, signal) in moments {
        let project = Project::copy("two-stale");
        let before = project.tree();
        let original = project.read("tests/signup.spec.ts");
        let mut command = project.relocator(["heal", &project.expected.test]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("relocator starts");
        assert!(reached(moment, &project, &original, &mut child), "{moment:?}: the repair never came so far");
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, signal).expect("relocator is alive");
        let ran = Ran::from(child.wait_with_output().expect("relocator ends"));
        if signal == Signal::KILL {
            let undone = project.run(["undo"]);
            // Killed before it had edited anything it left nothing to put back.
            let code = if matches!(moment, Moment::Lines(_)) { 0 } else { 2 };
            assert_eq!(undone.code, Some(code), "{moment:?}: {undone}");
        } else {
            assert_eq!(ran.code, Some(130), "{signal:?} at {moment:?}: {ran}");
        }
        let changes = before.changes(&project.tree());
        assert_eq!(changes, [], "{signal:?} at {moment:?}: {ran}");
        let alive = survivors(project.folder());
        assert_eq!(alive, Vec::<String>::new(), "{signal:?} at {moment:?}");
        lost += changes.len();
        left += alive.len();
    }
    let count = |number: usize| number.to_string();
    FAULTS.check(fault.trim_matches('`'), &[fault.to_owned(), count(moments.len()), count(lost), count(left)]);
}

#[test]
fn a_repair_that_is_interrupted_puts_every_edit_back_and_leaves_nobody_running() {
    let _turn = browser_turn();
    let moments =
        [(Moment::After(400), Signal::TERM), (Moment::Lines(1), Signal::INT), (Moment::Lines(2), Signal::HUP)];
    stopped("Ctrl-C, TERM or HUP in the middle of a real repair", &moments);
}

#[test]
fn a_repair_that_is_killed_is_put_back_and_swept_up_by_the_next_start() {
    let _turn = browser_turn();
    let moments = [(Moment::Lines(1), Signal::KILL), (Moment::Lines(2), Signal::KILL)];
    stopped("`kill -9` in the middle of a real repair, with its browser and server", &moments);
}
