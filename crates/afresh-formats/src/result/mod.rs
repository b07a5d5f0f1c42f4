//! A worker's result in any of its forms (RE-01), with one meaning for all of them.
//!
//! The rules in the order in which they apply; `docs/results.md` has examples.
//!
//! 1. A result file takes precedence over the final text. A success in it is void if the final text
//!    says `ID: FAILED - reason`.
//! 2. Text before the end of an echo of the prompt, text in `>` quotes, and results with placeholders
//!    are ignored: that is the example of the prompt.
//! 3. The clearest form wins: a block between `OUTPUT_JSON_START` and `OUTPUT_JSON_END`; then a text
//!    that is or ends with one JSON object; then a fenced block or `## CHECKPOINT REACHED`; then one
//!    line `ID: SUCCESS`.
//! 4. Of several of one form the last well-formed one wins. A malformed result is unintelligible,
//!    unless another of the same form is well-formed.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `find` | the parts of a text that may be a result |
//! | `fields` | values from a result in any notation |
//! | `status` | meaning by status: required fields, what contradicts a success |
//! | `questions` | results that ask a person |
//! | `status_line` | `T001: SUCCESS` |
//! | `claim` | files, deviations, criteria and notes |
//! | `review` | a reviewer's answer |
//! | `checkpoint` | GSD's `## CHECKPOINT REACHED` |

mod checkpoint;
mod claim;
mod fields;
mod find;
mod questions;
mod review;
mod status;
mod status_line;

use afresh_core::outcome::{Outcome, WorkerFailure};

use find::{ResultCandidate, ResultForm};

pub use review::read_review;

/// How much of an unintelligible result is shown (RE-02).
const EXCERPT_CHARS: usize = 500;

/// What a worker was given, as far as its result must match it.
#[derive(Debug, Clone, Default)]
pub struct ResultContext<'a> {
    /// The task's id; empty to accept any.
    pub task: &'a str,
    /// Its title and the names of its steps.
    pub names: Vec<&'a str>,
    pub prompt: &'a str,
}

/// Why a candidate is not a result.
enum NoResult {
    /// It is an example.
    Template,
    /// It is malformed.
    Broken(String),
}

/// Reads the result from a worker's final text.
pub fn read(text: &str, context: &ResultContext<'_>) -> Outcome {
    let text = find::after_echo(text, context.prompt);
    let candidates = find::candidates(text, context.task);
    for form in [ResultForm::Marked, ResultForm::Whole, ResultForm::Embedded, ResultForm::Line] {
        let of_form = candidates.iter().filter(|candidate| candidate.form == form);
        let mut broken = None;
        for candidate in of_form.rev() {
            match interpret(candidate, context) {
                Ok(outcome) => return outcome,
                Err(NoResult::Template) => {}
                // The last malformed one is reported.
                Err(NoResult::Broken(why)) => broken = broken.or(Some((why, candidate.text))),
            }
        }
        if let Some((why, text)) = broken {
            return unintelligible(&why, text);
        }
    }
    Outcome::Silent
}

/// Reads the result from a result file, taking the final text into account.
pub fn read_file(written: &str, text: &str, context: &ResultContext<'_>) -> Outcome {
    let outcome = match find::whole(written) {
        Some(candidate) => interpret(&candidate, context),
        None => match read(written, context) {
            Outcome::Silent => {
                Err(NoResult::Broken("the result file contains no result".to_owned()))
            }
            outcome => Ok(outcome),
        },
    };
    match outcome {
        Ok(Outcome::Done(claim)) => match crate::result::status_line::failed(text, context.task) {
            Some(reason) => {
                let error =
                    format!("the result file says success, but the final text says: {reason}");
                Outcome::Failed(WorkerFailure { error, claim, ..WorkerFailure::default() })
            }
            None => Outcome::Done(claim),
        },
        Ok(outcome) => outcome,
        Err(NoResult::Broken(why)) => unintelligible(&why, written),
        Err(NoResult::Template) => {
            unintelligible("the result file contains only an example", written)
        }
    }
}

fn interpret(
    candidate: &ResultCandidate<'_>,
    context: &ResultContext<'_>,
) -> Result<Outcome, NoResult> {
    match &candidate.form {
        ResultForm::Line => crate::result::status::interpret_line(candidate.text, context),
        ResultForm::Embedded if candidate.is_checkpoint() => checkpoint::read(candidate.text),
        _ => {
            let node = candidate.parse()?;
            let fields = fields::ResultFields::from_node(&node).ok_or_else(|| {
                NoResult::Broken(format!("not {} object", candidate.notation.article()))
            })?;
            crate::result::status::interpret_fields(&fields, context)
        }
    }
}

fn unintelligible(reason: &str, text: &str) -> Outcome {
    let reason = match find::readable_status(text) {
        Some(status) => format!("{reason}; the status seems to be {status:?}"),
        None => reason.to_owned(),
    };
    let excerpt = text.trim().chars().take(EXCERPT_CHARS).collect();
    Outcome::Unintelligible { reason, excerpt }
}
