//! Interprets a result by its status: required fields, and what contradicts a success (RE-02).

use afresh_core::outcome::{
    BlockedOutcome, CompletionClaim, CriterionReport, CriterionResult, Outcome, PartialOutcome,
    WorkerFailure,
};

use crate::result::fields::{ResultFields, bounded};
use crate::result::status_line::{self, ResultLine};
use crate::result::{NoResult, ResultContext, claim, questions};
use crate::text::node::Value;

const NO_REASON: &str = "the worker gave no reason";

/// Fields that name the task of a result.
const IDS: &[&str] = &["task_id", "taskId", "group"];

/// Fields that a result never leaves as a placeholder.
const NEVER_PLACEHOLDERS: &[&str] =
    &["status", "task_id", "taskId", "group", "error", "decision_needed", "action_needed"];

pub(crate) fn interpret_line(text: &str, context: &ResultContext<'_>) -> Result<Outcome, NoResult> {
    match status_line::read(text, context.task) {
        Some(ResultLine::Success) => Ok(Outcome::Done(CompletionClaim::default())),
        Some(ResultLine::Failed(reason)) => {
            let error = bounded(reason);
            Ok(Outcome::Failed(WorkerFailure { error, ..WorkerFailure::default() }))
        }
        Some(ResultLine::Other(id)) => Err(wrong_task(id, context)),
        None => Err(NoResult::Broken("not a line about a task".to_owned())),
    }
}

pub(crate) fn interpret_fields(
    fields: &ResultFields<'_>,
    context: &ResultContext<'_>,
) -> Result<Outcome, NoResult> {
    if is_template(fields) {
        return Err(NoResult::Template);
    }
    if let Some(id) = fields.text(IDS).filter(|id| !is_same_task(id, context.task)) {
        return Err(wrong_task(&id, context));
    }
    let Some(status) = fields.text(&["status"]) else {
        return Err(NoResult::Broken("no `status`".to_owned()));
    };
    let claim = claim::read(fields, context);
    match status.to_ascii_uppercase().replace(['-', ' '], "_").as_str() {
        "COMPLETED" | "COMPLETE" | "SUCCESS" | "SUCCEEDED" | "DONE" => done(fields, claim),
        "PARTIAL" => Ok(partial(fields, claim)),
        "BLOCKED" => Ok(blocked(fields, claim)),
        "FAILED" | "FAILURE" | "ERROR" => Ok(Outcome::Failed(failure(fields, claim))),
        "NEEDS_DECISION" => questions::decision(fields),
        "NEEDS_ACTION" => questions::action(fields),
        _ => {
            let shown: String = status.chars().take(80).collect();
            Err(NoResult::Broken(format!("unknown status {shown:?}")))
        }
    }
}

/// Whether it is an example, as in prompts: with placeholders for values.
fn is_template(fields: &ResultFields<'_>) -> bool {
    let open = |value: &str| {
        let value = value.trim();
        let framed = [('[', ']'), ('{', '}'), ('<', '>')]
            .iter()
            .any(|(from, to)| value.starts_with(*from) && value.ends_with(*to));
        matches!(value, "…" | "...") || framed
    };
    let status = fields.text(&["status"]).unwrap_or_default();
    let files = ["files_modified", "files_created"].iter().flat_map(|key| fields.texts(key));
    status.contains('|')
        || NEVER_PLACEHOLDERS.iter().filter_map(|key| fields.text(&[key])).any(|value| open(&value))
        || files.into_iter().any(|file| matches!(file.as_str(), "…" | "..."))
}

/// Whether both ids mean the same task. A suffix is enough, because plan readers prefix ids (`G2` of
/// `SPEC-1-G2`), and so is a step's id, which extends its task's (`03-01-02` of `03-01`).
fn is_same_task(given: &str, task: &str) -> bool {
    let apart = |rest: &str, at_end: bool| {
        let mark = if at_end { rest.chars().next_back() } else { rest.chars().next() };
        mark.is_some_and(|c| matches!(c, '-' | '.' | ':' | '/' | '_'))
    };
    let (given, task) = (given.to_ascii_lowercase(), task.to_ascii_lowercase());
    task.is_empty()
        || given == task
        || task.strip_suffix(&given).is_some_and(|rest| apart(rest, true))
        || given.strip_prefix(&task).is_some_and(|rest| apart(rest, false))
}

fn wrong_task(id: &str, context: &ResultContext<'_>) -> NoResult {
    let shown: String = id.chars().take(80).collect();
    NoResult::Broken(format!("the result is about task {shown:?}, not {:?}", context.task))
}

fn done(fields: &ResultFields<'_>, mut claim: CompletionClaim) -> Result<Outcome, NoResult> {
    if let Some(why) = contradiction(fields, &claim)? {
        let error =
            format!("the result says {}, but {why}", fields.text(&["status"]).unwrap_or_default());
        return Ok(Outcome::Failed(WorkerFailure { error, ..failure(fields, claim) }));
    }
    // This form of result includes a command, its exit code and evidence.
    if fields.get("done_criteria_met").is_some() || fields.get("task_name").is_some() {
        if fields.table("verification").is_none_or(|inner| inner.number("exit_code").is_none()) {
            claim.warnings.push("unverified: the result reports no verification".to_owned());
        }
        if fields.text(&["evidence"]).is_none() {
            claim.warnings.push("the result gives no evidence".to_owned());
        }
        if let (Some(node), None) =
            (fields.get("done_criteria_met"), fields.flag("done_criteria_met"))
        {
            let found = node.value.kind();
            let odd = format!("`done_criteria_met` in the result is {found}; assuming true");
            claim.warnings.push(odd);
        }
    }
    if let Some((done, all)) = progress(fields).filter(|(done, all)| done < all) {
        claim.warnings.push(format!("the result counts {done} of {all} tasks as completed"));
    }
    Ok(Outcome::Done(claim))
}

/// Why a claim of success is contradicted by the result itself.
fn contradiction(
    fields: &ResultFields<'_>,
    claim: &CompletionClaim,
) -> Result<Option<String>, NoResult> {
    if let Some(inner) = fields.table("verification") {
        if let Some(node) = inner.get("exit_code") {
            let Value::Integer(code) = node.value else {
                let found = node.value.describe();
                return Err(NoResult::Broken(format!(
                    "`exit_code` is {found}, not a whole number"
                )));
            };
            if code != 0 {
                return Ok(Some(format!("its own verification ended with exit code {code}")));
            }
        }
        let verdict = inner.text(&["verdict"]).and_then(|word| claim::result(&word));
        if verdict == Some(CriterionResult::Fail) {
            return Ok(Some("that its own verification failed".to_owned()));
        }
    }
    if fields.flag("done_criteria_met") == Some(false) {
        return Ok(Some("that the done criteria are not met".to_owned()));
    }
    let failed = |criterion: &&CriterionReport| criterion.result == CriterionResult::Fail;
    if let Some(criterion) = claim.criteria.iter().find(failed) {
        return Ok(Some(format!("that this is not met: {}", criterion.name)));
    }
    Ok(error(fields).map(|error| format!("names an error: {error}")))
}

/// The error of a result. Words for "no error" count as none.
fn error(fields: &ResultFields<'_>) -> Option<String> {
    let nested = fields.table("error").and_then(|inner| inner.text(&["message"]));
    let none = |text: &String| {
        !matches!(text.to_ascii_lowercase().as_str(), "none" | "null" | "n/a" | "-")
    };
    fields.text(&["error"]).or(nested).filter(none)
}

fn failure(fields: &ResultFields<'_>, mut claim: CompletionClaim) -> WorkerFailure {
    let nested = fields.table("error");
    let either = |keys: &[&str]| {
        fields.text(keys).or_else(|| nested.and_then(|inner| inner.text(keys))).unwrap_or_default()
    };
    let verified = fields.table("verification");
    let summary = verified.and_then(|inner| inner.text(&["output_summary", "output"]));
    let reason = error(fields).or_else(|| fields.text(&["reason"]));
    if reason.is_none() {
        claim.warnings.push("the result gives no reason for its failure".to_owned());
    }
    WorkerFailure {
        failed_at: either(&["failed_at"]),
        error: reason.unwrap_or_else(|| NO_REASON.to_owned()),
        output: Some(either(&["output", "stack"]))
            .filter(|text| !text.is_empty())
            .or(summary)
            .unwrap_or_default(),
        retryable: fields.flag("retryable").or_else(|| nested.and_then(|n| n.flag("retryable"))),
        category: Some(either(&["category"])).filter(|text| !text.is_empty()),
        claim,
    }
}

fn partial(fields: &ResultFields<'_>, claim: CompletionClaim) -> Outcome {
    let counted = progress(fields).map(|(done, all)| format!("{done} of {all} tasks"));
    let reason = error(fields).or_else(|| fields.text(&["reason", "blocked_at"])).or(counted);
    let reason = reason.or_else(|| claim.notes.clone()).unwrap_or_else(|| NO_REASON.to_owned());
    Outcome::Partial(PartialOutcome { reason, claim })
}

fn blocked(fields: &ResultFields<'_>, mut claim: CompletionClaim) -> Outcome {
    let reason = error(fields).or_else(|| fields.text(&["reason", "blocked_at"]));
    if reason.is_none() {
        claim.warnings.push("the result does not say what blocks the task".to_owned());
    }
    let named = fields.text(&["blocked_by"]).unwrap_or_default();
    let mut by: Vec<String> = fields.texts("blocked_by");
    by.extend(named.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()));
    Outcome::Blocked(BlockedOutcome {
        reason: reason.unwrap_or_else(|| NO_REASON.to_owned()),
        by,
        claim,
    })
}

/// `"2/3"`.
fn progress(fields: &ResultFields<'_>) -> Option<(u64, u64)> {
    let counted = fields.text(&["tasks_completed"])?;
    let (done, all) = counted.split_once('/')?;
    Some((done.trim().parse().ok()?, all.trim().parse().ok()?))
}
