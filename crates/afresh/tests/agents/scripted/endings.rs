//! Workers that give up, die, or do not end.

use super::scene::{configure, does, expect_fixed_on_retry, one_task, run};

/// AG-02, B38: an exit code, a signal and a reported failure each end an attempt in their own way.
#[test]
fn every_bad_ending_has_its_own_class() {
    expect_fixed_on_retry("{ exit = 3 }", "failed:exit: the worker ended with exit code 3");
    expect_fixed_on_retry(
        "{ crash = 11 }",
        "failed:signal: the worker was ended by signal 11 (SIGSEGV)",
    );
    expect_fixed_on_retry(
        "{ crash = 9 }",
        "failed:signal: the worker was ended by signal 9 (SIGKILL)",
    );
    expect_fixed_on_retry(
        "{ crash = 13 }",
        "failed:signal: the worker was ended by signal 13 (SIGPIPE)",
    );
    expect_fixed_on_retry("{ fail = \"no luck\" }", "the worker gave up: no luck");
}

/// RE-05: a worker that reports that a retry is useless is not retried.
#[test]
fn a_failure_that_is_final_is_not_tried_again() {
    let repo = one_task(&does("{ fail = \"no luck\", retryable = false }"));
    run(&repo, &["--on-failure", "skip"], 1);
    assert_eq!(repo.status()["tasks"][0]["attempts"], 1);
}

/// B32: an invalid result, and none at all, are rejected; the next worker gets the reason.
#[test]
fn an_answer_that_makes_no_sense_is_not_understood() {
    expect_fixed_on_retry(
        "{ answer = \"OUTPUT_JSON_START\\n{\\\"status\\\": \\\"GREAT\\\"}\\nOUTPUT_JSON_END\\n\" }",
        "unintelligible answer: unknown status \"GREAT\"",
    );
    expect_fixed_on_retry("{ answer = \"I am done.\" }", "its final text holds no answer");
    let repo = expect_fixed_on_retry("{ exit = 0 }", "it ended without a final text");
    assert!(repo.prompt("A", 2).contains("without a final text"));
}

/// AG-09, F15: a worker that hangs, whether or not it handles signals, is ended with everything that it started.
#[test]
fn one_that_hangs_is_ended_with_all_that_it_started() {
    for act in ["{ hang = true }", "{ hang = \"deaf\" }"] {
        let script = super::scene::fixed_on_retry(&format!("{{ child = \"sleep 1000\" }}, {act}"));
        let repo = one_task(&script);
        configure(
            &repo,
            "attempt_timeout = \"1500ms\"\ntimeout_action = \"retry\"\nhalt_grace = \"200ms\"",
        );
        let ran = run(&repo, &[], 0);
        assert!(ran.stderr.contains("failed:timeout"), "{}", ran.stderr);
        assert_eq!(repo.on_branch("a.txt").as_deref(), Some("well\n"));
    }
}

/// R6: processes that a worker leaves behind do not outlive it.
#[test]
fn a_child_that_is_left_behind_is_ended() {
    let script = does("{ child = \"exec sleep 1000\" }, { write = \"a.txt\", text = \"x\" }");
    run(&one_task(&script), &[], 0);
}
