//! A worker that is about to stop without a result is sent back to report one.
//!
//! At most twice: after that it may stop, and is judged by its changes.

use std::fs;
use std::path::Path;

use afresh_core::outcome::Outcome;
use afresh_core::printable;

use super::result::{self, AttemptRole};
use afresh_app::context::environment::Environment;

/// How often a worker is sent back.
const MOST: usize = 2;
/// A file next to the result file: one byte for each time.
const TALLY: &str = "sent-back";

/// The message for the worker, if it may not stop yet.
pub(crate) fn sent_back_with(
    result_file: &Path,
    last_words: &str,
    environment: &Environment,
) -> Option<String> {
    if fs::metadata(result_file).is_ok_and(|file| file.len() > 0) {
        return None;
    }
    let role = result::role(environment);
    let wrong = match role {
        AttemptRole::Worker => wrong_with_result(last_words, environment)?,
        AttemptRole::Reviewer => {
            let why = result::review_in_words(last_words).failure()?;
            format!("You have not reported a review: {}.", printable::line(&why))
        }
    };
    // Where the count cannot be written, the worker may stop.
    let may_stop = !count(&result_file.with_file_name(TALLY));
    (!may_stop).then(|| match role {
        AttemptRole::Worker => format!(
            "{wrong} Call the tool `report_result` of the server `afresh` now, or run \
             `afresh report-result --status completed`. If the task is not done, finish it first; if \
             you cannot, report `partial`, `blocked`, `failed` or what you need."
        ),
        AttemptRole::Reviewer => format!(
            "{wrong} Call the tool `report_review` of the server `afresh` now, with your verdict."
        ),
    })
}

/// What is wrong with a worker's final text; none if it may stop.
fn wrong_with_result(last_words: &str, environment: &Environment) -> Option<String> {
    match result::in_words(last_words, environment) {
        Outcome::Silent => Some("You have not reported a result.".to_owned()),
        Outcome::Unintelligible { reason, .. } => {
            Some(format!("Your result is invalid: {}.", printable::line(&reason)))
        }
        _ => None,
    }
}

/// Counts once more; false when the limit is reached, or where it cannot be written.
fn count(tally: &Path) -> bool {
    let so_far = fs::read(tally).unwrap_or_default().len();
    so_far < MOST && afresh_app::store::write_atomically(tally, &vec![b'.'; so_far + 1]).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: &str = "OUTPUT_JSON_START\n{\"status\": \"COMPLETED\"}\nOUTPUT_JSON_END";

    /// RE-01: a worker without a result is sent back twice, then it may stop.
    #[test]
    fn a_worker_without_an_answer_is_sent_back_twice() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("result");
        for _ in 0..2 {
            let reported = sent_back_with(&file, "I am done, I think.", &Environment::default())
                .expect("sent back");
            assert!(
                reported.starts_with("You have not reported a result.")
                    && reported.contains("report_result")
            );
        }
        assert_eq!(sent_back_with(&file, "I am done, I think.", &Environment::default()), None);
    }

    /// RE-01: a result in the final text, or in the file, is enough.
    #[test]
    fn a_worker_that_reported_may_stop() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("result");
        assert_eq!(sent_back_with(&file, DONE, &Environment::default()), None);
        let reported = sent_back_with(
            &file,
            "OUTPUT_JSON_START\n{\"status\": 7}\nOUTPUT_JSON_END",
            &Environment::default(),
        );
        assert!(reported.expect("sent back").starts_with("Your result is invalid"));
        fs::write(&file, "{}").expect("written");
        assert_eq!(sent_back_with(&file, "", &Environment::default()), None);
    }
}
