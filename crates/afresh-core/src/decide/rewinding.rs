//! Continues an interrupted wave: only what failed, all of it again, or not at all (ST-05). Moves the branch back to
//! where it was earlier (BE-10), which is what doing a wave again begins with.
//!
//! Nothing is lost: the old tip is kept, and running work ends first and is saved.

use super::Decider;
use super::attempt::verdict::AttemptCounts;
use super::halting::HaltMode;
use crate::effect::Effect;
use crate::event::Event;
use crate::ids::CommitId;
use crate::input::{BranchMove, ResumeMode};
use crate::plan::TaskIndex;
use crate::question::QuestionTopic;
use crate::rejection::Rejection;
use crate::run::{RewindGoal, RewindState, RewindTarget, Run, TaskStage};

impl Decider<'_> {
    pub(super) fn resume_wave(&mut self, how: ResumeMode) {
        match how {
            ResumeMode::Failed => self.retry_failed_tasks(),
            ResumeMode::Wave => self.request_rewind(),
            ResumeMode::Abort => self.abort_run(),
        }
    }

    fn abort_run(&mut self) {
        if interrupted_wave(self.run).is_none() {
            return self.refuse("nothing to abandon: everything is done");
        }
        self.abort("run abandoned".to_owned());
        self.end_attempts_by_hand();
    }

    fn retry_failed_tasks(&mut self) {
        for at in self.run.plan().indices() {
            if self.has_failed(at) {
                let task = self.run.plan().task(at).id.clone();
                self.withdraw_questions(&task);
                self.record(Event::TaskRetried { task });
            }
        }
    }

    /// Tried and failed. A task that was never tried was skipped by choice.
    fn has_failed(&self, at: TaskIndex) -> bool {
        let state = self.run.task(at);
        match &state.stage {
            TaskStage::Failed { .. } => true,
            TaskStage::Skipped { .. } => state.retries.last_number > 0,
            TaskStage::Waiting(id) => self.run.question(*id).is_some_and(|question| {
                matches!(question.topic, QuestionTopic::Timeout | QuestionTopic::Orphan)
            }),
            _ => false,
        }
    }

    fn request_rewind(&mut self) {
        // A driver may have been killed while the branch moved: where it is now is not known yet.
        if self.run.rewind().is_some() {
            return self.refuse("the branch is being moved back already");
        }
        let Some(wave) = interrupted_wave(self.run) else {
            return self.refuse("no wave was interrupted: everything is done");
        };
        self.record(Event::RewindWanted { wave });
    }

    /// A person wants to go back. Workers are stopped: what they build on is about to go.
    pub(super) fn rewind_asked(&mut self, target: &RewindTarget, by: &str) {
        if self.run.is_ended_for_good() {
            return self.refuse("the run has been ended; it cannot go back");
        }
        let path = match self.run.plan_rewind(target) {
            Ok(path) => path,
            Err(why) => return self.refuse(why),
        };
        match target {
            RewindTarget::Wave(wave) => self.record(Event::RewindWanted { wave: *wave }),
            RewindTarget::Task(_) | RewindTarget::Commit(_) => {
                self.record(Event::RewindRequested { to: path.to, by: by.to_owned() });
            }
        }
        self.stop_workers(self.run.settings().halt_grace);
    }

    /// The driver died while the branch was moving back: the next one checks where the branch is.
    pub(super) fn resume_rewind(&mut self) {
        if let Some(RewindState::Moving { from, to }) = self.run.rewind().cloned() {
            self.request(Effect::MoveBack { from, to });
        }
    }

    /// Moves back as soon as nothing is underway and no merge is held up.
    pub(super) fn rewind_when_quiet(&mut self) {
        let Some(RewindState::Wanted(goal)) = self.run.rewind().cloned() else { return };
        self.end_attempts_by_hand();
        self.drop_idle_merges();
        if self.run.is_underway() || self.run.merge_queue().is_merging() {
            return;
        }
        // Work that waits for its merge is based on commits that are about to go; it is already saved.
        for at in self.run.active() {
            let task = self.run.plan().task(at).id.clone();
            self.withdraw_questions(&task);
            self.reject(at, Rejection::Stopped, AttemptCounts::No);
        }
        let to = match goal {
            RewindGoal::BeforeWave(wave) => {
                self.retry_the_wave(wave);
                self.run.before_wave(wave)
            }
            RewindGoal::Commit(to) => to,
        };
        let from = self.run.tip().clone();
        if from == to {
            self.record(Event::Rewound { to });
            return self.continue_run();
        }
        self.record(Event::RewindIntended { from: from.clone(), to: to.clone() });
        self.request(Effect::MoveBack { from, to });
    }

    /// Failed and skipped tasks of the wave are done again as well.
    fn retry_the_wave(&mut self, wave: u32) {
        for at in self.run.plan().indices() {
            let given_up = matches!(
                self.run.task(at).stage,
                TaskStage::Failed { .. } | TaskStage::Skipped { .. }
            );
            if self.run.plan().wave(at) >= wave && given_up {
                let task = self.run.plan().task(at).id.clone();
                self.withdraw_questions(&task);
                self.record(Event::TaskRetried { task });
            }
        }
    }

    pub(super) fn moved_back(&mut self, to: &CommitId, moved: &BranchMove) {
        let Some(RewindState::Moving { to: wanted, .. }) = self.run.rewind() else { return };
        if wanted != to {
            return;
        }
        let why = match moved {
            BranchMove::Done => return self.record(Event::Rewound { to: to.clone() }),
            BranchMove::Foreign(commit) => format!("it was moved to {commit}, not by afresh"),
            BranchMove::CommitGone => format!("{to} is gone"),
            BranchMove::Trouble(why) => why.clone(),
        };
        self.record(Event::RewindGivenUp { why: why.clone() });
        self.halt(
            HaltMode::Graceful,
            &format!("the branch could not be moved back: {why}"),
            "afresh",
        );
    }
}

/// The earliest wave that is not done.
pub(crate) fn interrupted_wave(run: &Run) -> Option<u32> {
    let open = run.indexed_tasks().filter(|(_, _, state)| !state.is_done());
    open.map(|(at, ..)| run.plan().wave(at)).min()
}
