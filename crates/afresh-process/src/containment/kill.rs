//! Kills a set of processes that may still grow.
//!
//! The caller says who belongs to the set, again and again until it is empty.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, getsid};

use crate::containment::proc_table::{ProcessIdentity, ProcessTable};
use crate::supervisor::reaper::{ChildReaper, ReapState};

/// The result of killing a set of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KillOutcome {
    /// Distinct processes that were sent a SIGKILL.
    pub killed: u32,
    /// Those that were still alive when the time was up.
    pub left: u32,
}

const FREEZE_PASSES: u32 = 20;
const SHORTEST_NAP: Duration = Duration::from_millis(1);
const PAUSE_SLICE: Duration = Duration::from_millis(20);

/// Stops, then kills all that `find` finds, until it finds none or `until` has passed.
pub(crate) fn kill_all(
    mut find: impl FnMut() -> Vec<ProcessIdentity>,
    until: Instant,
) -> KillOutcome {
    let mut seen = BTreeSet::new();
    let mut nap = SHORTEST_NAP;
    loop {
        let living = find();
        if living.is_empty() {
            return KillOutcome { killed: saturating_count(seen.len()), left: 0 };
        }
        if Instant::now() >= until && !seen.is_empty() {
            return KillOutcome {
                killed: saturating_count(seen.len()),
                left: saturating_count(living.len()),
            };
        }
        for process in freeze(living, &mut find) {
            process.signal(Signal::SIGKILL);
            seen.insert(process);
        }
        sleep(nap);
        nap = (nap * 2).min(PAUSE_SLICE);
    }
}

/// A stopped process can neither fork nor reap. So a fork bomb stands still before it is killed,
/// and no pid of the set is reused between our look and our signal.
fn freeze(
    mut living: Vec<ProcessIdentity>,
    find: &mut impl FnMut() -> Vec<ProcessIdentity>,
) -> BTreeSet<ProcessIdentity> {
    let mut stopped = BTreeSet::new();
    for _ in 0..FREEZE_PASSES {
        let fresh: Vec<ProcessIdentity> =
            living.into_iter().filter(|process| stopped.insert(*process)).collect();
        if fresh.is_empty() {
            break;
        }
        for process in fresh {
            process.signal(Signal::SIGSTOP);
        }
        living = find();
    }
    stopped
}

/// Rounds in which only direct children are checked, before all of `/proc` is.
const QUICK_ROUNDS: u32 = 20;
const QUICK_NAP: Duration = Duration::from_micros(50);

/// Kills and reaps everything below this process, which adopts orphans (R6 relies on this alone).
/// Returns how many are left when the time is up.
///
/// The children of a dead process become ours, so killing direct children again and again reaches
/// all of them. Their pids cannot be reused before we reap them, so no other process is hit.
pub(crate) fn kill_children(reaper: &mut ChildReaper, until: Instant) -> u32 {
    let mut round = 0;
    let mut nap = SHORTEST_NAP;
    while reaper.reap() == ReapState::Some {
        for child in children() {
            // It may be dead already.
            let _ = kill(Pid::from_raw(child), Signal::SIGKILL);
        }
        if Instant::now() >= until {
            return saturating_count(list_descendants().len());
        }
        round += 1;
        if round < QUICK_ROUNDS {
            sleep(QUICK_NAP);
            continue;
        }
        // A process takes long to die, or new ones are started faster than we look.
        kill_groups();
        for process in freeze(list_descendants(), &mut list_descendants) {
            process.signal(Signal::SIGKILL);
        }
        sleep(nap);
        nap = (nap * 2).min(PAUSE_SLICE);
    }
    0
}

/// The kernel signals a group as one: no member can fork out of it meanwhile. The program started
/// in a session of its own, so every other session below us, with its groups, belongs to the job.
pub(crate) fn kill_groups() {
    let session = getsid(None).map_or(0, Pid::as_raw);
    let table = ProcessTable::read();
    let below = table.living_below(&[Pid::this().as_raw()]);
    let processes = below.iter().filter_map(|it| table.get(it.pid));
    let groups: BTreeSet<i32> = processes
        .filter(|it| it.session != session && it.session != 0 && it.group > 1)
        .map(|it| it.group)
        .collect();
    for group in groups {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}

fn list_descendants() -> Vec<ProcessIdentity> {
    ProcessTable::read().living_below(&[Pid::this().as_raw()])
}

/// The direct children of this process, which has one thread.
fn children() -> Vec<i32> {
    let own = Pid::this().as_raw();
    if let Ok(list) = std::fs::read_to_string(format!("/proc/self/task/{own}/children")) {
        return list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect();
    }
    // Not every kernel has that list.
    let processes = ProcessTable::read().processes;
    processes.iter().filter(|it| it.parent == own).map(|it| it.pid).collect()
}

pub(crate) fn saturating_count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
