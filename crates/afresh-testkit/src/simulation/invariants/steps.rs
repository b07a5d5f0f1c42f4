//! Finished steps are kept, and dropped only for a reason (ST-02, AG-07).

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::event::Event;
use afresh_core::ids::{AttemptId, CommitId, TaskId};
use afresh_core::plan::{Plan, Task};
use afresh_core::rejection::Rejection;

use super::contests::ContestInvariants;

/// What the journal says about steps, counted without the core.
#[derive(Debug)]
pub(super) struct StepInvariants {
    plan: Plan,
    plan_changed: bool,
    /// The last commit of a step, per task.
    saved: BTreeMap<TaskId, Option<CommitId>>,
    finished: BTreeMap<TaskId, CompletedStep>,
    /// Those of work that waits for the other agents of a contest.
    entered: BTreeMap<AttemptId, CompletedStep>,
    /// Tasks whose last attempt ended in a way that also discards its steps.
    spoilt: BTreeSet<TaskId>,
    landing: BTreeSet<TaskId>,
    /// What landed, in order.
    branch: Vec<CommitId>,
    /// The base of the last attempt of each task.
    bases: BTreeMap<TaskId, CommitId>,
    /// Tasks that start over, or continue after a step that changed nothing.
    restarted_perhaps: BTreeSet<TaskId>,
}

#[derive(Debug)]
struct CompletedStep {
    step: u32,
    base: Option<CommitId>,
    commit: Option<CommitId>,
}

impl StepInvariants {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            plan: plan.clone(),
            plan_changed: false,
            saved: BTreeMap::new(),
            finished: BTreeMap::new(),
            entered: BTreeMap::new(),
            spoilt: BTreeSet::new(),
            landing: BTreeSet::new(),
            branch: Vec::new(),
            bases: BTreeMap::new(),
            restarted_perhaps: BTreeSet::new(),
        }
    }

    pub(super) fn note(
        &mut self,
        event: &Event,
        contests: &ContestInvariants,
    ) -> Result<(), String> {
        self.note_contest(event);
        if let Some(task) = contests.restarted_by(event, &self.plan) {
            self.finished.remove(task);
        }
        match event {
            Event::StepSaved { attempt, harvest, .. } => {
                self.saved.insert(attempt.task.clone(), harvest.commit.clone());
            }
            Event::StepDone { attempt, step, results } => {
                if results.iter().any(|result| !result.is_accepted()) {
                    return Err(format!("EX-04: step {step} of {attempt} is done and failed"));
                }
                self.done(&attempt.task, *step)?;
            }
            Event::StepsDropped { task } => {
                if !self.spoilt.contains(task) && !self.plan_changed {
                    return Err(format!("ST-02: the steps of {task} are dropped for no reason"));
                }
                self.finished.remove(task);
            }
            Event::AttemptStarting { attempt, from, base, .. } => {
                self.bases.insert(attempt.task.clone(), base.clone());
                self.spoilt.remove(&attempt.task);
                if from.is_none() && contests.is_uncertain(&attempt.task) {
                    self.restarts_perhaps(&attempt.task);
                }
                let kept = self.finished.get(&attempt.task).and_then(|last| last.commit.as_ref());
                if from.as_ref() != kept {
                    return Err(format!(
                        "ST-02: {attempt} starts from {from:?}, not from {kept:?}"
                    ));
                }
            }
            Event::AttemptRejected { attempt, reason, .. } => {
                self.landing.remove(&attempt.task);
                if spoils(reason) {
                    self.spoilt.insert(attempt.task.clone());
                }
            }
            Event::LandIntended { attempt, .. } => {
                self.landing.insert(attempt.task.clone());
            }
            Event::Merged { attempt, commit } => {
                self.branch.push(commit.clone());
                self.landing.remove(&attempt.task);
                self.finished.remove(&attempt.task);
                // Steps made without this dependency, which was ignored and then retried, do not depend on it.
                let needs_it = |task: &&Task| task.needs.contains(&attempt.task);
                let dependents = self.plan.tasks().iter().filter(needs_it);
                self.spoilt.extend(dependents.map(|task| task.id.clone()));
            }
            Event::PlanChanged { plan } => self.plan_changed(plan),
            Event::Rewound { to } => self.rewound(to),
            _ => {}
        }
        Ok(())
    }

    /// BE-08: steps belong to the work that waits, and return with it.
    fn note_contest(&mut self, event: &Event) {
        match event {
            Event::ContestEntered { attempt, .. } => {
                let steps = self.finished.remove(&attempt.task);
                self.entered.extend(steps.map(|steps| (attempt.clone(), steps)));
            }
            Event::ContestDecided { attempt } => {
                self.finished.remove(&attempt.task);
                let steps = self.entered.remove(attempt);
                self.finished.extend(steps.map(|steps| (attempt.task.clone(), steps)));
            }
            _ => {}
        }
    }

    /// It cannot be seen from here whether the task starts over. A last step that changed nothing does not show it
    /// either.
    fn restarts_perhaps(&mut self, task: &TaskId) {
        if self.finished.get(task).is_some_and(|last| last.commit.is_none()) {
            self.restarted_perhaps.insert(task.clone());
        } else {
            self.finished.remove(task);
        }
    }

    fn done(&mut self, task: &TaskId, step: u32) -> Result<(), String> {
        let before = self.finished.get(task).map_or(0, |last| last.step);
        let starts_over = self.restarted_perhaps.remove(task) && step == 1;
        if step != before + 1 && !starts_over {
            return Err(format!("EX-04: step {step} of {task} is done after step {before}"));
        }
        let commit = self.saved.get(task).cloned().flatten();
        let base = self.bases.get(task).cloned();
        self.finished.insert(task.clone(), CompletedStep { step, base, commit });
        Ok(())
    }

    /// Steps whose base a rewind removed are discarded too.
    fn rewound(&mut self, to: &CommitId) {
        let kept = self.branch.iter().position(|commit| commit == to);
        let undone = self.branch.split_off(kept.map_or(0, |at| at + 1));
        self.finished.retain(|_, last| !last.base.iter().any(|base| undone.contains(base)));
    }

    /// A changed task with the same name starts without steps; what is about to land stays.
    fn plan_changed(&mut self, plan: &Plan) {
        self.plan_changed = true;
        for task in self.plan.tasks() {
            let same =
                plan.index_of(&task.id).is_some_and(|at| plan.task(at).is_same_work_as(task));
            if !same && !self.landing.contains(&task.id) {
                self.finished.remove(&task.id);
            }
        }
        self.plan = plan.clone();
    }
}

/// The branch moved on or has to, a person refused the work, or a second worker could not fix it.
fn spoils(reason: &Rejection) -> bool {
    match reason {
        Rejection::Conflict { .. }
        | Rejection::BrokenMerge { .. }
        | Rejection::Refused { .. }
        | Rejection::ChecksFailed { .. } => true,
        Rejection::Blocked { by, .. } => !by.is_empty(),
        _ => false,
    }
}
