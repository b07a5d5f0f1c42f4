//! The life of an attempt: spawned, running, ended, harvested.

use std::time::Duration;

use super::Decider;
use super::verdict::AttemptCounts;
use crate::effect::Effect;
use crate::event::{Event, LogLevel};
use crate::harvest::Harvest;
use crate::ids::AttemptId;
use crate::input::AttemptEnd;
use crate::outcome::SpawnFailure;
use crate::process::ProcessEnd;
use crate::rejection::Rejection;
use crate::run::TaskStage;
use crate::time::Timestamp;
use crate::usage::{BudgetAmount, ContextFill, Usage};

/// Spawn failures in a row after which a person is asked (AG-05).
const MAX_SPAWN_FAILURES: u32 = 3;

impl Decider<'_> {
    pub(in crate::decide) fn spawned(&mut self, attempt: &AttemptId) {
        if let Some(TaskStage::Starting(_)) = self.stage_of(attempt) {
            self.record(Event::AttemptSpawned { attempt: attempt.clone() });
        }
    }

    pub(in crate::decide) fn prompt_measured(&mut self, attempt: &AttemptId, fill: ContextFill) {
        if let Some(TaskStage::Starting(_) | TaskStage::Running(_)) = self.stage_of(attempt) {
            self.record(Event::PromptMeasured { attempt: attempt.clone(), fill });
        }
    }

    pub(in crate::decide) fn spawn_failed(&mut self, attempt: &AttemptId, failure: &SpawnFailure) {
        let Some(TaskStage::Starting(_)) = self.stage_of(attempt) else { return };
        let at = self.index(&attempt.task);
        let failures = self.run.task(at).retries.spawn_failures;
        let is_disk_full = self.run.is_stopped_by_disk();
        let not_before =
            self.backoff_deadline(failures).filter(|_| !failure.lasting && !is_disk_full);
        self.record(Event::SpawnFailed {
            attempt: attempt.clone(),
            failure: failure.clone(),
            not_before,
        });
        // No task is to blame, and it is tried again once there is space.
        if is_disk_full || self.is_obstacle_to_start(at, failure) {
            return;
        }
        if failure.lasting {
            let hint = failure.hint.as_deref().map(|hint| format!("; {hint}"));
            self.fail_turn(at, format!("{}{}", failure.message, hint.unwrap_or_default()));
        } else if failures + 1 >= MAX_SPAWN_FAILURES {
            self.fail_turn(at, format!("failed:spawn: {}", failure.message));
        }
    }

    /// The time of the next try after this many failures in a row.
    pub(in crate::decide) fn backoff_deadline(&self, failures: u32) -> Option<Timestamp> {
        let waits = &self.run.settings().backoff;
        let wait = waits.get(failures as usize).or(waits.last()).copied().unwrap_or(Duration::ZERO);
        (!wait.is_zero()).then(|| self.now + wait)
    }

    /// A worker's log lines are recorded as long as it is the task's current worker.
    pub(in crate::decide) fn worker_logged(
        &mut self,
        attempt: &AttemptId,
        level: LogLevel,
        event: &str,
        message: &str,
    ) {
        if self.stage_of(attempt).is_some() {
            let (attempt, event, message) = (attempt.clone(), event.to_owned(), message.to_owned());
            self.record(Event::WorkerLogged { attempt, level, event, message });
        }
    }

    /// Usage is counted once per attempt; as soon as the budget is reached, all spending stops.
    pub(in crate::decide) fn usage_seen(&mut self, attempt: &AttemptId, usage: &Usage) {
        if self.stage_of(attempt).is_none() {
            return;
        }
        let was_stopped = self.is_over_budget(attempt);
        self.record(Event::UsageCounted { attempt: attempt.clone(), usage: *usage });
        if was_stopped {
            // It ignores the signal: every further second would cost more.
            return self.request(Effect::Stop { attempt: attempt.clone(), grace: Duration::ZERO });
        }
        self.enforce_budget();
        self.enforce_task_budget(attempt);
    }

    pub(in crate::decide) fn enforce_budget(&mut self) {
        let spent = BudgetAmount::from(&self.run.usage());
        if self.run.budget_reached() || !self.run.settings().budget.is_reached_by(spent) {
            return self.enforce_budget_headroom();
        }
        self.record(Event::BudgetReached { spent });
        let grace = self.run.settings().halt_grace;
        self.stop_workers(grace);
    }

    pub(in crate::decide) fn stop_workers(&mut self, grace: Duration) {
        let attempts: Vec<AttemptId> = self.run.spenders().map(|worker| worker.attempt).collect();
        for attempt in attempts {
            self.request(Effect::Stop { attempt, grace });
        }
    }

    /// However it ended, its work is saved first (R16); the verdict comes with the harvest.
    pub(in crate::decide) fn attempt_ended(&mut self, attempt: &AttemptId, end: &AttemptEnd) {
        let Some(TaskStage::Starting(work) | TaskStage::Running(work)) = self.stage_of(attempt)
        else {
            return;
        };
        let (slot, ground) = (work.slot, work.ground.clone());
        self.record(Event::AttemptEnded { attempt: attempt.clone(), end: end.clone() });
        self.enforce_budget();
        self.request(Effect::Harvest { attempt: attempt.clone(), slot, ground });
    }

    pub(in crate::decide) fn harvested(
        &mut self,
        attempt: &AttemptId,
        harvest: &Result<Harvest, String>,
    ) {
        if self.run.unsaved_slots().values().any(|work| work.attempt == *attempt) {
            return self.record(Event::LeavingsSaved { attempt: attempt.clone() });
        }
        let Some(TaskStage::Harvesting { end, .. }) = self.stage_of(attempt) else { return };
        let ending = end.ending;
        let at = self.index(&attempt.task);
        match harvest {
            Ok(harvest) => {
                self.record(Event::AttemptHarvested {
                    attempt: attempt.clone(),
                    harvest: harvest.clone(),
                });
                self.judge_attempt(at);
            }
            // Another run may have taken over its workspace meanwhile, and has saved the contents.
            Err(_) if ending == ProcessEnd::Lost => self.handle_orphan(at),
            Err(message) => {
                let message = format!("the work of {attempt} was not taken: {message}");
                let reason = match ending {
                    // The next worker has to know the reason for which this one was ended.
                    ProcessEnd::OverLimit(excess) => {
                        Rejection::OverLimit { excess, unsaved: Some(message) }
                    }
                    _ => Rejection::Trouble { message },
                };
                self.reject(at, reason, AttemptCounts::when(ending != ProcessEnd::Stopped));
            }
        }
    }
}
