//! A worker's answer, judged at once and put where the driver looks for it: the attempt's result file,
//! which counts before whatever the worker prints.

use afresh_agents::Bundle;
use afresh_app::formats::result::{self, ResultContext};
use afresh_app::secrets::redact;
use afresh_core::outcome::Outcome;
use afresh_core::printable;
use std::fs;

use super::no_attempt;
use afresh_app::environment::Environment;
use afresh_app::error::AppError;

/// More than this of a result file is not read either.
pub(crate) const MAX_ANSWER_BYTES: u64 = 1024 * 1024;

/// One that makes no sense is refused, and nothing is written. A later one takes its place.
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
    let outcome = judge(answer, environment);
    if let Outcome::Unintelligible { reason, .. } = &outcome {
        let message = format!("this is no answer: {}", printable::line(reason));
        return Err(AppError::usage("result", message).hint(
            "nothing was handed in; `afresh report-result --status completed` is the least",
        ));
    }
    let answer = redact(answer, &environment.secrets());
    afresh_app::store::write_atomically(&file, answer.as_bytes()).map_err(|error| {
        AppError::usage("result", "cannot write the result file").cause(error.to_string())
    })?;
    Ok(outcome)
}

fn judge(answer: &str, environment: &Environment) -> Outcome {
    asked(environment, |asked| result::read_file(answer, "", asked))
}

/// What a worker's last words say, where it handed in nothing.
pub(crate) fn in_words(words: &str, environment: &Environment) -> Outcome {
    asked(environment, |asked| result::read(words, asked))
}

/// Reads an answer to the task of the attempt around us.
fn asked(environment: &Environment, read: impl FnOnce(&ResultContext<'_>) -> Outcome) -> Outcome {
    let id = environment.attempt().map(|attempt| attempt.task).unwrap_or_default();
    let bundle = bundle(environment);
    let task = bundle.as_ref().map(|bundle| &bundle.task);
    let steps = task.iter().flat_map(|task| &task.steps).map(|step| step.name.as_str());
    let names = task.iter().map(|task| task.title.as_str()).chain(steps).collect();
    read(&ResultContext { task: &id, names, prompt: "" })
}

/// What the attempt around us was given.
fn bundle(environment: &Environment) -> Option<Bundle> {
    let path = environment.attempt()?.bundle?;
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
