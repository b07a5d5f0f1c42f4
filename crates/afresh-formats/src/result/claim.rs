//! What a worker claims besides its status: files, deviations, criteria, notes (RE-05).

use afresh_core::outcome::{CompletionClaim, CriterionReport, CriterionResult, Deviation};

use super::ResultContext;
use super::fields::{MAX_ITEMS, ResultFields, text};
use crate::text::node::{Node, Value};

/// The lists of files in a result, besides the nested `files`.
const FILE_LISTS: &[&str] = &["files_modified", "files_created", "files_deleted", "filesModified"];

/// Every field of any form of result.
const KNOWN: &[&str] = &[
    "action",
    "action_needed",
    "blocked_at",
    "blocked_by",
    "category",
    "commitHash",
    "commits",
    "completed_at",
    "context",
    "criteria",
    "criteria_met",
    "decision",
    "decision_needed",
    "deviation",
    "deviations",
    "done_criteria_met",
    "duration_seconds",
    "error",
    "evidence",
    "failed_at",
    "files",
    "files_created",
    "files_deleted",
    "files_modified",
    "filesModified",
    "git",
    "group",
    "instructions",
    "learnings",
    "linesChanged",
    "metadata",
    "name",
    "notes",
    "options",
    "output",
    "partial_commits",
    "plan",
    "quality",
    "reason",
    "retry_count",
    "retryable",
    "started_at",
    "status",
    "summary",
    "task_id",
    "task_name",
    "taskId",
    "tasks_completed",
    "testResults",
    "timestamp",
    "verification",
    "version",
];

/// Fields that only occur in results.
pub(super) const RESULT_ONLY_FIELDS: &[&str] = &[
    "action_needed",
    "blocked_by",
    "criteria_met",
    "decision_needed",
    "done_criteria_met",
    "failed_at",
    "files_created",
    "files_modified",
    "filesModified",
    "group",
    "partial_commits",
    "task_id",
    "task_name",
    "taskId",
    "tasks_completed",
    "verification",
];

pub(super) fn is_known(key: &str) -> bool {
    KNOWN.contains(&key)
}

pub(super) fn read(fields: &ResultFields<'_>, context: &ResultContext<'_>) -> CompletionClaim {
    let mut claim = CompletionClaim {
        files: Vec::new(),
        deviations: deviations(fields),
        notes: notes(fields),
        criteria: criteria(fields),
        warnings: Vec::new(),
    };
    files(fields, &mut claim);
    unknown(fields, &mut claim);
    name(fields, context, &mut claim);
    claim
}

fn files(fields: &ResultFields<'_>, claim: &mut CompletionClaim) {
    for key in FILE_LISTS.iter().copied().chain(["files"]) {
        if let (Some(node), None, None) = (fields.get(key), fields.list(key), fields.table(key)) {
            let found = node.value.kind();
            claim.warnings.push(format!("`{key}` in the result is {found}, not a list of paths"));
        }
        claim.files.extend(fields.texts(key));
    }
    if let Some(nested) = fields.table("files") {
        for key in ["created", "modified", "deleted"] {
            claim.files.extend(nested.texts(key));
        }
    }
    claim.files.truncate(MAX_ITEMS);
}

fn unknown(fields: &ResultFields<'_>, claim: &mut CompletionClaim) {
    let unknown: Vec<&str> = fields.keys().filter(|key| !is_known(key)).take(5).collect();
    if !unknown.is_empty() {
        let shown: String = unknown.join(", ").chars().take(200).collect();
        claim.warnings.push(format!("the result has unknown fields: {shown}"));
    }
}

/// A wrong name is only a warning, because people rename tasks (RE-02).
fn name(fields: &ResultFields<'_>, context: &ResultContext<'_>, claim: &mut CompletionClaim) {
    let Some(given) = fields.text(&["task_name", "name"]) else { return };
    let same = |known: &&str| plain(known) == plain(&given);
    if !context.names.is_empty() && !context.names.iter().any(same) {
        let shown: String = given.chars().take(80).collect();
        claim.warnings.push(format!("the result names another task: {shown:?}"));
    }
}

/// `Task 3: Add the Parser` as `add the parser`.
fn plain(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let numbered = lower.strip_prefix("task").and_then(|rest| rest.split_once(':'));
    match numbered {
        Some((number, words)) if number.trim().chars().all(|c| c.is_ascii_digit()) => {
            words.trim().to_owned()
        }
        _ => lower,
    }
}

fn notes(fields: &ResultFields<'_>) -> Option<String> {
    let learnings = fields.texts("learnings");
    let texts = fields.text(&["notes", "summary"]).into_iter().chain(learnings);
    let lines: Vec<String> = texts.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn deviations(fields: &ResultFields<'_>) -> Vec<Deviation> {
    let listed = fields.list("deviations").into_iter().flatten();
    listed.chain(fields.get("deviation")).filter_map(deviation).collect()
}

fn deviation(node: &Node) -> Option<Deviation> {
    if let Some(description) = text(node) {
        let words = matches!(node.value, Value::Text(_));
        return words.then(|| Deviation { rule: 0, description, files: vec![] });
    }
    let fields = ResultFields::from_node(node)?;
    let rule = fields.text(&["rule", "level"]).unwrap_or_default();
    let digits = rule.trim_matches(|c: char| !c.is_ascii_digit());
    Some(Deviation {
        rule: digits.parse().unwrap_or(0),
        description: fields.text(&["description", "reason", "type"]).unwrap_or_default(),
        files: fields.texts("files"),
    })
}

fn criteria(fields: &ResultFields<'_>) -> Vec<CriterionReport> {
    let mut found: Vec<CriterionReport> = Vec::new();
    for name in fields.texts("criteria_met") {
        found.push(CriterionReport {
            name,
            result: CriterionResult::Pass,
            evidence: String::new(),
        });
    }
    let verification = fields.table("verification");
    let nested = verification.and_then(|inner| inner.list("criteria"));
    let listed = fields.list("criteria").into_iter().chain(nested).flatten();
    found.extend(listed.filter_map(ResultFields::from_node).filter_map(criterion));
    if let Some(inner) = verification
        && let (Some(name), Some(code)) = (inner.text(&["command"]), inner.number("exit_code"))
    {
        let result = if code == 0 { CriterionResult::Pass } else { CriterionResult::Fail };
        let evidence = inner.text(&["output_summary", "output"]).unwrap_or_default();
        found.push(CriterionReport { name, result, evidence });
    }
    if let Some(met) = fields.flag("done_criteria_met") {
        let result = if met { CriterionResult::Pass } else { CriterionResult::Fail };
        let evidence = fields.text(&["evidence"]).unwrap_or_default();
        found.push(CriterionReport { name: "done".to_owned(), result, evidence });
    }
    if let Some(quality) = fields.table("quality") {
        for key in quality.keys() {
            if let Some(result) = quality.text(&[key]).and_then(|word| result(&word)) {
                let name = format!("quality: {key}");
                found.push(CriterionReport { name, result, evidence: String::new() });
            }
        }
    }
    found.truncate(MAX_ITEMS);
    found
}

fn criterion(fields: ResultFields<'_>) -> Option<CriterionReport> {
    Some(CriterionReport {
        name: fields.text(&["name", "criterion"])?,
        result: result(&fields.text(&["status", "score", "result"])?)?,
        evidence: fields.text(&["evidence", "details"]).unwrap_or_default(),
    })
}

pub(super) fn result(word: &str) -> Option<CriterionResult> {
    Some(match word.to_ascii_uppercase().as_str() {
        "PASS" | "PASSED" => CriterionResult::Pass,
        "FAIL" | "FAILED" => CriterionResult::Fail,
        "PARTIAL" | "CONDITIONAL" => CriterionResult::Partial,
        "SKIP" | "SKIPPED" | "N/A" => CriterionResult::Skip,
        _ => return None,
    })
}
