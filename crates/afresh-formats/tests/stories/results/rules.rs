//! Which of several texts is the result, and which is not one (B32).

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

/// B32: the example in the prompt is never a result, whether echoed, cut, quoted or fenced.
#[test]
fn the_example_in_the_prompt_is_not_a_result() {
    let with_prompt = |text: &str, prompt| {
        let context = ResultContext { task: "T001", names: vec![], prompt };
        afresh_formats::result::read(text, &context)
    };
    let quoted = format!("> {}", PROMPT.replace('\n', "\n> "));
    for echo in [PROMPT.to_owned(), quoted, format!("```\n{PROMPT}```\n")] {
        assert_eq!(with_prompt(&echo, PROMPT), Outcome::Silent);
        assert_eq!(with_prompt(&echo, ""), Outcome::Silent);
        let answered = format!("{echo}\nworking\n{}", block(FAILED));
        assert!(matches!(with_prompt(&answered, PROMPT), Outcome::Failed(_)));
    }
    // A plan may contain a complete result as an example; an echo of the prompt does not count.
    let prompt = format!("Answer like {}", block(DONE));
    assert_eq!(with_prompt(&format!("$ agent\n{prompt}bye"), &prompt), Outcome::Silent);
    assert!(matches!(with_prompt(&format!("{prompt}{}", block(DONE)), &prompt), Outcome::Done(_)));
}

/// B32: templates from the prompts of other programs are not results either.
#[test]
fn a_template_is_not_a_result() {
    for text in [
        "```yaml\nstatus: success | failure | blocked\ntask_name: \"Task N: Description\"\nfiles_modified: []\n```",
        "```json\n{\"group\": \"{group_id}\", \"status\": \"complete\", \"files_created\": []}\n```",
        "```json\n{\"task_id\": \"[TASK_ID]\", \"status\": \"success|failed\"}\n```",
    ] {
        assert_eq!(read_for_t001(text), Outcome::Silent, "{text}");
    }
}

/// B32: the clearest form counts, wherever it is; of one form, the last.
#[test]
fn the_clearest_form_counts() {
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

/// B32: a broken marked block is not replaced by a less clear form.
#[test]
fn a_broken_result_is_not_replaced_by_a_less_clear_one() {
    for broken in [block("{nonsense"), "OUTPUT_JSON_START\n{\"status\":".to_owned()] {
        let text = fenced(DONE) + &broken;
        assert!(matches!(read(&text), Outcome::Unintelligible { .. }), "{text}");
    }
    let cut = format!("{}```yaml\nstatus: success\nfiles_modified:\n  - a\n", fenced("{\"a\": 1}"));
    let Outcome::Unintelligible { reason, .. } = read(&cut) else { panic!("understood") };
    assert!(reason.contains("cut off") && reason.contains("\"success\""), "{reason}");
}

/// B32: code, logs and other data are not results.
#[test]
fn other_data_is_not_a_result() {
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

/// RE-01: a result file takes precedence over the final text, unless that contradicts its success.
#[test]
fn a_result_file_takes_precedence_over_the_final_text() {
    let context = ResultContext { task: "T001", names: vec![], prompt: "" };
    assert!(matches!(read_file(DONE, &block(FAILED), &context), Outcome::Done(_)));
    assert!(matches!(read_file(FAILED, "T001: SUCCESS", &context), Outcome::Failed(_)));
    let Outcome::Failed(failure) = read_file(DONE, "T001: FAILED - no disk\n", &context) else {
        panic!("not failed")
    };
    assert!(failure.error.contains("no disk"), "{failure:?}");
    assert!(matches!(read_file("all well\n", "", &context), Outcome::Unintelligible { .. }));
    assert!(matches!(read_file("{\"status\": ", "", &context), Outcome::Unintelligible { .. }));
    assert!(matches!(read_file(&block(DONE), "", &context), Outcome::Done(_)));
}
