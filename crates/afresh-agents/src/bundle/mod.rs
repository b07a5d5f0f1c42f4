//! Everything that one worker gets, as data: `AFRESH_BUNDLE` points to it as JSON.
//!
//! The prompt is made of it and of nothing else. How much of it is filled depends on the task's
//! context level; see [`Bundle::context`].

pub mod briefing;
pub mod spec_section;
use afresh_core::ids::{AttemptId, CommitId, RunId, TaskId};
use afresh_core::outcome::Deviation;
use afresh_core::plan::{ContextLevel, Task};
use afresh_core::question::AnsweredQuestion;
use afresh_core::rejection::Rejection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::definition::WorkerRole;
use crate::bundle::briefing::ProjectSummary;
use crate::bundle::spec_section::SpecPart;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bundle {
    pub version: u32,
    pub run: RunId,
    pub plan: String,
    pub attempt: AttemptId,
    /// The most attempts that this task gets.
    pub attempts_allowed: u32,
    /// The commit the workspace was made from; it holds everything the task needs.
    pub base: CommitId,
    /// The directory that the worker works in.
    pub target: String,
    pub task: Task,
    /// In which role it works, where the plan says so.
    #[serde(default)]
    pub role: Option<WorkerRole>,
    /// How much it is told besides its task.
    pub context: ContextLevel,
    /// The first step to do, counted from 1.
    pub first_step: usize,
    /// Tasks that this one needs, and that a person gave up: their work is not there.
    #[serde(default)]
    pub without: Vec<TaskId>,
    /// Checks that run on every merge, besides the task's own.
    pub always: Vec<String>,
    /// Why the attempt before came to nothing.
    #[schemars(with = "Option<serde_json::Value>")]
    pub feedback: Option<Rejection>,
    /// What an earlier attempt left that was cut off.
    pub left: Option<InterruptedWork>,
    /// It goes on with the conversation of that attempt, and has its files; else they are only kept.
    pub goes_on: bool,
    /// What a person answered to this task's questions.
    pub answers: Vec<AnsweredQuestion>,
    /// Where the task stands in the plan; from the standard level on.
    pub position: Option<PlanPosition>,
    /// What the project is; from the standard level on.
    pub project: Option<ProjectSummary>,
    /// How things are done in this project; from the standard level on.
    pub patterns: Option<String>,
    /// What of the specification belongs to the task; from the standard level on.
    pub spec: Option<SpecPart>,
    /// What came of the tasks that this one needs; from the standard level on, with notes and
    /// deviations at the full level.
    pub built_on: Vec<FinishedTask>,
    /// The files that those tasks made, as they are now; at the full level.
    pub interfaces: Vec<InlinedFile>,
    /// What landed last, besides those; at the full level.
    pub recent: Vec<FinishedTask>,
    /// What all this was made from.
    pub sources: Vec<FileChecksum>,
    /// How many tokens its model can hold.
    #[serde(default)]
    pub window: Option<u64>,
}

impl Bundle {
    /// Its schema, as `afresh schema bundle` prints it.
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Self);
        let mut text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
        text.push('\n');
        text
    }
}

/// What an attempt left that was cut off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Left")]
pub struct InterruptedWork {
    pub attempt: AttemptId,
    /// Why it was cut off.
    pub why: String,
    /// Everything that it had done, on top of the base; none where nothing had changed.
    pub commit: Option<CommitId>,
    /// What differs from the base, in git's order: `M src/a.rs`.
    pub changes: Vec<String>,
}

/// Where a task stands in its plan; everything counts from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Position")]
pub struct PlanPosition {
    pub plan_file: String,
    pub task: usize,
    pub of_tasks: usize,
    pub wave: u32,
    pub of_waves: u32,
}

/// A task that is done, and what it left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Landed")]
pub struct FinishedTask {
    pub task: TaskId,
    pub title: String,
    pub commit: CommitId,
    pub created: Vec<String>,
    pub modified: Vec<String>,
    pub deleted: Vec<String>,
    pub deviations: Vec<Deviation>,
    pub notes: Option<String>,
}

/// The text of a file that a needed task made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Inlined")]
pub struct InlinedFile {
    pub path: String,
    pub text: String,
    /// There is more of it in the file.
    pub cut: bool,
}

/// A file that the bundle was made from, as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Checksum")]
pub struct FileChecksum {
    pub path: String,
    pub sha256: String,
    #[serde(default)]
    pub from: FileOrigin,
}

/// Where a file was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Origin")]
pub enum FileOrigin {
    /// In the user's checkout; its path starts there.
    #[default]
    Checkout,
    /// On the run's branch.
    Branch,
}
