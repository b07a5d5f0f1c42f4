//! People who work by hand: they start tasks, complete them and give them up, beside agents or without any (ST-06).

use afresh_core::Run;
use afresh_core::ids::{TaskId, WorkspaceSlot};
use afresh_core::input::{ByHandStart, Dispatch};
use afresh_core::outcome::{
    CompletionClaim, DecisionOption, DecisionRequest, Outcome, WorkerFailure,
};
use afresh_engine::driver::control::ControlCommand;

use super::random::SeededRandom;

/// In one world of so many, people work by hand.
const WORLDS: u64 = 3;
/// How often a person does something while the run is driven, in 1,000.
const COMMANDS: u64 = 60;
/// The same where no agent starts.
const ALONE: u64 = 500;

/// Drawn apart, so that seeds without them play as if there were none.
#[derive(Debug)]
pub(super) struct PeopleByHand {
    random: SeededRandom,
    is_there: bool,
    /// Nothing but crashes can go wrong.
    is_kind: bool,
}

impl PeopleByHand {
    pub(super) fn new(seed: u64, is_kind: bool) -> Self {
        let random = SeededRandom::new(seed ^ 0x0068_616e_6473);
        Self { random, is_there: seed % WORLDS == 1, is_kind }
    }

    /// Whether the next driver starts agents.
    pub(super) fn draw_dispatch(&mut self) -> Dispatch {
        if self.is_there && self.random.chance(300) { Dispatch::ByHand } else { Dispatch::Agents }
    }

    /// A command that is entered while the run is driven, if any.
    pub(super) fn command(&mut self, run: &Run) -> Option<ControlCommand> {
        let often = if run.holds_back_agents() { ALONE } else { COMMANDS };
        if !self.is_there || !self.random.chance(often) {
            return None;
        }
        Some(self.draw_command(run))
    }

    /// A command that was sent before the driver started, if any: often a start, because only a driver can carry it out.
    pub(super) fn waiting_command(&mut self, run: &Run) -> Option<ControlCommand> {
        (self.is_there && self.random.chance(700)).then(|| self.draw_command(run))
    }

    fn draw_command(&mut self, run: &Run) -> ControlCommand {
        if let Some(done) = self.hand_in(run).filter(|_| self.random.chance(500)) {
            return done;
        }
        // Often one that is not ready.
        let task = self.pick_task(run);
        start(run, task)
    }

    /// The work of one of the open attempts, if there is any.
    pub(super) fn hand_in(&mut self, run: &Run) -> Option<ControlCommand> {
        let open: Vec<TaskId> = run.open_by_hand().map(|work| work.attempt.task.clone()).collect();
        if open.is_empty() {
            return None;
        }
        let task = self.random.pick(&open).clone();
        let outcome = Box::new(self.draw_outcome());
        Some(ControlCommand::HandIn { run: run.id().clone(), task, outcome, duration_ms: 1 })
    }

    fn pick_task(&mut self, run: &Run) -> TaskId {
        let ready: Vec<&TaskId> = run
            .indexed_tasks()
            .filter(|(at, _, _)| run.is_ready(*at))
            .map(|(_, task, _)| &task.id)
            .collect();
        if !ready.is_empty() && self.random.chance(700) {
            return (*self.random.pick(&ready)).clone();
        }
        self.random.pick(run.plan().tasks()).id.clone()
    }

    fn draw_outcome(&mut self) -> Outcome {
        if self.is_kind || self.random.chance(700) {
            return Outcome::Done(CompletionClaim::default());
        }
        if self.random.chance(300) {
            let options = vec![DecisionOption::new("a", "this"), DecisionOption::new("b", "that")];
            let question = "which?".to_owned();
            return Outcome::NeedsDecision(DecisionRequest {
                question,
                options,
                ..DecisionRequest::default()
            });
        }
        let retryable = *self.random.pick(&[None, Some(true), Some(false)]);
        let error = "too hard".to_owned();
        Outcome::Failed(WorkerFailure { error, retryable, ..WorkerFailure::default() })
    }
}

fn start(run: &Run, task: TaskId) -> ControlCommand {
    let first_slot = WorkspaceSlot::FIRST_BY_HAND;
    let start = ByHandStart { task, by: "person".to_owned(), first_slot };
    ControlCommand::StartByHand { run: run.id().clone(), start }
}
