//! What `logs`, `task`, `halt`, `abort`, `rewind`, `decide` print with `--json`.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use afresh_engine::reports::run_report::AttemptReport;
use schemars::JsonSchema;

/// One line of `afresh logs --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct LogEntry {
    seq: u64,
    at: String,
    run: String,
    level: String,
    who: String,
    event: String,
    message: String,
}

/// `afresh logs TASK --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct TaskLogsOutput {
    task: String,
    attempts: Vec<LoggedAttempt>,
}

#[derive(JsonSchema)]
struct LoggedAttempt {
    #[serde(flatten)]
    attempt: AttemptReport,
    parts: Vec<LoggedPart>,
}

#[derive(JsonSchema)]
struct LoggedPart {
    name: String,
    command: Option<String>,
    text: String,
}

/// `afresh task ready --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct ReadyOutput {
    run: String,
    tasks: Vec<String>,
}

/// `halt`, `abort`, `task` and `resume --clear-only`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct DoneOutput {
    run: String,
    ok: bool,
}

/// `afresh halt --check --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct HaltCheckOutput {
    run: String,
    halted: bool,
    /// Whether every attempt has ended.
    quiet: bool,
    reason: Option<String>,
    by: Option<String>,
}

/// `afresh rewind --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct RewindOutput {
    run: String,
    ok: bool,
    /// The commit that the branch goes back to.
    to: String,
    /// The tasks that are to be done again, in the order in which they had landed.
    undone: Vec<String>,
    /// The commit that the branch leaves, which a ref keeps.
    kept: String,
    /// Whether the branch is there already: running work is saved first.
    moved: bool,
}

/// `afresh decide --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct DecideOutput {
    run: String,
    ok: bool,
    question: String,
    /// The answer as it was understood.
    answer: String,
}
