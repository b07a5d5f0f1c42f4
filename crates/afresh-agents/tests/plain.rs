//! Programs that print plain text and are agents of kind `command`: what they really printed, and the
//! answer that is read out of it (AG-01, RE-01).

use afresh_core::outcome::Outcome;
use afresh_formats::result::{ResultContext, read};

/// AG-01, RE-01: aider prints the model's final text, with the block in it.
#[test]
fn the_answer_of_aider_is_read() {
    let outcome = read(include_str!("plain/aider.txt"), &ResultContext::default());
    assert!(matches!(outcome, Outcome::Done(_)), "{outcome:?}");
}

/// AG-01: mini-swe-agent says nothing that could be taken for an answer, though it prints its whole
/// prompt; such a program is judged by its exit code, its change and the checks.
#[test]
fn mini_swe_agent_says_nothing() {
    let outcome = read(include_str!("plain/mini.txt"), &ResultContext::default());
    assert_eq!(outcome, Outcome::Silent);
}
