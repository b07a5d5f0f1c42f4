//! The dialogs of a run as a person meets them, in a terminal of 80×24 and without one: decisions, actions, failures,
//! dependents of a skipped task, interrupted work.

use afresh_testkit::TestRepo;

use crate::support::tmux::TmuxScreen;
use crate::support::{repo, run_section};

/// Each task asks, fails or works by its name.
const WORKER: &str = r#"
report() { echo OUTPUT_JSON_START; echo "$1"; echo OUTPUT_JSON_END; exit 0; }
case $AFRESH_TASK.$AFRESH_ATTEMPT in
  decide.1) report '{"status": "NEEDS_DECISION", "blocked_at": "Task 2: storage", "decision_needed": "Which storage?", "options": [{"key": "sqlite", "description": "one file, no server"}, {"key": "postgres", "description": "needs a server"}], "context": "Both work; sqlite is simpler."}';;
  act.1) report '{"status": "NEEDS_ACTION", "blocked_at": "Task 1", "action_needed": "Verify the e-mail address", "instructions": ["Open the mail", "Click the link"], "verification": "the account is active"}';;
  fail.1) report '{"status": "FAILED", "failed_at": "Task 3: tests", "error": "npm test exited 1", "output": "2 of 40 failed", "retry_count": 2, "partial_commits": []}';;
  decide.2) grep -q sqlite "$AFRESH_PROMPT" && echo sqlite > decide.txt;;
  *) echo "by $AFRESH_TASK" > "$AFRESH_TASK.txt";;
esac
"#;

fn asking(tasks: &[(&str, &str)]) -> TestRepo {
    let repo = repo();
    repo.config(&run_section("attempts = 1"));
    repo.agent(WORKER);
    let task = |(id, more): &(&str, &str)| {
        format!(
            "[[task]]\nid = \"{id}\"\ntitle = \"task {id}\"\nfiles = [\"{id}.txt\"]\n\
             checks = [\"test -s {id}.txt\"]\n{more}\n"
        )
    };
    repo.plan(&tasks.iter().map(task).collect::<String>());
    repo
}

fn in_terminal(repo: &TestRepo, more: &[&str]) -> Option<TmuxScreen> {
    let args: Vec<&str> = ["run", "p.plan.toml"].iter().chain(more).copied().collect();
    TmuxScreen::start(repo, &args, 80, 24)
}

/// HU-01, HU-07: a decision shows where, what, the context and the numbered options; the answer reaches a fresh worker.
#[test]
fn a_decision_is_made_in_the_terminal() {
    let repo = asking(&[("decide", ""), ("other", "")]);
    let Some(screen) = in_terminal(&repo, &[]) else { return };
    screen.await_text("Q1>");
    let shown = screen.history();
    for expected in [
        "Which storage?",
        "Both work; sqlite is simpler.",
        "1  sqlite: one file",
        "2  postgres",
        "defer",
    ] {
        assert!(shown.contains(expected), "{expected:?} is missing:\n{shown}");
    }
    screen.type_line("sqlit");
    screen.await_that("a near miss is asked back", |screen| screen.contains("did you mean"));
    screen.type_line("1");
    screen.await_text("ended with 0");
    assert_eq!(repo.on_branch("decide.txt").as_deref(), Some("sqlite\n"));
}

/// HU-02: an action shows numbered steps and how it will be verified; `done` starts a worker that verifies it.
#[test]
fn an_action_is_confirmed_in_the_terminal() {
    let repo = asking(&[("act", "")]);
    let Some(screen) = in_terminal(&repo, &[]) else { return };
    screen.await_text("Q1>");
    let shown = screen.history();
    for expected in [
        "Verify the e-mail address",
        "1. Open the mail",
        "2. Click the link",
        "the account is active",
    ] {
        assert!(shown.contains(expected), "{expected:?} is missing:\n{shown}");
    }
    screen.type_line("done");
    screen.await_text("ended with 0");
    let prompt = repo.prompt("act", 2);
    assert!(prompt.contains("Verify the e-mail address"), "{prompt}");
}

/// HU-03: a failure shows where, the error and its output, and offers retry, skip and abort; its dependents wait until
/// a person lets them continue without it.
#[test]
fn a_failure_is_settled_in_the_terminal() {
    let repo = asking(&[("fail", ""), ("after", "needs = [\"fail\"]")]);
    let Some(screen) = in_terminal(&repo, &[]) else { return };
    screen.await_text("Q1>");
    let shown = screen.history();
    for expected in [
        "npm test exited 1",
        "2 of 40 failed",
        "retry",
        "skip",
        "ignore",
        "cascade",
        "clarify",
        "abort",
    ] {
        assert!(shown.contains(expected), "{expected:?} is missing:\n{shown}");
    }
    screen.type_line("9");
    screen.await_text("there is no number 9");
    screen.type_line("ignore");
    screen.await_text("ended with 1");
    assert_eq!(repo.landed(), ["after"]);
}

/// HU-03, ST-05: `abort` in the terminal ends the run, and everything is kept.
#[test]
fn a_run_is_aborted_in_the_terminal() {
    let repo = asking(&[("fail", ""), ("other", "")]);
    let Some(screen) = in_terminal(&repo, &["--parallel", "1"]) else { return };
    screen.await_text("Q1>");
    screen.type_line("abort");
    screen.await_text("ended with 1");
    assert!(screen.history().contains("run stopped"), "{}", screen.history());
}

/// HU-01, HU-02, HU-03, HU-04: without a terminal nothing waits for input: the run ends with 4, says what it waits for
/// and how to answer, and the answers from another terminal complete it.
#[test]
fn without_a_terminal_each_question_says_how_to_answer_it() {
    let repo =
        asking(&[("decide", ""), ("act", ""), ("fail", ""), ("after", "needs = [\"fail\"]")]);
    let ended = repo.run(&[]).expect(4);
    for expected in
        ["afresh decide Q1 ANSWER", "answers it: sqlite, postgres, defer", "done, defer"]
    {
        assert!(ended.stderr.contains(expected), "{expected:?} is missing:\n{}", ended.stderr);
    }
    for question in repo.status()["questions"].as_array().expect("questions") {
        let id = question["id"].as_str().expect("an id");
        let answer = match question["kind"].as_str().expect("a kind") {
            "needs-decision" => "sqlite",
            "needs-action" => "done",
            _ => "retry",
        };
        repo.afresh(&["decide", id, answer]).expect(0);
    }
    repo.run(&[]).expect(0);
    assert_eq!(repo.landed().len(), 4);
}
