//! Tasks that nothing would check: B21.

use afresh_testkit::TestRepo;
use serde_json::{Value, json};

use super::plans::{JSON, TOML, help, message, refused, repo, task, write};
use crate::support::refusal::{bounded, refusal};

fn unchecked() -> Value {
    let mut task = task(&json!({"id": "bare"}));
    task.as_object_mut().expect("an object").remove("checks");
    task
}

#[track_caller]
fn runs_to_done(repo: &TestRepo) {
    repo.agent("echo x > a.txt");
    repo.run(&[]).expect(0);
    assert_eq!(repo.landed(), ["bare"]);
    repo.expect_no_survivors();
}

/// B21.
#[test]
fn an_unchecked_task_is_shown_as_such_and_refused_by_run() {
    let repo = repo();
    for bare in [unchecked(), task(&json!({"id": "bare", "checks": []}))] {
        write(&repo, &[task(&json!({})), bare]);
        for file in [TOML, JSON] {
            let shown = bounded(&repo, &["show", file]).expect(0);
            assert_eq!(shown.stdout.matches("UNCHECKED").count(), 1, "{}", shown.stdout);
            let error = refusal(&repo, &["run", file]);
            assert_eq!((&error["kind"], &error["file"]), (&json!("unchecked"), &json!(file)));
            assert!(message(&error).ends_with(": bare"), "{error}");
            for remedy in ["checks", "no_check", "always"] {
                assert!(help(&error).contains(remedy), "{error}");
            }
        }
    }
}

/// B21.
#[test]
fn an_empty_check_is_no_check() {
    let repo = repo();
    for empty in
        [json!([""]), json!(["  "]), json!([{"name": "x", "run": ""}]), json!([{"name": "x"}])]
    {
        refused(&repo, &[task(&json!({"checks": empty}))], "bad-check");
    }
}

/// B21.
#[test]
fn a_task_that_says_that_no_check_is_meant_runs() {
    let repo = repo();
    let mut bare = unchecked();
    bare["no_check"] = json!("words only");
    write(&repo, &[bare]);
    assert!(bounded(&repo, &["show", TOML]).expect(0).stdout.contains("no check: words only"));
    runs_to_done(&repo);
}

/// B21: an empty reason is not a reason.
#[test]
fn an_empty_reason_for_no_check_is_refused() {
    let repo = repo();
    let mut bare = unchecked();
    bare["no_check"] = json!(" ");
    for error in refused(&repo, &[bare], "bad-check") {
        assert!(message(&error).contains("no_check"), "{error}");
    }
}

/// B21.
#[test]
fn a_check_for_every_merge_judges_every_task() {
    let repo = repo();
    repo.config("[checks]\nalways = [\"test -s a.txt\"]\non_red_base = \"continue\"");
    write(&repo, &[unchecked()]);
    runs_to_done(&repo);
}
