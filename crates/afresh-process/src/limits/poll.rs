//! Measures what a process tree uses by polling, for limits that no cgroup enforces.
//!
//! Measuring a whole tree is costly, so most polls read only one number: how many processes and
//! threads the whole machine has. If that has grown, the tree may be a fork bomb.

use std::fs;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use afresh_core::process::{LimitExceeded, LimitedResource};
use nix::unistd::{SysconfVar, sysconf};

use crate::containment::proc_table::ProcessInfo;
use crate::leftovers::member_log::for_each_descendant;

/// The time between two quick checks, and between two measurements of the whole tree.
const QUICK_INTERVAL: Duration = Duration::from_millis(50);
const FULL_INTERVAL: Duration = Duration::from_millis(250);
/// From this fraction of its limit (one eighth) a tree counts as large, and is measured at every
/// check.
const LARGE_PART: u64 = 8;

/// Measures what one tree uses.
#[derive(Debug)]
pub(crate) struct UsagePoller {
    tree_limits: Vec<LimitExceeded>,
    page: u64,
    measured_at: Instant,
    /// Processes and threads of the whole machine at the last measurement.
    on_machine: u64,
    is_large: bool,
}

impl UsagePoller {
    pub(crate) fn new(tree_limits: Vec<LimitExceeded>) -> Self {
        let page = sysconf(SysconfVar::PAGE_SIZE).ok().flatten();
        Self {
            tree_limits,
            page: page.and_then(|it| u64::try_from(it).ok()).unwrap_or(4096),
            measured_at: Instant::now(),
            on_machine: count_machine_tasks(),
            is_large: false,
        }
    }

    /// The polled limit for this resource, if there is one.
    pub(crate) fn limit(&self, of: LimitedResource) -> Option<u64> {
        self.tree_limits.iter().find(|bound| bound.of == of).map(|bound| bound.limit)
    }

    /// How long until the next check; none if nothing is polled.
    pub(crate) fn next_check_in(&self) -> Option<Duration> {
        (!self.tree_limits.is_empty()).then_some(QUICK_INTERVAL)
    }

    /// The limit that everything below this process exceeds together.
    pub(crate) fn check_quickly(&mut self) -> Option<LimitExceeded> {
        if self.measured_at.elapsed() < FULL_INTERVAL
            && !self.is_large
            && !self.has_machine_filled()
        {
            return None;
        }
        self.measured_at = Instant::now();
        self.on_machine = count_machine_tasks();
        self.measure()
    }

    fn measure(&mut self) -> Option<LimitExceeded> {
        let mut used = vec![0; self.tree_limits.len()];
        let mut over = None;
        for_each_descendant(|pid| {
            for (bound, used) in self.tree_limits.iter().zip(&mut used) {
                *used += match bound.of {
                    LimitedResource::Memory => self.memory(pid),
                    LimitedResource::Processes => threads(pid),
                    // Checked elsewhere.
                    LimitedResource::Disk | LimitedResource::FreeDisk => 0,
                };
                if *used > bound.limit {
                    over = Some(*bound);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        let large = |(bound, used): (&LimitExceeded, u64)| used > bound.limit / LARGE_PART;
        self.is_large = self.tree_limits.iter().zip(used).any(large);
        over
    }

    fn has_machine_filled(&self) -> bool {
        let more = count_machine_tasks().saturating_sub(self.on_machine);
        let of_processes =
            self.tree_limits.iter().filter(|bound| bound.of == LimitedResource::Processes);
        of_processes.into_iter().any(|bound| more > bound.limit / LARGE_PART)
    }

    /// Its private memory: file pages and shared memory would be counted once for each process.
    fn memory(&self, pid: i32) -> u64 {
        let text = fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
        let mut pages = text.split(' ').skip(1).filter_map(|it| it.parse::<u64>().ok());
        let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
        resident.saturating_sub(shared) * self.page
    }
}

fn threads(pid: i32) -> u64 {
    ProcessInfo::read(pid).map_or(0, |it| u64::from(it.threads))
}

/// The fourth field is `running/all`. If it cannot be read, the full measurements must do.
fn count_machine_tasks() -> u64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let field = text.split(' ').nth(3).and_then(|field| field.split_once('/'));
    field.and_then(|(_, all)| all.parse().ok()).unwrap_or_default()
}
