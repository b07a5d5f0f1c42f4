//! A worker's result, validated at once and written to the attempt's result file, which takes precedence
//! over the worker's output.

use afresh_agents::Bundle;
use afresh_app::formats::result::{self, ResultContext};
use afresh_app::secrets::redact;
use afresh_core::outcome::Outcome;
use afresh_core::printable;
use std::fs;

use super::no_attempt;
use afresh_app::context::environment::Environment;
use afresh_app::error::AppError;

/// The executor reads no more of a result file either.
pub(crate) const MAX_ANSWER_BYTES: u64 = 1024 * 1024;

/// An invalid result is refused, and nothing is written. A later one replaces it.
pub(crate) fn report(
    command: &str,
    answer: &str,
    environment: &Environment,
) -> Result<Outcome, AppError> {
    let file = environment.result_file().ok_or_else(|| no_attempt(command))?;
    if answer.len() as u64 > MAX_ANSWER_BYTES {
        let message = format!("the result has more than {MAX_ANSWER_BYTES} bytes");
        return Err(
            AppError::usage("result", message).hint("shorten it; transcripts are kept anyway")
        );
    }
    let outcome = parse_result(answer, environment);
    if let Outcome::Unintelligible { reason, .. } = &outcome {
        let message = format!("this is not a result: {}", printable::line(reason));
        // For the person and the next worker, if it does not correct itself.
        let refused = file.with_file_name(afresh_engine::mailbox::REFUSED_RESULT);
        let refused_text = redact(&format!("{reason}\n{answer}"), &environment.secrets());
        let _ = afresh_app::store::write_atomically(&refused, refused_text.as_bytes());
        return Err(AppError::usage("result", message).hint(
            "nothing was recorded; the minimum is `afresh report-result --status completed`",
        ));
    }
    let answer = redact(answer, &environment.secrets());
    afresh_app::store::write_atomically(&file, answer.as_bytes())
        .map_err(|error| AppError::cannot_write("result", &file, error))?;
    Ok(outcome)
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
