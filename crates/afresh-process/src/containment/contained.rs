//! A rung that holds a program, and the end of all that it holds.

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::containment::cgroup::Cgroup;
use crate::containment::kill::{count, end_family, end_groups};
use crate::containment::proc_table::{Identity, Table};
use crate::driver::report::Rung;
use crate::limits::monitor::Guard;
use crate::supervisor::protocol::InitWish;
use crate::supervisor::reaper::{Children, Family};
use crate::supervisor::stage::Stage;

/// How long the end of a tree may take; what hangs in the kernel longer is reported as such.
pub(crate) const END_PATIENCE: Duration = Duration::from_secs(3);
/// How long the first process of a namespace gets to end it in good order.
const NAMESPACE_PATIENCE: Duration = Duration::from_millis(500);

pub(crate) struct Held {
    pub rung: Rung,
    pub cgroup: Option<Cgroup>,
    pub guard: Guard,
    pub stage: Stage,
    pub family: Family,
}

/// How long those who end by themselves are waited for.
const MOMENT: Duration = Duration::from_micros(200);
const MOMENTS: u32 = 15;

impl Held {
    /// Ends everything, and says how many were left behind and how many could not be ended.
    pub(crate) fn end(&mut self) -> (u32, u32) {
        if self.are_gone_by_themselves() {
            // All descendants hang below our children, and there are none: nothing to look for.
            return (0, self.remove_cgroups(0));
        }
        self.freeze_group();
        let left_behind = self.left_behind();
        match (&self.rung, &self.cgroup) {
            (_, Some(cgroup)) => cgroup.kill(),
            (Rung::Namespace, None) => self.end_namespace(),
            _ => self.end_group(),
        }
        let left = end_family(&mut self.family, Instant::now() + END_PATIENCE);
        (left_behind, self.remove_cgroups(left))
    }

    /// Who held the program in a room ends a moment after it: that is cheaper to wait for than to look
    /// for those who stay.
    fn are_gone_by_themselves(&mut self) -> bool {
        for _ in 0..MOMENTS {
            if self.family.reap() == Children::None {
                return true;
            }
            if self.family.status().is_none() {
                return false;
            }
            std::thread::sleep(MOMENT);
        }
        self.family.reap() == Children::None
    }

    /// Those alive besides the main process and the stages that hold it.
    fn left_behind(&self) -> u32 {
        let table = Table::read();
        let main = self.family.main_pid();
        let living = table.living_below(&[Identity::own().pid]);
        let holding = |it: &Identity| {
            it.pid == main
                || (self.rung == Rung::Namespace
                    && table.get(it.pid).is_some_and(|process| process.parent == main))
        };
        count(living.iter().filter(|it| !holding(it)).count())
    }

    fn end_namespace(&mut self) {
        self.stage.tell(&InitWish::End);
        let until = Instant::now() + NAMESPACE_PATIENCE;
        while self.family.reap() == Children::Some && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// A fork bomb would grow while we count it; most stay in their group. While the main process is
    /// not reaped, the group is nobody else's.
    fn freeze_group(&self) {
        if self.rung == Rung::Group && self.family.status().is_none() {
            let _ = killpg(Pid::from_raw(self.family.main_pid()), Signal::SIGSTOP);
        }
    }

    /// Where there is no table of processes (not Linux), this is all there is.
    fn end_group(&self) {
        if cfg!(target_os = "linux") {
            return end_groups();
        }
        let main = Pid::from_raw(self.family.main_pid());
        let _ = killpg(main, Signal::SIGKILL);
        let _ = kill(main, Signal::SIGKILL);
    }

    fn remove_cgroups(&self, left: u32) -> u32 {
        let until = Instant::now() + if left == 0 { END_PATIENCE } else { Duration::ZERO };
        self.guard.fence().remove(until);
        match &self.cgroup {
            Some(cgroup) if !cgroup.remove(until) => left.max(count(cgroup.members().len())),
            _ => left,
        }
    }
}
