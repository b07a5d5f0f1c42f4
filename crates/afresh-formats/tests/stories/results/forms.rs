//! Every form of a result means the same (RE-01).

use afresh_core::outcome::{CriterionResult, DecisionOption, Outcome};
use afresh_formats::result::{ResultContext, read_file};

use super::{block, read, read_for_t001};

const EXECUTOR: &str = "I am done.\n\n```yaml\nstatus: success\ntask_name: \"Task 1: Add login\"\nfiles_modified:\n  - src/login.ts\n  - src/app.ts\nverification:\n  command: \"npm test -- login\"\n  exit_code: 0\n  output_summary: \"All tests passed\"\ndone_criteria_met: true\nevidence: |\n  Added the form\n  and its tests\nerror: null\n```\n";

const WORKER: &str = r#"Finished.
```json
{
  "group": "T001",
  "status": "complete",
  "files_created": ["src/login.ts"],
  "files_modified": ["src/app.ts"],
  "commits": ["abc123"],
  "criteria_met": ["Users can log in"],
  "deviations": [],
  "error": null
}
```
"#;

const TASKER: &str = r#"{
  "version": "1.0", "task_id": "T001", "name": "Add login", "status": "success",
  "started_at": "2026-01-05T10:00:00Z", "completed_at": "2026-01-05T10:09:00Z",
  "files": {"created": ["src/login.ts"], "modified": ["src/app.ts"]},
  "verification": {"verdict": "PASS", "criteria": [
    {"name": "Users can log in", "status": "PASS", "evidence": "3 tests"},
    {"name": "Load", "status": "SKIP", "evidence": ""}]},
  "quality": {"types": "PASS", "docs": "SKIP"},
  "notes": "kept the old cookie"
}"#;

const NEWER: &str = r#"```json
{"taskId": "T001-01", "status": "success", "timestamp": "2026-01-05T10:00:00Z",
 "filesModified": ["src/login.ts", "src/app.ts"], "linesChanged": 40, "commitHash": "abc",
 "testResults": {"passed": 3}, "error": null, "learnings": ["the router is lazy"],
 "deviation": {"level": 2, "description": "added a null check"}}
```"#;

fn files(outcome: &Outcome) -> Vec<String> {
    let Outcome::Done(claim) = outcome else { panic!("not done: {outcome:?}") };
    let mut files = claim.files.clone();
    files.sort();
    assert_eq!(claim.warnings, [""; 0], "{claim:?}");
    files
}

/// RE-01: a marked block, fenced YAML, a worker's JSON, a result file and the newer JSON mean the same.
#[test]
fn every_form_of_success_means_the_same() {
    let marked = block(
        r#"{"status":"COMPLETED","tasks_completed":"3/3","commits":[],"files_modified":["src/login.ts","src/app.ts"],"deviations":[]}"#,
    );
    let context = ResultContext { task: "T001", names: vec!["Add login"], prompt: "" };
    for outcome in [
        read_for_t001(&marked),
        read_for_t001(EXECUTOR),
        read_for_t001(WORKER),
        read_for_t001(TASKER),
        read_for_t001(NEWER),
        read_file(TASKER, "T001: SUCCESS\n", &context),
        read_file(EXECUTOR, "", &context),
        read_file(&EXECUTOR[EXECUTOR.find("status").unwrap()..EXECUTOR.len() - 4], "", &context),
    ] {
        assert_eq!(files(&outcome), ["src/app.ts", "src/login.ts"]);
    }
    assert!(matches!(read_for_t001("All good.\nT001: SUCCESS\n"), Outcome::Done(_)));
}

/// RE-01: so does every form of failure.
#[test]
fn every_form_of_failure_means_the_same() {
    let tasker = r#"{"version":"1.0","task_id":"T001","status":"failed","error":{"category":"test","message":"2 tests fail","retryable":false,"stack":"at login.ts:3"}}"#;
    for text in [
        block(r#"{"status":"FAILED","failed_at":"Task 2 of 3","error":"2 tests fail","output":"…","retry_count":2}"#),
        block(r#"{"status":"FAILED","error":{"message":"2 tests fail","output":"x","retry_count":2,"partial_commits":[]}}"#),
        "```yaml\nstatus: failure\ntask_name: Add login\nfiles_modified: []\nverification:\n  command: npm test\n  exit_code: 1\ndone_criteria_met: false\nerror: 2 tests fail\n```".to_owned(),
        "```json\n{\"group\": \"T001\", \"status\": \"failed\", \"error\": \"2 tests fail\"}\n```".to_owned(),
        tasker.to_owned(),
        "T001: FAILED - 2 tests fail".to_owned(),
    ] {
        let Outcome::Failed(failure) = read_for_t001(&text) else { panic!("not failed: {text}") };
        assert_eq!(failure.error, "2 tests fail", "{text}");
    }
    // RE-05: Tasker's error says more.
    let Outcome::Failed(failure) = read_for_t001(tasker) else { panic!("not failed") };
    assert_eq!((failure.category.as_deref(), failure.retryable), (Some("test"), Some(false)));
    assert_eq!(failure.output, "at login.ts:3");
}

/// RE-05: criteria with their results and evidence, in every form that has them.
#[test]
fn criteria_and_evidence_are_read() {
    let shown = |text: &str| {
        let Outcome::Done(claim) = read_for_t001(text) else { panic!("not done: {text}") };
        let line = |c: &afresh_core::outcome::CriterionReport| {
            format!("{} {} {}", c.result.word(), c.name, c.evidence.replace('\n', " "))
                .trim()
                .to_owned()
        };
        claim.criteria.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(
        shown(EXECUTOR),
        ["PASS npm test -- login All tests passed", "PASS done Added the form and its tests"]
    );
    assert_eq!(shown(WORKER), ["PASS Users can log in"]);
    assert_eq!(
        shown(TASKER),
        ["PASS Users can log in 3 tests", "SKIP Load", "PASS quality: types", "SKIP quality: docs"]
    );
    let Outcome::Done(claim) = read_for_t001(NEWER) else { panic!("not done") };
    assert_eq!(claim.notes.as_deref(), Some("the router is lazy"));
    assert_eq!(
        (claim.deviations[0].rule, claim.deviations[0].description.as_str()),
        (2, "added a null check")
    );
}

/// RE-01, RE-04: partial and blocked, in each form that has them.
#[test]
fn partial_and_blocked_are_read() {
    let worker = WORKER.replace("\"complete\"", "\"partial\"").replace("null", "\"no room\"");
    let Outcome::Partial(partial) = read_for_t001(&worker) else { panic!("not partial") };
    assert_eq!((partial.reason.as_str(), partial.claim.criteria.len()), ("no room", 1));
    let counted = block(r#"{"status":"PARTIAL","tasks_completed":"2/3"}"#);
    let Outcome::Partial(partial) = read(&counted) else { panic!("not partial") };
    assert_eq!(partial.reason, "2 of 3 tasks");
    let yaml = "```yaml\nstatus: blocked\ntask_name: Add login\nfiles_modified: []\nverification:\n  command: null\n  exit_code: null\ndone_criteria_met: false\nevidence: null\nerror: |\n  Error category: dependency\n  needs T000\n```";
    let Outcome::Blocked(blocked) = read_for_t001(yaml) else { panic!("not blocked") };
    assert_eq!(blocked.reason, "Error category: dependency\nneeds T000");
    for by in [r#"["T2", "T3"]"#, r#""T2, T3""#] {
        let text = block(&format!(r#"{{"status":"BLOCKED","blocked_by":{by},"error":"e"}}"#));
        let Outcome::Blocked(blocked) = read(&text) else { panic!("not blocked") };
        assert_eq!(blocked.by, ["T2", "T3"]);
    }
}

/// RE-01: both shapes of the block, flat and nested.
#[test]
fn flat_and_nested_questions_mean_the_same() {
    let flat = r#"{"status":"NEEDS_DECISION","blocked_at":"Task 2 of 3","decision_needed":"which?","options":[{"key":"a","description":"this"}],"context":"c"}"#;
    let nested = r#"{"status":"NEEDS_DECISION","blocked_at":"Task 2 of 3","decision":{"needed":"which?","options":[{"key":"a","description":"this"}],"context":"c"}}"#;
    assert_eq!(read(&block(flat)), read(&block(nested)));
    let flat = r#"{"status":"NEEDS_ACTION","blocked_at":"b","action_needed":"log in","instructions":["open","click"],"verification":"v"}"#;
    let nested = r#"{"status":"NEEDS_ACTION","blocked_at":"b","action":{"needed":"log in","instructions":["open","click"],"verification":"v"}}"#;
    assert_eq!(read(&block(flat)), read(&block(nested)));
    assert!(
        matches!(read(&block(nested)), Outcome::NeedsAction(action) if action.instructions.len() == 2)
    );
}

const CHECKPOINT: &str = "Stopped.\n\n## CHECKPOINT REACHED\n\n**Type:** decision\n**Gate:** blocking\n**Plan:** 01-02\n**Progress:** 1/3 tasks complete\n\n### Completed Tasks\n\n| Task | Name | Commit | Files |\n| ---- | ---- | ------ | ----- |\n| 1 | Schema | abc123 | db/schema.ts |\n\n### Current Task\n\n**Task 2:** Choose the store\n**Status:** awaiting decision\n\n### Checkpoint Details\n\n**Decision needed:** Where are sessions kept?\n\n| Option | Pros | Cons |\n| ------ | ---- | ---- |\n| sqlite | simple | one file |\n| redis | fast | a server |\n\n### Awaiting\n\nSelect: sqlite | redis\n";

/// RE-01: GSD's checkpoint is a question, with its options.
#[test]
fn a_checkpoint_block_is_a_question() {
    let Outcome::NeedsDecision(decision) = read(CHECKPOINT) else { panic!("no question") };
    assert_eq!(decision.question, "Where are sessions kept?");
    assert_eq!(decision.blocked_at, "Task 2: Choose the store");
    assert_eq!(
        decision.options,
        [
            DecisionOption::new("sqlite", "simple; one file"),
            DecisionOption::new("redis", "fast; a server")
        ]
    );
    let verify = CHECKPOINT.replace("decision\n**Gate", "human-verify\n**Gate").replace("| ", "");
    let Outcome::NeedsDecision(decision) = read(&verify) else { panic!("no question") };
    assert!(!decision.options.is_empty());
    let action = CHECKPOINT.replace("** decision", "** checkpoint:human-action");
    let Outcome::NeedsAction(action) = read(&action) else { panic!("no action") };
    assert_eq!(action.needed, "Select: sqlite | redis");
    let example = CHECKPOINT.replace("** decision", "** [human-verify | decision | human-action]");
    assert_eq!(read(&example), Outcome::Silent);
    let odd = CHECKPOINT.replace("** decision", "** lunch");
    assert!(matches!(read(&odd), Outcome::Unintelligible { .. }));
}

/// RE-01: text and fences around a result do not matter.
#[test]
fn results_are_found_inside_other_text() {
    let json = r#"{"status":"COMPLETED","files_modified":["a"]}"#;
    for text in [
        format!("```\nOUTPUT_JSON_START\n{json}\nOUTPUT_JSON_END\n```"),
        format!("```json\n{json}\n```"),
        format!("~~~~ yaml\n{json}\n~~~~"),
        format!("words\n\n{json}\n"),
        format!("```rust\nfn main() {{\n\nnever closed\n```json\n{json}\n```\n"),
        "```yaml\n---\nstatus: success\nfiles_modified: [a]\n```".to_owned(),
        "```yml\r\nstatus: success\r\nfiles_modified: [a]\r\n```\r\n".to_owned(),
        "```\nstatus: success\nfiles_modified: [a]\n```".to_owned(),
    ] {
        let Outcome::Done(claim) = read(&text) else { panic!("not done: {text}") };
        assert_eq!(claim.files, ["a"], "{text}");
    }
}

/// RE-02: YAML with a bare colon is read key by key, so that the error is not lost.
#[test]
fn an_error_with_a_colon_is_not_lost() {
    let text =
        "```yaml\nstatus: failure\ntask_name: Add login\nerror: expected 3: got 4: sorry\n```";
    let Outcome::Failed(failure) = read_for_t001(text) else { panic!("not failed") };
    assert_eq!(failure.error, "expected 3: got 4: sorry");
    assert!(failure.claim.criteria.iter().all(|c| c.result == CriterionResult::Pass));
}
