//! Required fields of a result, and what contradicts a success (RE-02).

use afresh_core::outcome::{CompletionClaim, Outcome};

use super::{block, read_for_t001};

/// The result of a GSD executor with one line changed.
fn executor(from: &str, to: &str) -> Outcome {
    let text = "status: success\ntask_name: Add login\nfiles_modified: [a]\nverification:\n  command: npm test\n  exit_code: 0\ndone_criteria_met: true\nevidence: tests\nerror: null\n";
    assert!(text.contains(from), "{from}");
    read_for_t001(&format!("```yaml\n{}```\n", text.replace(from, to)))
}

#[track_caller]
fn done(outcome: &Outcome) -> &CompletionClaim {
    let Outcome::Done(claim) = outcome else { panic!("not done: {outcome:?}") };
    claim
}

#[track_caller]
fn warned(outcome: &Outcome, about: &str) {
    let claim = outcome.claim().unwrap_or_else(|| panic!("no claim: {outcome:?}"));
    assert!(claim.warnings.iter().any(|w| w.contains(about)), "{about}: {:?}", claim.warnings);
}

#[track_caller]
fn unintelligible(outcome: &Outcome, why: &str) {
    let Outcome::Unintelligible { reason, .. } = outcome else {
        panic!("intelligible: {outcome:?}")
    };
    assert!(reason.contains(why), "{reason}");
}

#[track_caller]
fn failed(outcome: &Outcome, why: &str) {
    let Outcome::Failed(failure) = outcome else { panic!("not failed: {outcome:?}") };
    assert!(failure.error.contains(why), "{}", failure.error);
}

/// RE-02: the validation table, field by field.
#[test]
fn each_field_is_validated() {
    assert_eq!(done(&executor("success", "success")).warnings, [""; 0]);
    unintelligible(&executor("status: success", "status: great"), "unknown status \"great\"");
    warned(&executor("Add login", "Add logout"), "names another task");
    assert_eq!(done(&executor("Add login", "\"Task 7: add Login\"")).warnings, [""; 0]);
    let odd = executor("[a]", "a.ts and b.ts");
    assert_eq!(done(&odd).files, [""; 0]);
    warned(&odd, "files_modified");
    for code in ["\"0\"", "0.5", "true", "passed"] {
        unintelligible(&executor("exit_code: 0", &format!("exit_code: {code}")), "exit_code");
    }
    let inferred = executor("done_criteria_met: true", "done_criteria_met: mostly");
    done(&inferred);
    warned(&inferred, "done_criteria_met");
    warned(&executor("evidence: tests", "evidence: \"\""), "no evidence");
    warned(&executor("error: null", "extra: 1"), "unknown fields: extra");
}

/// RE-02: without a claimed verification the work is unverified, and our checks decide.
#[test]
fn without_verification_it_is_unverified() {
    let outcome = executor("verification:\n  command: npm test\n  exit_code: 0\n", "");
    done(&outcome);
    warned(&outcome, "unverified");
    let null = executor("exit_code: 0", "exit_code: null");
    done(&null);
    warned(&null, "unverified");
}

/// RE-02: a result that contradicts its own success is a failure.
#[test]
fn a_success_that_contradicts_itself_is_a_failure() {
    failed(&executor("exit_code: 0", "exit_code: 2"), "exit code 2");
    failed(&executor("met: true", "met: false"), "criteria are not met");
    failed(&executor("error: null", "error: it crashed"), "it crashed");
    for none in ["none", "\"\"", "N/A", "~"] {
        done(&executor("error: null", &format!("error: {none}")));
    }
    let tasker = |verification: &str| {
        read_for_t001(&format!(
            r#"{{"task_id":"T001","status":"success","verification":{verification}}}"#
        ))
    };
    failed(&tasker(r#"{"verdict":"FAIL"}"#), "verification failed");
    failed(&tasker(r#"{"verdict":"PASS","criteria":[{"name":"speed","status":"FAIL"}]}"#), "speed");
    done(&tasker(r#"{"verdict":"PARTIAL","criteria":[{"name":"speed","status":"SKIP"}]}"#));
}

/// RE-02: a wrong id makes a result unintelligible; a part of the right id is accepted.
#[test]
fn a_result_for_another_task_is_unintelligible() {
    for text in [
        block(r#"{"status":"COMPLETED","task_id":"T002"}"#),
        r#"{"task_id":"T0010","status":"success"}"#.to_owned(),
        "```json\n{\"group\":\"G2\",\"status\":\"complete\"}\n```".to_owned(),
        "T002: SUCCESS".to_owned(),
    ] {
        unintelligible(&read_for_t001(&text), "\"T001\"");
    }
    for id in ["T001", "t001", "T001-02", "T001.2"] {
        done(&read_for_t001(&block(&format!(r#"{{"status":"DONE","task_id":"{id}"}}"#))));
    }
    let context = |task| afresh_formats::result::ResultContext { task, ..Default::default() };
    let group = block(r#"{"status":"DONE","group":"G2"}"#);
    done(&afresh_formats::result::read(&group, &context("SPEC-1-G2")));
    unintelligible(&afresh_formats::result::read(&group, &context("SPEC-1-G22")), "G2");
}

/// RE-02: a missing reason for a failure or a block is only a warning.
#[test]
fn a_missing_reason_is_warned_about() {
    for status in ["FAILED", "BLOCKED"] {
        let outcome = read_for_t001(&block(&format!(r#"{{"status":"{status}"}}"#)));
        assert_eq!(outcome.claim().map(|claim| claim.warnings.len()), Some(1), "{outcome:?}");
    }
    let counted = read_for_t001(&block(r#"{"status":"COMPLETED","tasks_completed":"2/3"}"#));
    warned(&counted, "2 of 3");
    done(&read_for_t001(&block(r#"{"status":"COMPLETED","tasks_completed":3}"#)));
}

/// RE-02: an unintelligible result keeps the reason with its position, the status that could be read,
/// and the first 500 characters.
#[test]
fn a_broken_result_is_kept() {
    let long = format!("{{\"status\": \"COMPLETED\",\n \"notes\": \"{}\" oops}}", "x".repeat(900));
    let Outcome::Unintelligible { reason, excerpt } = read_for_t001(&block(&long)) else {
        panic!("intelligible")
    };
    assert!(reason.contains("line 2, column 914") && reason.contains("\"COMPLETED\""), "{reason}");
    assert_eq!(excerpt.chars().count(), 500);
}
