//! Many commands from other terminals at the same time, with a driver and without one.

use std::collections::BTreeMap;
use std::process::{Child, Stdio};

use afresh_testkit::TestRepo;

use crate::support::{Driver, Gate, repo, run_section};

/// How many tasks have failed, and ask what to do.
const QUESTIONS: usize = 40;
/// The task that waits at the gate while the commands arrive.
const WAITING: &str = "T041";

/// One command of the storm, and what the test remembers about it.
struct SentCall {
    key: String,
    child: Child,
}

/// Starts a command and leaves it running, its messages in a pipe.
fn call(repo: &TestRepo, key: String, args: &[&str]) -> SentCall {
    let mut command = repo.command(args);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    SentCall { key, child: command.spawn().expect("the program starts") }
}

/// How often each command was acknowledged.
fn acknowledged(calls: Vec<SentCall>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for SentCall { key, child } in calls {
        let output = child.wait_with_output().expect("ended");
        let code = output.status.code();
        assert!(
            matches!(code, Some(0 | 1)),
            "{key} ended with {code:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        *counts.entry(key).or_default() += usize::from(code == Some(0));
    }
    counts
}

/// The comments on a task, in order.
fn comments(repo: &TestRepo, task: &str) -> Vec<String> {
    let status = repo.status();
    let tasks = status["tasks"].as_array().expect("tasks");
    let found = tasks.iter().find(|entry| entry["id"] == task).expect("the task");
    let texts = found["comments"].as_array().cloned().unwrap_or_default();
    texts.iter().map(|comment| comment["text"].as_str().expect("a text").to_owned()).collect()
}

/// Every acknowledged comment is there, once.
#[track_caller]
fn expect_comments(repo: &TestRepo, task: &str, sent: &BTreeMap<String, usize>) {
    let mut found = comments(repo, task);
    found.sort();
    let mut expected: Vec<String> =
        sent.keys().filter(|key| key.starts_with("comment")).cloned().collect();
    expected.sort();
    assert_eq!(found, expected);
}

/// ST-06, R1, BE-12, HU-04: of 200 commands that arrive at a driven run at the same time, each acknowledged one is
/// carried out, and none twice.
#[test]
fn two_hundred_commands_at_the_same_time_are_carried_out_once() {
    let repo = repo();
    repo.config(&run_section("attempts = 1\nparallel = 4"));
    repo.plan_of(QUESTIONS + 2);
    let gate = Gate::new(&repo, "go");
    repo.agent(&format!(
        "case $AFRESH_TASK in T04[1-9]) {}; echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt;; *) : > $AFRESH_TASK.txt;; esac",
        gate.wait()
    ));
    let driver = Driver::run(&repo, &["--on-failure", "ask", "--no-input"]);
    repo.wait_until("every question is asked, and the others are at work", || {
        let status = repo.status();
        status["questions"].as_array().is_some_and(|asked| asked.len() == QUESTIONS)
            && status["counts"]["running"] == 2
    });
    let mut calls = Vec::new();
    for number in 1..=QUESTIONS {
        let id = format!("Q{number}");
        // Each is answered twice; one of the two is too late.
        for _ in 0..2 {
            calls.push(call(&repo, id.clone(), &["decide", &id, "skip"]));
        }
        let text = format!("comment {number}");
        calls.push(call(&repo, text.clone(), &["tell", WAITING, &text]));
        calls.push(call(&repo, "status".to_owned(), &["status", "--json"]));
        let reading = ["task", "ready", "--json"];
        calls.push(call(&repo, "ready".to_owned(), &reading));
    }
    assert_eq!(calls.len(), 200);
    let counts = acknowledged(calls);
    for (key, count) in &counts {
        let expected = if key == "status" || key == "ready" { QUESTIONS } else { 1 };
        assert_eq!(*count, expected, "{key} was acknowledged {count} times");
    }
    expect_comments(&repo, WAITING, &counts);
    assert_eq!(repo.status()["questions"], serde_json::json!([]));
    assert_eq!(repo.status()["counts"]["skipped"], QUESTIONS);
    gate.open();
    driver.end().expect(1);
    assert_eq!(repo.landed().len(), 2);
    let log = repo.afresh(&["logs", "--json"]).expect(0).stdout;
    let answers = log.lines().filter(|line| line.contains("\"question-answered\"")).count();
    assert!(answers == 0 || answers == QUESTIONS, "{answers} answers in the log");
    repo.expect_no_survivors();
}

/// ST-06, R1: the same without a driver, where each command applies itself under the lock.
#[test]
fn commands_at_the_same_time_without_a_driver_are_carried_out_once() {
    let repo = repo();
    repo.config(&run_section("attempts = 1"));
    repo.plan_of(8);
    // An empty file fails the check of its task.
    repo.agent(": > $AFRESH_TASK.txt");
    repo.run(&["--on-failure", "ask", "--no-input"]).expect(4);
    let mut calls = Vec::new();
    for number in 1..=8 {
        let id = format!("Q{number}");
        for _ in 0..2 {
            calls.push(call(&repo, id.clone(), &["decide", &id, "retry"]));
        }
        for part in 0..4 {
            let text = format!("comment {number}.{part}");
            calls.push(call(&repo, text.clone(), &["tell", "T001", &text]));
        }
    }
    let counts = acknowledged(calls);
    for (key, count) in &counts {
        assert_eq!(*count, 1, "{key} was acknowledged {count} times");
    }
    expect_comments(&repo, "T001", &counts);
    repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    repo.run(&["--no-input"]).expect(0);
    assert_eq!(repo.landed().len(), 8);
}
