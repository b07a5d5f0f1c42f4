//! Everything that one worker gets, as data: `AFRESH_BUNDLE` points to it as JSON.

use afresh_core::event::Rejection;
use afresh_core::ids::{AttemptId, CommitId, RunId, TaskId};
use afresh_core::plan::Task;
use afresh_core::question::Answered;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bundle {
    pub version: u32,
    pub run: RunId,
    pub plan: String,
    pub attempt: AttemptId,
    /// The most attempts that this task gets.
    pub attempts_allowed: u32,
    /// The commit the workspace was made from; it holds everything the task needs.
    pub base: CommitId,
    pub task: Task,
    /// The first step to do, counted from 1.
    pub first_step: usize,
    /// Tasks that this one needs, and that a person gave up: their work is not there.
    #[serde(default)]
    pub without: Vec<TaskId>,
    /// Checks that run on every merge, besides the task's own.
    pub always: Vec<String>,
    /// Why the attempt before came to nothing.
    pub feedback: Option<Rejection>,
    /// What a person answered to this task's questions.
    pub answers: Vec<Answered>,
}
