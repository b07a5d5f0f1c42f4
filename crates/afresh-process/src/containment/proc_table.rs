//! The process table in `/proc`.
//!
//! A process is identified by its pid *and* its start time: pids are reused, and a signal to the
//! wrong process is worse than none. On systems without `/proc` the table is empty.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// Identifies one process: no other has both numbers during one boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct ProcessIdentity {
    pub pid: i32,
    /// Clock ticks from boot to its start.
    pub start: u64,
}

impl ProcessIdentity {
    /// For a pid that is in use; a start of zero means that it could not be read.
    pub(crate) fn from_pid(pid: i32) -> Self {
        Self { pid, start: ProcessInfo::read(pid).map_or(0, |process| process.start) }
    }

    pub(crate) fn own() -> Self {
        Self::from_pid(Pid::this().as_raw())
    }

    pub(crate) fn is_alive(self) -> bool {
        ProcessInfo::read(self.pid).is_some_and(|it| it.start == self.start && it.is_alive())
    }

    /// Signals exactly this process: the start time of its pid is compared first.
    pub(crate) fn signal(self, signal: Signal) {
        if self.is_alive() {
            // It may have exited by itself.
            let _ = kill(Pid::from_raw(self.pid), signal);
        }
    }

    pub(crate) fn proc_path(self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.pid))
    }
}

/// One process of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessInfo {
    pub pid: i32,
    pub parent: i32,
    pub group: i32,
    pub session: i32,
    pub terminal: i32,
    pub start: u64,
    state: char,
    pub threads: u32,
}

impl ProcessInfo {
    pub(crate) fn read(pid: i32) -> Option<Self> {
        parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    pub(crate) fn identity(self) -> ProcessIdentity {
        ProcessIdentity { pid: self.pid, start: self.start }
    }

    /// A main thread that exited while other threads run looks like a zombie, but is not one.
    pub(crate) fn is_alive(self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x') || self.threads > 1
    }
}

/// The name in the second field may contain anything, even `) `, so fields are counted from its
/// last parenthesis.
fn parse_stat(stat: &[u8]) -> Option<ProcessInfo> {
    let open = stat.iter().position(|&byte| byte == b'(')?;
    let close = stat.iter().rposition(|&byte| byte == b')')?;
    let pid = std::str::from_utf8(&stat[..open]).ok()?.trim().parse().ok()?;
    let rest = std::str::from_utf8(&stat[close + 1..]).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // The first of these is field 3 of proc(5).
    let field = |number: usize| fields.get(number - 3);
    Some(ProcessInfo {
        pid,
        state: field(3)?.chars().next()?,
        parent: field(4)?.parse().ok()?,
        group: field(5)?.parse().ok()?,
        session: field(6)?.parse().ok()?,
        terminal: field(7)?.parse().ok()?,
        threads: field(20)?.parse().ok()?,
        start: field(22)?.parse().ok()?,
    })
}

/// All processes at about the same time.
#[derive(Debug)]
pub(crate) struct ProcessTable {
    pub processes: Vec<ProcessInfo>,
}

impl ProcessTable {
    pub(crate) fn read() -> Self {
        let Ok(listing) = fs::read_dir("/proc") else { return Self { processes: Vec::new() } };
        let pids = listing.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        Self { processes: pids.filter_map(ProcessInfo::read).collect() }
    }

    pub(crate) fn get(&self, pid: i32) -> Option<&ProcessInfo> {
        self.processes.iter().find(|process| process.pid == pid)
    }

    /// The living processes below `roots`, the roots not included.
    pub(crate) fn living_below(&self, roots: &[i32]) -> Vec<ProcessIdentity> {
        let below = self.pids_below(roots);
        let living = self.processes.iter().filter(|it| below.contains(&it.pid) && it.is_alive());
        living.map(|it| it.identity()).collect()
    }

    /// Includes dead processes: a zombie's children have been adopted already, but a main thread
    /// that exited early still has its own.
    fn pids_below(&self, roots: &[i32]) -> BTreeSet<i32> {
        let mut below = BTreeSet::new();
        let mut heads: BTreeSet<i32> = roots.iter().copied().collect();
        while !heads.is_empty() {
            let children = self.processes.iter().filter(|it| heads.contains(&it.parent));
            let fresh = children.map(|it| it.pid).filter(|pid| !below.contains(pid));
            let fresh: BTreeSet<i32> = fresh.filter(|pid| !roots.contains(pid)).collect();
            below.extend(fresh.iter().copied());
            heads = fresh;
        }
        below
    }

    /// `pid` and its chain of parents.
    pub(crate) fn lineage(&self, pid: i32) -> BTreeSet<i32> {
        let mut line = BTreeSet::new();
        let mut next = Some(pid);
        while let Some(pid) = next {
            next = line.insert(pid).then(|| self.get(pid).map(|it| it.parent)).flatten();
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32, state: char) -> ProcessInfo {
        ProcessInfo {
            pid,
            parent,
            group: pid,
            session: pid,
            terminal: 0,
            start: 1,
            state,
            threads: 1,
        }
    }

    #[test]
    fn a_hostile_name_does_not_shift_the_fields() {
        let stat = b"42 (a) R 1 (b) S 7 8 9 10 0 0 0 0 0 0 0 0 0 0 0 0 3 0 555 0";
        let it = parse_stat(stat).expect("well formed");
        assert_eq!((it.pid, it.parent, it.session, it.terminal), (42, 7, 9, 10));
        assert_eq!((it.threads, it.start, it.state), (3, 555, 'S'));
    }

    #[test]
    fn descendants_are_found_through_any_depth_and_zombies_are_not_alive() {
        let processes = vec![
            process(1, 0, 'S'),
            process(10, 1, 'S'),
            process(11, 10, 'S'),
            process(12, 11, 'T'),
            process(13, 10, 'Z'),
            process(20, 1, 'S'),
        ];
        let table = ProcessTable { processes };
        let found: Vec<i32> = table.living_below(&[10]).iter().map(|it| it.pid).collect();
        assert_eq!(found, [11, 12]);
        assert_eq!(table.lineage(12), BTreeSet::from([0, 1, 10, 11, 12]));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pid_with_another_start_time_is_another_process() {
        let own = ProcessIdentity::own();
        assert!(own.is_alive());
        assert!(!ProcessIdentity { start: own.start + 1, ..own }.is_alive());
    }
}
