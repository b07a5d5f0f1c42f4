//! What `audit` and `plan` print with `--json`.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use schemars::JsonSchema;
use serde_json::Value;

use super::planning::FindingOutput;

/// `afresh audit --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct AuditOutput {
    /// `approved`, `needs-decomposition` or `needs-split`.
    verdict: String,
    /// `single` or `orchestrated`.
    mode: String,
    estimate: AuditEstimateOutput,
    metrics: Vec<Value>,
    groups: Vec<AuditGroupOutput>,
    group_source: Value,
    /// Ids of groups, by wave.
    waves: Vec<Vec<String>>,
    missing_files: Vec<String>,
    too_large: Vec<String>,
}

#[derive(JsonSchema)]
struct AuditEstimateOutput {
    share: f64,
    tokens: u64,
}

#[derive(JsonSchema)]
struct AuditGroupOutput {
    id: String,
    tasks: Vec<String>,
    needs: Vec<String>,
    est_context: f64,
}

/// `afresh plan SPEC --json`, `afresh plan status --json` and `afresh plan advance --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct PlanProgressOutput {
    /// The plan's path.
    plan: String,
    /// `quick`, `staged` or `update`.
    route: String,
    /// From `ingestion` to `ready`.
    phase: String,
    /// `READY`, `READY_WITH_NOTES` or `BLOCKED`.
    verdict: Option<String>,
    /// The path of the plan verifier's report.
    report: Option<String>,
    artifacts: Vec<ArtifactOutput>,
    issues: Vec<FindingOutput>,
}

#[derive(JsonSchema)]
struct ArtifactOutput {
    name: String,
    path: String,
    /// `missing`, `invalid` or `valid`.
    state: String,
}

/// `afresh plan validate --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct PlanValidateOutput {
    plan: String,
    ok: bool,
    issues: Vec<FindingOutput>,
}

/// `afresh plan load --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct PlanLoadOutput {
    plan: String,
    tasks: u64,
    ok: bool,
    issues: Vec<FindingOutput>,
}

/// `afresh plan verdict --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct PlanVerdictOutput {
    verdict: String,
    path: String,
}

/// `afresh plan --json` without a specification.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct SpecificationsOutput {
    specifications: Vec<SpecificationOutput>,
}

#[derive(JsonSchema)]
struct SpecificationOutput {
    path: String,
    kind: Value,
    name: String,
}
