//! Records now and then which processes belong to a job.
//!
//! Only for containment by process group: if driver and supervisor are both killed, a daemon that
//! left its session, its directory and its pipes could not be recognised afterwards. A daemon that
//! does all that and is less than four seconds old when both die is still missed.

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use nix::unistd::Pid;

use crate::containment::proc_table::ProcessIdentity;
use crate::leftovers::registry::{RegistryEntry, RegistryFile};

const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// No well-behaved program has more.
const MAX_MEMBERS: usize = 10_000;
const MAX_INTERVAL: Duration = Duration::from_secs(4);

#[derive(Debug)]
pub(crate) struct MemberLog<'a> {
    entry_file: &'a RegistryFile,
    entry: RegistryEntry,
    interval: Duration,
    due: Instant,
}

impl<'a> MemberLog<'a> {
    pub(crate) fn new(entry_file: &'a RegistryFile, entry: RegistryEntry) -> Self {
        Self { entry_file, entry, interval: MIN_INTERVAL, due: Instant::now() + MIN_INTERVAL }
    }

    pub(crate) fn due(&self) -> Instant {
        self.due
    }

    /// Records the processes if it is time and they have changed.
    pub(crate) fn record_if_due(&mut self) {
        if Instant::now() < self.due {
            return;
        }
        let mut below = BTreeSet::new();
        for_each_descendant(|pid| {
            below.insert(pid);
            if below.len() < MAX_MEMBERS {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        let tree: Vec<ProcessIdentity> = below.into_iter().map(ProcessIdentity::from_pid).collect();
        if tree == self.entry.tree {
            self.interval = (self.interval * 2).min(MAX_INTERVAL);
        } else {
            self.interval = MIN_INTERVAL;
            self.entry.tree = tree;
            // The earlier entry stays; it is incomplete, but not wrong.
            let _ = self.entry_file.write(&self.entry);
        }
        self.due = Instant::now() + self.interval;
    }
}

/// Follows the kernel's lists of children, which costs a fraction of reading all processes. `see`
/// can stop it: a tree that grows faster than it is walked has no end.
pub(crate) fn for_each_descendant(mut see: impl FnMut(i32) -> ControlFlow<()>) {
    let mut found = BTreeSet::new();
    let mut heads = vec![Pid::this().as_raw()];
    while let Some(head) = heads.pop() {
        for pid in children(head) {
            if found.insert(pid) {
                heads.push(pid);
                if see(pid).is_break() {
                    return;
                }
            }
        }
    }
}

fn children(pid: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|it| fs::read_to_string(it.path().join("children")).ok());
    let parse = |list: String| -> Vec<i32> {
        list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect()
    };
    lists.flat_map(parse).collect()
}
