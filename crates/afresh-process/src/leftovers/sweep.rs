//! Ends everything that earlier drivers left behind (R6); runs at the start, under the repository's
//! lock.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde::Serialize;

use crate::containment::cgroup;
use crate::containment::contained::KILL_TIMEOUT;
use crate::containment::kill::kill_all;
use crate::containment::proc_table::{ProcessIdentity, ProcessTable};
use crate::leftovers::find;
use crate::leftovers::registry::{self, BootContext, RegistryEntry};

/// A supervisor without a driver is ending its process tree already: it needs this long at most.
const SUPERVISOR_TIMEOUT: Duration = Duration::from_secs(5);
const NAP: Duration = Duration::from_millis(5);

/// The result of a sweep.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SweepReport {
    /// Entries of earlier drivers.
    pub found: u32,
    /// Processes that were sent a SIGKILL.
    pub killed: u32,
    /// Entries whose processes could not all be killed; they stay for the next sweep.
    pub stubborn: Vec<PathBuf>,
    /// Entries from another boot or container, whose pids mean nothing here; removed.
    pub foreign: u32,
    /// Entries that cannot be read, for example after a power cut; removed.
    pub unreadable: Vec<PathBuf>,
}

/// Ends all jobs recorded under names that begin with `name_prefix`, and waits until they are gone.
pub fn sweep_leftovers(registry: &Path, name_prefix: &str) -> SweepReport {
    let mut report = SweepReport::default();
    let here = BootContext::current();
    for (path, entry) in registry::list_entries(registry, name_prefix) {
        report.found += 1;
        match entry {
            Ok(entry) if entry.place == here => {
                if end_entry(&entry, registry, &mut report) {
                    remove_entry(&path);
                } else {
                    report.stubborn.push(path);
                }
            }
            Ok(_) => {
                report.foreign += 1;
                remove_entry(&path);
            }
            // It ended by itself between listing and reading.
            Err(_) if !registry::is_used(&path) => {}
            Err(_) => {
                remove_entry(&path);
                report.unreadable.push(path);
            }
        }
    }
    // With an empty prefix, this could remove one that is just being made.
    if !name_prefix.is_empty() {
        cgroup::remove_empty_cgroups(name_prefix);
    }
    report
}

fn end_entry(entry: &RegistryEntry, registry: &Path, report: &mut SweepReport) -> bool {
    let mut left = 0;
    if !ended_by_itself(entry.supervisor) {
        let ending = end_supervisor(entry.supervisor);
        report.killed += ending.0;
        left += ending.1;
    }
    let ending = find::end_leftovers(entry, registry);
    report.killed += ending.killed;
    left + ending.left == 0
}

fn ended_by_itself(supervisor: ProcessIdentity) -> bool {
    let until = Instant::now() + SUPERVISOR_TIMEOUT;
    while supervisor.is_alive() {
        if Instant::now() >= until {
            return false;
        }
        sleep(NAP);
    }
    true
}

/// While stopped, it still adopts its orphans, so its process tree stays in one place until it is
/// gone.
pub(crate) fn end_supervisor(supervisor: ProcessIdentity) -> (u32, u32) {
    supervisor.signal(Signal::SIGSTOP);
    let find = || {
        let tree = || ProcessTable::read().living_below(&[supervisor.pid]);
        supervisor.is_alive().then(tree).unwrap_or_default()
    };
    let below = kill_all(find, Instant::now() + KILL_TIMEOUT);
    let itself = || Some(supervisor).filter(|it| it.is_alive()).into_iter().collect();
    let top = kill_all(itself, Instant::now() + KILL_TIMEOUT);
    (below.killed + top.killed, below.left + top.left)
}

fn remove_entry(path: &Path) {
    // If it cannot be removed, the next sweep tries again.
    let _ = fs::remove_file(path);
}
