//! Results of workers: every form, which of several counts, and any text at all (RE-01, RE-02, B32,
//! B33).

mod forms;
mod rules;
mod validation;

use afresh_core::outcome::Outcome;
use afresh_formats::result::ResultContext;
use proptest::prelude::*;

/// Reads a result for any task.
fn read(text: &str) -> Outcome {
    afresh_formats::result::read(text, &ResultContext::default())
}

/// Reads a result for task T001, "Add login".
fn read_for_t001(text: &str) -> Outcome {
    let names = vec!["Add login"];
    afresh_formats::result::read(text, &ResultContext { task: "T001", names, prompt: "" })
}

fn block(json: &str) -> String {
    format!("words\nOUTPUT_JSON_START\n{json}\nOUTPUT_JSON_END\n")
}

const GOOD: &str = r#"{"status":"COMPLETED","files_modified":["a.rs"],"deviations":[{"rule":3,"description":"d","files":["b.rs"]}]}"#;

/// B32: a result cut off at any byte is silent, unintelligible or complete, never something else.
#[test]
fn a_result_cut_off_anywhere_is_never_misread() {
    let whole = block(GOOD);
    let end = whole.find("OUTPUT_JSON_END").expect("the marker") + "OUTPUT_JSON_END".len();
    let started = whole.find("OUTPUT_JSON_START").expect("the marker") + "OUTPUT_JSON_START".len();
    for at in 0..whole.len() {
        let outcome = read(&whole[..at]);
        let right = match outcome {
            Outcome::Silent => at < started,
            Outcome::Unintelligible { .. } => (started..end).contains(&at),
            Outcome::Done(_) => at >= end,
            _ => false,
        };
        assert!(right, "cut off at {at}: {outcome:?}");
    }
}

/// B32: two blocks: the last well-formed one counts; indented and CRLF markers are markers.
#[test]
fn of_two_blocks_the_last_well_formed_counts() {
    let failed = block(r#"{"status":"FAILED","error":"e"}"#);
    assert!(matches!(read(&(block(GOOD) + &failed)), Outcome::Failed(_)));
    assert!(matches!(read(&(failed + &block(GOOD))), Outcome::Done(_)));
    assert!(matches!(read(&block(GOOD).replace('\n', "\r\n")), Outcome::Done(_)));
    // A second start marker starts the block over.
    let restarted = format!("OUTPUT_JSON_START\n{{\n{}", block(GOOD));
    assert!(matches!(read(&restarted), Outcome::Done(_)));
}

/// B33: absurd numbers and wrong types are ignored.
#[test]
fn nonsense_fields_are_ignored() {
    let odd = r#"{"status":"completed","cost":1e308,"files_modified":"a.rs","deviations":[7,{"rule":9999,"description":3}]}"#;
    let Outcome::Done(claim) = read(&block(odd)) else { panic!("not done") };
    assert!(claim.files.is_empty());
    assert_eq!((claim.deviations.len(), claim.deviations[0].rule), (1, 0));
    assert!(matches!(
        read(&block(r#"{"status":"completed","cost":NaN}"#)),
        Outcome::Unintelligible { .. }
    ));
}

/// Deep nesting and long lists are limited.
#[test]
fn hostile_results_are_limited() {
    let deep = block(&"[".repeat(100_000));
    assert!(matches!(read(&deep), Outcome::Unintelligible { .. }));
    let long = block(&format!(r#"{{"status":"FAILED","error":"{}"}}"#, "x".repeat(1_000_000)));
    let Outcome::Failed(failure) = read(&long) else { panic!("not failed") };
    assert!(failure.error.len() <= 8_000);
    let many =
        block(&format!(r#"{{"status":"DONE","files_modified":[{}"a"]}}"#, "\"a\",".repeat(50_000)));
    let Outcome::Done(claim) = read(&many) else { panic!("not done") };
    assert!(claim.files.len() <= 2_000);
}

proptest! {
    /// B32: no text makes the reader panic.
    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        read(&text);
    }

    /// B32: nor any text between markers, or with markers thrown in.
    #[test]
    fn any_text_with_markers_is_read(parts in prop::collection::vec("(OUTPUT_JSON_START|OUTPUT_JSON_END|\n|\r|\\{\"status\":\"DONE\"\\}|\"|\\{|\\}|é|🦀| )", 0..30)) {
        read(&parts.concat());
    }

    /// B32: nor any JSON at all in a block.
    #[test]
    fn any_fields_are_read(
        status in "(COMPLETED|NEEDS_DECISION|NEEDS_ACTION|FAILED|needs-action|x)",
        key in "(decision|action|error|options|instructions|deviations|files_modified|retryable|rule)",
        value in "(1|-1|1e400|null|true|\"a\"|\\[\\]|\\[1,\\[\\]\\]|\\{\\}|\\{\"options\":\\[\\{\\}\\]\\}|\\[\\{\"key\":1\\}\\])",
    ) {
        read(&block(&format!(r#"{{"status":"{status}","decision_needed":"q","action_needed":"n","{key}":{value}}}"#)));
    }
}
