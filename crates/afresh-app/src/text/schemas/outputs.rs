//! The documents that commands print with `--json`, for their schemas alone: a test compares each with what the
//! command really prints.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use std::collections::BTreeMap;

use afresh_engine::reports::run_report::AttemptReport;
use schemars::JsonSchema;
use serde_json::Value;

/// `afresh show --json`.
#[derive(JsonSchema)]
pub(super) struct ShowOutput {
    format: String,
    name: String,
    tasks: Vec<ShownTask>,
    /// Ids of tasks, by wave.
    waves: Vec<Vec<String>>,
    critical_path: Vec<String>,
    conflicts: Vec<ShownConflict>,
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
    checkpoint: Option<Value>,
    /// Why it cannot be run as it is written.
    blocked: Option<String>,
    done_before: Option<String>,
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
pub(super) struct ShowWhyOutput {
    tasks: Vec<String>,
    waves: Vec<u32>,
    side_by_side: bool,
    /// Each with its `kind`.
    reasons: Vec<BTreeMap<String, Value>>,
}

/// `afresh lint --json`.
#[derive(JsonSchema)]
pub(super) struct LintOutput {
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
struct FindingOutput {
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
pub(super) struct ExplainedFinding {
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

/// `afresh import -o FILE --json`.
#[derive(JsonSchema)]
pub(super) struct ImportOutput {
    file: String,
    /// The format of the source.
    format: String,
    tasks: u64,
}

/// `afresh init --json`.
#[derive(JsonSchema)]
pub(super) struct InitOutput {
    file: String,
    text: String,
    written: bool,
    agents: Vec<Value>,
    stacks: Vec<Value>,
    tried: Vec<TriedOutput>,
}

#[derive(JsonSchema)]
struct TriedOutput {
    command: String,
    passed: bool,
    ended: String,
    seconds: f64,
    last_lines: Vec<String>,
}

/// `afresh doctor --json`.
#[derive(JsonSchema)]
pub(super) struct DoctorOutput {
    ok: bool,
    lines: Vec<DoctorEntry>,
}

#[derive(JsonSchema)]
struct DoctorEntry {
    name: String,
    /// `ok`, `warn` or `fail`.
    state: String,
    text: String,
    cure: Option<String>,
}

/// `afresh agents list --json`.
#[derive(JsonSchema)]
pub(super) struct AgentsListOutput {
    agents: Vec<AgentEntry>,
    installable: Vec<InstallableProgram>,
}

#[derive(JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "as the command prints them")]
struct AgentEntry {
    name: String,
    kind: String,
    configured: bool,
    default: bool,
    program: Option<String>,
    version: Option<String>,
    tested: Option<String>,
    models: Option<BTreeMap<String, String>>,
    prompt: String,
    tools: Option<String>,
    hooks: bool,
    reports_use: bool,
    chooses_model: bool,
    usable: bool,
    problem: Option<String>,
    remedy: Option<String>,
}

#[derive(JsonSchema)]
struct InstallableProgram {
    name: String,
    package: String,
    version: String,
}

/// `afresh agents install --json`.
#[derive(JsonSchema)]
pub(super) struct AgentsInstallOutput {
    installed: Vec<InstalledProgram>,
}

#[derive(JsonSchema)]
struct InstalledProgram {
    name: String,
    version: String,
    program: String,
    new: bool,
}

/// One value of `afresh config list --json`.
#[derive(JsonSchema)]
pub(super) struct ConfigEntry {
    key: String,
    value: Value,
    origin: ConfigOrigin,
}

#[derive(JsonSchema)]
struct ConfigOrigin {
    /// `built-in`, `file`, `variable` or `flag`.
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

/// One line of `afresh logs --json`.
#[derive(JsonSchema)]
pub(super) struct LogEntry {
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
pub(super) struct TaskLogsOutput {
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
pub(super) struct ReadyOutput {
    run: String,
    tasks: Vec<String>,
}

/// `halt`, `abort`, `task` and `resume --clear-only`.
#[derive(JsonSchema)]
pub(super) struct DoneOutput {
    run: String,
    ok: bool,
}

/// `afresh decide --json`.
#[derive(JsonSchema)]
pub(super) struct DecideOutput {
    run: String,
    ok: bool,
    question: String,
    /// The answer as it was understood.
    answer: String,
}

/// `afresh land --json`; with `--patch`, only `run`, `way` and `file`.
#[derive(JsonSchema)]
pub(super) struct LandOutput {
    run: String,
    /// `already`, `fast-forward`, `merge` or `patch`.
    way: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// The file of the patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

/// `afresh clean --json`.
#[derive(JsonSchema)]
pub(super) struct CleanOutput {
    dry_run: bool,
    removed: Vec<RemovedItem>,
    kept: Vec<KeptItem>,
    failed: Vec<FailedItem>,
    freed_bytes: u64,
}

#[derive(JsonSchema)]
struct RemovedItem {
    kind: String,
    name: String,
    bytes: u64,
    why: String,
    saved: Option<SavedWork>,
}

#[derive(JsonSchema)]
struct SavedWork {
    r#ref: String,
    commit: String,
}

#[derive(JsonSchema)]
struct KeptItem {
    kind: String,
    name: String,
    bytes: u64,
    why: String,
    help: Option<String>,
}

#[derive(JsonSchema)]
struct FailedItem {
    kind: String,
    name: String,
    bytes: u64,
    why: String,
}

/// `afresh scan --json`.
#[derive(JsonSchema)]
pub(super) struct ScanOutput {
    findings: Vec<FoundSecret>,
    allowed: u64,
    looked_at: u64,
    passed_over: Vec<PassedOver>,
}

#[derive(JsonSchema)]
struct FoundSecret {
    place: String,
    source: String,
    line: u64,
    column: u64,
    what: String,
}

#[derive(JsonSchema)]
struct PassedOver {
    place: String,
    why: String,
}

/// `afresh bundle generate --json`, and one bundle of `generate-ready`.
#[derive(JsonSchema)]
pub(super) struct GeneratedBundle {
    task: String,
    attempt: u32,
    bundle: String,
    prompt: String,
    tokens: u64,
    window: u64,
    context: f64,
    fits: bool,
}

/// `afresh bundle generate-ready --json`.
#[derive(JsonSchema)]
pub(super) struct GeneratedBundles {
    run: String,
    bundles: Vec<GeneratedBundle>,
}

/// `afresh bundle list --json`.
#[derive(JsonSchema)]
pub(super) struct BundleListOutput {
    run: Option<String>,
    bundles: Vec<ListedBundleOutput>,
}

#[derive(JsonSchema)]
struct ListedBundleOutput {
    task: String,
    attempt: u32,
    state: String,
    tokens: u64,
    window: u64,
    context: f64,
    made_at: String,
    bundle: String,
    prompt: String,
    template: Option<Value>,
}

/// `afresh bundle validate --json`.
#[derive(JsonSchema)]
pub(super) struct BundleValidateOutput {
    bundles: Vec<String>,
    findings: Vec<FindingOutput>,
}

/// `afresh bundle validate-integrity --json`.
#[derive(JsonSchema)]
pub(super) struct BundleIntegrityOutput {
    bundles: Vec<CheckedBundle>,
}

#[derive(JsonSchema)]
struct CheckedBundle {
    bundle: String,
    file: String,
    ok: bool,
    sources: Vec<CheckedSource>,
}

#[derive(JsonSchema)]
struct CheckedSource {
    path: String,
    from: String,
    state: String,
}

/// `afresh bundle clean --json`.
#[derive(JsonSchema)]
pub(super) struct BundleCleanOutput {
    run: Option<String>,
    removed: Vec<String>,
    kept: Vec<Value>,
}

/// `afresh version --json`.
#[derive(JsonSchema)]
pub(super) struct VersionOutput {
    version: String,
    /// The version of all these outputs.
    json_version: u32,
}
