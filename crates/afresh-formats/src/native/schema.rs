//! The native plan format as JSON Schema, for editors and for agents that write plans.
//!
//! The reader does not use these types, because it needs positions; a test keeps both in sync. The
//! writer uses them.

use afresh_core::plan::{CheckpointKind, ContestRule, ContextLevel, FileAction, TierChoice};
use schemars::JsonSchema;
use serde::Serialize;

/// A plan: tasks for workers, ordered by `needs`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "afresh plan")]
#[schemars(rename = "PlanFile")]
pub struct NativePlanFile {
    /// The format's version.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The specification that the plan implements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// The directory whose repository the plan is for, relative to this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    #[schemars(length(min = 1))]
    pub task: Vec<TaskEntry>,
}

/// One piece of work for one worker.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskEntry {
    /// Letters, digits, '-', '_', '.'.
    #[schemars(length(min = 1, max = 64), regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9._-]*$"))]
    pub id: String,
    #[schemars(length(min = 1))]
    pub title: String,
    /// The instructions for the worker.
    #[serde(rename = "do")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Tasks that must be merged first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Vec<String>>,
    /// Paths or globs that the task may write, relative to the repository's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileEntry>>,
    /// Commands that succeed once the task is done; afresh runs them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<CheckEntry>>,
    /// Why the task has no check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_check: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<StepEntry>>,
    /// The size of the model; `auto` chooses by the size of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<TierChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextLevel>,
    /// The name of a configured agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Names of configured agents that try the task one after the other, in place of `agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 8))]
    pub attempts_by: Option<Vec<String>>,
    /// Whose work lands: `first`, the first that passes its checks, or `cheapest`, after each agent has tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub land: Option<ContestRule>,
    /// The type of its commit, `docs`, or with a scope, `feat(parser)`. A title that has a type keeps it.
    #[serde(rename = "type")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[a-z][a-z0-9-]{0,19}(\([A-Za-z0-9._/-]{1,40}\))?$"))]
    pub label: Option<String>,
    /// The requirements that it serves: ids of the `spec`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirements: Option<Vec<String>>,
    /// Groups tasks for people: 1 foundations, 2 the steel thread, then features. Order comes from `needs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<u32>,
    /// Part of the first way through the whole program, end to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steel_thread: Option<bool>,
    /// Tests that another author wrote before the work: paths from the repository's root. Their contents are in the
    /// directory `acceptance` beside the plan. Workers find them in place and cannot change them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<Vec<String>>,
    /// The task is already done, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_before: Option<String>,
    /// Asks a person instead of starting a worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<CheckpointEntry>,
}

/// A point at which the plan waits for a person.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckpointEntry {
    /// Whether the person verifies work, decides something, or does what a worker cannot.
    pub kind: CheckpointKind,
    /// What the person needs to know.
    pub text: String,
    /// The answers to choose from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<OptionEntry>>,
}

/// One possible answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OptionEntry {
    pub key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A part of a task. Steps are done in order.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StepEntry {
    pub name: String,
    #[serde(rename = "do")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileEntry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<CheckEntry>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FileEntry {
    Path(String),
    Detailed {
        path: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        action: Option<FileAction>,
    },
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CheckEntry {
    Command(String),
    Detailed {
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        run: String,
        /// Whether the check must fail before the work is done.
        #[serde(skip_serializing_if = "Option::is_none")]
        red_first: Option<bool>,
        /// Whether the check is meant to pass before and after the work.
        #[serde(skip_serializing_if = "Option::is_none")]
        guard: Option<bool>,
    },
}

/// The schema, as `afresh schema plan` prints it.
pub fn plan_schema() -> String {
    let schema = schemars::schema_for!(NativePlanFile);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::native::{CHECKPOINT_FIELDS, OPTION_FIELDS, PLAN_FIELDS, STEP_FIELDS, TASK_FIELDS};

    /// FO-05: the schema and the reader know the same fields.
    #[test]
    fn schema_and_reader_know_the_same_fields() {
        let schema: serde_json::Value = serde_json::from_str(&plan_schema()).expect("JSON");
        let fields = |at: &serde_json::Value| -> BTreeSet<String> {
            at["properties"].as_object().expect("properties").keys().cloned().collect()
        };
        let known =
            |list: &[&str]| -> BTreeSet<String> { list.iter().map(|f| (*f).to_owned()).collect() };
        assert_eq!(fields(&schema), known(PLAN_FIELDS));
        assert_eq!(fields(&schema["$defs"]["TaskEntry"]), known(TASK_FIELDS));
        assert_eq!(fields(&schema["$defs"]["StepEntry"]), known(STEP_FIELDS));
        assert_eq!(fields(&schema["$defs"]["CheckpointEntry"]), known(CHECKPOINT_FIELDS));
        assert_eq!(fields(&schema["$defs"]["OptionEntry"]), known(OPTION_FIELDS));
    }
}
