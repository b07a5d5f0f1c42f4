//! A rung that holds a program, and the end of all that it holds.

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

/// How long the end of a tree may take; what hangs in the kernel longer is reported as such.
pub(crate) const KILL_TIMEOUT: Duration = Duration::from_secs(3);
/// How long the first process of a namespace gets to end it in good order.
const NAMESPACE_TIMEOUT: Duration = Duration::from_millis(500);

pub(crate) struct ContainedTree {
    pub level: ContainmentLevel,
    pub cgroup: Option<Cgroup>,
    pub monitor: LimitMonitor,
    pub stage: StageProcess,
    pub reaper: ChildReaper,
}

/// How long those who end by themselves are waited for.
const SETTLE_PAUSE: Duration = Duration::from_micros(200);
const SETTLE_ROUNDS: u32 = 15;

impl ContainedTree {
    /// Ends everything, and says how many were left behind and how many could not be ended.
    pub(crate) fn end(&mut self) -> (u32, u32) {
        if self.exited_by_themselves() {
            // All descendants hang below our children, and there are none: nothing to look for.
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

    /// Who held the program in a room ends a moment after it: that is cheaper to wait for than to look
    /// for those who stay.
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

    /// Those alive besides the main process and the stages that hold it.
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

    /// A fork bomb would grow while we count it; most stay in their group. While the main process is
    /// not reaped, the group is nobody else's.
    fn freeze_group(&self) {
        if self.level == ContainmentLevel::Group && self.reaper.status().is_none() {
            let _ = killpg(Pid::from_raw(self.reaper.main_pid()), Signal::SIGSTOP);
        }
    }

    /// Where there is no table of processes (not Linux), this is all there is.
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
