//! What `init`, `doctor`, `agents`, `config`, `version` print with `--json`.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value;

use crate::setup::init::sessions::SessionFileChange;

/// `afresh init --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct InitOutput {
    file: String,
    text: String,
    written: bool,
    agents: Vec<Value>,
    stacks: Vec<Value>,
    tried: Vec<TriedOutput>,
}

/// `afresh init --claude --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct InitSessionsOutput {
    files: Vec<SessionFileChange>,
    written: bool,
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
pub(in crate::text::schemas) struct DoctorOutput {
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
pub(in crate::text::schemas) struct AgentsListOutput {
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
pub(in crate::text::schemas) struct AgentsInstallOutput {
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
pub(in crate::text::schemas) struct ConfigEntry {
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

/// `afresh version --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct VersionOutput {
    version: String,
    /// The version of all these outputs.
    json_version: u32,
}
