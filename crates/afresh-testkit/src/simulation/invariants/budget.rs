//! R14: what attempts may spend, counted without the core.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Run;
use afresh_core::effect::Effect;
use afresh_core::event::Event;
use afresh_core::hook::{HookFailure, HookPoint};
use afresh_core::ids::{AttemptId, TaskId};
use afresh_core::plan::Plan;
use afresh_core::process::ProcessEnd;
use afresh_core::rejection::Rejection;
use afresh_core::review::ReviewId;
use afresh_core::run::settings::Settings;
use afresh_core::usage::{Budget, BudgetAmount};
use afresh_engine::driver::host::DecidedTurn;

use crate::simulation::world::SimulatedWorld;

/// A worker, or with a number above 0 a reviewer of its attempt.
type Spender = (AttemptId, u32);

fn worker(attempt: &AttemptId) -> Spender {
    (attempt.clone(), 0)
}

fn reviewer(review: &ReviewId) -> Spender {
    (review.attempt.clone(), review.number)
}

#[derive(Debug, Default)]
pub(super) struct BudgetInvariants {
    is_reached: bool,
    /// Running workers and reviewers, with the budget that was reserved for them.
    live: BTreeMap<Spender, BudgetAmount>,
    used: BTreeMap<Spender, BudgetAmount>,
    dearest: BudgetAmount,
    largest_report: BudgetAmount,
    /// Attempts that have reported their usage, or ended by themselves.
    known: BTreeSet<Spender>,
    /// Attempts by hand, which use nothing.
    by_hand: BTreeSet<AttemptId>,
    /// The last attempt of each task.
    last_attempt: BTreeMap<TaskId, u32>,
    /// The last attempt of a task before it was given another chance.
    retried_after: BTreeMap<TaskId, u32>,
}

impl BudgetInvariants {
    pub(super) fn note(&mut self, event: &Event) {
        match event {
            Event::BudgetReached { .. } => self.is_reached = true,
            Event::Opened { .. } => self.is_reached = false,
            // No worker ran, or it did nothing.
            Event::SpawnFailed { attempt, .. }
            | Event::AttemptRejected {
                attempt,
                reason: Rejection::NotResumed { .. },
                counts: false,
                ..
            }
            | Event::HookFailed {
                failure: HookFailure { point: HookPoint::BeforeAttempt, attempt: Some(attempt), .. },
            } => {
                self.live.remove(&worker(attempt));
            }
            Event::ReviewUsageCounted { review, usage } => {
                self.note_usage(&reviewer(review), BudgetAmount::from(usage));
            }
            Event::ReviewEnded { review, end, .. } => {
                self.note_usage(&reviewer(review), BudgetAmount::from(&end.usage));
                self.live.remove(&reviewer(review));
            }
            Event::UsageCounted { attempt, usage } => {
                self.note_usage(&worker(attempt), BudgetAmount::from(usage));
            }
            Event::AttemptEnded { attempt, end } => {
                self.note_usage(&worker(attempt), BudgetAmount::from(&end.usage));
                let is_cut_off = matches!(
                    end.ending,
                    ProcessEnd::Lost | ProcessEnd::Stopped | ProcessEnd::SupervisorLost
                );
                if !is_cut_off && !self.by_hand.contains(attempt) {
                    self.known.insert(worker(attempt));
                }
                self.live.remove(&worker(attempt));
            }
            Event::TaskRetried { task } => {
                let last = self.last_attempt.get(task).copied().unwrap_or(0);
                self.retried_after.insert(task.clone(), last);
            }
            _ => {}
        }
    }

    pub(super) fn note_plan_change(&mut self, before: &Plan, after: &Plan) {
        for task in before.tasks() {
            if after.index_of(&task.id).is_none_or(|at| !after.task(at).is_same_work_as(task)) {
                self.retried_after.remove(&task.id);
            }
        }
        // A worker whose task is no longer in the plan spends nothing.
        self.live.clear();
    }

    fn note_usage(&mut self, spender: &Spender, amount: BudgetAmount) {
        let used = self.used.entry(spender.clone()).or_default();
        let before = *used;
        *used = used.max(amount);
        self.largest_report = self.largest_report.max(used.minus(before));
        self.dearest = self.dearest.max(*used);
        if *used != BudgetAmount::default() {
            self.known.insert(spender.clone());
        }
    }

    /// A running attempt of this task.
    pub(super) fn live_attempt(&self, task: &TaskId) -> Option<&AttemptId> {
        let attempts = self.live.keys().map(|(attempt, _)| attempt);
        attempts.into_iter().find(|attempt| attempt.task == *task)
    }

    pub(super) fn note_start(
        &mut self,
        attempt: &AttemptId,
        reserved: BudgetAmount,
        settings: &Settings,
    ) -> Result<(), String> {
        if self.is_reached {
            return Err(format!("R14: {attempt} starts after the budget was reached"));
        }
        self.check_reservation(attempt, reserved, settings)?;
        self.check_task_budget(attempt, settings)?;
        let last = self.last_attempt.entry(attempt.task.clone()).or_default();
        *last = (*last).max(attempt.number);
        self.live.insert(worker(attempt), reserved);
        Ok(())
    }

    pub(super) fn note_by_hand(&mut self, attempt: &AttemptId) {
        self.by_hand.insert(attempt.clone());
        let last = self.last_attempt.entry(attempt.task.clone()).or_default();
        *last = (*last).max(attempt.number);
    }

    pub(super) fn note_review(
        &mut self,
        review: &ReviewId,
        reserved: BudgetAmount,
        settings: &Settings,
    ) -> Result<(), String> {
        if self.is_reached {
            return Err(format!("R14: {review} starts after the budget was reached"));
        }
        self.check_reservation(&review.attempt, reserved, settings)?;
        self.check_task_budget(&review.attempt, settings)?;
        self.live.insert(reviewer(review), reserved);
        Ok(())
    }

    /// The budget of parallel attempts is reserved before they start.
    fn check_reservation(
        &self,
        attempt: &AttemptId,
        reserved: BudgetAmount,
        settings: &Settings,
    ) -> Result<(), String> {
        let budget = settings.budget;
        let measured = self.dearest != BudgetAmount::default();
        let short = |limit: Option<u64>, dearest: u64, reserved: u64| {
            let share = limit.unwrap_or(0) / u64::from(settings.parallel.max(1));
            limit.is_some() && reserved < if measured { dearest } else { share }
        };
        if short(budget.cost_micros, self.dearest.cost_micros, reserved.cost_micros)
            || short(budget.tokens, self.dearest.tokens, reserved.tokens)
        {
            return Err(format!("R14: too little is reserved for {attempt}: {reserved:?}"));
        }
        let mut planned = self.used.values().fold(reserved, |sum, used| sum.plus(*used));
        for (other, reserved) in &self.live {
            let used = self.used.get(other).copied().unwrap_or_default();
            planned = planned.plus(BudgetAmount {
                cost_micros: reserved.cost_micros.saturating_sub(used.cost_micros),
                tokens: reserved.tokens.saturating_sub(used.tokens),
            });
        }
        if !self.live.is_empty() && budget != Budget::default() && self.known.is_empty() {
            return Err(format!("R14: {attempt} starts beside others before anything is known"));
        }
        if !self.live.is_empty() && budget.is_exceeded_by(planned) {
            return Err(format!("R14: {attempt} starts beside others beyond the budget"));
        }
        Ok(())
    }

    /// No worker starts for a task that has used up its own budget.
    fn check_task_budget(&self, attempt: &AttemptId, settings: &Settings) -> Result<(), String> {
        let since = self.retried_after.get(&attempt.task).copied().unwrap_or(0);
        let own = self
            .used
            .iter()
            .filter(|((other, _), _)| other.task == attempt.task && other.number > since);
        let spent = own.fold(BudgetAmount::default(), |sum, (_, used)| sum.plus(*used));
        if settings.task_budget.is_reached_by(spent) {
            return Err(format!("R14: {attempt} starts, but its task has used up its budget"));
        }
        Ok(())
    }

    /// After a usage report, several workers continue only if the remaining budget covers them; when
    /// nothing remains, no attempt starts.
    pub(super) fn check_turn(
        &self,
        turn: &DecidedTurn,
        run: &Run,
        settings: &Settings,
    ) -> Result<(), String> {
        let starts = |event: &Event| {
            matches!(
                event,
                Event::AttemptStarting { by_hand: None, .. } | Event::ReviewStarting { .. }
            )
        };
        let spent = BudgetAmount::from(&run.usage());
        if run.settings().budget.is_reached_by(spent) && turn.events.iter().any(starts) {
            return Err("R14: an attempt starts although nothing is left".to_owned());
        }
        let reports = |event: &Event| {
            matches!(event, Event::UsageCounted { .. } | Event::ReviewUsageCounted { .. })
        };
        if self.is_reached || !turn.events.iter().any(reports) {
            return Ok(());
        }
        let spent = self.used.values().fold(BudgetAmount::default(), |sum, used| sum.plus(*used));
        let stopped = turn.effects.iter().filter(|effect| matches!(effect, Effect::Stop { .. }));
        let continuing = self.live.len().saturating_sub(stopped.count());
        if !settings.budget.holds(spent, self.largest_report, continuing) {
            return Err(format!(
                "R14: {continuing} workers continue, and the budget has no room for them"
            ));
        }
        Ok(())
    }

    /// What an attempt used is counted once, however often it was reported.
    pub(super) fn at_the_end(&self, run: &Run, world: &SimulatedWorld) -> Result<(), String> {
        let reported: u64 = self.used.values().map(|used| used.tokens).sum();
        let counted = run.usage().tokens();
        if reported != counted || run.usage().input > world.spent() {
            let spent = world.spent();
            return Err(format!(
                "R14: of {spent} tokens {reported} were reported, {counted} are counted"
            ));
        }
        Ok(())
    }
}
