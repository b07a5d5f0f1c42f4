//! What a worker answered, in whatever form (RE-01): one meaning for all of them.
//!
//! The rule, in the order in which it applies; `docs/results.md` tells it with examples.
//!
//! 1. A result file counts before the final text. A claim of success in it is void if the final
//!    text says `ID: FAILED - reason`.
//! 2. Nothing counts up to the end of an echo of our own prompt, in `>` quotes, or where
//!    placeholders stand for values: that is the example of the prompt, not an answer.
//! 3. What says plainest that it is an answer counts: a block between `OUTPUT_JSON_START` and
//!    `OUTPUT_JSON_END`; then a text that is or ends with one JSON object; then a fenced block or
//!    `## CHECKPOINT REACHED`; then one line `ID: SUCCESS`.
//! 4. Of several of one kind the last well-formed one counts. What was begun and makes no sense is
//!    unintelligible, unless something as plain is well-formed.
//!
//! | module | idea |
//! | --- | --- |
//! | `find` | where in a text an answer may be |
//! | `fields` | values out of an answer, whatever notation it has |
//! | `meaning` | status by status: what is required, what voids a success |
//! | `questions` | answers that ask |
//! | `line` | `T001: SUCCESS` |
//! | `claim` | files, deviations, criteria and notes |
//! | `checkpoint` | GSD's `## CHECKPOINT REACHED` |

mod checkpoint;
mod claim;
mod fields;
mod find;
mod line;
mod meaning;
mod questions;

use afresh_core::outcome::{Outcome, WorkerFailure};

use find::{ResultCandidate, ResultForm};

/// How much of an answer that makes no sense is shown (RE-02).
const EXCERPT_CHARS: usize = 500;

/// What a worker was asked, as far as its answer must fit it.
#[derive(Debug, Clone, Default)]
pub struct ResultContext<'a> {
    /// The task's id; empty where it does not matter.
    pub task: &'a str,
    /// Its title and the names of its steps.
    pub names: Vec<&'a str>,
    pub prompt: &'a str,
}

/// Why a candidate is no answer.
enum NoResult {
    /// It is an example, and says nothing.
    Template,
    /// It was meant as one.
    Broken(String),
}

/// Reads the answer out of a worker's final text.
pub fn read(text: &str, asked: &ResultContext<'_>) -> Outcome {
    let text = find::after_echo(text, asked.prompt);
    let candidates = find::candidates(text, asked.task);
    for form in [ResultForm::Marked, ResultForm::Whole, ResultForm::Embedded, ResultForm::Line] {
        let of_form = candidates.iter().filter(|candidate| candidate.form == form);
        let mut broken = None;
        for candidate in of_form.rev() {
            match understand(candidate, asked) {
                Ok(outcome) => return outcome,
                Err(NoResult::Template) => {}
                // The reason of the last one is the one worth telling.
                Err(NoResult::Broken(why)) => broken = broken.or(Some((why, candidate.text))),
            }
        }
        if let Some((why, text)) = broken {
            return unintelligible(&why, text);
        }
    }
    Outcome::Silent
}

/// Reads the answer out of a result file, which holds nothing else, beside the final text.
pub fn read_file(written: &str, text: &str, asked: &ResultContext<'_>) -> Outcome {
    let outcome = match find::whole(written) {
        Some(candidate) => understand(&candidate, asked),
        None => match read(written, asked) {
            Outcome::Silent => Err(NoResult::Broken("the result file holds no answer".to_owned())),
            outcome => Ok(outcome),
        },
    };
    match outcome {
        Ok(Outcome::Done(claim)) => match line::failed(text, asked.task) {
            Some(reason) => {
                let error = format!("its result file says success, its last line: {reason}");
                Outcome::Failed(WorkerFailure { error, claim, ..WorkerFailure::default() })
            }
            None => Outcome::Done(claim),
        },
        Ok(outcome) => outcome,
        Err(NoResult::Broken(why)) => unintelligible(&why, written),
        Err(NoResult::Template) => unintelligible("the result file holds only an example", written),
    }
}

fn understand(
    candidate: &ResultCandidate<'_>,
    asked: &ResultContext<'_>,
) -> Result<Outcome, NoResult> {
    match &candidate.form {
        ResultForm::Line => meaning::of_line(candidate.text, asked),
        ResultForm::Embedded if candidate.is_checkpoint() => checkpoint::read(candidate.text),
        _ => {
            let node = candidate.parse()?;
            let fields = fields::ResultFields::from_node(&node).ok_or_else(|| {
                NoResult::Broken(format!("not {} object", candidate.notation.article()))
            })?;
            meaning::of_fields(&fields, asked)
        }
    }
}

fn unintelligible(reason: &str, text: &str) -> Outcome {
    let reason = match find::readable_status(text) {
        Some(status) => format!("{reason}; its status seems to be {status:?}"),
        None => reason.to_owned(),
    };
    let excerpt = text.trim().chars().take(EXCERPT_CHARS).collect();
    Outcome::Unintelligible { reason, excerpt }
}
