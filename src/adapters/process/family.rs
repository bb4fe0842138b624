//! A process, its group, and everything that descends from it.
//!
//! Playwright starts browsers and web servers detached, each in a session of its own, so the signal to the group does
//! not reach them, and once their parent is gone nothing links them to us any more. So descendants are collected
//! before the first signal and again at every count, each known by process id and start time: a process id that was
//! given to somebody else since is never signalled. Without `/proc` only the group is known.

use std::collections::{BTreeMap, BTreeSet};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// A process and everything that was seen to descend from it.
#[derive(Debug)]
pub(super) struct Family {
    leader: Pid,
    /// Process id to start time (clock ticks since boot), the leader included.
    members: BTreeMap<i32, u64>,
}

/// One line of `/proc/<pid>/stat`, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stat {
    pid: i32,
    parent: i32,
    group: i32,
    started: u64,
    dead: bool,
}

impl Family {
    /// The family of `leader`, which leads a process group of its own and has just been started.
    pub(super) fn of(leader: Pid) -> Self {
        let raw = leader.as_raw_nonzero().get();
        let members = stat_of(raw).map(|stat| (raw, stat.started)).into_iter().collect();
        Self { leader, members }
    }

    /// Sends `signal` to the group and to every descendant outside it.
    pub(super) fn signal(&mut self, signal: Signal) {
        let living = self.recount();
        // Errors mean that it is gone already, which is what the signal is for.
        _ = kill_process_group(self.leader, signal);
        let group = self.leader.as_raw_nonzero().get();
        for stat in living.iter().filter(|stat| stat.group != group) {
            if let Some(pid) = Pid::from_raw(stat.pid) {
                _ = kill_process(pid, signal);
            }
        }
    }

    /// Kills everything, until a recount finds nobody: a process may fork while its siblings are being killed.
    pub(super) fn kill(&mut self) {
        for _ in 0..16 {
            self.signal(Signal::KILL);
            if self.recount().is_empty() {
                break;
            }
        }
    }

    /// Counts how many of them are alive; also what keeps track of those whose parent may die before the next count.
    pub(super) fn count(&mut self) -> usize {
        self.recount().len()
    }

    /// Adds descendants that were not known yet and returns everybody who is alive.
    fn recount(&mut self) -> Vec<Stat> {
        let everybody = all_stats();
        let known = self.known_alive(&everybody);
        let found = descendants(self.leader.as_raw_nonzero().get(), &known, &everybody);
        self.members.extend(found.iter().map(|stat| (stat.pid, stat.started)));
        found
    }

    fn known_alive(&self, everybody: &[Stat]) -> BTreeSet<i32> {
        let same = |stat: &&Stat| self.members.get(&stat.pid) == Some(&stat.started);
        everybody.iter().filter(same).map(|stat| stat.pid).collect()
    }
}

/// Kills whoever carries `mark` in its environment, and all that descends from them; returns how many there were.
pub(super) fn kill_marked(mark: &str) -> usize {
    let mut killed = BTreeSet::new();
    // This process may itself have been started from such a run.
    let own = rustix::process::getpid().as_raw_nonzero().get();
    // Again until nobody is found: a process may fork while its siblings are being killed.
    for _ in 0..16 {
        let everybody: Vec<_> = all_stats().into_iter().filter(|stat| stat.pid != own).collect();
        let marked = everybody.iter().filter(|stat| carries(stat.pid, mark)).map(|stat| stat.pid).collect();
        let living = descendants(NO_GROUP, &marked, &everybody);
        if living.is_empty() {
            break;
        }
        for stat in living {
            if let Some(pid) = Pid::from_raw(stat.pid) {
                _ = kill_process(pid, Signal::KILL);
                killed.insert(stat.pid);
            }
        }
    }
    killed.len()
}

/// The group of nobody that can be signalled.
const NO_GROUP: i32 = -1;

fn carries(pid: i32, mark: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|&byte| byte == 0).any(|variable| variable == mark.as_bytes())
}

/// When the process was started, in clock ticks since boot; zero where nothing says so.
pub(super) fn started(pid: i32) -> u64 {
    stat_of(pid).map_or(0, |stat| stat.started)
}

/// Everybody alive who is known, in the group, or a child of somebody who is; in the order of process ids.
fn descendants(group: i32, known: &BTreeSet<i32>, everybody: &[Stat]) -> Vec<Stat> {
    let mut found: BTreeMap<i32, Stat> = BTreeMap::new();
    loop {
        let before = found.len();
        for stat in everybody {
            if known.contains(&stat.pid) || stat.group == group || found.contains_key(&stat.parent) {
                found.insert(stat.pid, *stat);
            }
        }
        if found.len() == before {
            break;
        }
    }
    found.into_values().filter(|stat| !stat.dead).collect()
}

fn all_stats() -> Vec<Stat> {
    let Ok(folder) = std::fs::read_dir("/proc") else { return Vec::new() };
    folder.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).filter_map(stat_of).collect()
}

fn stat_of(pid: i32) -> Option<Stat> {
    parse_stat(pid, &std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads a stat line: the name in parentheses may itself hold spaces and parentheses, so the fields start after the
/// last one. Counted from the state: 0 state, 1 parent, 2 group, 19 start time.
fn parse_stat(pid: i32, line: &str) -> Option<Stat> {
    let (_, fields) = line.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    Some(Stat {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        dead: matches!(fields.first().copied(), Some("Z" | "X")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(pid: i32, parent: i32, group: i32) -> Stat {
        Stat { pid, parent, group, started: 0, dead: false }
    }

    #[test]
    fn a_grandchild_in_its_own_group_belongs_and_a_stranger_does_not() {
        let everybody = [stat(3, 20, 3), stat(10, 1, 10), stat(20, 10, 10), stat(30, 1, 30), stat(40, 1, 10)];
        let found = descendants(10, &BTreeSet::from([10]), &everybody);
        assert_eq!(found.iter().map(|stat| stat.pid).collect::<Vec<_>>(), [3, 10, 20, 40]);
    }

    #[test]
    fn a_name_with_parentheses_and_spaces_does_not_shift_the_fields() {
        let line = "7 (a) b (c) S 5 6 6 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4242 1 1";
        assert_eq!(parse_stat(7, line), Some(Stat { pid: 7, parent: 5, group: 6, started: 4242, dead: false }));
        assert_eq!(parse_stat(7, "7 (a"), None);
    }
}
