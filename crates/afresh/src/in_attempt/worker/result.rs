//! A worker's result, validated at once and written to the attempt's result file, which takes precedence
//! over the worker's output.

use afresh_agents::Bundle;
use afresh_app::formats::result::{self, ResultContext};
use afresh_app::secrets::redact;
use afresh_core::outcome::Outcome;
use afresh_core::printable;
use afresh_core::review::ReviewOutcome;
use std::fs;
use std::path::{Path, PathBuf};

use super::no_attempt;
use afresh_app::context::environment::Environment;
use afresh_app::error::AppError;

/// The executor reads no more of a result file either.
pub(crate) const MAX_ANSWER_BYTES: u64 = 1024 * 1024;

/// Who is at work in an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttemptRole {
    Worker,
    /// It judges what a worker left.
    Reviewer,
}

pub(crate) fn role(environment: &Environment) -> AttemptRole {
    match bundle(environment) {
        Some(Bundle { review: Some(_), .. }) => AttemptRole::Reviewer,
        _ => AttemptRole::Worker,
    }
}

/// An invalid result is refused, and nothing is written. A later one replaces it.
pub(crate) fn report(
    command: &str,
    answer: &str,
    environment: &Environment,
) -> Result<Outcome, AppError> {
    let file = result_file(command, answer, environment)?;
    let outcome = parse_result(answer, environment);
    if let Outcome::Unintelligible { reason, .. } = &outcome {
        let error = refuse(&file, "a result", reason, answer, environment);
        return Err(error.hint(
            "nothing was recorded; the minimum is `afresh report-result --status completed`",
        ));
    }
    save(&file, answer, environment)?;
    Ok(outcome)
}

/// The same for a reviewer.
pub(crate) fn report_review(
    command: &str,
    answer: &str,
    environment: &Environment,
) -> Result<(), AppError> {
    let file = result_file(command, answer, environment)?;
    if let Some(reason) = result::read_review(answer, "", "").failure() {
        let error = refuse(&file, "a review", &reason, answer, environment);
        return Err(error.hint(
            "nothing was recorded; `verdict` is APPROVED or CHANGES_REQUESTED, and `summary` says why",
        ));
    }
    save(&file, answer, environment)
}

/// The review in a reviewer's final text, where it reported none.
pub(crate) fn review_in_words(words: &str) -> ReviewOutcome {
    result::read_review("", words, "")
}

/// Where the answer of this attempt goes.
fn result_file(
    command: &str,
    answer: &str,
    environment: &Environment,
) -> Result<PathBuf, AppError> {
    let file = environment.result_file().ok_or_else(|| no_attempt(command))?;
    if answer.len() as u64 > MAX_ANSWER_BYTES {
        let message = format!("the result has more than {MAX_ANSWER_BYTES} bytes");
        return Err(
            AppError::usage("result", message).hint("shorten it; transcripts are kept anyway")
        );
    }
    Ok(file)
}

/// Keeps a refused answer for the person and the next worker, in case the worker does not correct itself.
fn refuse(
    file: &Path,
    what: &str,
    reason: &str,
    answer: &str,
    environment: &Environment,
) -> AppError {
    let refused = file.with_file_name(afresh_engine::mailbox::REFUSED_RESULT);
    let refused_text = redact(&format!("{reason}\n{answer}"), &environment.secrets());
    let _ = afresh_app::store::write_atomically(&refused, refused_text.as_bytes());
    AppError::usage("result", format!("this is not {what}: {}", printable::line(reason)))
}

fn save(file: &Path, answer: &str, environment: &Environment) -> Result<(), AppError> {
    let answer = redact(answer, &environment.secrets());
    afresh_app::store::write_atomically(file, answer.as_bytes())
        .map_err(|error| AppError::cannot_write("result", file, error))
}

fn parse_result(answer: &str, environment: &Environment) -> Outcome {
    asked(environment, |asked| result::read_file(answer, "", asked))
}

/// The result in a worker's final text, where it reported none.
pub(crate) fn in_words(words: &str, environment: &Environment) -> Outcome {
    asked(environment, |asked| result::read(words, asked))
}

/// Reads a result for the task of this attempt.
fn asked(environment: &Environment, read: impl FnOnce(&ResultContext<'_>) -> Outcome) -> Outcome {
    let id = environment.attempt().map(|attempt| attempt.task).unwrap_or_default();
    let bundle = bundle(environment);
    let task = bundle.as_ref().map(|bundle| &bundle.task);
    let steps = task.iter().flat_map(|task| &task.steps).map(|step| step.name.as_str());
    let names = task.iter().map(|task| task.title.as_str()).chain(steps).collect();
    read(&ResultContext { task: &id, names, prompt: "" })
}

/// The bundle of this attempt.
fn bundle(environment: &Environment) -> Option<Bundle> {
    let path = environment.attempt()?.bundle?;
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
