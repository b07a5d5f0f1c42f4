//! Moving the branch back: where to, and what that takes back.

use super::Run;
use crate::ids::{CommitId, TaskId};
use serde::{Deserialize, Serialize};

/// How far a rewind goes back, as a person says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RewindTarget {
    /// To before this task was merged.
    Task(TaskId),
    /// To before anything of this wave or a later one was merged.
    Wave(u32),
    /// To this commit of the run's branch, or to its base.
    Commit(CommitId),
}

/// What a rewind would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindPath {
    pub to: CommitId,
    /// The tasks whose work leaves the branch, in the order in which it landed.
    pub undone: Vec<TaskId>,
}

/// Moving the branch back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RewindState {
    /// As soon as nothing is underway.
    Wanted(RewindGoal),
    Moving {
        from: CommitId,
        to: CommitId,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RewindGoal {
    /// Failed and skipped tasks of the wave are tried again too.
    BeforeWave(u32),
    Commit(CommitId),
}

impl Run {
    /// What going back there would do, or why it is not possible.
    pub fn plan_rewind(&self, target: &RewindTarget) -> Result<RewindPath, String> {
        if self.rewind.is_some() {
            return Err("the branch is being moved back already".to_owned());
        }
        let to = match target {
            RewindTarget::Task(task) => {
                let landed = self.landings.iter().rposition(|landing| landing.task == *task);
                self.before_landing(landed.ok_or_else(|| {
                    format!("{task} has not been merged, so there is nothing to go back to")
                })?)
            }
            RewindTarget::Wave(wave) => self.before_wave(*wave),
            RewindTarget::Commit(commit) => self.check_is_covered(commit)?,
        };
        let kept = self.landings.iter().position(|landing| landing.commit == to);
        let Some(first) = kept.map(|at| at + 1).or((to == self.base).then_some(0)) else {
            return Err(format!("{to} is not on the run's branch"));
        };
        let undone: Vec<_> =
            self.landings[first..].iter().map(|landing| landing.task.clone()).collect();
        if undone.is_empty() {
            return Err(match target {
                RewindTarget::Wave(wave) => {
                    format!("nothing of wave {wave} or a later one has been merged")
                }
                _ => "nothing has been merged since".to_owned(),
            });
        }
        Ok(RewindPath { to, undone })
    }

    /// A move of the branch that was intended and may not have happened yet.
    pub fn pending_rewind(&self) -> Option<(&CommitId, &CommitId)> {
        match &self.rewind {
            Some(RewindState::Moving { from, to }) => Some((from, to)),
            _ => None,
        }
    }

    /// The branch before the first landing of this wave or a later one.
    pub(crate) fn before_wave(&self, wave: u32) -> CommitId {
        let is_of_wave =
            |task: &TaskId| self.plan.index_of(task).is_some_and(|at| self.plan.wave(at) >= wave);
        let first = self.landings.iter().position(|landing| is_of_wave(&landing.task));
        first.map_or_else(|| self.tip.clone(), |first| self.before_landing(first))
    }

    /// The last commit before this landing whose own tree passed (R4): inside of a batch, nothing but the whole batch was
    /// checked.
    fn before_landing(&self, at: usize) -> CommitId {
        let before = self.landings[..at].iter().rfind(|landing| !landing.is_inner);
        before.map_or_else(|| self.base.clone(), |landing| landing.commit.clone())
    }

    /// The branch never points to a commit whose own tree was not checked.
    pub(crate) fn check_is_covered(&self, commit: &CommitId) -> Result<CommitId, String> {
        let at = self.landings.iter().position(|landing| landing.commit == *commit);
        let Some(at) = at.filter(|at| self.landings[*at].is_inner) else {
            return Ok(commit.clone());
        };
        let before = self.before_landing(at);
        let after = self.landings[at..].iter().find(|landing| !landing.is_inner);
        let after = after.map_or(&self.tip, |landing| &landing.commit);
        Err(format!(
            "{commit} is inside of a batch that was checked as a whole; name {before} before it, or {after} at its end"
        ))
    }
}
