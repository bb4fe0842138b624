//! Real processes: a shell and what it starts.

use std::time::Duration;

use super::*;

const LONG: Duration = Duration::from_mins(1);

fn shell(script: &str, deadline: Duration) -> Command {
    Command::new("sh", vec!["-c".into(), script.into()], "/", deadline).grace(Duration::from_millis(300))
}

async fn ran(command: &Command) -> Finished {
    run(command, &Cancel::default()).await.unwrap()
}

/// The process ids whose command line holds `mark`.
fn alive_with(mark: &str) -> Vec<String> {
    let folder = std::fs::read_dir("/proc").unwrap();
    let held = |pid: &String| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let zombie = std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "));
        !zombie && String::from_utf8_lossy(&line).contains(mark)
    };
    let pids = folder.filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    pids.filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit())).filter(held).collect()
}

#[tokio::test]
async fn exit_status_output_and_environment_come_back() {
    let finished = ran(&shell("echo out; echo err >&2; exit 3", LONG)).await;
    assert_eq!(
        (finished.exit, finished.stdout.text(), finished.stderr.text()),
        (Exit::Code(3), "out\n".into(), "err\n".into())
    );
    assert_eq!(ran(&shell("true", LONG)).await.exit, Exit::Success);
    assert_eq!(ran(&shell("kill -KILL $$", LONG)).await.exit, Exit::Signal(9));
    let command = shell("echo \"$A-${HOME-none}\"", LONG).env("A", "1").without_env(["HOME"]);
    assert_eq!(ran(&command).await.stdout.text(), "1-none\n");
}

#[tokio::test]
async fn a_runaway_output_is_drained_but_only_its_end_is_kept() {
    let command = shell("yes x | head -c 3000000; echo end", LONG).output_cap(1000);
    let finished = ran(&command).await;
    assert_eq!((finished.exit, finished.stdout.total()), (Exit::Success, 3_000_004));
    assert_eq!(finished.stdout.bytes().len(), 1000);
    assert!(finished.stdout.text().ends_with("x\nend\n"));
}

#[tokio::test]
async fn a_missing_program_is_not_a_missing_folder() {
    let missing = Command::new("relocator-no-such-program", Vec::new(), "/", LONG);
    assert!(matches!(run(&missing, &Cancel::default()).await, Err(ProcessError::NotFound { .. })));
    let homeless = Command::new("sh", Vec::new(), "/no/such/folder", LONG);
    assert!(matches!(run(&homeless, &Cancel::default()).await, Err(ProcessError::Spawn { .. })));
}

#[tokio::test]
async fn a_daemon_that_keeps_the_pipe_does_not_keep_us() {
    let finished = ran(&shell("setsid sleep 41.5 & echo done", LONG)).await;
    assert_eq!((finished.exit, finished.stdout.text().as_str()), (Exit::Success, "done\n"));
    for pid in alive_with("41.5") {
        kill_for_test(&pid);
    }
}

fn kill_for_test(raw: &str) {
    let pid = Pid::from_raw(raw.parse().unwrap()).unwrap();
    _ = rustix::process::kill_process(pid, Signal::KILL);
}

/// Starts a family whose members ignore TERM or sit in a session of their own, ends it in `ending`'s way, and looks
/// for survivors.
async fn check_nobody_survives(mark: &str, expected: Exit, deadline: Duration, cancel_after: Option<Duration>) {
    let script = format!(
        "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep {mark} & sleep {mark}; sleep {mark}' & sleep {mark} & wait; sleep {mark}"
    );
    let cancel = Cancel::default();
    let command = shell(&script, deadline);
    let canceller = cancel.clone();
    tokio::spawn(async move {
        if let Some(delay) = cancel_after {
            tokio::time::sleep(delay).await;
            canceller.request();
        }
    });
    let finished = run(&command, &cancel).await.unwrap();
    assert_eq!((finished.exit, alive_with(mark)), (expected, Vec::<String>::new()));
}

#[tokio::test]
async fn nobody_survives_the_deadline() {
    check_nobody_survives("43.25", Exit::TimedOut, Duration::from_millis(400), None).await;
}

#[tokio::test]
async fn nobody_survives_a_cancellation() {
    check_nobody_survives("44.25", Exit::Cancelled, LONG, Some(Duration::from_millis(400))).await;
}

#[tokio::test]
async fn nobody_survives_a_crash() {
    let finished = ran(&shell("setsid sleep 48.25 & sleep 1.5; kill -KILL $$", LONG)).await;
    assert_eq!((finished.exit, alive_with("48.25")), (Exit::Signal(9), Vec::<String>::new()));
}

#[tokio::test]
async fn a_second_request_does_not_wait_for_the_grace_period() {
    let cancel = Cancel::default();
    let command = shell("trap '' TERM; sleep 45.25; sleep 45.25", LONG).grace(LONG);
    let canceller = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        canceller.request();
        canceller.request();
    });
    let finished = tokio::time::timeout(LONG / 2, run(&command, &cancel)).await.unwrap().unwrap();
    assert_eq!((finished.exit, alive_with("45.25")), (Exit::Cancelled, Vec::<String>::new()));
}

#[tokio::test]
async fn nobody_survives_a_dropped_run() {
    let command = shell("setsid sleep 46.25 & sleep 46.25", LONG);
    let cancel = Cancel::default();
    let cut = tokio::time::timeout(Duration::from_millis(400), run(&command, &cancel)).await;
    assert!(cut.is_err());
    assert_eq!(alive_with("46.25"), Vec::<String>::new());
}

#[tokio::test]
async fn output_written_while_being_stopped_is_kept() {
    let command = shell("trap 'echo closing; exit 0' TERM; sleep 47.25 & wait", Duration::from_millis(400)).grace(LONG);
    let finished = ran(&command).await;
    assert_eq!((finished.exit, finished.stdout.text().as_str()), (Exit::TimedOut, "closing\n"));
}

#[tokio::test]
async fn a_cancelled_handle_starts_nothing() {
    let cancel = Cancel::default();
    cancel.request();
    let command = Command::new("relocator-no-such-program", Vec::new(), "/", LONG);
    assert_eq!(run(&command, &cancel).await.unwrap().exit, Exit::Cancelled);
}
