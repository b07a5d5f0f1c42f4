//! Which of several texts is the answer, and which is none (B32).

use afresh_core::outcome::Outcome;
use afresh_formats::result::{ResultContext, read_file};

use super::{block, read, read_for_t001};

const DONE: &str = r#"{"status":"COMPLETED","files_modified":["a"]}"#;
const FAILED: &str = r#"{"status":"FAILED","failed_at":"x","error":"e"}"#;

fn fenced(json: &str) -> String {
    format!("```json\n{json}\n```\n")
}

/// The contract as prompts show it.
const PROMPT: &str = "# Task T001\nEnd with exactly one block like this:\nOUTPUT_JSON_START\n{\"status\": \"COMPLETED\", \"files_modified\": [\"…\"]}\nOUTPUT_JSON_END\nOther answers: …\n";

/// B32: the example of the prompt is never an answer: not echoed, not in part, not in quotes, and
/// not in a fence.
#[test]
fn the_example_of_the_prompt_is_no_answer() {
    let with_prompt = |text: &str, prompt| {
        let asked = ResultContext { task: "T001", names: vec![], prompt };
        afresh_formats::result::read(text, &asked)
    };
    let quoted = format!("> {}", PROMPT.replace('\n', "\n> "));
    for echo in [PROMPT.to_owned(), quoted, format!("```\n{PROMPT}```\n")] {
        assert_eq!(with_prompt(&echo, PROMPT), Outcome::Silent);
        assert_eq!(with_prompt(&echo, ""), Outcome::Silent);
        let answered = format!("{echo}\nworking\n{}", block(FAILED));
        assert!(matches!(with_prompt(&answered, PROMPT), Outcome::Failed(_)));
    }
    // A plan may hold a whole answer as an example; echoed with the prompt it is none.
    let prompt = format!("Answer like {}", block(DONE));
    assert_eq!(with_prompt(&format!("$ agent\n{prompt}bye"), &prompt), Outcome::Silent);
    assert!(matches!(with_prompt(&format!("{prompt}{}", block(DONE)), &prompt), Outcome::Done(_)));
}

/// B32: templates out of other programs' prompts are no answers either.
#[test]
fn a_template_is_no_answer() {
    for text in [
        "```yaml\nstatus: success | failure | blocked\ntask_name: \"Task N: Description\"\nfiles_modified: []\n```",
        "```json\n{\"group\": \"{group_id}\", \"status\": \"complete\", \"files_created\": []}\n```",
        "```json\n{\"task_id\": \"[TASK_ID]\", \"status\": \"success|failed\"}\n```",
    ] {
        assert_eq!(read_for_t001(text), Outcome::Silent, "{text}");
    }
}

/// B32: the plainest form counts, wherever it stands; of one form the last.
#[test]
fn the_plainest_form_counts() {
    let marked_then_fenced = block(FAILED) + &fenced(DONE);
    assert!(matches!(read(&marked_then_fenced), Outcome::Failed(_)));
    let fenced_then_line = format!("{}T001: SUCCESS\n", fenced(FAILED));
    assert!(matches!(read_for_t001(&fenced_then_line), Outcome::Failed(_)));
    assert!(matches!(read(&(fenced(FAILED) + &fenced(DONE))), Outcome::Done(_)));
    assert!(matches!(read_for_t001("T001: SUCCESS\nT001: FAILED - no\n"), Outcome::Failed(_)));
    let checkpoint = "## CHECKPOINT REACHED\n**Type:** decision\n### Awaiting\nwhich?\n";
    assert!(matches!(read(&(fenced(DONE) + checkpoint)), Outcome::NeedsDecision(_)));
    assert!(matches!(read(&format!("{checkpoint}\n{}", fenced(DONE))), Outcome::Done(_)));
}

/// B32: a marked block that was begun and is broken is not replaced by something less plain.
#[test]
fn a_broken_answer_is_not_replaced_by_a_lesser_one() {
    for broken in [block("{nonsense"), "OUTPUT_JSON_START\n{\"status\":".to_owned()] {
        let text = fenced(DONE) + &broken;
        assert!(matches!(read(&text), Outcome::Unintelligible { .. }), "{text}");
    }
    let cut = format!("{}```yaml\nstatus: success\nfiles_modified:\n  - a\n", fenced("{\"a\": 1}"));
    let Outcome::Unintelligible { reason, .. } = read(&cut) else { panic!("understood") };
    assert!(reason.contains("cut off") && reason.contains("\"success\""), "{reason}");
}

/// B32: code, logs and the data of others are no answers.
#[test]
fn the_data_of_others_is_no_answer() {
    for text in [
        "```json\n{\"status\": \"ok\", \"data\": []}\n```",
        "```yaml\nstatus: active\nreplicas: 3\n```",
        "```rust\nstatus: success\n```",
        "{\"level\":\"info\"}\n{\"status\":\"failed\",\"url\":\"/\"}",
        "tests: FAILED - 2 errors\nbuild: SUCCESS",
        "> T001: SUCCESS",
        "see T001: SUCCESS",
        "status: success",
    ] {
        assert_eq!(read_for_t001(text), Outcome::Silent, "{text}");
    }
}

/// RE-01: a result file counts before the final text, unless its success is denied there.
#[test]
fn a_result_file_counts_before_the_final_text() {
    let asked = ResultContext { task: "T001", names: vec![], prompt: "" };
    assert!(matches!(read_file(DONE, &block(FAILED), &asked), Outcome::Done(_)));
    assert!(matches!(read_file(FAILED, "T001: SUCCESS", &asked), Outcome::Failed(_)));
    let Outcome::Failed(failure) = read_file(DONE, "T001: FAILED - no disk\n", &asked) else {
        panic!("not failed")
    };
    assert!(failure.error.contains("no disk"), "{failure:?}");
    assert!(matches!(read_file("all well\n", "", &asked), Outcome::Unintelligible { .. }));
    assert!(matches!(read_file("{\"status\": ", "", &asked), Outcome::Unintelligible { .. }));
    assert!(matches!(read_file(&block(DONE), "", &asked), Outcome::Done(_)));
}
