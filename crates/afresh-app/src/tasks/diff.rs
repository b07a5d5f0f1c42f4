//! `afresh diff`: what an attempt changed, what landed, or how two attempts differ (HU-08).

use std::collections::BTreeMap;

use afresh_core::harvest::ChangeKind;
use afresh_core::ids::{CommitId, TaskId};
use afresh_core::run::TaskStage;
use afresh_engine::RepoContext;
use afresh_engine::session::RecordedRun;
use afresh_git::FileDifference;
use afresh_git::ref_names::salvage_ref;
use schemars::JsonSchema;
use serde::Serialize;

use super::saved_work::{SavedAttempt, SavedCommit, find_saved_attempts};
use crate::error::AppError;
use crate::notice::Notice;
use crate::session::runs::select::find_task_or_attempt;

/// Two commits to compare, and why these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskDiff {
    pub task: TaskId,
    pub kind: TaskDiffKind,
    /// The attempts that are compared; one unless two were named.
    pub attempts: Vec<String>,
    pub base: CommitId,
    pub commit: CommitId,
}

/// What a difference shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskDiffKind {
    /// What landed on the run's branch.
    Merge,
    /// What an attempt changed since it started.
    Attempt,
    /// How the work of two attempts differs.
    Between,
}

/// What `afresh diff --json` prints.
#[derive(Debug, JsonSchema, Serialize)]
pub struct TaskDiffOutput {
    pub run: String,
    pub task: String,
    /// The attempt that is shown; of two, the second one.
    pub attempt: Option<String>,
    pub kind: TaskDiffKind,
    pub attempts: Vec<String>,
    pub base: CommitId,
    pub commit: CommitId,
    pub added: u64,
    pub removed: u64,
    pub files: Vec<ChangedFileOutput>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct ChangedFileOutput {
    pub path: String,
    /// Its earlier path, if it was renamed.
    pub old_path: Option<String>,
    pub action: ChangeKind,
    /// Null for a binary file.
    pub added: Option<u64>,
    pub removed: Option<u64>,
    pub binary: bool,
}

/// Finds the commits that `TASK`, `TASK.N` or two attempts stand for.
pub fn find_task_diff(
    repository: &RepoContext,
    found: &RecordedRun,
    named: &[String],
    notices: &mut Vec<Notice>,
) -> Result<TaskDiff, AppError> {
    let ends: Vec<(TaskId, Option<u32>)> = named
        .iter()
        .map(|name| find_task_or_attempt(&found.run, name))
        .collect::<Result<_, _>>()?;
    match ends.as_slice() {
        [(task, None)] => TaskWork::read(repository, found, task)?.latest(notices),
        [(task, Some(number))] => {
            let work = TaskWork::read(repository, found, task)?;
            work.attempt_diff(work.find(*number)?, notices)
        }
        [(task, Some(first)), (other, Some(second))] => {
            let (work, others) = (
                TaskWork::read(repository, found, task)?,
                TaskWork::read(repository, found, other)?,
            );
            let old = work.attempt_diff(work.find(*first)?, notices)?;
            let new = others.attempt_diff(others.find(*second)?, notices)?;
            if old.base != new.base {
                notices.push(Notice::note(format!(
                    "{} and {} started from different commits; what landed between them is part of the difference",
                    old.attempts.join(" "),
                    new.attempts.join(" ")
                )));
            }
            let attempts = [old.attempts, new.attempts].concat();
            let kind = TaskDiffKind::Between;
            let (base, commit) = (old.commit, new.commit);
            Ok(TaskDiff { task: work.task.clone(), kind, attempts, base, commit })
        }
        _ => Err(AppError::usage("attempt", "only two attempts can be compared")
            .hint("name both with their numbers: `afresh diff T001.1 T001.2`")),
    }
}

/// The difference with the lines of each file.
pub fn count_task_diff(
    repository: &RepoContext,
    run: &str,
    diff: &TaskDiff,
) -> Result<TaskDiffOutput, AppError> {
    let files = repository.git.count_diff(&diff.base, &diff.commit).map_err(AppError::git)?;
    let lines = || files.iter().filter_map(|file| file.lines);
    Ok(TaskDiffOutput {
        run: run.to_owned(),
        task: diff.task.to_string(),
        attempt: diff.attempts.last().cloned(),
        kind: diff.kind,
        attempts: diff.attempts.clone(),
        base: diff.base.clone(),
        commit: diff.commit.clone(),
        added: lines().map(|lines| lines.added).sum(),
        removed: lines().map(|lines| lines.removed).sum(),
        files: files.iter().map(ChangedFileOutput::from_difference).collect(),
    })
}

impl ChangedFileOutput {
    fn from_difference(file: &FileDifference) -> Self {
        Self {
            path: file.path.clone(),
            old_path: file.old_path.clone(),
            action: file.kind,
            added: file.lines.map(|lines| lines.added),
            removed: file.lines.map(|lines| lines.removed),
            binary: file.lines.is_none(),
        }
    }
}

/// The attempts of one task, and where their work is kept.
struct TaskWork<'a> {
    repository: &'a RepoContext,
    found: &'a RecordedRun,
    task: TaskId,
    attempts: BTreeMap<u32, SavedAttempt>,
}

impl<'a> TaskWork<'a> {
    fn read(
        repository: &'a RepoContext,
        found: &'a RecordedRun,
        task: &TaskId,
    ) -> Result<Self, AppError> {
        let attempts = find_saved_attempts(found, task)?;
        Ok(Self { repository, found, task: task.clone(), attempts })
    }

    fn find(&self, number: u32) -> Result<&SavedAttempt, AppError> {
        self.attempts.get(&number).ok_or_else(|| {
            let message = format!("{} has no attempt {number}", self.task);
            AppError::usage("attempt", message).hint(match self.attempts.keys().last() {
                Some(last) => format!("its attempts are numbered 1 to {last}"),
                None => "it was not started yet; `afresh status` shows the state of each task"
                    .to_owned(),
            })
        })
    }

    /// What landed, else the newest work that is saved.
    fn latest(&self, notices: &mut Vec<Notice>) -> Result<TaskDiff, AppError> {
        if let Some(TaskStage::Done { commit, attempt, .. }) =
            self.found.run.state_of(&self.task).map(|state| &state.stage)
        {
            return self.merge_diff(commit, &attempt.to_string());
        }
        let has_work = |attempt: &&SavedAttempt| *attempt.work() != SavedCommit::Nothing;
        match self.attempts.values().rev().find(has_work) {
            Some(attempt) => {
                if Some(&attempt.id.number) != self.attempts.keys().last() {
                    let shown = &attempt.id;
                    notices
                        .push(Notice::note(format!("{shown} is the last attempt with saved work")));
                }
                self.attempt_diff(attempt, notices)
            }
            None => Err(self.nothing_yet()),
        }
    }

    /// What landed with a merge: its commit compared with the one before it.
    fn merge_diff(&self, commit: &CommitId, attempt: &str) -> Result<TaskDiff, AppError> {
        if !self.is_kept(commit)? {
            return Err(gone(attempt));
        }
        let base = self.repository.git.first_parent(commit).map_err(AppError::git)?;
        let base = base.ok_or_else(|| gone(attempt))?;
        let (kind, attempts) = (TaskDiffKind::Merge, vec![attempt.to_owned()]);
        Ok(TaskDiff { task: self.task.clone(), kind, attempts, base, commit: commit.clone() })
    }

    fn attempt_diff(
        &self,
        attempt: &SavedAttempt,
        notices: &mut Vec<Notice>,
    ) -> Result<TaskDiff, AppError> {
        let id = attempt.id.to_string();
        // Its ref may hold what the journal does not know yet: the driver was killed in between.
        let saved = salvage_ref(self.found.run.id().as_str(), &id);
        let saved = self.repository.git.read_ref(&saved).map_err(AppError::git)?;
        let recorded = match attempt.work() {
            SavedCommit::Whole(commit) => Some(commit.clone()),
            SavedCommit::Step(commit) => {
                let note = format!("{id} has not ended; this is its last finished step");
                notices.push(Notice::note(note));
                Some(commit.clone())
            }
            SavedCommit::Nothing => None,
        };
        let Some(wanted) = recorded.or(saved.clone()) else { return Err(self.nothing_yet()) };
        for commit in std::iter::once(&wanted).chain(&saved) {
            if self.is_kept(commit)? && self.is_kept(&attempt.base)? {
                return Ok(TaskDiff {
                    task: self.task.clone(),
                    kind: TaskDiffKind::Attempt,
                    attempts: vec![id],
                    base: attempt.base.clone(),
                    commit: commit.clone(),
                });
            }
        }
        match &attempt.merged {
            Some(commit) => self.merge_diff(commit, &id),
            None => Err(gone(&id)),
        }
    }

    fn is_kept(&self, commit: &CommitId) -> Result<bool, AppError> {
        self.repository.git.exists(commit).map_err(AppError::git)
    }

    fn nothing_yet(&self) -> AppError {
        let task = &self.task;
        let failure = AppError::incomplete("no-work", format!("{task} has no saved work yet"));
        if self.found.run.state_of(task).is_some_and(|state| state.attempt().is_some()) {
            return failure
                .hint(format!("its worker is not done; `afresh logs {task} -f` follows it"));
        }
        failure.hint("`afresh status` shows the state of each task")
    }
}

/// Work that was removed together with its refs.
fn gone(attempt: &str) -> AppError {
    AppError::incomplete("no-work", format!("the work of {attempt} is no longer in the repository"))
        .hint("`afresh report` lists the files that landed; `afresh logs TASK` has what its workers printed")
}
