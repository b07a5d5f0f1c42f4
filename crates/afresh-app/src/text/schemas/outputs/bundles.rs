//! What `bundle` print with `--json`.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use schemars::JsonSchema;
use serde_json::Value;

use super::planning::FindingOutput;

/// `afresh bundle generate --json`, and one bundle of `generate-ready`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct GeneratedBundle {
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
pub(in crate::text::schemas) struct GeneratedBundles {
    run: String,
    bundles: Vec<GeneratedBundle>,
}

/// `afresh bundle list --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct BundleListOutput {
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
pub(in crate::text::schemas) struct BundleValidateOutput {
    bundles: Vec<String>,
    findings: Vec<FindingOutput>,
}

/// `afresh bundle validate-integrity --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct BundleIntegrityOutput {
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
pub(in crate::text::schemas) struct BundleCleanOutput {
    run: Option<String>,
    removed: Vec<String>,
    kept: Vec<Value>,
}
