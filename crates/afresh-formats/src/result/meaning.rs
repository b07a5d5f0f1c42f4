//! Status by status: what an answer must hold, and what voids a success (RE-02).

use afresh_core::outcome::{
    BlockedOutcome, CompletionClaim, CriterionReport, CriterionResult, Outcome, PartialOutcome,
    WorkerFailure,
};

use super::fields::{ResultFields, bounded};
use super::line::{self, ResultLine};
use super::{NoResult, ResultContext, claim, questions};
use crate::text::node::Value;

const NO_REASON: &str = "the worker gave no reason";

/// Where answers name the task that they are about.
const IDS: &[&str] = &["task_id", "taskId", "group"];

/// Fields whose value cannot be left open in an answer.
const NEVER_OPEN: &[&str] =
    &["status", "task_id", "taskId", "group", "error", "decision_needed", "action_needed"];

pub(super) fn of_line(text: &str, asked: &ResultContext<'_>) -> Result<Outcome, NoResult> {
    match line::read(text, asked.task) {
        Some(ResultLine::Success) => Ok(Outcome::Done(CompletionClaim::default())),
        Some(ResultLine::Failed(reason)) => {
            let error = bounded(reason);
            Ok(Outcome::Failed(WorkerFailure { error, ..WorkerFailure::default() }))
        }
        Some(ResultLine::Other(id)) => Err(wrong_task(id, asked)),
        None => Err(NoResult::Broken("not a line about a task".to_owned())),
    }
}

pub(super) fn of_fields(
    fields: &ResultFields<'_>,
    asked: &ResultContext<'_>,
) -> Result<Outcome, NoResult> {
    if is_template(fields) {
        return Err(NoResult::Template);
    }
    if let Some(id) = fields.text(IDS).filter(|id| !is_same_task(id, asked.task)) {
        return Err(wrong_task(&id, asked));
    }
    let Some(status) = fields.text(&["status"]) else {
        return Err(NoResult::Broken("no `status`".to_owned()));
    };
    let claim = claim::read(fields, asked);
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

/// An example such as those in prompts: values that are left open.
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
        || NEVER_OPEN.iter().filter_map(|key| fields.text(&[key])).any(|value| open(&value))
        || files.into_iter().any(|file| matches!(file.as_str(), "…" | "..."))
}

/// A part of an id is enough where the plan's reader had to make it longer: `G2` of `SPEC-1-G2`,
/// and a step's id is its task's and more: `03-01-02` of `03-01`.
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

fn wrong_task(id: &str, asked: &ResultContext<'_>) -> NoResult {
    let shown: String = id.chars().take(80).collect();
    NoResult::Broken(format!("it is about task {shown:?}, not about {:?}", asked.task))
}

fn done(fields: &ResultFields<'_>, mut claim: CompletionClaim) -> Result<Outcome, NoResult> {
    if let Some(why) = voided(fields, &claim)? {
        let error = format!("it says {}, but {why}", fields.text(&["status"]).unwrap_or_default());
        return Ok(Outcome::Failed(WorkerFailure { error, ..failure(fields, claim) }));
    }
    // In this form command, exit code and evidence belong to an answer.
    if fields.get("done_criteria_met").is_some() || fields.get("task_name").is_some() {
        if fields.table("verification").is_none_or(|inner| inner.number("exit_code").is_none()) {
            claim.warnings.push("unverified: the answer tells no verification".to_owned());
        }
        if fields.text(&["evidence"]).is_none() {
            claim.warnings.push("the answer gives no evidence".to_owned());
        }
        if let (Some(node), None) =
            (fields.get("done_criteria_met"), fields.flag("done_criteria_met"))
        {
            let found = node.value.kind();
            let odd = format!("the answer's `done_criteria_met` is {found}; taken as true");
            claim.warnings.push(odd);
        }
    }
    if let Some((done, all)) = progress(fields).filter(|(done, all)| done < all) {
        claim.warnings.push(format!("the answer counts {done} of {all} tasks as completed"));
    }
    Ok(Outcome::Done(claim))
}

/// Why a claim of success is none, by the answer's own words.
fn voided(fields: &ResultFields<'_>, claim: &CompletionClaim) -> Result<Option<String>, NoResult> {
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

/// The error of an answer; the ways to write that there is none are none.
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
    let told = error(fields).or_else(|| fields.text(&["reason"]));
    if told.is_none() {
        claim.warnings.push("the answer gives no reason for its failure".to_owned());
    }
    WorkerFailure {
        failed_at: either(&["failed_at"]),
        error: told.unwrap_or_else(|| NO_REASON.to_owned()),
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
    let told = error(fields).or_else(|| fields.text(&["reason", "blocked_at"]));
    if told.is_none() {
        claim.warnings.push("the answer does not say what blocks it".to_owned());
    }
    let named = fields.text(&["blocked_by"]).unwrap_or_default();
    let mut by: Vec<String> = fields.texts("blocked_by");
    by.extend(named.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()));
    Outcome::Blocked(BlockedOutcome {
        reason: told.unwrap_or_else(|| NO_REASON.to_owned()),
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
