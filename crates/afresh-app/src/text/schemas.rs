//! JSON Schemas of what commands print with `--json`.

use afresh_core::Event;
use afresh_core::status::{QuestionStatus, RunStatus};
use afresh_engine::reports::run_report::RunReport;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use crate::session::runs::RunEntry;

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

/// `afresh status --json`; without a run, `run` is null and nothing else is there.
pub fn status_schema() -> String {
    schema_of::<StatusOutput>()
}

pub fn questions_schema() -> String {
    schema_of::<Vec<QuestionStatus>>()
}

pub fn runs_schema() -> String {
    schema_of::<Vec<RunEntry>>()
}

pub fn report_schema() -> String {
    schema_of::<RunReport>()
}

/// Of one line.
pub fn events_schema() -> String {
    schema_of::<EventLine>()
}

pub fn error_schema() -> String {
    schema_of::<ErrorOutput>()
}

/// Of what is written, which may leave out fields that have nothing to say.
fn schema_of<T: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("x-afresh-json-version".to_owned(), JSON_VERSION.into());
    serde_json::to_string_pretty(&schema).expect("a schema is JSON")
}
