//! How events change a run. One line per event, and no policy.

mod attempts;
mod checks;
mod comments;
mod contests;
mod hooks;
mod interruptions;
mod merges;
mod plan;
mod questions;
mod reviews;
mod rewinds;
mod steps;

use crate::check::CheckPhase;
use crate::estimate::forecast::RunForecast;
use crate::event::Event;
use crate::ids::{QuestionId, TaskId};
use crate::plan::{ModelTier, TaskIndex};
use crate::run::settings::Settings;
use crate::run::task::{ActiveAttempt, ActiveReviewer, LandHold, TaskStage};
use crate::run::{
    Abort, CheckActivity, FinalChecks, HaltRequest, LandedTask, RewindGoal, RewindState, Run,
};
use crate::step::StartPoint;

/// An event that cannot follow those before it. No driver records one, so a reader must not guess.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IllegalEvent {
    #[error("the journal starts its run a second time")]
    SecondStart,
    #[error("the plan has no task {0}")]
    UnknownTask(TaskId),
    #[error("there is no open question {0}")]
    UnknownQuestion(QuestionId),
    #[error("task {task} is {stage}")]
    WrongStage { task: TaskId, stage: &'static str },
}

impl Run {
    /// The only way a run changes.
    #[expect(clippy::too_many_lines, reason = "one arm per event, each a call")]
    pub fn apply(&mut self, event: &Event) -> Result<(), IllegalEvent> {
        match event {
            Event::RunStarted { .. } => return Err(IllegalEvent::SecondStart),
            Event::Opened { epoch } => self.opened(*epoch),
            Event::AgentsHeldBack => self.holds_back_agents = true,
            Event::PlanChanged { plan } => self.plan_changed(plan),
            Event::SettingsChanged { settings } => self.settings_changed(settings),
            Event::ForecastMade { forecast } => self.forecast_made(forecast),
            Event::AttemptStarting {
                attempt,
                slot,
                base,
                reserved,
                from,
                tier,
                agent,
                resumes,
                by_hand,
            } => {
                let base = base.clone();
                let ground = match from.clone() {
                    Some(step) => StartPoint::after(base, step),
                    None => StartPoint::fresh(base),
                };
                let (attempt, slot, reserved) = (attempt.clone(), *slot, *reserved);
                let tier = tier.unwrap_or(ModelTier::Standard);
                let (agent, resumes) = (agent.clone(), resumes.clone());
                let needs = self.landed_needs(self.index(&attempt.task)?);
                self.starting(ActiveAttempt {
                    attempt,
                    slot,
                    ground,
                    reserved,
                    tier,
                    agent,
                    resumes,
                    by_hand: by_hand.clone(),
                    needs,
                })?;
            }
            Event::AttemptSpawned { attempt } => self.spawned(attempt)?,
            Event::PromptMeasured { attempt, fill } => self.prompt_measured(attempt, *fill)?,
            Event::SpawnFailed { attempt, failure, not_before } => {
                self.spawn_failed(attempt, *not_before)?;
                self.count_spawn_failure(attempt, failure);
            }
            Event::UsageCounted { attempt, usage } => self.count(attempt, usage)?,
            Event::AttemptIdentified { attempt, identity } => self.identified(attempt, identity)?,
            Event::ContextSeen { attempt, fill } => self.context_seen(attempt, *fill)?,
            Event::ContextWarned { attempt, .. } => self.context_warned(attempt)?,
            Event::ContextReached { attempt, fill } => self.context_reached(attempt, *fill)?,
            Event::AgentParked { agent, tier, until, .. } => {
                self.parked.insert((agent.clone(), *tier), *until);
            }
            Event::AttemptEnded { attempt, end } => self.ended(attempt, end)?,
            Event::AttemptHarvested { attempt, harvest } => self.harvested(attempt, harvest)?,
            Event::AttemptInterrupted { attempt, conversation } => {
                self.interrupted(attempt, conversation.as_ref())?;
            }
            Event::StepClaimed { attempt, step, deviations } => {
                self.step_claimed(attempt, *step, deviations)?;
            }
            Event::StepSaved { attempt, harvest, .. } => self.step_saved(attempt, harvest)?,
            Event::StepDone { attempt, .. } => self.step_done(attempt)?,
            Event::StepRefused { attempt, .. } => self.step_over(attempt)?,
            Event::StepsDropped { task } => self.steps_dropped(task)?,
            Event::HookFailed { failure } => self.hook_failed(failure)?,
            // Only for logs and reports; no state follows from them.
            Event::WorkerLogged { .. } | Event::NoteWarned { .. } => {}
            Event::LeavingsSaved { attempt } => {
                self.unsaved_slots.retain(|_, work| work.attempt != *attempt);
            }
            Event::AttemptRejected { attempt, reason, counts, not_before } => {
                self.rejected(attempt, reason, *counts, *not_before)?;
                self.count_rejection(attempt, reason);
            }
            Event::AttemptAccepted { attempt, differences } => {
                self.accepted(attempt, differences)?;
                self.agent_worked(self.index(&attempt.task)?);
            }
            Event::RedSeen { attempt, .. } => self.check_next(attempt, CheckPhase::Alone)?,
            Event::ChecksPassed { attempt, results, .. } => self.passed(attempt, results)?,
            Event::ContestEntered { attempt, results, .. } => {
                self.contest_entered(attempt, results)?;
            }
            Event::ContestForfeited { task, .. } => self.contest_forfeited(task)?,
            Event::ContestDecided { attempt } => self.contest_decided(attempt)?,
            Event::ChecksStopped { attempt: None, phase: CheckPhase::Probe } => {
                self.probe_stopped();
            }
            Event::ChecksStopped { attempt, .. } => self.checks_stopped(attempt.as_ref())?,
            Event::ChecksResumed { attempt } => {
                self.set_check_activity(attempt, CheckActivity::Running)?;
            }
            Event::ProbeStarted { commit } => self.probe_started(commit),
            Event::Probed { checks, .. } => {
                self.merge_queue.note_times(checks.iter().map(|probed| &probed.result));
                self.base_probed(checks);
            }
            Event::ReviewRequested { attempt } => self.review_requested(attempt)?,
            Event::ReviewStarting { review, slot, reserved, agent, tier } => {
                let (agent, slot, reserved, tier) = (agent.clone(), *slot, *reserved, *tier);
                self.review_starting(review, ActiveReviewer { slot, reserved, agent, tier })?;
            }
            Event::ReviewUsageCounted { review, usage } => self.count_review(review, usage)?,
            Event::ReviewEnded { review, end, not_before } => {
                self.review_ended(review, end, *not_before)?;
            }
            Event::ReviewWaived { attempt, by } => self.review_waived(attempt, by)?,
            Event::ChecksDeferred { attempt } => self.checks_deferred(attempt)?,
            Event::GatheringStarted { until } => self.merge_queue.gather(*until),
            Event::MergeStarted { attempt, onto } => {
                self.batch_started(std::slice::from_ref(attempt), onto)?;
            }
            Event::BatchStarted { attempts, onto } => self.batch_started(attempts, onto)?,
            Event::BatchPassed { batch, results } => self.batch_passed(*batch, results),
            Event::BatchFailed { batch, results } => self.batch_failed(*batch, results),
            Event::PrefixesChosen { batch, good, lengths } => {
                self.prefixes_chosen(*batch, *good, lengths);
            }
            Event::PrefixChecked { batch, length, passed } => {
                self.prefix_checked(*batch, *length, *passed);
            }
            Event::MergesPostponed { attempts, alone, .. } => {
                self.merges_postponed(attempts, *alone)?;
            }
            Event::MergeFailed { attempt, results } => self.merge_failed(attempt, results)?,
            Event::MergeBuilt { attempt, merged } => self.merge_built(attempt, merged)?,
            Event::LandIntended { attempt, merged, receipt } => {
                self.land_intended(attempt, merged, receipt)?;
            }
            Event::LandDelayed { attempt, .. } => {
                self.hold_move(attempt, Some(LandHold::Delayed))?;
            }
            Event::Merged { attempt, commit } => self.merged(attempt, commit)?,
            Event::BranchRestoreAllowed { attempt, foreign } => {
                self.restore_allowed(attempt, foreign)?;
            }
            Event::TaskFailed { task, reason } => {
                self.settle(task, TaskStage::Failed { reason: reason.clone(), question: None })?;
            }
            Event::TaskSkipped { task, reason } => {
                self.settle(task, TaskStage::Skipped { reason: reason.clone(), ignored: false })?;
            }
            Event::TaskSettled { task, how } => {
                self.settle(task, TaskStage::Settled { how: how.clone() })?;
            }
            Event::NeedIgnored { task } => self.need_ignored(task)?,
            Event::TaskRetried { task } => self.retried(task)?,
            Event::TaskCommented { task, comment, sent_to } => {
                self.commented(task, comment, sent_to.as_ref())?;
            }
            Event::CommentRead { attempt, comment } => self.comment_read(attempt, *comment)?,
            Event::Aborted { reason, for_good } => {
                let is_final = *for_good || self.is_ended_for_good();
                self.abort = Some(Abort { reason: reason.clone(), is_final });
            }
            Event::QuestionAsked { question } => self.asked(question)?,
            Event::QuestionAnswered { question, answer, .. } => self.answered(*question, answer)?,
            Event::HaltRequested { now, reason, by, cause } => {
                let (now, cause) = (*now, *cause);
                let (reason, by) = (reason.clone(), by.clone());
                self.halt = Some(HaltRequest { now, reason, by, cause });
            }
            Event::HaltCleared => self.halt = None,
            Event::BudgetReached { .. } => self.budget_reached = true,
            Event::LandingInherited { from, task, commit, tree, work } => {
                self.forked_from = Some(from.clone());
                let (task, commit, tree) = (task.clone(), commit.clone(), tree.clone());
                let receipt = work.as_ref().map(|work| &work.receipt);
                let is_inner = receipt.is_some_and(|receipt| receipt.covered_by.is_some());
                self.inherited(LandedTask { task, commit, tree, is_inner }, work.as_deref())?;
            }
            Event::RewindWanted { wave } => {
                self.rewind = Some(RewindState::Wanted(RewindGoal::BeforeWave(*wave)));
            }
            Event::RewindRequested { to, .. } => {
                self.rewind = Some(RewindState::Wanted(RewindGoal::Commit(to.clone())));
            }
            Event::RewindIntended { from, to } => {
                self.rewind = Some(RewindState::Moving { from: from.clone(), to: to.clone() });
            }
            Event::Rewound { to } => self.rewound(to),
            Event::RewindGivenUp { .. } => self.rewind = None,
            Event::FinalChecksStarted { tree } => {
                self.final_checks = FinalChecks::Underway { tree: tree.clone() }
            }
            Event::FinalChecked { tree, results } => {
                self.final_checks = FinalChecks::Ended {
                    tree: tree.clone(),
                    epoch: self.epoch,
                    results: results.clone(),
                };
            }
        }
        Ok(())
    }

    pub(in crate::run) fn index(&self, task: &TaskId) -> Result<TaskIndex, IllegalEvent> {
        self.plan.index_of(task).ok_or_else(|| IllegalEvent::UnknownTask(task.clone()))
    }

    pub(super) fn wrong_stage(&self, at: TaskIndex) -> IllegalEvent {
        let (task, stage) = (self.plan.task(at).id.clone(), self.tasks[at].stage.name());
        IllegalEvent::WrongStage { task, stage }
    }

    /// Moves a task to another stage and keeps the frontier right.
    pub(super) fn set(&mut self, at: TaskIndex, stage: TaskStage) {
        let before = std::mem::replace(&mut self.tasks[at].stage, stage);
        self.frontier.moved(&self.plan, at, &before, &self.tasks[at].stage);
    }

    pub(super) fn settle(&mut self, task: &TaskId, stage: TaskStage) -> Result<(), IllegalEvent> {
        let at = self.index(task)?;
        self.set(at, stage);
        Ok(())
    }

    fn settings_changed(&mut self, settings: &Settings) {
        self.settings = settings.clone();
        self.note_measured();
    }

    fn forecast_made(&mut self, later: &RunForecast) {
        let mut forecast = self.forecast.take().unwrap_or_else(|| later.clone());
        forecast.adopt(later, |task| {
            self.state_of(task).is_some_and(|state| state.retries.last_number == 0)
        });
        self.forecast = Some(forecast);
    }

    pub(super) fn opened(&mut self, epoch: u32) {
        self.epoch = epoch;
        self.holds_back_agents = false;
        // To run again clears an abort by a policy or an answer, and gives a new budget its chance.
        if !self.is_ended_for_good() {
            self.abort = None;
        }
        self.budget_reached = false;
    }
}
