//! relocator is killed, or the disk fails it, at every single file operation.

use std::process::Command;

use rustix::io::Errno;

use super::*;
use crate::adapters::workspace::faults::{self, Fault};

const SCENARIO: &str = "RELOCATOR_TEST_SCENARIO";
const KILL_AT: &str = "RELOCATOR_TEST_KILL_AT";
const ROOT: &str = "RELOCATOR_TEST_ROOT";

/// What relocator does while it is hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scenario {
    /// One edit, kept.
    Kept,
    /// One edit, dropped.
    Dropped,
    /// One edit, kept, on a file system without hard links.
    KeptWithoutLinks,
    /// One edit, dropped, on a file system without hard links.
    DroppedWithoutLinks,
    /// One edit kept, then one of the same file dropped.
    KeptThenDropped,
    /// Two edits of the same file, one over the other, kept together.
    BothKept,
    /// Two edits of the same file, one over the other, dropped.
    BothDropped,
    /// Two edits of the same file, the upper one taken off and made again, both dropped, without hard links.
    TakenOffWithoutLinks,
    /// Two edits that were kept together are undone.
    BothUndone,
    /// A kept edit is undone.
    Undone,
    /// A kept edit is undone in a file of which a person has changed another line.
    LineUndone,
    /// Only what every writer does when it starts.
    Recovery,
}

const ALL: [Scenario; 10] = [
    Scenario::Kept,
    Scenario::Dropped,
    Scenario::KeptWithoutLinks,
    Scenario::DroppedWithoutLinks,
    Scenario::KeptThenDropped,
    Scenario::BothKept,
    Scenario::BothDropped,
    Scenario::TakenOffWithoutLinks,
    Scenario::BothUndone,
    Scenario::Undone,
];

impl Scenario {
    fn named(name: &str) -> Self {
        ALL.into_iter()
            .chain([Self::LineUndone, Self::Recovery])
            .find(|scenario| format!("{scenario:?}") == name)
            .unwrap()
    }

    /// What has to be done before faults are let loose.
    fn prepare(self, root: &Utf8Path) {
        faults::plan(None, false);
        match self {
            Self::Undone => Self::Kept.act(root).unwrap(),
            Self::BothUndone => Self::BothKept.act(root).unwrap(),
            Self::LineUndone => {
                Self::Kept.act(root).unwrap();
                std::fs::write(root.join(FILE), beside(AFTER)).unwrap();
            }
            _ => {}
        }
    }

    /// Does it, with faults from the first operation on.
    fn run(self, root: &Utf8Path, fault: Option<Fault>) -> Result<(), WorkspaceError> {
        let without_links = [Self::KeptWithoutLinks, Self::DroppedWithoutLinks, Self::TakenOffWithoutLinks];
        faults::plan(fault, without_links.contains(&self));
        let done = self.act(root);
        let log = faults::log();
        faults::plan(None, false);
        LAST_LOG.with_borrow_mut(|last| *last = log);
        done
    }

    fn act(self, root: &Utf8Path) -> Result<(), WorkspaceError> {
        let writer = writer(root)?;
        if self == Self::Recovery {
            return Ok(());
        }
        if matches!(self, Self::Undone | Self::BothUndone | Self::LineUndone) {
            return writer.undo(None).map(drop);
        }
        let run = writer.workspace().begin_run()?;
        match self {
            Self::BothKept => {
                return stacked(&writer, &run)?.keep(&[grounds(proven()), grounds(proven())]).map(drop);
            }
            Self::BothDropped => return stacked(&writer, &run)?.restore(),
            Self::TakenOffWithoutLinks => {
                let mut applied = stacked(&writer, &run)?;
                applied.take_off()?;
                applied.put(&run, &edit(AFTER, LATER), None)?;
                drop(applied);
                return Ok(());
            }
            _ => {}
        }
        let applied = apply(&writer, &run, BEFORE, AFTER)?;
        match self {
            Self::Dropped | Self::DroppedWithoutLinks => applied.restore(),
            Self::KeptThenDropped => {
                keep(applied)?;
                drop(apply(&writer, &run, AFTER, LATER)?);
                Ok(())
            }
            _ => keep(applied).map(drop),
        }
    }
}

/// The file as a person left it, who has changed another line.
fn beside(text: &str) -> String {
    text.replace("});", "}); // mine")
}

thread_local! {
    static LAST_LOG: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// How many operations `scenario` has when nothing goes wrong.
fn operations(scenario: Scenario) -> u32 {
    let place = Place::new();
    scenario.prepare(&place.root());
    scenario.run(&place.root(), None).unwrap();
    LAST_LOG.with_borrow(|log| u32::try_from(log.len()).unwrap())
}

/// The other side of [`killed`]: does nothing unless it was started by it.
#[test]
fn a_process_to_be_killed() {
    let (Ok(name), Ok(root)) = (std::env::var(SCENARIO), std::env::var(ROOT)) else { return };
    let at = std::env::var(KILL_AT).unwrap().parse().unwrap();
    drop(Scenario::named(&name).run(Utf8Path::new(&root), Some(Fault::KillAt(at))));
}

/// Runs `scenario` in a process of its own that is killed before operation `at`; `false` if it ended before that.
pub(super) fn killed(scenario: Scenario, root: &Utf8Path, at: u32) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "adapters::workspace::tests::crash::a_process_to_be_killed", "--test-threads=1", "-q"])
        .env(SCENARIO, format!("{scenario:?}"))
        .env(KILL_AT, at.to_string())
        .env(ROOT, root)
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success() || status.signal() == Some(9), "{scenario:?} {at}: {status}");
    status.signal() == Some(9)
}

#[path = "../../../../tests/it/support/readme.rs"]
#[expect(dead_code, reason = "what it has besides is for the integration tests")]
mod readme;

/// The folder of the checkout, where the README is.
fn repository() -> std::path::PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

/// The README's table of faults says that `fault` was tried so many times, without losing a file or leaving a process.
fn in_readme(fault: &str, times: u32) {
    let table =
        readme::Table { name: "faults-table", columns: &["fault", "times tried", "files lost", "processes left"] };
    table.check(fault.trim_matches('`'), &[fault.to_owned(), times.to_string(), "0".to_owned(), "0".to_owned()]);
}

/// How long the processes of [`a_process_that_is_killed_while_it_runs_something`] would stay.
const LONG: &str = "76543";

/// The other side of [`what_a_killed_relocator_had_started_is_stopped_by_the_next_one`]: does nothing unless it was
/// started by it.
#[tokio::test]
async fn a_process_that_is_killed_while_it_runs_something() {
    use crate::adapters::process::{Cancel, Command, run};
    let (Ok(name), Ok(root)) = (std::env::var(SCENARIO), std::env::var(ROOT)) else { return };
    assert_eq!(name, "running");
    let workspace = Workspace::open(Utf8Path::new(&root)).unwrap();
    let _writer = workspace.writer(&Holder::this("test"), Patience::None, |_| ()).await.unwrap();
    let script = format!("setsid sh -c 'touch started; sleep {LONG}; true' & sleep {LONG}; true");
    let command = Command::new("sh", vec!["-c".into(), script], root, std::time::Duration::from_mins(1));
    drop(run(&command, &Cancel::default()).await);
}

/// The processes that sleep for [`LONG`].
fn sleepers() -> usize {
    let folder = std::fs::read_dir("/proc").unwrap();
    let lines = folder.map(|entry| std::fs::read(entry.unwrap().path().join("cmdline")).unwrap_or_default());
    lines.filter(|line| line.split(|&byte| byte == 0).any(|word| word == LONG.as_bytes())).count()
}

#[test]
fn what_a_killed_relocator_had_started_is_stopped_by_the_next_one() {
    let place = Place::new();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "adapters::workspace::tests::crash::a_process_that_is_killed_while_it_runs_something", "-q"])
        .env(SCENARIO, "running")
        .env(ROOT, place.root())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let started = place.root().join("started");
    let limit = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while !started.exists() || sleepers() < 2 {
        assert!(std::time::Instant::now() < limit && child.try_wait().unwrap().is_none(), "it never came so far");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::remove_file(started).unwrap();
    assert_eq!(sleepers(), 2);
    drop(writer(&place.root()).unwrap());
    assert_eq!(sleepers(), 0);
    place.check_tree(BEFORE, "killed while it ran something");
}

/// Whether a kept edit (not undone) that leads to `text` is on record.
fn on_record(root: &Utf8Path, text: &str) -> bool {
    let workspace = Workspace::open(root).unwrap();
    let runs = workspace.runs_so_far().unwrap();
    let mut entries = runs.iter().flat_map(|run| {
        let edits = workspace.edits_of(run);
        journal::names(&edits).unwrap().into_iter().map(move |name| edits.join(name))
    });
    entries.any(|path| {
        path.extension() == Some("entry") && journal::read(&path).unwrap().header.new == disk::sha256(text.as_bytes())
    })
}

/// The text that what is on record stands for; of edits that were kept together never one without the other.
fn expected(scenario: Scenario, root: &Utf8Path) -> &'static str {
    match (on_record(root, AFTER), on_record(root, LATER)) {
        (_, true) => LATER,
        (true, false) if scenario != Scenario::BothKept => AFTER,
        _ => BEFORE,
    }
}

/// The next writer puts everything right: the original, unless a kept edit is on record, and nothing lies about.
fn check_after_recovery(scenario: Scenario, place: &Place, context: &str) {
    let next = writer(&place.root()).unwrap_or_else(|error| panic!("{context}: {error:?}"));
    let strangers = next.recovered().iter().any(|done| matches!(done.returned, Returned::LeftAlone { .. }));
    assert!(!strangers, "{context}: {:?}", next.recovered());
    place.check_tree(expected(scenario, &place.root()), context);
    assert_eq!(journal::names(&next.workspace.journal()).unwrap(), Vec::<String>::new(), "{context}");
}

#[test]
fn killed_at_any_operation_the_file_is_the_original_or_the_kept_repair() {
    let mut points = 0;
    for scenario in ALL {
        for at in 1..=operations(scenario) {
            let place = Place::new();
            scenario.prepare(&place.root());
            let context = format!("{scenario:?} killed before operation {at}");
            assert!(killed(scenario, &place.root(), at), "{context}: was not killed");
            // Even before anything is put right, no half of a file is ever seen.
            assert!([BEFORE, AFTER, LATER].contains(&place.text().as_str()), "{context}");
            check_after_recovery(scenario, &place, &context);
            points += 1;
        }
    }
    for at in 1..=operations(Scenario::LineUndone) {
        let place = Place::new();
        Scenario::LineUndone.prepare(&place.root());
        let context = format!("one line undone, killed before operation {at}");
        assert!(killed(Scenario::LineUndone, &place.root(), at), "{context}: was not killed");
        assert!([beside(AFTER), beside(BEFORE)].contains(&place.text()), "{context}");
        let next = writer(&place.root()).unwrap();
        let strangers = next.recovered().iter().any(|done| matches!(done.returned, Returned::LeftAlone { .. }));
        assert!(!strangers, "{context}: {:?}", next.recovered());
        let left = on_record(&place.root(), AFTER);
        place.check_tree(&beside(if left { AFTER } else { BEFORE }), &context);
        assert_eq!(journal::names(&next.workspace.journal()).unwrap(), Vec::<String>::new(), "{context}");
        points += 1;
    }
    in_readme("`kill -9` before every file operation: one edit, two over each other, kept, taken back, undone", points);
}

#[test]
fn killed_again_while_recovering_it_still_recovers() {
    let mut points = 0;
    for scenario in [Scenario::BothKept, Scenario::TakenOffWithoutLinks, Scenario::Undone] {
        // Every ninth point: the neighbours of a point differ in one operation.
        for first in (1..=operations(scenario)).step_by(9) {
            for second in 1.. {
                let place = Place::new();
                scenario.prepare(&place.root());
                let context = format!("{scenario:?} killed before {first}, recovery before {second}");
                assert!(killed(scenario, &place.root(), first), "{context}: was not killed");
                let hit = killed(Scenario::Recovery, &place.root(), second);
                check_after_recovery(scenario, &place, &context);
                if !hit {
                    break;
                }
                points += 1;
            }
        }
    }
    in_readme("`kill -9` again before every file operation of the recovery", points);
}

#[test]
fn failed_at_any_operation_the_file_is_the_original_or_the_kept_repair() {
    let mut points = 0;
    for scenario in ALL {
        for errno in [Errno::NOSPC, Errno::IO, Errno::ACCESS, Errno::ROFS] {
            for at in 1..=operations(scenario) {
                let place = Place::new();
                scenario.prepare(&place.root());
                let done = scenario.run(&place.root(), Some(Fault::FailAt(at, errno.raw_os_error())));
                let log = LAST_LOG.with_borrow(Clone::clone);
                let context = format!("{scenario:?}, {errno:?} at operation {at} of {log:?}: {done:?}");
                check_after_recovery(scenario, &place, &context);
                let healed = on_record(&place.root(), AFTER);
                match scenario {
                    Scenario::Kept | Scenario::KeptWithoutLinks | Scenario::BothKept => {
                        assert_eq!(done.is_ok(), healed, "{context}");
                    }
                    Scenario::BothDropped
                    | Scenario::TakenOffWithoutLinks
                    | Scenario::Dropped
                    | Scenario::DroppedWithoutLinks => assert!(!healed, "{context}"),
                    _ => {}
                }
                points += 1;
            }
        }
    }
    in_readme("every file operation fails: disk full, I/O error, permission denied, read-only", points);
}

#[test]
fn a_disk_that_is_full_from_any_moment_on_needs_no_recovery() {
    let mut points = 0;
    for scenario in [Scenario::Kept, Scenario::Dropped, Scenario::BothKept, Scenario::BothDropped] {
        for from in 1..=operations(scenario) {
            let place = Place::new();
            let done = scenario.run(&place.root(), Some(Fault::FullFrom(from)));
            let expected = expected(scenario, &place.root());
            let kept = done.is_ok() && matches!(scenario, Scenario::Kept | Scenario::BothKept);
            assert_eq!(kept, expected != BEFORE, "{scenario:?} {from} {done:?}");
            place.check_tree(expected, &format!("{scenario:?}, full from operation {from}: {done:?}"));
            points += 1;
        }
    }
    in_readme("the disk is full from every file operation on", points);
}
