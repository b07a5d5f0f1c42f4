//! What `show`, `lint`, `import`, `export`, `new` print with `--json`.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use std::collections::BTreeMap;

use afresh_core::status::forecast::{ForecastStatus, RunForecastStatus};
use afresh_core::status::score::PlanScore;
use schemars::JsonSchema;
use serde_json::Value;

/// `afresh show --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct ShowOutput {
    format: String,
    name: String,
    tasks: Vec<ShownTask>,
    /// Ids of tasks, by wave.
    waves: Vec<Vec<String>>,
    critical_path: Vec<String>,
    conflicts: Vec<ShownConflict>,
    /// What a run is expected to take; null without history.
    forecast: Option<RunForecastStatus>,
    score: PlanScore,
    /// The repository that the plan is for, if it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// Fields that afresh does not know, by path.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    unknown: BTreeMap<String, String>,
}

#[derive(JsonSchema)]
struct ShownTask {
    id: String,
    title: String,
    wave: u32,
    depends_on: Vec<String>,
    files: Vec<ShownFile>,
    steps: Vec<ShownStep>,
    checks: Vec<ShownCheck>,
    /// Why there is no check, if that is intended.
    no_check: Option<String>,
    tier: Option<String>,
    agent: Option<String>,
    model: Option<String>,
    /// The estimated share of the context window.
    est_context: f64,
    prompt: Option<PromptSize>,
    /// What it is expected to take; null without history.
    forecast: Option<ForecastStatus>,
    checkpoint: Option<Value>,
    /// Why it cannot be run as it is written.
    blocked: Option<String>,
    done_before: Option<String>,
    /// Ids of the requirements that it serves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    requirements: Vec<String>,
}

#[derive(JsonSchema)]
struct ShownFile {
    path: String,
    action: Option<String>,
}

#[derive(JsonSchema)]
struct ShownStep {
    name: String,
    files: Vec<ShownFile>,
    checks: Vec<ShownCheck>,
}

#[derive(JsonSchema)]
struct ShownCheck {
    name: String,
    command: String,
}

#[derive(JsonSchema)]
struct PromptSize {
    tokens: u64,
    window: u64,
    fits: bool,
}

#[derive(JsonSchema)]
struct ShownConflict {
    tasks: Vec<String>,
    path: String,
}

/// `afresh show --why A B --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct ShowWhyOutput {
    tasks: Vec<String>,
    waves: Vec<u32>,
    side_by_side: bool,
    /// Each with its `kind`.
    reasons: Vec<BTreeMap<String, Value>>,
}

/// `afresh lint --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct LintOutput {
    format: String,
    findings: Vec<FindingOutput>,
    errors: u64,
    warnings: u64,
    notes: u64,
    /// Tasks that cannot be run as they are written, each with the reason.
    blocked: BTreeMap<String, String>,
    /// What `--fix` did.
    #[serde(skip_serializing_if = "Option::is_none")]
    mended: Option<FixOutput>,
}

#[derive(JsonSchema)]
pub(super) struct FindingOutput {
    code: String,
    severity: String,
    message: String,
    file: String,
    line: u64,
    column: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

#[derive(JsonSchema)]
struct FixOutput {
    written: bool,
    done: Vec<Value>,
    refused: Vec<Value>,
    diffs: BTreeMap<String, String>,
}

/// `afresh lint --explain --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct ExplainedFinding {
    code: String,
    title: String,
    text: String,
    example: Option<FindingExample>,
}

#[derive(JsonSchema)]
struct FindingExample {
    file: String,
    wrong: String,
    right: String,
}

/// `afresh export --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct ExportOutput {
    /// The format that was written.
    format: String,
    /// The format that was read.
    from: String,
    directory: String,
    /// Paths below the directory.
    files: Vec<String>,
    /// Their number.
    tasks: u64,
    losses: Vec<ExportLoss>,
}

/// What the format does not hold.
#[derive(JsonSchema)]
struct ExportLoss {
    part: String,
    /// Ids of tasks; empty if it is the whole plan.
    tasks: Vec<String>,
}

/// `afresh import -o FILE --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct ImportOutput {
    file: String,
    /// The format of the source.
    format: String,
    tasks: u64,
}

/// `afresh new --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct NewOutput {
    file: String,
    /// `plan` or `specification`.
    kind: String,
}
