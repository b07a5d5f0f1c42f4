//! Programs that print plain text and are agents of kind `command`: real output, and the result that is
//! read from it (AG-01, RE-01).

use afresh_core::outcome::Outcome;
use afresh_formats::result::{ResultContext, read};

/// AG-01, RE-01: aider prints the model's final text, with the block in it.
#[test]
fn the_result_of_aider_is_read() {
    let outcome = read(include_str!("plain/aider.txt"), &ResultContext::default());
    assert!(matches!(outcome, Outcome::Done(_)), "{outcome:?}");
}

/// AG-01: mini-swe-agent prints its whole prompt, but no result; exit code, changes and checks decide.
#[test]
fn mini_swe_agent_has_no_result() {
    let outcome = read(include_str!("plain/mini.txt"), &ResultContext::default());
    assert_eq!(outcome, Outcome::Silent);
}
