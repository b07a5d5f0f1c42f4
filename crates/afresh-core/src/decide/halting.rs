//! Halting and resuming (ST-04, R7).

use super::Decider;
use crate::effect::Effect;
use crate::event::Event;
use crate::run::{CheckActivity, DriveState, HaltCause, LandHold, MergeStage, TaskStage};

/// How a run is halted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HaltMode {
    /// Running attempts finish; nothing new starts.
    Graceful,
    /// Everything that is running is stopped.
    Immediate,
}

impl HaltMode {
    pub(super) fn when(now: bool) -> Self {
        if now { Self::Immediate } else { Self::Graceful }
    }
}

impl Decider<'_> {
    /// A person's halt; a run that has ended cannot be halted.
    pub(super) fn halt_asked(&mut self, mode: HaltMode, reason: &str, by: &str) {
        if let DriveState::Finished { .. } = self.run.drive_state(self.now) {
            return self.refuse("the run has ended already");
        }
        self.halt(mode, reason, by);
    }

    /// The first request lets running attempts finish; the second, or `now`, ends them.
    pub(super) fn halt(&mut self, mode: HaltMode, reason: &str, by: &str) {
        let now = mode == HaltMode::Immediate;
        let before = self.run.halt().map(|halt| halt.now);
        if before == Some(true) {
            return;
        }
        // A halt by afresh itself never turns a graceful halt into an immediate one.
        if before == Some(false) && by == "afresh" && !now {
            return;
        }
        let now = now || before.is_some();
        let (reason, by) = (reason.to_owned(), by.to_owned());
        self.record(Event::HaltRequested { now, reason, by, cause: None });
        if !now {
            self.stop_probe();
        }
        if now {
            let grace = self.run.settings().halt_grace;
            self.stop_workers(grace);
            self.request(Effect::StopChecks);
        }
    }

    /// A measurement of the base is no attempt that may finish. What it has shown so far is remembered.
    fn stop_probe(&mut self) {
        if self.run.is_probing() {
            self.request(Effect::StopProbe);
        }
    }

    /// A full disk stops every task in the same way, and no worker can help: what runs may finish, nothing starts.
    pub(super) fn halt_for_full_disk(&mut self, place: &str) {
        if self.run.halt().is_some() || self.run.aborted().is_some() {
            return;
        }
        let reason = format!("the disk that holds {place} is full; free some space there");
        let (by, cause) = ("afresh".to_owned(), Some(HaltCause::FullDisk));
        self.record(Event::HaltRequested { now: false, reason, by, cause });
        self.stop_probe();
    }

    pub(super) fn clear_halt(&mut self) {
        if self.run.halt().is_none() {
            return self.refuse("the run is not halted");
        }
        self.record(Event::HaltCleared);
        self.restart_stopped_checks();
        self.retry_delayed_move();
    }

    /// Restarts checks that a halt stopped, once it is cleared.
    pub(super) fn restart_stopped_checks(&mut self) {
        if self.run.halt().is_some() {
            return;
        }
        for at in self.run.active() {
            let state = self.run.task(at);
            let stopped = match &state.stage {
                TaskStage::Checking { round: stage, .. } => {
                    stage.activity == CheckActivity::Stopped
                }
                _ => false,
            };
            let (true, Some(attempt)) = (stopped, state.attempt().cloned()) else { continue };
            self.record(Event::ChecksResumed { attempt });
            self.check_again(at);
        }
    }

    /// A branch that could not be moved halts the run; resuming means retrying.
    pub(super) fn retry_delayed_move(&mut self) {
        let (None, Some(first)) = (self.run.halt(), self.run.merge_queue().chain().first()) else {
            return;
        };
        let mut is_delayed = false;
        for at in first.members.clone() {
            if let TaskStage::Merging {
                work,
                merge: MergeStage::Moving { merged, receipt, hold: Some(LandHold::Delayed), .. },
                ..
            } = self.run.task(at).stage.clone()
            {
                let (attempt, receipt) = (work.attempt, *receipt);
                self.record(Event::LandIntended { attempt, merged, receipt });
                is_delayed = true;
            }
        }
        if is_delayed {
            self.request_move();
        }
    }
}
