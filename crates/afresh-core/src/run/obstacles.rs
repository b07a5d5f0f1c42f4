//! Failures that are not about one task: a set-up, an agent or a machine that fails the same way (EX-14).

use std::collections::BTreeSet;

use super::{Run, TaskStage};
use crate::ids::{AttemptId, TaskId};
use crate::model_error::ModelErrorClass;
use crate::outcome::{FailureReach, SpawnFailure};
use crate::plan::TaskIndex;
use crate::probe::{CheckClass, ProbedCheck};
use crate::question::{ObstacleScope, Question, QuestionTopic};
use crate::rejection::{Rejection, describe_death};

/// What failed several times in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FailedAct {
    Start,
    Work,
}

/// Failures in a row with the same cause, and nothing that worked in between.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RepeatedFailure {
    cause: String,
    pub(crate) count: u32,
    pub(crate) tasks: BTreeSet<TaskId>,
}

impl Run {
    /// The open question that keeps a task from starting, although it is about another one.
    pub fn obstacle_to(&self, at: TaskIndex) -> Option<&Question> {
        self.questions.values().find(|question| match &question.topic {
            QuestionTopic::Obstacle(scope) => self.is_within(at, scope),
            QuestionTopic::Base => true,
            _ => false,
        })
    }

    pub(crate) fn repeated_failure(
        &self,
        act: FailedAct,
        scope: &ObstacleScope,
    ) -> Option<&RepeatedFailure> {
        self.repeated_failures.get(&(act, scope.clone()))
    }

    /// Whether the checks before any work could not run for the same reason: what failed there is no coincidence.
    pub(crate) fn has_hindered_probe(&self, failure: &SpawnFailure) -> bool {
        let is_same = |probed: &ProbedCheck| {
            probed.class == CheckClass::Unprobed && probed.detail.starts_with(&failure.message)
        };
        failure.reach == FailureReach::Machine && self.probed_checks().any(is_same)
    }

    /// What a failure to start a task's worker concerns.
    pub(crate) fn spawn_scope(&self, at: TaskIndex, failure: &SpawnFailure) -> ObstacleScope {
        match failure.reach {
            FailureReach::Agent => self.agent_scope(at),
            FailureReach::Machine => ObstacleScope::default(),
        }
    }

    /// The agent of the task's last worker.
    pub(crate) fn agent_scope(&self, at: TaskIndex) -> ObstacleScope {
        let last = self.tasks[at].retries.last_number;
        let agent = self.agent_of_attempt(at, last).unwrap_or_default();
        ObstacleScope { agent: Some(agent.to_owned()), tier: None }
    }

    fn is_within(&self, at: TaskIndex, scope: &ObstacleScope) -> bool {
        let agent = self.agent_of(at).unwrap_or_default();
        scope.agent.as_deref().is_none_or(|name| name == agent)
            && scope.tier.is_none_or(|tier| tier == self.tier_of(at))
    }

    pub(super) fn count_spawn_failure(&mut self, attempt: &AttemptId, failure: &SpawnFailure) {
        if self.is_stopped_by_disk() {
            return;
        }
        let Some(at) = self.plan.index_of(&attempt.task) else { return };
        let scope = self.spawn_scope(at, failure);
        self.count_failure((FailedAct::Start, scope), &failure.message, &attempt.task);
    }

    /// An agent that has never done any work in this run, and fails the same way again and again, would also fail at
    /// the tasks that are left.
    pub(super) fn count_rejection(&mut self, attempt: &AttemptId, reason: &Rejection) {
        let Some(at) = self.plan.index_of(&attempt.task) else { return };
        let scope = self.agent_scope(at);
        match reason {
            // Last words may differ although the cause is the same.
            Rejection::Died { ending, .. } => {
                self.count_unproven(scope, &describe_death(*ending, None), attempt);
            }
            Rejection::ModelFailed { error } if error.class == ModelErrorClass::Unknown => {
                self.count_unproven(scope, &reason.describe(), attempt);
            }
            // These say nothing about the agent.
            Rejection::ModelFailed { .. }
            | Rejection::Stopped
            | Rejection::Orphaned
            | Rejection::NotResumed { .. }
            | Rejection::Trouble { .. } => {}
            _ => self.agent_worked(at),
        }
    }

    pub(super) fn agent_worked(&mut self, at: TaskIndex) {
        let scope = self.agent_scope(at);
        self.repeated_failures.remove(&(FailedAct::Work, scope.clone()));
        self.proven_agents.insert(scope);
    }

    /// The set-up, the machine and the agent's program are able to start a worker.
    pub(super) fn worker_started(&mut self, at: TaskIndex) {
        for scope in [ObstacleScope::default(), self.agent_scope(at)] {
            self.repeated_failures.remove(&(FailedAct::Start, scope));
        }
    }

    fn count_unproven(&mut self, scope: ObstacleScope, cause: &str, attempt: &AttemptId) {
        if !self.proven_agents.contains(&scope) {
            self.count_failure((FailedAct::Work, scope), cause, &attempt.task);
        }
    }

    fn count_failure(&mut self, key: (FailedAct, ObstacleScope), cause: &str, task: &TaskId) {
        // Numbers differ: of processes, workspaces, sessions.
        let cause: String = cause.chars().filter(|c| !c.is_ascii_digit()).collect();
        let known = self.repeated_failures.entry(key).or_default();
        if known.cause != cause {
            *known = RepeatedFailure { cause, ..RepeatedFailure::default() };
        }
        known.count += 1;
        known.tasks.insert(task.clone());
    }

    /// The obstacle is removed, or so a person says: whatever it concerns is tried again at once.
    pub(super) fn obstacle_removed(&mut self, scope: &ObstacleScope) {
        for act in [FailedAct::Start, FailedAct::Work] {
            self.repeated_failures.remove(&(act, scope.clone()));
        }
        let concerned: Vec<TaskIndex> =
            self.plan.indices().filter(|at| self.is_within(*at, scope)).collect();
        for at in concerned {
            let task = &mut self.tasks[at];
            if matches!(task.stage, TaskStage::Idle) {
                task.retries.spawn_failures = 0;
                task.retries.deaths = 0;
                task.retries.not_before = None;
                (task.model_health.failures, task.model_health.waits) = (0, 0);
            }
        }
    }
}
