//! Proves that a journal leads to the same state, schedule and trees again (BE-03).
//!
//! Everything is derived from the records alone and compared with what is there: the state with the one that every
//! other command shows, each start of a worker with the rules of the scheduler, each merge with the commits in git.

use std::collections::BTreeSet;

use afresh_core::ids::{AttemptId, CommitId, TaskId, TreeId};
use afresh_core::plan::TaskIndex;
use afresh_core::run::TaskStage;
use afresh_core::run::settings::Schedule;
use afresh_core::{Event, Run};
use afresh_engine::RepoContext;
use afresh_engine::session::RecordedRun;
use schemars::JsonSchema;
use serde::Serialize;

use super::run_replay::{ReplayStep, RunReplay};
use crate::error::AppError;
use crate::git::ref_names;

/// What a replay showed.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct ReplayCheck {
    pub run: String,
    /// Nothing differs.
    pub ok: bool,
    pub records: usize,
    /// Workers that were started, in order.
    pub starts: usize,
    /// Merges whose commit and tree are in the repository as recorded.
    pub merges: usize,
    /// A hash of the final state and of every start and merge in order: equal on every machine.
    pub digest: String,
    pub problems: Vec<ReplayProblem>,
}

/// Where the records and what is there differ.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct ReplayProblem {
    /// The record that shows it; none if it is about the end.
    pub seq: Option<u64>,
    pub message: String,
}

/// Replays a run and compares what follows with what is there.
pub fn check_replay(
    repository: &RepoContext,
    found: &RecordedRun,
) -> Result<ReplayCheck, AppError> {
    let mut check = OngoingCheck::new(repository);
    let mut replay = RunReplay::new(found);
    while let Some(step) = replay.step()? {
        check.follow(&step)?;
    }
    let Some(run) = replay.run() else {
        return Err(AppError::incomplete("replay", "the journal has no record of this run"));
    };
    check.compare_end(run, found)?;
    let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
    let state = serde_json::to_string(&afresh_core::status::RunStatus::from_run(run))
        .map_err(|error| AppError::bug("replay", error.to_string()))?;
    Ok(ReplayCheck {
        run: run.id().to_string(),
        ok: check.problems.is_empty(),
        records: replay.position(),
        starts: check.starts,
        merges: check.merges,
        digest: hash(&format!("{}\n{state}", check.order.join("\n"))),
        problems: check.problems,
    })
}

/// What is known so far.
struct OngoingCheck<'a> {
    repository: &'a RepoContext,
    /// The branch before the record that is looked at.
    tip: Option<CommitId>,
    /// Pairs of tasks that may write the same file, of the plan as it is.
    conflicts: BTreeSet<(TaskId, TaskId)>,
    starts: usize,
    merges: usize,
    /// Starts and merges in order.
    order: Vec<String>,
    problems: Vec<ReplayProblem>,
}

impl<'a> OngoingCheck<'a> {
    fn new(repository: &'a RepoContext) -> Self {
        let (conflicts, problems) = (BTreeSet::new(), Vec::new());
        let (order, tip) = (Vec::new(), None);
        Self { repository, tip, conflicts, starts: 0, merges: 0, order, problems }
    }

    fn problem(&mut self, seq: impl Into<Option<u64>>, message: String) {
        self.problems.push(ReplayProblem { seq: seq.into(), message });
    }

    fn follow(&mut self, step: &ReplayStep<'_>) -> Result<(), AppError> {
        let (seq, run) = (step.record.seq, step.run);
        match &step.event {
            Event::RunStarted { .. } | Event::PlanChanged { .. } => {
                let pairs = run.plan().conflicts().into_iter();
                self.conflicts = pairs.map(|conflict| conflict.tasks).collect();
            }
            Event::AttemptStarting { attempt, base, .. } => {
                self.starts += 1;
                self.order.push(format!("{seq} start {attempt}"));
                self.check_start(seq, run, attempt, base)?;
            }
            Event::Merged { attempt, commit } => {
                self.order.push(format!("{seq} merge {attempt} {commit}"));
                self.check_merge(seq, run, attempt, commit)?;
            }
            _ => {}
        }
        self.tip = Some(run.tip().clone());
        Ok(())
    }

    /// Everything that it needs is on its base, its wave is open, and nothing that runs writes the same files.
    fn check_start(
        &mut self,
        seq: u64,
        run: &Run,
        attempt: &AttemptId,
        base: &CommitId,
    ) -> Result<(), AppError> {
        let Some(at) = run.plan().index_of(&attempt.task) else { return Ok(()) };
        let git = &self.repository.git;
        for need in run.plan().needs(at) {
            let needed = &run.plan().task(*need).id;
            let state = run.task(*need);
            if let TaskStage::Done { commit, .. } = &state.stage {
                if !git.is_ancestor(commit, base).map_err(AppError::git)? {
                    let message = format!("{attempt} started from {base}, which lacks {needed}");
                    self.problem(seq, message);
                }
            } else if !state.is_met() {
                self.problem(seq, format!("{attempt} started before {needed} was done"));
            }
        }
        if run.settings().schedule == Schedule::Waves
            && let Some(earlier) = earlier_open_wave(run, at)
        {
            let message = format!("{attempt} started while wave {earlier} was still open");
            self.problem(seq, message);
        }
        let id = &attempt.task;
        for other in workers(run).filter(|other| *other != id) {
            let pair = |a: &TaskId, b: &TaskId| self.conflicts.contains(&(a.clone(), b.clone()));
            if pair(id, other) || pair(other, id) {
                let message =
                    format!("{attempt} started beside {other}, which may write the same file");
                self.problem(seq, message);
            }
        }
        Ok(())
    }

    /// The commit is there, on top of the branch as it was, with exactly the tree whose checks passed.
    fn check_merge(
        &mut self,
        seq: u64,
        run: &Run,
        attempt: &AttemptId,
        commit: &CommitId,
    ) -> Result<(), AppError> {
        let git = &self.repository.git;
        let Some(TaskStage::Done { receipt, .. }) =
            run.state_of(&attempt.task).map(|state| &state.stage)
        else {
            self.problem(seq, format!("{attempt} is merged, but its task is not done"));
            return Ok(());
        };
        if !git.exists(commit).map_err(AppError::git)? {
            self.problem(seq, format!("the commit {commit} of {attempt} is gone"));
            return Ok(());
        }
        self.merges += 1;
        // Inside of a batch, the tree of its last commit was checked.
        let checked = receipt.covered_by.as_ref().unwrap_or(commit);
        let tree: TreeId = git.commit_tree(checked).map_err(AppError::git)?;
        if tree != receipt.tree {
            let message = format!(
                "{attempt} landed the tree {tree}, but its checks passed on {}",
                receipt.tree
            );
            self.problem(seq, message);
        }
        let parent = git.first_parent(commit).map_err(AppError::git)?;
        if parent != self.tip {
            self.problem(seq, format!("{attempt} did not land on top of the branch"));
        }
        if let Some(failed) =
            receipt.checks.iter().find(|check| !check.passed() && check.excuse.is_none())
        {
            self.problem(seq, format!("{attempt} landed although `{}` failed", failed.command));
        }
        Ok(())
    }

    /// The state is the one that every other command shows, and the branch is where the records left it.
    fn compare_end(&mut self, run: &Run, found: &RecordedRun) -> Result<(), AppError> {
        if *run != found.run {
            self.problem(None, "the records lead to another state the second time".to_owned());
        }
        let name = ref_names::run_branch_ref(run.id().as_str());
        let branch = self.repository.git.read_ref(&name).map_err(AppError::git)?;
        // It may have been removed once it had landed.
        if let Some(branch) = branch.filter(|branch| branch != run.tip()) {
            let message =
                format!("the branch is at {branch}, but the records end at {}", run.tip());
            self.problem(None, message);
        }
        Ok(())
    }
}

/// Tasks that a worker is at.
fn workers(run: &Run) -> impl Iterator<Item = &TaskId> {
    run.tasks().filter_map(|(task, state)| {
        matches!(state.stage, TaskStage::Starting(_) | TaskStage::Running(_)).then_some(&task.id)
    })
}

/// The earliest wave before that of the task in which something is underway.
fn earlier_open_wave(run: &Run, at: TaskIndex) -> Option<u32> {
    let own = run.plan().wave(at);
    let active = run.active_tasks().map(|(other, _)| run.plan().wave(other));
    active.filter(|wave| *wave < own).min()
}
