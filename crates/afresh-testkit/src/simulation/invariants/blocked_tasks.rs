//! What must hold for tasks whose workers reported that another task blocks them (RE-04).

use afresh_core::plan::TaskIndex;
use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Run;
use afresh_core::event::Event;
use afresh_core::ids::TaskId;
use afresh_core::rejection::Rejection;
use afresh_core::run::DriveState;
use afresh_core::time::Timestamp;

/// Which task waits for which, counted without the core.
#[derive(Debug, Default)]
pub(super) struct BlockedTaskInvariants {
    waits_for: BTreeMap<TaskId, Vec<TaskId>>,
    met: BTreeSet<TaskId>,
}

impl BlockedTaskInvariants {
    pub(super) fn note(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::AttemptRejected { attempt, reason: Rejection::Blocked { by, .. }, .. } => {
                self.waits_for.insert(attempt.task.clone(), by.clone());
            }
            Event::AttemptStarting { attempt, .. } => {
                let waits_for = self.waits_for.remove(&attempt.task).unwrap_or_default();
                let unmet = waits_for.iter().find(|other| !self.met.contains(*other));
                if let Some(other) = unmet {
                    return Err(format!("RE-04: {attempt} starts before {other} is done"));
                }
            }
            // A person decided how to continue.
            Event::QuestionAsked { question } => drop(self.waits_for.remove(&question.task)),
            Event::TaskRetried { task } => drop(self.waits_for.remove(task)),
            Event::Merged { attempt, .. } => drop(self.met.insert(attempt.task.clone())),
            Event::NeedIgnored { task } | Event::TaskSettled { task, .. } => {
                self.met.insert(task.clone());
            }
            Event::PlanChanged { .. } => self.waits_for.clear(),
            _ => {}
        }
        Ok(())
    }
}

/// A run does not end while a task waits for another one that will not be done.
pub(super) fn check_no_unreachable_wait(run: &Run) -> Result<(), String> {
    if !matches!(run.drive_state(Timestamp(u64::MAX)), DriveState::Finished { .. })
        || run.aborted().is_some()
    {
        return Ok(());
    }
    let ready = |at: &TaskIndex| run.frontier().is_ready(run.plan(), *at);
    for at in run.plan().indices().filter(ready) {
        if let Some(other) = run.held_up_by(at).next() {
            let id = &run.plan().task(at).id;
            return Err(format!("RE-04: the run ended, and {id} still waits for {other}"));
        }
    }
    Ok(())
}
