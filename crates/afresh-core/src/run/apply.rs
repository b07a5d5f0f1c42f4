//! How events change a run. One line per event; no policy.

use super::frontier::Frontier;
use super::task::{CheckStage, Hold, MergeStage, Stage, TaskState, Work};
use super::{Finals, Halt, Landing, Retired, Rewind, Run};
use crate::check::{CheckResult, Phase, Receipt};
use crate::event::{Event, Rejection};
use crate::harvest::Harvest;
use crate::ids::{AttemptId, CommitId, QuestionId, TaskId};
use crate::input::{AttemptEnd, MergedTree};
use crate::outcome::Deviation;
use crate::plan::{Plan, Task, Tier};
use crate::question::{Answered, CLARIFY, Question, Topic};
use crate::step::{FinishedStep, Ground, StepClaim};
use crate::time::Timestamp;
use crate::usage::{Amount, Usage};

impl Run {
    /// The only way a run changes.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::RunStarted { .. } => unreachable!("a journal starts a run once"),
            Event::Opened { epoch } => self.opened(*epoch),
            Event::PlanChanged { plan } => self.plan_changed(plan),
            Event::SettingsChanged { settings } => self.settings = (**settings).clone(),
            Event::AttemptStarting { attempt, slot, base, reserved, from, tier } => {
                let base = base.clone();
                let ground = match from.clone() {
                    Some(step) => Ground::after(base, step),
                    None => Ground::fresh(base),
                };
                let (attempt, slot, reserved) = (attempt.clone(), *slot, *reserved);
                let tier = tier.unwrap_or(Tier::Standard);
                self.starting(Work { attempt, slot, ground, reserved, tier });
            }
            Event::AttemptSpawned { attempt } => self.spawned(attempt),
            Event::SpawnFailed { attempt, not_before, .. } => {
                self.spawn_failed(attempt, *not_before);
            }
            Event::UsageCounted { attempt, usage } => self.count(attempt, usage),
            Event::AttemptIdentified { attempt, identity } => self.identified(attempt, identity),
            Event::ContextSeen { attempt, fill } => self.context_seen(attempt, *fill),
            Event::ContextReached { attempt, fill } => self.context_reached(attempt, *fill),
            Event::AgentParked { agent, tier, until, .. } => {
                self.parked.insert((agent.clone(), *tier), *until);
            }
            Event::AttemptEnded { attempt, end } => self.ended(attempt, end),
            Event::AttemptHarvested { attempt, harvest } => self.harvested(attempt, harvest),
            Event::StepClaimed { attempt, step, deviations } => {
                self.step_claimed(attempt, *step, deviations);
            }
            Event::StepSaved { attempt, harvest, .. } => self.step_saved(attempt, harvest),
            Event::StepDone { attempt, .. } => self.step_done(attempt),
            Event::StepRefused { attempt, .. } => self.step_over(attempt),
            Event::StepsDropped { task } => self.steps_dropped(task),
            // For whoever reads the log; no state follows from it.
            Event::WorkerLogged { .. } => {}
            Event::LeavingsSaved { attempt } => {
                self.leavings.retain(|_, work| work.attempt != *attempt);
            }
            Event::AttemptRejected { attempt, reason, counts, not_before } => {
                self.rejected(attempt, reason, *counts, *not_before);
            }
            Event::AttemptAccepted { attempt, differences } => self.accepted(attempt, differences),
            Event::RedSeen { attempt, .. } => self.check_next(attempt, Phase::Alone),
            Event::ChecksPassed { attempt, results, .. } => self.passed(attempt, results),
            Event::ChecksStopped { attempt, .. } => self.checks_stopped(attempt.as_ref()),
            Event::ChecksResumed { attempt } => self.set_checks_stopped(attempt, false),
            Event::MergeStarted { attempt, onto } => self.merge_started(attempt, onto),
            Event::MergeBuilt { attempt, merged } => self.merge_built(attempt, merged),
            Event::LandIntended { attempt, merged, receipt } => {
                self.land_intended(attempt, merged, receipt);
            }
            Event::LandDelayed { attempt, .. } => self.hold_move(attempt, Some(Hold::Delayed)),
            Event::Merged { attempt, commit } => self.merged(attempt, commit),
            Event::BranchRestoreAllowed { attempt, foreign } => {
                self.restore_allowed(attempt, foreign);
            }
            Event::TaskFailed { task, reason } => {
                self.settle(task, Stage::Failed { reason: reason.clone(), question: None });
            }
            Event::TaskSkipped { task, reason } => {
                self.settle(task, Stage::Skipped { reason: reason.clone(), ignored: false });
            }
            Event::TaskSettled { task, how } => {
                self.settle(task, Stage::Settled { how: how.clone() });
            }
            Event::NeedIgnored { task } => self.need_ignored(task),
            Event::TaskRetried { task } => self.retried(task),
            Event::Aborted { reason } => self.aborted = Some(reason.clone()),
            Event::QuestionAsked { question } => self.asked(question),
            Event::QuestionAnswered { question, answer, .. } => self.answered(*question, answer),
            Event::HaltRequested { now, reason, by } => {
                self.halt = Some(Halt { now: *now, reason: reason.clone(), by: by.clone() });
            }
            Event::HaltCleared => self.halt = None,
            Event::BudgetReached { .. } => self.budget_reached = true,
            Event::RewindWanted { wave } => self.rewind = Some(Rewind::Wanted { wave: *wave }),
            Event::RewindIntended { from, to } => {
                self.rewind = Some(Rewind::Moving { from: from.clone(), to: to.clone() });
            }
            Event::Rewound { to } => self.rewound(to),
            Event::RewindGivenUp { .. } => self.rewind = None,
            Event::FinalChecksStarted { tree } => {
                self.finals = Finals::Underway { tree: tree.clone() }
            }
            Event::FinalChecked { tree, results } => {
                self.finals = Finals::Ended {
                    tree: tree.clone(),
                    epoch: self.epoch,
                    results: results.clone(),
                };
            }
        }
    }

    pub(super) fn at(&self, task: &TaskId) -> usize {
        self.plan.position(task).expect("events name tasks of this plan")
    }

    /// Moves a task to another stage and keeps the frontier right.
    fn set(&mut self, at: usize, stage: Stage) {
        let before = std::mem::replace(&mut self.tasks[at].stage, stage);
        self.frontier.moved(&self.plan, at, &before, &self.tasks[at].stage);
    }

    fn settle(&mut self, task: &TaskId, stage: Stage) {
        let at = self.at(task);
        self.set(at, stage);
    }

    fn opened(&mut self, epoch: u32) {
        self.epoch = epoch;
        // Being asked to run again takes an abort back, and gives a new budget its chance.
        self.aborted = None;
        self.budget_reached = false;
    }

    /// Unchanged tasks keep their state; so does one that is about to land.
    fn plan_changed(&mut self, plan: &Plan) {
        let old_plan = std::mem::replace(&mut self.plan, plan.clone());
        let old_tasks = std::mem::take(&mut self.tasks);
        let merging = self.merging.map(|at| old_plan.task(at).id.clone());
        let queue: Vec<TaskId> =
            self.merge_queue.iter().map(|at| old_plan.task(*at).id.clone()).collect();
        let works: Vec<Work> =
            old_tasks.iter().filter_map(|state| state.stage.work().cloned()).collect();
        self.tasks = plan.tasks().iter().map(|task| self.new_state(task)).collect();
        for (at, state) in old_tasks.into_iter().enumerate() {
            let old = old_plan.task(at);
            let TaskState { attempts, usages, .. } = state.clone();
            let Some(position) = plan.position(&old.id) else {
                self.retired.insert(old.id.clone(), Retired { attempts, usages });
                continue;
            };
            // Until the intent is recorded, nothing of the old task has to land.
            let landing = matches!(state.stage, Stage::Merging(.., MergeStage::Moving { .. }));
            self.tasks[position] = if landing || plan.task(position).is_same_work_as(old) {
                // In another plan, what stood in its way may wait for it.
                TaskState { waits_for: Vec::new(), ..state }
            } else {
                TaskState { attempts, usages, ..TaskState::of(plan.task(position)) }
            };
            // Nobody says any more that it was done; a person's answer still stands.
            let task = plan.task(position);
            let taken_back = old.done_before.is_some() && task.done_before.is_none();
            if taken_back
                && task.checkpoint.is_none()
                && matches!(self.tasks[position].stage, Stage::Settled { .. })
            {
                self.tasks[position].stage = Stage::Idle;
            }
            // What somebody finished by hand meanwhile is not done again.
            if let (Some(how), Stage::Idle) =
                (&plan.task(position).done_before, &self.tasks[position].stage)
            {
                self.tasks[position].stage = Stage::Settled { how: how.clone() };
            }
        }
        self.merging = merging
            .and_then(|id| plan.position(&id))
            .filter(|at| matches!(self.tasks[*at].stage, Stage::Merging(..)));
        self.merge_queue = queue
            .iter()
            .filter_map(|id| plan.position(id))
            .filter(|at| matches!(self.tasks[*at].stage, Stage::Queued(..)))
            .collect();
        let tasks = &self.tasks;
        let holds = |attempt: &AttemptId| {
            plan.position(&attempt.task).is_some_and(|at| tasks[at].attempt() == Some(attempt))
        };
        for work in works {
            if self.slots.get(&work.slot) == Some(&work.attempt) && !holds(&work.attempt) {
                self.leavings.insert(work.slot, work);
            }
        }
        self.slots.retain(|_, attempt| holds(attempt));
        let asks = |question: &Question| {
            plan.position(&question.task)
                .is_some_and(|at| tasks[at].stage.question() == Some(question.id))
        };
        self.questions.retain(|_, question| asks(question));
        self.finals = Finals::NotYet;
        self.frontier = Frontier::rebuild(&self.plan, &self.tasks);
    }

    /// A task that comes into the plan, perhaps not for the first time.
    fn new_state(&mut self, task: &Task) -> TaskState {
        let new = TaskState::of(task);
        match self.retired.remove(&task.id) {
            Some(Retired { attempts, usages }) => TaskState { attempts, usages, ..new },
            None => new,
        }
    }

    fn starting(&mut self, work: Work) {
        let at = self.at(&work.attempt.task);
        let task = &mut self.tasks[at];
        task.attempts = work.attempt.number;
        task.not_before = None;
        self.slots.insert(work.slot, work.attempt.clone());
        self.set(at, Stage::Starting(work));
    }

    fn spawned(&mut self, attempt: &AttemptId) {
        let at = self.at(&attempt.task);
        self.tasks[at].spawn_failures = 0;
        if let Stage::Starting(work) = self.tasks[at].stage.clone() {
            self.set(at, Stage::Running(work));
        }
    }

    fn spawn_failed(&mut self, attempt: &AttemptId, not_before: Option<Timestamp>) {
        let at = self.at(&attempt.task);
        self.free_slot(attempt);
        let task = &mut self.tasks[at];
        task.spawn_failures += 1;
        task.not_before = not_before;
        self.set(at, Stage::Idle);
    }

    fn count(&mut self, attempt: &AttemptId, usage: &Usage) {
        let at = self.at(&attempt.task);
        let counted = self.tasks[at].usages.entry(attempt.number).or_default();
        let before = Amount::from(&*counted);
        *counted = counted.at_least(usage);
        let after = Amount::from(&*counted);
        self.dearest = self.dearest.max(after);
        self.largest_report = self.largest_report.max(after.minus(before));
        self.knows_use |= after != Amount::default();
    }

    fn ended(&mut self, attempt: &AttemptId, end: &AttemptEnd) {
        let at = self.at(&attempt.task);
        self.count(attempt, &end.usage);
        self.knows_use |= !end.ending.is_cut_off();
        self.tasks[at].outcome = Some(end.outcome.clone());
        // Whoever waits for an answer is gone.
        self.tasks[at].claimed_step = None;
        if let Some(work) = self.tasks[at].stage.work().cloned() {
            self.set(at, Stage::Harvesting(work, end.clone()));
        }
    }

    fn step_claimed(&mut self, attempt: &AttemptId, step: u32, deviations: &[Deviation]) {
        let at = self.at(&attempt.task);
        let deviations = deviations.to_vec();
        self.tasks[at].claimed_step = Some(StepClaim { step, deviations, saved: None });
    }

    fn step_saved(&mut self, attempt: &AttemptId, harvest: &Harvest) {
        let at = self.at(&attempt.task);
        if let Some(claim) = &mut self.tasks[at].claimed_step {
            claim.saved = Some(harvest.clone());
        }
    }

    fn step_done(&mut self, attempt: &AttemptId) {
        let at = self.at(&attempt.task);
        let needs = self.landed_needs(at);
        let task = &mut self.tasks[at];
        let Some(StepClaim { step, deviations, saved: Some(saved) }) = task.claimed_step.take()
        else {
            return;
        };
        let Some(work) = task.stage.work_mut() else { return };
        if let Some(commit) = &saved.commit {
            work.ground.onto = commit.clone();
        }
        let base = work.ground.base.clone();
        task.finished_steps.push(FinishedStep {
            step,
            attempt: attempt.clone(),
            base,
            needs,
            commit: saved.commit,
            tree: saved.tree,
            paths: saved.changes.into_iter().map(|change| change.path).collect(),
            deviations,
        });
    }

    fn step_over(&mut self, attempt: &AttemptId) {
        let at = self.at(&attempt.task);
        self.tasks[at].claimed_step = None;
    }

    fn steps_dropped(&mut self, task: &TaskId) {
        let at = self.at(task);
        self.tasks[at].finished_steps.clear();
    }

    fn harvested(&mut self, attempt: &AttemptId, harvest: &Harvest) {
        let at = self.at(&attempt.task);
        self.free_slot(attempt);
        if let Stage::Harvesting(work, end) = self.tasks[at].stage.clone() {
            self.set(at, Stage::Judging(work, end, harvest.clone()));
        }
    }

    fn free_slot(&mut self, attempt: &AttemptId) {
        self.slots.retain(|_, holder| holder != attempt);
    }

    fn rejected(
        &mut self,
        attempt: &AttemptId,
        reason: &Rejection,
        counts: bool,
        not_before: Option<Timestamp>,
    ) {
        let at = self.at(&attempt.task);
        self.free_slot(attempt);
        self.leave_merge(at);
        let task = &mut self.tasks[at];
        task.counted += u32::from(counts);
        task.not_before = not_before;
        task.last_rejection = Some(reason.clone());
        task.deaths = if reason.is_death() { task.deaths + 1 } else { 0 };
        let by_model = task.note_model(reason);
        task.context_reached = None;
        task.timeouts += u32::from(matches!(reason, Rejection::TimedOut { .. }));
        let says_nothing = by_model
            || matches!(
                reason,
                Rejection::Stopped
                    | Rejection::Orphaned
                    | Rejection::Asked
                    | Rejection::Trouble { .. }
            );
        if !says_nothing {
            task.feedback = Some(reason.clone());
        }
        if let Rejection::Blocked { by, .. } = reason {
            task.waits_for.clone_from(by);
        }
        if let Rejection::Conflict { paths, .. } = reason {
            for path in paths {
                if !task.footprint.contains(path) {
                    task.footprint.push(path.clone());
                }
            }
        }
        self.set(at, Stage::Idle);
    }

    fn accepted(&mut self, attempt: &AttemptId, differences: &[String]) {
        let at = self.at(&attempt.task);
        self.tasks[at].differences = differences.to_vec();
        let red = self.plan.task(at).all_checks().any(|check| check.red_first);
        self.check_next(attempt, if red { Phase::Red } else { Phase::Alone });
    }

    fn check_next(&mut self, attempt: &AttemptId, phase: Phase) {
        let at = self.at(&attempt.task);
        let stage = CheckStage { phase, stopped: false };
        if let Stage::Judging(work, _, harvest)
        | Stage::Held(work, harvest, _)
        | Stage::Checking(work, harvest, _) = self.tasks[at].stage.clone()
        {
            self.set(at, Stage::Checking(work, harvest, stage));
        }
    }

    fn passed(&mut self, attempt: &AttemptId, results: &[CheckResult]) {
        let at = self.at(&attempt.task);
        if let Stage::Checking(work, harvest, _) = self.tasks[at].stage.clone() {
            self.merge_queue.push_back(at);
            self.set(at, Stage::Queued(work, harvest, results.to_vec()));
        }
    }

    fn checks_stopped(&mut self, attempt: Option<&AttemptId>) {
        let Some(attempt) = attempt else {
            self.finals = Finals::Stopped;
            return;
        };
        self.set_checks_stopped(attempt, true);
    }

    fn set_checks_stopped(&mut self, attempt: &AttemptId, now: bool) {
        let at = self.at(&attempt.task);
        match &mut self.tasks[at].stage {
            Stage::Checking(_, _, stage) => stage.stopped = now,
            Stage::Merging(.., MergeStage::Checking { stopped, .. }) => *stopped = now,
            _ => {}
        }
    }

    fn merge_started(&mut self, attempt: &AttemptId, onto: &CommitId) {
        let at = self.at(&attempt.task);
        self.merge_queue.retain(|queued| *queued != at);
        self.merging = Some(at);
        let building = MergeStage::Building { onto: onto.clone() };
        if let Stage::Queued(work, harvest, results) | Stage::Merging(work, harvest, results, _) =
            self.tasks[at].stage.clone()
        {
            self.set(at, Stage::Merging(work, harvest, results, building));
        }
    }

    fn merge_built(&mut self, attempt: &AttemptId, merged: &MergedTree) {
        self.set_merge(attempt, MergeStage::Checking { merged: merged.clone(), stopped: false });
    }

    fn land_intended(&mut self, attempt: &AttemptId, merged: &MergedTree, receipt: &Receipt) {
        let (merged, receipt) = (merged.clone(), Box::new(receipt.clone()));
        self.set_merge(attempt, MergeStage::Moving { merged, receipt, restore: None, hold: None });
    }

    fn set_merge(&mut self, attempt: &AttemptId, next: MergeStage) {
        let at = self.at(&attempt.task);
        if let Stage::Merging(work, harvest, results, _) = self.tasks[at].stage.clone() {
            self.set(at, Stage::Merging(work, harvest, results, next));
        }
    }

    fn restore_allowed(&mut self, attempt: &AttemptId, foreign: &CommitId) {
        let at = self.at(&attempt.task);
        if let Stage::Merging(.., MergeStage::Moving { restore, .. }) = &mut self.tasks[at].stage {
            *restore = Some(foreign.clone());
        }
    }

    fn hold_move(&mut self, attempt: &AttemptId, why: Option<Hold>) {
        let at = self.at(&attempt.task);
        if let Stage::Merging(.., MergeStage::Moving { hold, .. }) = &mut self.tasks[at].stage {
            *hold = why;
        }
    }

    fn merged(&mut self, attempt: &AttemptId, commit: &CommitId) {
        let at = self.at(&attempt.task);
        let Stage::Merging(.., MergeStage::Moving { merged, receipt, .. }) =
            self.tasks[at].stage.clone()
        else {
            return;
        };
        self.tip = commit.clone();
        let (task, commit) = (attempt.task.clone(), commit.clone());
        self.landings.push(Landing { task, commit: commit.clone(), tree: merged.tree });
        self.leave_merge(at);
        self.set(at, Stage::Done { commit, attempt: attempt.clone(), receipt });
    }

    /// What landed after `to` is as if it had never been tried; its numbers and its use stay.
    fn rewound(&mut self, to: &CommitId) {
        self.rewind = None;
        self.finals = Finals::NotYet;
        let kept = self.landings.iter().position(|landing| landing.commit == *to);
        let undone = self.landings.split_off(kept.map_or(0, |at| at + 1));
        self.tip = to.clone();
        for landing in &undone {
            // A task that has left the plan since then has nothing to do again.
            let Some(at) = self.plan.position(&landing.task) else { continue };
            let TaskState { attempts, usages, .. } = self.tasks[at].clone();
            let before = self.tasks[at].stage.clone();
            if matches!(&before, Stage::Done { commit, .. } if *commit == landing.commit) {
                self.set(at, Stage::Idle);
                self.tasks[at] = TaskState { attempts, usages, ..TaskState::default() };
            }
        }
        let gone = |base: &CommitId| undone.iter().any(|landing| landing.commit == *base);
        for task in &mut self.tasks {
            if task.finished_steps.iter().any(|step| gone(&step.base)) {
                task.finished_steps.clear();
            }
        }
    }

    fn leave_merge(&mut self, at: usize) {
        self.merge_queue.retain(|queued| *queued != at);
        if self.merging == Some(at) {
            self.merging = None;
        }
    }

    fn need_ignored(&mut self, task: &TaskId) {
        let at = self.at(task);
        if let Stage::Skipped { reason, .. } = self.tasks[at].stage.clone() {
            self.set(at, Stage::Skipped { reason, ignored: true });
        }
    }

    fn retried(&mut self, task: &TaskId) {
        let at = self.at(task);
        let epoch = self.epoch;
        let state = &mut self.tasks[at];
        state.counted = 0;
        state.spawn_failures = 0;
        state.deaths = 0;
        (state.model_failures, state.model_waits) = (0, 0);
        state.not_before = None;
        state.retried_in = Some(epoch);
        state.retried_after = state.attempts;
        self.set(at, Stage::Idle);
    }

    fn asked(&mut self, question: &Question) {
        let at = self.at(&question.task);
        self.next_question = question.id.0 + 1;
        self.questions.insert(question.id, question.clone());
        match (&question.topic, self.tasks[at].stage.clone()) {
            (
                Topic::Decision | Topic::Action | Topic::Timeout | Topic::Orphan | Topic::Start,
                _,
            ) => {
                self.set(at, Stage::Waiting(question.id));
            }
            (Topic::Failed, Stage::Failed { reason, .. }) => {
                self.set(at, Stage::Failed { reason, question: Some(question.id) });
            }
            (Topic::Trust(_), Stage::Judging(work, _, harvest)) => {
                self.set(at, Stage::Held(work, harvest, Some(question.id)));
            }
            (Topic::Branch(_), Stage::Merging(work, ..)) => {
                self.hold_move(&work.attempt, Some(Hold::Asked(question.id)));
            }
            _ => {}
        }
    }

    fn answered(&mut self, id: QuestionId, answer: &str) {
        let Some(question) = self.questions.remove(&id) else { return };
        let at = self.at(&question.task);
        let decides = matches!(question.topic, Topic::Decision | Topic::Action);
        if let (Some(words), false) = (answer.strip_prefix(CLARIFY), decides) {
            let given = Answered { text: question.text.clone(), answer: words.trim().to_owned() };
            self.tasks[at].answers.push(given);
        }
        match self.tasks[at].stage.clone() {
            Stage::Waiting(open) if open == id => {
                // Putting it off, or taking it back, is nothing that a worker could act upon.
                let put_off = matches!(answer, "defer" | "skip" | "withdrawn");
                if decides && (!put_off || question.is_for_who_asked(answer)) {
                    // A key alone would mean nothing to a worker that never saw the options.
                    let chosen = question.options.iter().find(|option| option.key == answer);
                    let answer = match chosen {
                        Some(option) if !option.description.is_empty() => {
                            format!("{answer}: {}", option.description)
                        }
                        _ => answer.to_owned(),
                    };
                    let given = Answered { text: question.text, answer };
                    self.tasks[at].answers.push(given);
                }
                self.tasks[at].waits_for.clear();
                self.tasks[at].allowed |= question.topic == Topic::Start && answer != "withdrawn";
                self.set(at, Stage::Idle);
            }
            Stage::Failed { reason, .. } => self.set(at, Stage::Failed { reason, question: None }),
            Stage::Held(work, harvest, _) => self.set(at, Stage::Held(work, harvest, None)),
            Stage::Merging(work, ..) => self.hold_move(&work.attempt, None),
            _ => {}
        }
    }
}
