//! What `land`, `verify-run`, `clean`, `scan` print with `--json`.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use schemars::JsonSchema;

use crate::handover::pull_request::HandoverOutcome;

/// `afresh land --json`; with `--patch`, only `run`, `way` and `file`; with `--pr`, what follows `file`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct LandOutput {
    run: String,
    /// `already`, `fast-forward`, `merge`, `squash`, `patch` or `pr`.
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
    /// The command that pushes the branch together with its receipts, if there is a remote.
    #[serde(skip_serializing_if = "Option::is_none")]
    push: Option<String>,
    /// The file of the patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The pull request: where it comes from and goes to, its text, and what was done.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pull_request: Option<HandoverOutcome>,
}

/// `afresh verify-run --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct VerifyRunOutput {
    /// Whether a receipt covers every commit.
    ok: bool,
    /// What was verified, as it was named.
    r#ref: String,
    tip: String,
    /// The commit below the first one that was verified.
    base: Option<String>,
    /// The newest run among the commits.
    run: Option<String>,
    /// The oldest first; the commits of a run that `land` merged come before its merge.
    commits: Vec<VerifiedCommit>,
}

#[derive(JsonSchema)]
struct VerifiedCommit {
    commit: String,
    tree: String,
    task: Option<String>,
    /// The commit whose receipt covers it: itself, or the last one of its batch.
    covered_by: Option<String>,
    /// Whether that receipt has a good signature by a trusted key.
    signed: bool,
    signature: Option<ReceiptSignature>,
    /// A stable word, such as `missing-note`; the documentation lists them.
    problem: Option<String>,
    /// The same for people.
    detail: Option<String>,
    /// Checks of its receipt that did not simply pass.
    caveats: Vec<ReceiptCaveat>,
}

#[derive(JsonSchema)]
struct ReceiptCaveat {
    check: String,
    /// `flaky`, `quarantined`, `failed-before` or `only-measured`.
    kind: String,
    /// The same for people.
    detail: String,
}

#[derive(JsonSchema)]
struct ReceiptSignature {
    /// `trusted`, `unknown-key`, `unsigned` or `bad`.
    state: String,
    key: Option<String>,
    signer: Option<String>,
    /// Why it is not trusted.
    why: Option<String>,
}

/// `afresh clean --json`.
#[derive(JsonSchema)]
pub(in crate::text::schemas) struct CleanOutput {
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
pub(in crate::text::schemas) struct ScanOutput {
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
