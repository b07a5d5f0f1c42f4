//! Everything that one worker gets, as data: `AFRESH_BUNDLE` points to it as JSON.
//!
//! The prompt is rendered from it and from nothing else. How much of it is filled depends on the
//! task's context level; see [`Bundle::context`].
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`briefing`] | what all workers of a run get |
//! | [`project_rules`] | rules files such as `CLAUDE.md` |
//! | [`review`] | the work that a reviewer judges |
//! | [`surroundings`] | what a worker has around it, and how it reports |
//! | [`spec_section`] | the sections of a spec that belong to a task |

pub mod briefing;
pub mod project_rules;
pub mod review;
pub mod spec_section;
pub mod surroundings;

use afresh_core::comment::TaskComment;
use afresh_core::ids::{AttemptId, CommitId, RunId, TaskId};
use afresh_core::outcome::Deviation;
use afresh_core::plan::{ContextLevel, Task};
use afresh_core::question::AnsweredQuestion;
use afresh_core::rejection::Rejection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::definition::WorkerRole;
use crate::bundle::briefing::ProjectSummary;
pub use crate::bundle::project_rules::RulesExcerpt;
use crate::bundle::review::ReviewAssignment;
use crate::bundle::spec_section::SpecPart;
pub use crate::bundle::surroundings::ReportChannel;

/// The same check failed with the same output in several attempts (TR-09).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepeatedCheckFailure {
    /// Equal for failures of the same kind.
    pub fingerprint: String,
    /// How many attempts in a row ended so.
    pub attempts: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bundle {
    pub version: u32,
    pub run: RunId,
    pub plan: String,
    pub attempt: AttemptId,
    /// The most attempts for this task.
    pub attempts_allowed: u32,
    /// The commit of the workspace; it contains the work of all tasks that this one needs.
    pub base: CommitId,
    /// The worker's directory.
    pub target: String,
    pub task: Task,
    /// Its role, if the plan names one.
    #[serde(default)]
    pub role: Option<WorkerRole>,
    /// How much it gets in addition to its task.
    pub context: ContextLevel,
    /// The first step to do, counted from 1.
    pub first_step: usize,
    /// Tasks that this one needs and that a person skipped: their work is missing.
    #[serde(default)]
    pub without: Vec<TaskId>,
    /// Checks that run on every merge, in addition to the task's own.
    pub always: Vec<String>,
    /// Why the previous attempt was rejected.
    #[schemars(with = "Option<serde_json::Value>")]
    pub feedback: Option<Rejection>,
    /// How many attempts in a row failed in the same way as the previous one.
    #[serde(default)]
    pub repeated_failure: Option<RepeatedCheckFailure>,
    /// The work of an interrupted attempt.
    pub left: Option<InterruptedWork>,
    /// Whether it resumes that attempt's conversation with its files; otherwise they are only saved.
    #[serde(rename = "goes_on")]
    pub resumes_session: bool,
    /// A person's answers to this task's questions.
    pub answers: Vec<AnsweredQuestion>,
    /// Comments of people on this task, the oldest first.
    #[serde(default)]
    pub comments: Vec<TaskComment>,
    /// The task's position in the plan; from the standard level on.
    pub position: Option<PlanPosition>,
    /// The project; from the standard level on.
    pub project: Option<ProjectSummary>,
    /// The project's conventions; from the standard level on.
    pub patterns: Option<String>,
    /// The part of the spec that belongs to the task; from the standard level on.
    pub spec: Option<SpecPart>,
    /// The results of the tasks that this one needs; from the standard level on, with notes and
    /// deviations at the full level.
    pub built_on: Vec<FinishedTask>,
    /// The current files of those tasks; at the full level.
    pub interfaces: Vec<InlinedFile>,
    /// Existing tests that touch the task's files, the closest first; from the standard level on.
    #[serde(default)]
    pub tests: Vec<RelatedTest>,
    /// Other tasks that landed last; at the full level.
    pub recent: Vec<FinishedTask>,
    /// The files that the bundle was made from.
    pub sources: Vec<FileChecksum>,
    /// The context size of its model, in tokens.
    #[serde(default)]
    pub window: Option<u64>,
    /// How it reports its result.
    #[serde(default)]
    pub reports_by: ReportChannel,
    /// Its network, home directory and time.
    #[serde(default)]
    pub surroundings: Vec<String>,
    /// A rules file of the project that its agent's program does not read by itself; from the standard level on.
    #[serde(default)]
    pub project_rules: Option<RulesExcerpt>,
    /// The work to judge; none for a worker.
    #[serde(default)]
    pub review: Option<ReviewAssignment>,
}

impl Bundle {
    /// The JSON Schema of bundles, as `afresh schema bundle` prints it.
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Self);
        let mut text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
        text.push('\n');
        text
    }
}

/// The work of an interrupted attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Left")]
pub struct InterruptedWork {
    pub attempt: AttemptId,
    /// Why it was interrupted.
    pub why: String,
    /// Its changes as a commit on top of the base, if there were any.
    pub commit: Option<CommitId>,
    /// The differences from the base, in git's notation: `M src/a.rs`.
    pub changes: Vec<String>,
}

/// The position of a task in its plan, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Position")]
pub struct PlanPosition {
    pub plan_file: String,
    pub task: usize,
    pub of_tasks: usize,
    pub wave: u32,
    pub of_waves: u32,
}

/// A finished task and what it changed.
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

/// An existing test that touches files of the task (TR-08).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RelatedTest {
    pub path: String,
    pub why: TestRelation,
    /// In how many of the last 500 commits it changed together with one of the files.
    #[serde(default)]
    pub times: u32,
}

/// What connects a test with a file; the strongest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TestRelation {
    /// It imports one.
    Imports,
    /// It is named after one.
    Name,
    /// It changed together with one.
    ChangedTogether,
}

/// The text of a file of a needed task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Inlined")]
pub struct InlinedFile {
    pub path: String,
    pub text: String,
    /// Whether the text is cut.
    pub cut: bool,
}

/// A file that the bundle was made from, with its checksum.
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
