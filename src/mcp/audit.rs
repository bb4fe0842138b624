//! What each caller of the HTTP server asked for and what came of it: one file per caller and day, one JSON object per line.
//!
//! It is also the budget's memory: what is counted is what stands in the log, so both survive a restart, and two servers
//! count together. No token, no text of a page and no source gets into it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::answer::cut;
use super::tokens::private_folder;

/// Longest piece of a caller's text in a line, in characters.
const LONGEST: usize = 200;
/// A larger log of one day is not read; then nothing is left of the budget.
const CAP: u64 = 64 << 20;

/// The logs of all callers.
#[derive(Debug)]
pub struct Audit {
    folder: Utf8PathBuf,
}

/// How a call ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ending {
    outcome: String,
    reason: String,
    run: String,
}

impl Ending {
    /// An ending with its outcome, its stable reason code and the run that it left.
    pub fn of(outcome: &str, reason: &str, run: &str) -> Self {
        Self { outcome: outcome.to_owned(), reason: reason.to_owned(), run: run.to_owned() }
    }
}

/// A call that has ended.
#[derive(Debug, Clone, Default)]
pub struct Ended<'a> {
    /// The caller.
    pub client: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// What it was asked about: the test, the trace or the file.
    pub about: &'a str,
    /// How it ended.
    pub ending: Ending,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

#[derive(Serialize, Deserialize)]
struct Line {
    time: String,
    event: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    tool: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    about: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    outcome: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reason: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    run: String,
    #[serde(default)]
    duration_ms: u64,
}

/// The event that the budget counts.
const HEAL: &str = "heal_begun";
/// The event of every call that has ended.
const ENDED: &str = "call_ended";

impl Audit {
    /// Logs in `folder`, one folder below it for each caller.
    pub fn in_folder(folder: &Utf8Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Counts one more repair of `client` today; `false` where `allowed` have begun already.
    pub fn spend_heal(&self, client: &str, allowed: u32) -> io::Result<bool> {
        let mut file = self.today(client)?;
        let mut text = String::new();
        if file.metadata()?.len() > CAP {
            return Ok(false);
        }
        file.rewind()?;
        file.read_to_string(&mut text)?;
        let is_heal = |line: &&str| serde_json::from_str::<Line>(line).is_ok_and(|line| line.event == HEAL);
        if text.lines().filter(is_heal).count() >= allowed as usize {
            return Ok(false);
        }
        append(&mut file, &Line { event: HEAL.to_owned(), ..Line::now() })?;
        Ok(true)
    }

    /// Notes a call that has ended.
    pub fn ended(&self, ended: &Ended<'_>) -> io::Result<()> {
        let line = Line {
            event: ENDED.to_owned(),
            tool: ended.tool.to_owned(),
            about: cut(ended.about, LONGEST),
            outcome: ended.ending.outcome.clone(),
            reason: ended.ending.reason.clone(),
            run: ended.ending.run.clone(),
            duration_ms: ended.duration_ms,
            ..Line::now()
        };
        append(&mut self.today(ended.client)?, &line)
    }

    /// Today's log of `client`, locked against other servers until it is dropped.
    fn today(&self, client: &str) -> io::Result<File> {
        let folder = self.folder.join(client);
        private_folder(&folder)?;
        let day = jiff::Timestamp::now().strftime("%Y-%m-%d");
        let path = folder.join(format!("{day}.jsonl"));
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
        file.lock()?;
        Ok(file)
    }
}

impl Line {
    fn now() -> Self {
        Self {
            time: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            event: String::new(),
            tool: String::new(),
            about: String::new(),
            outcome: String::new(),
            reason: String::new(),
            run: String::new(),
            duration_ms: 0,
        }
    }
}

fn append(file: &mut File, line: &Line) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    file.write_all(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_each_callers_own_and_survives_a_restart() {
        let guard = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(guard.path()).unwrap();
        let audit = Audit::in_folder(folder);
        assert!(audit.spend_heal("a", 2).unwrap());
        audit.ended(&Ended { client: "a", tool: "classify_failure", ..Ended::default() }).unwrap();
        let restarted = Audit::in_folder(folder);
        assert!(restarted.spend_heal("a", 2).unwrap());
        assert!(!restarted.spend_heal("a", 2).unwrap());
        assert!(restarted.spend_heal("b", 1).unwrap() && !restarted.spend_heal("c", 0).unwrap());
    }

    #[test]
    fn what_a_caller_writes_stays_on_one_line_of_its_log() {
        let guard = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(guard.path()).unwrap();
        let about = format!("x\"\n{{\"event\":\"{HEAL}\"}}\n{}", "y".repeat(1_000));
        let audit = Audit::in_folder(folder);
        audit.ended(&Ended { client: "a", about: &about, ..Ended::default() }).unwrap();
        let log = std::fs::read_dir(folder.join("a")).unwrap().next().unwrap().unwrap();
        let text = std::fs::read_to_string(log.path()).unwrap();
        assert!(text.lines().count() == 1 && text.len() < 600, "{text}");
        assert!(audit.spend_heal("a", 1).unwrap(), "the caller's own words spent nothing");
    }
}
