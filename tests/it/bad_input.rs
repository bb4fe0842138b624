//! Input that no repair can be made of, and interruptions: a clear message, the right exit code, every file byte-identical,
//! no process left behind.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Project, Ran, Table, belonging_to, browser_turn, survivors};

/// The demo's spec, the one file a repair would change.
const SPEC: &str = "tests/signup.spec.ts";

/// The README's table of bad input; every row ends with all files as they were.
const FAULTS: Table = Table { name: "bad-input-table", columns: &["input", "exit code", "what it says"] };

/// How the line begins that says what is wrong.
const MESSAGES: [&str; 2] = ["error: ", "Result: "];

/// Runs `relocator` with `arguments` on the demo after `spoil` did something to it; nothing may change.
fn refused(arguments: &[&str], spoil: impl FnOnce(&Project)) -> Ran {
    let _turn = browser_turn();
    let project = Project::copy("demo");
    spoil(&project);
    let before = project.tree();
    let mut ran = project.run(arguments);
    for text in [&mut ran.stdout, &mut ran.stderr] {
        *text = text.replace(&*project.folder().to_string_lossy(), "…");
    }
    assert_eq!(before.changes(&project.tree()), [], "{arguments:?} changed the project\n{ran}");
    assert_eq!(survivors(project.folder()), Vec::<String>::new(), "processes that outlived {arguments:?}");
    ran
}

/// Asserts the exit code, that the message names each of `words`, and that the README says the same of `fault`.
fn check(fault: &str, ran: &Ran, code: i32, words: &[&str]) {
    assert_eq!(ran.code, Some(code), "{ran}");
    for word in words {
        assert!(ran.says(word), "nothing says {word:?}: {ran}");
    }
    let message =
        ran.stderr.lines().chain(ran.stdout.lines()).find(|line| MESSAGES.iter().any(|start| line.starts_with(start)));
    let message = message.unwrap_or_else(|| panic!("no message: {ran}")).replace('|', "/");
    FAULTS.check(fault, &[fault.to_owned(), code.to_string(), format!("`{message}`")]);
}

#[test]
fn no_test_at_all_is_wrong_usage() {
    check("no test given", &refused(&["heal"], |_| ()), 2, &["Usage"]);
    check("unknown flag", &refused(&["heal", "--no-such-flag", SPEC], |_| ()), 2, &["--no-such-flag"]);
}

#[test]
fn a_file_that_does_not_exist_is_no_such_test() {
    check("no such file", &refused(&["heal", "tests/nothing.spec.ts:3"], |_| ()), 4, &["no test matches"]);
}

#[test]
fn a_line_without_a_test_is_no_such_test() {
    check("no test on the line", &refused(&["heal", "tests/signup.spec.ts:99"], |_| ()), 4, &["no test matches"]);
}

#[test]
fn a_title_that_no_test_has_is_no_such_test() {
    check(
        "no test with the title",
        &refused(&["heal", "-g", "nobody wrote this test"], |_| ()),
        4,
        &["no test matches"],
    );
}

#[test]
fn a_file_outside_every_project_is_wrong_usage() {
    let outside = |project: &Project| {
        fs::copy(project.path(SPEC), project.folder().join("outside.spec.ts")).expect("a spec outside");
    };
    check(
        "file outside every project",
        &refused(&["heal", "../outside.spec.ts:3"], outside),
        2,
        &["name a test inside one"],
    );
}

#[test]
fn a_link_that_leaves_the_project_is_wrong_usage() {
    let linked = |project: &Project| {
        let outside = project.folder().join("outside.spec.ts");
        fs::copy(project.path(SPEC), &outside).expect("a spec outside");
        symlink(outside, project.path("tests/linked.spec.ts")).expect("a link to it");
    };
    check(
        "link that leaves the project",
        &refused(&["heal", "tests/linked.spec.ts:3"], linked),
        2,
        &["playwright.config"],
    );
}

#[test]
fn a_project_without_a_configuration_is_wrong_usage() {
    let without = |project: &Project| fs::remove_file(project.path("playwright.config.ts")).expect("removed");
    check(
        "project without a configuration",
        &refused(&["heal", "tests/signup.spec.ts:3"], without),
        2,
        &["playwright.config"],
    );
}

#[test]
fn two_tests_on_one_line_are_named_and_not_touched() {
    let doubled = |project: &Project| {
        let text = project.read(SPEC);
        let twice = text
            .replace("test('a visitor can sign up',", "for (const who of ['Ada', 'Bo']) test(`${who} can sign up`,");
        assert_ne!(text, twice);
        project.write(SPEC, &twice);
    };
    check(
        "two tests on the line",
        &refused(&["heal", "tests/signup.spec.ts:3"], doubled),
        2,
        &["Ada can sign up", "Bo can sign up"],
    );
}

#[test]
fn a_syntax_error_in_the_spec_is_shown_with_its_place() {
    let broken = |project: &Project| {
        let text = project.read(SPEC);
        project.write(SPEC, &text.replace(".click();", ".click(;"));
    };
    check(
        "syntax error in the spec",
        &refused(&["heal", "tests/signup.spec.ts:3"], broken),
        3,
        &["SyntaxError", "signup.spec.ts"],
    );
}

#[test]
fn a_read_only_file_is_left_alone() {
    let locked = |project: &Project| {
        fs::set_permissions(project.path(SPEC), fs::Permissions::from_mode(0o444)).expect("read-only");
    };
    check("read-only file", &refused(&["heal", "tests/signup.spec.ts:3"], locked), 3, &["read-only"]);
}

#[test]
fn a_project_without_playwright_is_blocked() {
    let bare = |project: &Project| fs::remove_file(project.path("node_modules")).expect("no packages");
    check("project without Playwright", &refused(&["heal", "tests/signup.spec.ts:3"], bare), 3, &["not installed"]);
}

#[test]
fn a_named_file_that_is_not_there_is_wrong_usage_for_every_command() {
    let project = Project::copy("demo");
    for words in [
        "classify nope.txt",
        "gate nope.ts nope.ts",
        "query nope.zip page",
        "inspect nope.zip",
        "triage nope.json",
        "triage tests",
        "heal --from nope.json",
        "heal tests/signup.spec.ts:3 --fingerprints nope.json",
        "heal --resume nope",
        "merge nope",
        "report nope",
        "learn nope",
        "rehearse nope",
        "rehearse --pairs nope",
        "undo nope",
        "mcp --root nope",
    ] {
        let ran = project.run(words.split(' '));
        let named = words.split(' ').any(|word| ran.stderr.contains(word));
        assert!(ran.code == Some(2) && named, "{words}: {ran}");
    }
}

/// How long a run may take to get to the moment of a signal, and to end after it.
const PATIENCE: Duration = Duration::from_secs(50);

/// The moments at which a run is interrupted.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// The process has just been started.
    Start,
    /// Playwright runs.
    Playwright,
    /// Its browser runs.
    Browser,
    /// The repaired line is in the file.
    Edited,
}

impl Moment {
    fn has_come(self, project: &Project, original: &str) -> bool {
        let runs = |needle: &str| belonging_to(project.folder()).iter().any(|process| process.contains(needle));
        match self {
            Self::Start => true,
            Self::Playwright => runs("playwright"),
            Self::Browser => runs("--user-data-dir="),
            Self::Edited => project.read(SPEC) != original,
        }
    }
}

/// Starts a heal of the demo, waits for `moment`, sends `signal`, and waits for the end.
fn interrupted(project: &Project, moment: Moment, signal: Signal) -> (ExitStatus, String) {
    let original = project.read(SPEC);
    let mut command = project.relocator(["heal", "tests/signup.spec.ts:3"]);
    let output = project.folder().join("output.txt");
    let file = File::create(&output).expect("a file for the output");
    command.stdin(Stdio::null()).stdout(file.try_clone().expect("a second handle")).stderr(file);
    let mut child = command.spawn().expect("relocator, started");
    let said = || fs::read_to_string(&output).unwrap_or_default();
    let come = wait_until(|| moment.has_come(project, &original) || child.try_wait().expect("a status").is_some());
    let ended = child.try_wait().expect("a status");
    assert!(come && ended.is_none(), "{moment:?} never came: {ended:?}\n{}", said());
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, signal).expect("a signal, sent");
    let mut status = None;
    if !wait_until(|| {
        status = child.try_wait().expect("a status");
        status.is_some()
    }) {
        child.kill().expect("killed");
    }
    (status.unwrap_or_else(|| panic!("{signal:?} at {moment:?} did not end the run\n{}", said())), said())
}

fn wait_until(mut come: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE;
    while !come() {
        if Instant::now() > deadline {
            return false;
        }
        sleep(Duration::from_millis(10));
    }
    true
}

fn interrupted_at(moment: Moment, signal: Signal) {
    let _turn = browser_turn();
    let project = Project::copy("demo");
    let before = project.tree();
    let (status, said) = interrupted(&project, moment, signal);
    let by_default = matches!(moment, Moment::Start) && status.signal() == Some(signal.as_raw());
    assert!(status.code() == Some(130) || by_default, "{signal:?} at {moment:?} ended in {status}\n{said}");
    assert_eq!(before.changes(&project.tree()), [], "{signal:?} at {moment:?} left something behind\n{said}");
    assert_eq!(survivors(project.folder()), Vec::<String>::new(), "processes that outlived {signal:?} at {moment:?}");
}

#[test]
fn ctrl_c_right_at_the_start_leaves_nothing_behind() {
    interrupted_at(Moment::Start, Signal::INT);
}

#[test]
fn ctrl_c_while_playwright_starts_leaves_nothing_behind() {
    interrupted_at(Moment::Playwright, Signal::INT);
}

#[test]
fn ctrl_c_while_the_browser_runs_leaves_nothing_behind() {
    interrupted_at(Moment::Browser, Signal::INT);
}

#[test]
fn ctrl_c_with_the_edit_in_place_puts_the_line_back() {
    interrupted_at(Moment::Edited, Signal::INT);
}

#[test]
fn a_termination_signal_with_the_edit_in_place_puts_the_line_back() {
    interrupted_at(Moment::Edited, Signal::TERM);
}

#[test]
fn a_run_that_was_killed_with_the_edit_in_place_is_put_back_and_stopped_by_undo() {
    let _turn = browser_turn();
    let project = Project::copy("demo");
    let before = project.tree();
    let (status, _) = interrupted(&project, Moment::Edited, Signal::KILL);
    assert_eq!(status.signal(), Some(Signal::KILL.as_raw()));
    let ran = project.run(["undo"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(before.changes(&project.tree()), [], "undo did not put everything back\n{ran}");
    // Playwright, its browser and its web server went on after the kill.
    assert_eq!(survivors(project.folder()), Vec::<String>::new(), "the orphaned run was not stopped");
}
