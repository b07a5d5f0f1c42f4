//! Opens a run where its last driver left it (ST-02, R12).
//!
//! Attempts die with the driver and are retried, never adopted; their work is saved first. Everything else is
//! requested again: each effect may be repeated.

use super::Decider;
use crate::effect::Effect;
use crate::event::Event;
use crate::input::{AttemptEnd, Dispatch, RunOpening};
use crate::outcome::Outcome;
use crate::plan::{Plan, TaskIndex};
use crate::process::ProcessEnd;
use crate::run::merge_queue::BatchStage;
use crate::run::settings::Settings;
use crate::run::{CheckActivity, TaskStage};
use crate::usage::Usage;

impl Decider<'_> {
    pub(super) fn open(&mut self, opening: &RunOpening) {
        self.record(Event::Opened { epoch: self.run.epoch() + 1 });
        if opening.dispatch == Dispatch::ByHand {
            self.record(Event::AgentsHeldBack);
        }
        if let Some(plan) = &opening.plan {
            self.plan_changed(plan);
        }
        if let Some(settings) = &opening.settings {
            self.settings_changed(settings);
        }
        if let Some(forecast) = &opening.forecast {
            self.record(Event::ForecastMade { forecast: Box::new(forecast.clone()) });
        }
        if opening.clear_halt && self.run.halt().is_some() {
            self.record(Event::HaltCleared);
        }
        self.retry_obstacles();
        for at in self.run.active() {
            self.resume_task(at);
        }
        self.resume_merges();
        self.resume_reviews();
        self.save_unsaved_slots();
        self.restart_stopped_checks();
        self.retry_delayed_move();
        self.resume_final_checks();
        self.resume_probe();
        self.withdraw_base_question();
        self.enforce_budget();
        self.apply_policies();
        self.resume_rewind();
        if let Some(how) = opening.resume {
            self.resume_wave(how);
        }
    }

    fn resume_task(&mut self, at: TaskIndex) {
        match &self.run.task(at).stage {
            // Its workspace lies as the person left it, and no process of ours was in it.
            TaskStage::Running(work) if work.by_hand.is_some() => {}
            // The person has not been told where it is, so it holds no work.
            TaskStage::Starting(work) if work.by_hand.is_some() => {
                let (attempt, slot) = (work.attempt.clone(), work.slot);
                let ground = work.ground.clone();
                self.request(Effect::Prepare { attempt, slot, ground });
            }
            TaskStage::Starting(work) | TaskStage::Running(work) => {
                let attempt = work.attempt.clone();
                let usage = Usage::default();
                let end = AttemptEnd::new(ProcessEnd::Lost, Outcome::Silent, usage, 0);
                self.attempt_ended(&attempt, &end);
            }
            TaskStage::Harvesting { work, .. } => {
                let (attempt, slot) = (work.attempt.clone(), work.slot);
                let ground = work.ground.clone();
                self.request(Effect::Harvest { attempt, slot, ground });
            }
            TaskStage::Judging { .. } => self.judge_attempt(at),
            TaskStage::Checking { round, .. } if round.activity == CheckActivity::Running => {
                self.check_again(at);
            }
            _ => {}
        }
    }

    /// Policies also answer questions that already wait.
    fn apply_policies(&mut self) {
        for at in self.run.plan().indices() {
            match &self.run.task(at).stage {
                TaskStage::Failed { .. } => self.settle_failure(at),
                TaskStage::Waiting(_) => self.apply_question_policy(at),
                TaskStage::Reviewing { .. } => self.apply_review_policy(at),
                _ => {}
            }
        }
    }

    fn plan_changed(&mut self, plan: &Plan) {
        let plan = self.keep_landing_task(&self.run.without_own_marks(plan));
        if !plan.has_same_tasks_as(self.run.plan()) {
            self.record(Event::PlanChanged { plan: Box::new(plan) });
        }
    }

    /// Tasks that are about to land may already be on the branch, so they stay in the plan until that is known (R3).
    fn keep_landing_task(&self, plan: &Plan) -> Plan {
        let first = self.run.merge_queue().chain().first();
        let landing = first.filter(|batch| batch.stage == BatchStage::Landing);
        let landing = landing.iter().flat_map(|batch| &batch.members);
        landing.map(|at| self.run.plan().task(*at)).fold(plan.clone(), |plan, task| {
            if plan.index_of(&task.id).is_none() { plan.joined_by(task) } else { plan }
        })
    }

    /// Work of attempts whose task has changed is saved, but not used (R16).
    fn save_unsaved_slots(&mut self) {
        for (slot, work) in self.run.unsaved_slots().clone() {
            let (attempt, ground) = (work.attempt, work.ground);
            self.request(Effect::Harvest { attempt, slot, ground });
        }
    }

    fn settings_changed(&mut self, settings: &Settings) {
        if settings != self.run.settings() {
            self.record(Event::SettingsChanged { settings: Box::new(settings.clone()) });
        }
    }
}
