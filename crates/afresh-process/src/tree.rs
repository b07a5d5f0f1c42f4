//! Ending a set of processes that may still grow.
//!
//! Who belongs to the set is the caller's to say, again and again until nobody does.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::table::Identity;

/// What an ending came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ending {
    /// Distinct processes that were given a SIGKILL.
    pub killed: u32,
    /// Those that were still there when patience ended.
    pub left: u32,
}

const FREEZE_PASSES: u32 = 20;
const SHORTEST_NAP: Duration = Duration::from_millis(1);
const LONGEST_NAP: Duration = Duration::from_millis(20);

/// Stops, then kills whoever `find` finds, until it finds nobody or `until` has passed.
pub(crate) fn end_all(mut find: impl FnMut() -> Vec<Identity>, until: Instant) -> Ending {
    let mut seen = BTreeSet::new();
    let mut nap = SHORTEST_NAP;
    loop {
        let living = find();
        if living.is_empty() {
            return Ending { killed: count(seen.len()), left: 0 };
        }
        if Instant::now() >= until && !seen.is_empty() {
            return Ending { killed: count(seen.len()), left: count(living.len()) };
        }
        for process in freeze(living, &mut find) {
            process.signal(Signal::SIGKILL);
            seen.insert(process);
        }
        sleep(nap);
        nap = (nap * 2).min(LONGEST_NAP);
    }
}

/// A stopped process cannot fork, nor reap: so a fork bomb stands still before it is killed, and no
/// pid of the set is given to a stranger between our look and our signal.
fn freeze(
    mut living: Vec<Identity>,
    find: &mut impl FnMut() -> Vec<Identity>,
) -> BTreeSet<Identity> {
    let mut stopped = BTreeSet::new();
    for _ in 0..FREEZE_PASSES {
        let fresh: Vec<Identity> =
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

pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
