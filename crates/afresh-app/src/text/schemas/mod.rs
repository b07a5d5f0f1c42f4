//! JSON Schemas of what commands print with `--json`.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `outputs` | the documents of commands that have no type of their own |

mod outputs;

use afresh_core::Event;
use afresh_core::status::trace::RequirementTrace;
use afresh_core::status::{QuestionStatus, RunStatus};
use afresh_engine::reports::run_report::RunReport;
use afresh_planner::discovery::ProjectFacts;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use crate::logs::replay_check::ReplayCheck;
use crate::session::fork::ForkedRun;
use crate::session::runs::RunEntry;
use crate::session::runs::glance::RunGlance;
use crate::tasks::by_hand::{HandedInAttempt, StartedAttempt};
use crate::tasks::checkpoint::BatchCheckpoint;
use crate::tasks::details::TaskDetails;
use crate::tasks::diff::TaskDiffOutput;
use crate::tasks::plan_edit::PlanEditReport;
use crate::tasks::tell::SentComment;
use crate::tasks::workspace_copy::WorkspaceCopy;

/// The version of the JSON outputs. It grows when a field is renamed or removed; new fields are no change.
pub const JSON_VERSION: u32 = 1;

/// One line of `afresh run --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct EventLine {
    seq: u64,
    /// In UTC, such as `2026-11-15T09:30:00.123Z`.
    at: String,
    run: String,
    #[serde(flatten)]
    event: Event,
}

/// What `afresh status --json` prints: a run, or that no run exists.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum StatusOutput {
    Run(Box<RunStatusOutput>),
    NoRun(NoRunOutput),
}

/// No run exists in this repository.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct NoRunOutput {
    /// Always null.
    run: (),
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct RunStatusOutput {
    #[serde(flatten)]
    status: RunStatus,
    /// It was running when its driver ended, and nothing drives it now.
    interrupted: bool,
    /// Whether its branch still exists.
    has_branch: bool,
    /// The current branch, if it contains all of the run's work.
    landed_on: Option<String>,
    /// The process that drives the run now.
    driver: Option<DriverOutput>,
    /// Agents that wait because their model's provider asked for it.
    parked: Vec<serde_json::Value>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct DriverOutput {
    pid: u32,
    host: String,
}

/// What `--json` prints when a command fails.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct ErrorOutput {
    error: ErrorDetails,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct ErrorDetails {
    kind: String,
    message: String,
    help: Option<String>,
    file: Option<String>,
    line: Option<u64>,
    column: Option<u64>,
    findings: Vec<serde_json::Value>,
}

/// The schema of an output.
#[derive(Debug, Clone, Copy)]
pub struct OutputSchema {
    /// What `afresh schema` calls it.
    pub name: &'static str,
    pub about: &'static str,
    pub render: fn() -> String,
}

/// The schemas of what commands print with `--json`.
pub const OUTPUTS: &[OutputSchema] = &[
    output::<StatusOutput>("status", "What `afresh status --json` prints"),
    output::<Vec<QuestionStatus>>("questions", "What `afresh questions --json` prints"),
    output::<Vec<RunEntry>>("runs", "What `afresh runs --json` prints"),
    output::<RunReport>("report", "What `afresh report --json` and `afresh demo --json` print"),
    output::<RequirementTrace>("trace", "What `afresh trace --json` prints"),
    output::<EventLine>("events", "One line of `afresh run --json` and `afresh resume --json`"),
    output::<ErrorOutput>("error", "What any command prints with `--json` when it fails"),
    output::<outputs::DoneOutput>("done", "`halt`, `abort`, `task` and `resume --clear-only`"),
    output::<outputs::RewindOutput>("rewind", "What `afresh rewind --json` prints"),
    output::<RunGlance>("statusline", "What `afresh statusline --json` prints"),
    output::<outputs::HaltCheckOutput>("halt-check", "What `afresh halt --check --json` prints"),
    output::<BatchCheckpoint>("checkpoint", "What `afresh checkpoint --json` prints"),
    output::<ForkedRun>("fork", "What `afresh fork --json` prints"),
    output::<outputs::DecideOutput>("decide", "What `afresh decide --json` prints"),
    output::<outputs::ReadyOutput>("task-ready", "What `afresh task ready --json` prints"),
    output::<Vec<outputs::LogEntry>>("logs", "What `afresh logs --json` prints"),
    output::<outputs::TaskLogsOutput>("logs-task", "What `afresh logs TASK --json` prints"),
    output::<TaskDetails>("task-show", "What `afresh task show --json` prints"),
    output::<StartedAttempt>("task-start", "What `afresh task start --json` prints"),
    output::<HandedInAttempt>("task-complete", "`task complete --json` and `task fail --json`"),
    output::<ReplayCheck>("replay-check", "What `afresh replay --check --json` prints"),
    output::<PlanEditReport>("task-edit", "`afresh task add --json` and `task edit --json`"),
    output::<WorkspaceCopy>("open", "What `afresh open --json` prints"),
    output::<SentComment>("tell", "What `afresh tell --json` prints"),
    output::<TaskDiffOutput>("diff", "What `afresh diff --json` prints"),
    output::<outputs::ShowOutput>("show", "What `afresh show --json` prints"),
    output::<outputs::ShowWhyOutput>("show-why", "What `afresh show --why A B --json` prints"),
    output::<outputs::LintOutput>("lint", "What `afresh lint --json` prints"),
    output::<Vec<outputs::ExplainedFinding>>("lint-explain", "`afresh lint --explain --json`"),
    output::<outputs::ImportOutput>("import", "What `afresh import -o FILE --json` prints"),
    output::<outputs::ExportOutput>("export", "What `afresh export --json` prints"),
    output::<outputs::AuditOutput>("audit", "What `afresh audit --json` prints"),
    output::<outputs::PlanProgressOutput>(
        "plan-status",
        "`plan SPEC`, `plan status`, `plan advance`",
    ),
    output::<outputs::PlanValidateOutput>("plan-validate", "`afresh plan validate --json`"),
    output::<outputs::PlanLoadOutput>("plan-load", "What `afresh plan load --json` prints"),
    output::<outputs::PlanVerdictOutput>("plan-verdict", "`afresh plan verdict --json`"),
    output::<outputs::SpecificationsOutput>(
        "plan-list",
        "`afresh plan --json` without a specification",
    ),
    output::<outputs::NewOutput>("new", "What `afresh new --json` prints"),
    output::<ProjectFacts>("discovery", "What `afresh discover --json` prints"),
    output::<outputs::LandOutput>("land", "What `afresh land --json` prints"),
    output::<outputs::VerifyRunOutput>("verify-run", "What `afresh verify-run --json` prints"),
    output::<outputs::CleanOutput>("clean", "What `afresh clean --json` prints"),
    output::<outputs::ScanOutput>("scan", "What `afresh scan --json` prints"),
    output::<outputs::InitOutput>("init", "What `afresh init --json` prints"),
    output::<outputs::InitSessionsOutput>("init-sessions", "`afresh init --claude --json`"),
    output::<outputs::DoctorOutput>("doctor", "What `afresh doctor --json` prints"),
    output::<Vec<outputs::ConfigEntry>>("config-list", "What `afresh config list --json` prints"),
    output::<outputs::AgentsListOutput>("agents-list", "What `afresh agents list --json` prints"),
    output::<outputs::AgentsInstallOutput>("agents-install", "`afresh agents install --json`"),
    output::<outputs::GeneratedBundle>("bundle-generate", "`afresh bundle generate --json`"),
    output::<outputs::GeneratedBundles>("bundle-generate-ready", "`bundle generate-ready --json`"),
    output::<outputs::BundleListOutput>("bundle-list", "What `afresh bundle list --json` prints"),
    output::<outputs::BundleValidateOutput>("bundle-validate", "`afresh bundle validate --json`"),
    output::<outputs::BundleIntegrityOutput>("bundle-integrity", "`bundle validate-integrity`"),
    output::<outputs::BundleCleanOutput>(
        "bundle-clean",
        "What `afresh bundle clean --json` prints",
    ),
    output::<outputs::VersionOutput>("version", "What `afresh version --json` prints"),
];

const fn output<T: JsonSchema>(name: &'static str, about: &'static str) -> OutputSchema {
    OutputSchema { name, about, render: schema_of::<T> }
}

/// Of what is written, which may leave out fields that have nothing to say.
fn schema_of<T: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("x-afresh-json-version".to_owned(), JSON_VERSION.into());
    serde_json::to_string_pretty(&schema).expect("a schema is JSON")
}
