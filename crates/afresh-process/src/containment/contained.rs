//! The contained process tree of one job, and how all of it is ended.

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::containment::cgroup::Cgroup;
use crate::containment::kill::{kill_children, kill_groups, saturating_count};
use crate::containment::proc_table::{ProcessIdentity, ProcessTable};
use crate::driver::report::ContainmentLevel;
use crate::limits::monitor::LimitMonitor;
use crate::supervisor::protocol::NamespaceCommand;
use crate::supervisor::reaper::{ChildReaper, ReapState};
use crate::supervisor::stage::StageProcess;

/// How long killing a tree may take; processes that hang in the kernel longer are reported.
pub(crate) const KILL_TIMEOUT: Duration = Duration::from_secs(3);
/// How long the first process of a namespace may take to end it in good order.
const NAMESPACE_TIMEOUT: Duration = Duration::from_millis(500);

pub(crate) struct ContainedTree {
    pub level: ContainmentLevel,
    pub cgroup: Option<Cgroup>,
    pub monitor: LimitMonitor,
    pub stage: StageProcess,
    pub reaper: ChildReaper,
}

/// How long processes that exit by themselves are waited for.
const SETTLE_PAUSE: Duration = Duration::from_micros(200);
const SETTLE_ROUNDS: u32 = 15;

impl ContainedTree {
    /// Ends everything; returns how many processes were left behind and how many could not be
    /// killed.
    pub(crate) fn end(&mut self) -> (u32, u32) {
        if self.exited_by_themselves() {
            // All descendants are below our children, and there are none.
            return (0, self.remove_cgroups(0));
        }
        self.freeze_group();
        let left_behind = self.left_behind();
        match (&self.level, &self.cgroup) {
            (_, Some(cgroup)) => cgroup.kill(),
            (ContainmentLevel::Namespace, None) => self.end_namespace(),
            _ => self.end_group(),
        }
        let left = kill_children(&mut self.reaper, Instant::now() + KILL_TIMEOUT);
        (left_behind, self.remove_cgroups(left))
    }

    /// A sandbox exits a moment after the program that it holds: waiting for that is cheaper than
    /// searching for what stays.
    fn exited_by_themselves(&mut self) -> bool {
        for _ in 0..SETTLE_ROUNDS {
            if self.reaper.reap() == ReapState::None {
                return true;
            }
            if self.reaper.status().is_none() {
                return false;
            }
            std::thread::sleep(SETTLE_PAUSE);
        }
        self.reaper.reap() == ReapState::None
    }

    /// The number of living processes besides the main process and its stages.
    fn left_behind(&self) -> u32 {
        let table = ProcessTable::read();
        let main = self.reaper.main_pid();
        let living = table.living_below(&[ProcessIdentity::own().pid]);
        let holding = |it: &ProcessIdentity| {
            it.pid == main
                || (self.level == ContainmentLevel::Namespace
                    && table.get(it.pid).is_some_and(|process| process.parent == main))
        };
        saturating_count(living.iter().filter(|it| !holding(it)).count())
    }

    fn end_namespace(&mut self) {
        self.stage.send(&NamespaceCommand::End);
        let until = Instant::now() + NAMESPACE_TIMEOUT;
        while self.reaper.reap() == ReapState::Some && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// A fork bomb would grow while we count it, but most of its processes stay in their group.
    /// While the main process is not reaped, the group id cannot be reused.
    fn freeze_group(&self) {
        if self.level == ContainmentLevel::Group && self.reaper.status().is_none() {
            let _ = killpg(Pid::from_raw(self.reaper.main_pid()), Signal::SIGSTOP);
        }
    }

    /// On systems without a process table (not Linux), this is all we can do.
    fn end_group(&self) {
        if cfg!(target_os = "linux") {
            return kill_groups();
        }
        let main = Pid::from_raw(self.reaper.main_pid());
        let _ = killpg(main, Signal::SIGKILL);
        let _ = kill(main, Signal::SIGKILL);
    }

    fn remove_cgroups(&self, left: u32) -> u32 {
        let until = Instant::now() + if left == 0 { KILL_TIMEOUT } else { Duration::ZERO };
        self.monitor.cgroup_limits().remove(until);
        match &self.cgroup {
            Some(cgroup) if !cgroup.remove(until) => {
                left.max(saturating_count(cgroup.members().len()))
            }
            _ => left,
        }
    }
}
