//! What a new run takes over from this one: what landed up to a commit, with its proof (BE-10).

use super::{LandedTask, Run, TaskStage};
use crate::check::Receipt;
use crate::event::Event;
use crate::ids::{AttemptId, CommitId, RunId, TaskId};
use crate::run::IllegalEvent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a fork starts, as a person says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForkPoint {
    /// Where the branch is now.
    Tip,
    /// With the merge of this task as the last one.
    Task(TaskId),
    /// This commit of the run's branch, or its base.
    Commit(CommitId),
}

/// The proof of a task's work that another run merged.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize, Deserialize)]
pub struct InheritedWork {
    pub attempt: AttemptId,
    pub receipt: Receipt,
}

/// What a fork begins with.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFork {
    pub at: CommitId,
    /// The tasks whose work it takes over, in the order in which it landed.
    pub done: Vec<TaskId>,
    /// The events after the one that starts it.
    pub events: Vec<Event>,
}

impl Run {
    /// What a new run that starts there takes over, or why it cannot start there.
    pub fn plan_fork(&self, point: &ForkPoint) -> Result<RunFork, String> {
        let is_it = |landing: &LandedTask| match point {
            ForkPoint::Tip => false,
            ForkPoint::Task(task) => landing.task == *task,
            ForkPoint::Commit(commit) => landing.commit == *commit,
        };
        let landed = self.landings.iter().rposition(is_it).map(|at| at + 1);
        let count = match (point, landed) {
            (ForkPoint::Tip, _) => self.landings.len(),
            (_, Some(count)) => count,
            (ForkPoint::Commit(commit), None) if *commit == self.base => 0,
            (ForkPoint::Commit(commit), None) => {
                return Err(format!("{commit} is not on the run's branch"));
            }
            (ForkPoint::Task(task), None) => return Err(format!("{task} has not been merged")),
        };
        if let ForkPoint::Commit(commit) = point {
            self.check_is_covered(commit)?;
        }
        // Up to the end of a batch that was checked as a whole (R4).
        let inner = self.landings[count.saturating_sub(1)..].iter().take_while(|it| it.is_inner);
        let count = count + if count == 0 { 0 } else { inner.count() };
        let taken = &self.landings[..count];
        let mut events: Vec<Event> =
            taken.iter().map(|landing| self.inheritance_of(landing)).collect();
        // Comments on a task hold for its workers in the new run too.
        for (task, state) in self.tasks() {
            events.extend(state.people.comments.iter().map(|kept| Event::TaskCommented {
                task: task.id.clone(),
                comment: kept.comment.clone(),
                sent_to: None,
            }));
        }
        let at = taken.last().map_or(&self.base, |last| &last.commit).clone();
        let done = taken.iter().filter(|it| self.work_of(it).is_some());
        Ok(RunFork { at, done: done.map(|it| it.task.clone()).collect(), events })
    }

    fn inheritance_of(&self, landing: &LandedTask) -> Event {
        Event::LandingInherited {
            from: self.id.clone(),
            task: landing.task.clone(),
            commit: landing.commit.clone(),
            tree: landing.tree.clone(),
            work: self.work_of(landing).map(Box::new),
        }
    }

    /// None if the plan changed since: then the commit stays, and the task is done as the plan describes it now.
    fn work_of(&self, landing: &LandedTask) -> Option<InheritedWork> {
        match &self.state_of(&landing.task)?.stage {
            TaskStage::Done { commit, attempt, receipt } if *commit == landing.commit => {
                let (attempt, receipt) = (attempt.clone(), (**receipt).clone());
                Some(InheritedWork { attempt, receipt })
            }
            _ => None,
        }
    }

    /// The commit is part of this run's branch from the start.
    pub(in crate::run) fn inherited(
        &mut self,
        landing: LandedTask,
        work: Option<&InheritedWork>,
    ) -> Result<(), IllegalEvent> {
        self.tip = landing.commit.clone();
        if let Some(InheritedWork { attempt, receipt }) = work {
            let at = self.index(&landing.task)?;
            // Numbers continue, so that an attempt's name means one attempt in both runs.
            self.tasks[at].retries.last_number = attempt.number;
            let receipt = Box::new(receipt.clone());
            let commit = landing.commit.clone();
            self.settle(
                &landing.task,
                TaskStage::Done { commit, attempt: attempt.clone(), receipt },
            )?;
        }
        self.landings.push(landing);
        Ok(())
    }

    /// The run that this one was forked from.
    pub fn forked_from(&self) -> Option<&RunId> {
        self.forked_from.as_ref()
    }
}
