//! What a person does in the view: answers, retries, halts.

use crate::scene::{finished, watch};
use crate::support::{Driver, Gate, repo};

const ASKS: &str = "if [ $AFRESH_TASK.$AFRESH_ATTEMPT = T001.1 ]; then\n\
     echo OUTPUT_JSON_START\n\
     echo '{\"status\":\"NEEDS_DECISION\",\"decision_needed\":\"Which colour?\",\"options\":[\"red\",\"dark blue\"]}'\n\
     echo OUTPUT_JSON_END\n\
     exit 0; fi\n";

/// HU-04, HU-06, HU-07: the question of a run that another process drives appears first, a near miss is asked back,
/// the answer reaches the next worker, and leaving the view stops nothing.
#[test]
fn a_question_is_answered_in_the_view() {
    let repo = repo();
    repo.plan_of(2);
    let gate = Gate::new(&repo, "go");
    let others = format!("[ $AFRESH_TASK = T001 ] || {{ {}; }}", gate.wait());
    repo.agent(&format!("{ASKS}{others}; echo x > $AFRESH_TASK.txt"));
    let driver = Driver::run(&repo, &["--no-input"]);
    repo.wait_until("there is a run", || repo.status()["run"].is_string());
    let Some(screen) = watch(&repo, 80, 24) else { return };
    let shown = screen.await_text("? Waiting for your answer");
    assert!(shown.lines().nth(3).is_some_and(|line| line.contains("Which colour?")), "{shown}");
    assert!(screen.is_full_screen() && !screen.takes_mouse());
    screen.press("a");
    screen.await_text("answer Q1>");
    screen.type_line("dark blu");
    screen.await_text("Q1 takes one of: 1, 2, defer");
    screen.press("C-u");
    screen.type_line("dark blue");
    screen.await_text("✓ Q1: ");
    screen.await_that("nothing is asked any more", |shown| !shown.contains("Which colour?"));
    repo.wait_until("the task is done", || repo.state_of("T001") == "done");
    screen.await_text("1/2 done");
    screen.press("q");
    screen.await_text("ended with 0");
    assert!(screen.text().contains("goes on"), "{}", screen.text());
    assert!(screen.is_restored());
    gate.open();
    driver.end().expect(0);
    let prompt = repo.prompt("T001", 2);
    assert!(prompt.contains("Which colour? → 2: dark blue"), "{prompt}");
}

/// HU-04, ST-04: a halt needs a confirmation, and is seen as soon as it is recorded; the view clears it again.
#[test]
fn a_run_is_halted_from_the_view() {
    let repo = repo();
    repo.plan_of(2);
    let gate = Gate::new(&repo, "go");
    repo.agent(&format!("{}; echo x > $AFRESH_TASK.txt", gate.wait()));
    let driver = Driver::run(&repo, &["--no-input", "--parallel", "1"]);
    repo.wait_until("there is a run", || repo.status()["run"].is_string());
    let Some(screen) = watch(&repo, 80, 24) else { return };
    screen.await_text("1 worker at work");
    screen.press("h");
    screen.await_text("Halt the run?");
    screen.press("n");
    screen.await_that("the dialog is closed", |shown| !shown.contains("Halt the run?"));
    assert!(repo.status()["halt"].is_null(), "nothing was confirmed");
    screen.press("h");
    screen.await_text("Halt the run?");
    screen.press("y");
    screen.await_text("the run is halted");
    gate.open();
    driver.end().expect(3);
    assert_eq!(repo.status()["halt"]["reason"], "halted in the terminal");
    screen.await_text("‖ halted");
    screen.press("h");
    screen.await_text("The run is halted");
    screen.press("c");
    screen.await_text("○ Idle");
    assert!(repo.status()["halt"].is_null());
}

/// HU-06, HU-08: a task that was skipped is retried, once that is confirmed; without a driver the view says what
/// continues the run.
#[test]
fn a_task_is_retried_from_the_view() {
    let repo = finished();
    let Some(screen) = watch(&repo, 200, 50) else { return };
    screen.await_text("skipped");
    screen.press("G");
    screen.press("r");
    screen.await_text("Retry T002?");
    screen.press("y");
    screen.await_text("continues it");
    repo.wait_until("it is ready", || repo.state_of("T002") == "ready");
    screen.await_text("○ Idle");
    screen.press("t");
    screen.await_text("Tell T002");
    screen.type_line("write the file");
    screen.await_text("the next worker of T002 gets it");
    repo.agent("cp $AFRESH_PROMPT $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    assert!(repo.on_branch("T002.txt").expect("the prompt").contains("write the file"));
    screen.await_text("✓ Everything is done");
}
