//! Attempts by hand: a person does the work, or an agent that they drive (ST-06).
//!
//! Only who works differs. Such an attempt starts where one of an agent would, and what it leaves is harvested, judged,
//! checked, reviewed and merged by the same code. It has no process: it ends when it is handed in, or when the run goes
//! back or is ended.

use super::Decider;
use crate::effect::Effect;
use crate::event::Event;
use crate::ids::{AttemptId, TaskId, WorkspaceSlot};
use crate::input::{AttemptEnd, ByHandStart};
use crate::outcome::Outcome;
use crate::plan::TaskIndex;
use crate::process::ProcessEnd;
use crate::run::TaskStage;
use crate::usage::{BudgetAmount, Usage};

impl Decider<'_> {
    pub(super) fn start_by_hand(&mut self, start: &ByHandStart) {
        let Some(at) = self.run.plan().index_of(&start.task) else {
            return self.refuse(format!("there is no task {}", start.task));
        };
        if let Some(why) = self.why_not_by_hand(at) {
            return self.refuse(why);
        }
        let mut slots =
            (start.first_slot.0.max(WorkspaceSlot::FIRST_BY_HAND.0)..).map(WorkspaceSlot);
        let Some(slot) = slots.find(|slot| self.is_slot_free(*slot)) else {
            return self.refuse("every workspace for work by hand is in use");
        };
        let (attempt, ground) = (self.next_attempt(at), self.next_start_point(at));
        self.record(Event::AttemptStarting {
            attempt: attempt.clone(),
            slot,
            base: ground.base.clone(),
            reserved: BudgetAmount::default(),
            from: ground.is_resumed().then(|| ground.prepared.clone()),
            tier: None,
            agent: None,
            resumes: None,
            by_hand: Some(start.by.clone()),
        });
        self.request(Effect::Prepare { attempt, slot, ground });
    }

    /// Why the task cannot be started by hand now.
    fn why_not_by_hand(&self, at: TaskIndex) -> Option<String> {
        self.why_nothing_starts()
            .or_else(|| self.why_not_idle(at))
            .or_else(|| self.why_not_ready(at))
    }

    fn why_nothing_starts(&self) -> Option<String> {
        let run = &*self.run;
        if let Some(why) = run.aborted() {
            return Some(format!("the run is over: {why}"));
        }
        if let Some(halt) = run.halt() {
            return Some(format!("the run was halted by {}: {}", halt.by, halt.reason));
        }
        if run.rewind().is_some() {
            return Some(
                "the branch is moving back; nothing starts before that is done".to_owned(),
            );
        }
        if let Some(question) = run.base_question() {
            return Some(format!("nothing starts before question {} is answered", question.id));
        }
        (!self.is_base_settled())
            .then(|| "the checks are still being run on the base, before any work".to_owned())
    }

    fn why_not_idle(&self, at: TaskIndex) -> Option<String> {
        let (task, stage) = (&self.run.plan().task(at).id, &self.run.task(at).stage);
        if let Some(question) = stage.question() {
            return Some(format!("{task} waits for the answer to question {question}"));
        }
        match stage {
            TaskStage::Idle => None,
            TaskStage::Done { .. } | TaskStage::Settled { .. } => Some(format!("{task} is done")),
            TaskStage::Failed { .. } => Some(format!("{task} has failed; retry it first")),
            TaskStage::Skipped { .. } => Some(format!("{task} is skipped; retry it first")),
            _ => {
                let attempt = stage.work().map_or_else(String::new, |it| it.attempt.to_string());
                Some(format!("{task} is being worked on ({attempt})"))
            }
        }
    }

    fn why_not_ready(&self, at: TaskIndex) -> Option<String> {
        let (run, plan) = (&*self.run, self.run.plan());
        let task = plan.task(at);
        let unmet = plan.needs(at).iter().filter(|need| !run.task(**need).is_met());
        let unmet: Vec<&str> = unmet.map(|need| plan.task(*need).id.as_str()).collect();
        if !unmet.is_empty() {
            return Some(format!("{} is not ready: it needs {}", task.id, unmet.join(", ")));
        }
        if let Some(other) = run.held_up_by(at).next() {
            return Some(format!("{} is not ready: its last worker waits for {other}", task.id));
        }
        if task.checkpoint.is_some() {
            return Some(format!("{} is a checkpoint: a person answers it, with no work", task.id));
        }
        if task.contest.is_some() {
            return Some(format!(
                "several agents compete for {}, so it has no attempt by hand",
                task.id
            ));
        }
        if self.open_wave().is_some_and(|wave| plan.wave(at) > wave) {
            return Some(format!("{} is not ready: the wave before it is not finished", task.id));
        }
        let other = plan.task(self.conflicting(at)?);
        Some(format!(
            "{} may change the same files as {}, which is being worked on",
            task.id, other.id
        ))
    }

    /// The work is harvested and judged like that of an agent that ended normally.
    pub(super) fn handed_in(&mut self, task: &TaskId, outcome: &Outcome, duration_ms: u64) {
        let Some(state) = self.run.state_of(task) else {
            return self.refuse(format!("there is no task {task}"));
        };
        let Some(work) = state.stage.open_by_hand() else {
            return self.refuse(format!("no attempt by hand of {task} is open"));
        };
        let attempt = work.attempt.clone();
        self.end_by_hand(&attempt, ProcessEnd::Exited(0), outcome.clone(), duration_ms);
    }

    /// Their work is saved; they do not count as tries.
    pub(super) fn end_attempts_by_hand(&mut self) {
        let open: Vec<AttemptId> =
            self.run.open_by_hand().map(|work| work.attempt.clone()).collect();
        for attempt in open {
            self.end_by_hand(&attempt, ProcessEnd::Stopped, Outcome::Silent, 0);
        }
    }

    fn end_by_hand(
        &mut self,
        attempt: &AttemptId,
        ending: ProcessEnd,
        outcome: Outcome,
        duration_ms: u64,
    ) {
        let end = AttemptEnd::new(ending, outcome, Usage::default(), duration_ms);
        self.attempt_ended(attempt, &end);
    }
}
