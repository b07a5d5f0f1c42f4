//! Steps that outlive their worker, through the whole program: EX-04, AG-07, AG-09, ST-02, ST-04.

use crate::support::{Driver, Gate, repo, run_section, salvaged};
use afresh_testkit::TestRepo;
use nix::sys::signal::Signal;

/// Three steps, each with its own file and check.
const PLAN: &str = r#"
[[task]]
id = "T"
title = "three pieces"
files = ["*.txt"]
checks = ["test -s one.txt -a -s two.txt -a -s three.txt"]
steps = [
  { name = "one", files = ["one.txt"], checks = ["grep -q good one.txt"] },
  { name = "two", files = ["two.txt"], checks = ["grep -q good two.txt"] },
  { name = "three", files = ["three.txt"] },
]
"#;

/// Does the steps from `AFRESH_STEP` on; `between` runs after each finished one.
fn worker(between: &str) -> String {
    format!(
        r#"n=$AFRESH_STEP
for name in one two three; do
  case $name in one) i=1;; two) i=2;; three) i=3;; esac
  [ $i -lt $n ] && continue
  echo "good, by attempt $AFRESH_ATTEMPT" > $name.txt
  afresh step done $i || exit 9
  {between}
done"#
    )
}

/// The subjects behind the merge's second parent, oldest first.
fn steps_on_branch(repo: &TestRepo) -> Vec<String> {
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let range = format!("{branch}^1..{branch}^2");
    let log = repo.git(&["log", "--reverse", "--format=%s", &range]);
    log.lines().map(str::to_owned).collect()
}

/// EX-04: each step is its own commit, and its ref is not left behind.
#[test]
fn each_finished_step_becomes_a_commit_behind_the_merge() {
    let repo = repo();
    repo.plan(PLAN);
    repo.agent(&worker(""));
    let before = repo.untouched();
    let ran = repo.run(&[]).expect(0);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    assert!(ran.stderr.contains("step 2 of 3: two"), "{}", ran.stderr);
    assert_eq!(steps_on_branch(&repo), ["one", "two", "three"]);
    assert_eq!(salvaged(&repo), [""; 0]);
    assert_eq!(repo.status()["tasks"][0]["steps"], serde_json::json!({"done": 3, "of": 3}));
}

/// AG-09, AG-07: steps that were finished in time are kept, and the next worker begins after them.
#[test]
fn a_worker_that_ran_out_of_time_hands_its_finished_steps_to_the_next() {
    let repo = repo();
    repo.plan(PLAN);
    repo.config(&run_section("silence_timeout = \"2s\"\ntimeout_action = \"retry\""));
    let slow = worker(
        "if [ $AFRESH_ATTEMPT = 1 -a $i = 2 ]; then echo lost > three.txt; exec sleep 600; fi",
    );
    repo.agent(&slow);
    repo.run(&[]).expect(0);
    let text = |file: &str| repo.on_branch(file).expect("on the branch");
    assert_eq!(text("one.txt"), "good, by attempt 1\n");
    assert_eq!(text("two.txt"), "good, by attempt 1\n");
    assert_eq!(text("three.txt"), "good, by attempt 2\n");
    assert_eq!(steps_on_branch(&repo), ["one", "two", "three"]);
    let prompt = repo.prompt("T", 2);
    assert!(prompt.contains("Steps 1 to 2 are done"), "{prompt}");
    assert!(prompt.contains("its last finished step"), "{prompt}");
    // R16: its unfinished work is kept, although no worker continues from it.
    assert!(salvaged(&repo).iter().any(|name| name.ends_with("/T.1")), "{:?}", salvaged(&repo));
}

/// ST-02, F03: the same if afresh itself is killed.
#[test]
fn finished_steps_outlive_a_kill_of_afresh() {
    let repo = repo();
    repo.plan(PLAN);
    let gate = Gate::new(&repo, "go");
    repo.agent(&worker(&format!("if [ $i = 1 ]; then {}; fi", gate.wait())));
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr("step 1 of 3");
    driver.kill_9();
    // A worker that was left alone must not finish before it is ended.
    repo.expect_no_survivors();
    gate.open();
    repo.run(&[]).expect(0);
    repo.expect_no_survivors();
    assert_eq!(repo.on_branch("one.txt").as_deref(), Some("good, by attempt 1\n"));
    assert_eq!(repo.on_branch("two.txt").as_deref(), Some("good, by attempt 2\n"));
    assert_eq!(repo.landed(), ["T"]);
}

/// ST-04: two halts end running attempts, and their finished steps are kept.
#[test]
fn finished_steps_outlive_a_halt_that_ends_everything() {
    let repo = repo();
    repo.plan(PLAN);
    let gate = Gate::new(&repo, "go");
    repo.agent(&worker(&format!("if [ $i = 1 ]; then {}; fi", gate.wait())));
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr("step 1 of 3");
    driver.signal(Signal::SIGINT);
    driver.await_stderr("a second request ends them");
    driver.signal(Signal::SIGINT);
    assert_eq!(driver.end().code, Some(3));
    gate.open();
    repo.afresh(&["resume"]).expect(0);
    assert_eq!(repo.on_branch("one.txt").as_deref(), Some("good, by attempt 1\n"));
    assert_eq!(repo.on_branch("three.txt").as_deref(), Some("good, by attempt 2\n"));
}

/// EX-04: a refusal reaches the worker, with the check's output, while it can still fix the step.
#[test]
fn a_step_that_fails_its_check_is_fixed_by_the_same_worker() {
    let repo = repo();
    repo.plan(&PLAN.replace("grep -q good two.txt", "cat two.txt; grep -q good two.txt"));
    repo.agent(
        r#"echo good > one.txt; afresh step done 1
echo "really bad" > two.txt
if afresh step done 2 2> ../output; then exit 8; fi
grep -q "really bad" ../output || exit 7
grep -q "exit code 1" ../output || exit 6
echo good > two.txt; afresh step done 2 || exit 5
echo good > three.txt"#,
    );
    repo.run(&[]).expect(0);
    let task = repo.status()["tasks"][0].clone();
    assert_eq!(task["attempts"], 1, "{task}");
    // The third step was not marked; it is the end of the attempt.
    assert_eq!(steps_on_branch(&repo), ["one", "two", "three pieces"]);
}

/// EX-04: a file outside of the list is declared with the step, once.
#[test]
fn a_step_declares_what_it_had_to_touch() {
    let repo = repo();
    repo.plan(&PLAN.replace("files = [\"*.txt\"]", "files = [\"three.txt\"]"));
    repo.agent(
        r#"echo good > one.txt; echo x > helper.md
afresh step done 1 && exit 8
afresh step done 1 --deviation "helper.md: the first step reads it" || exit 7
echo good > two.txt; afresh step done 2 || exit 6
echo good > three.txt"#,
    );
    repo.run(&[]).expect(0);
    let differences = repo.status()["tasks"][0]["differences"].to_string();
    assert!(
        differences.contains("helper.md is beyond the task's files, declared"),
        "{differences}"
    );
}

/// Outside of an attempt there is no mailbox.
#[test]
fn a_step_outside_of_an_attempt_is_refused_at_once() {
    let repo = repo();
    let ran = repo.afresh(&["step", "done", "1"]).expect(2);
    assert!(ran.stderr.contains("called by workers"), "{}", ran.stderr);
}

/// PR-08, HU-01: issues that workers noted and questions that people deferred are in a list for people.
#[test]
fn what_a_worker_notes_is_in_issues_md() {
    let repo = repo();
    repo.plan("[[task]]\nid = \"T\"\ntitle = \"t\"\nfiles = [\"a.txt\"]\nno_check = \"x\"\n");
    repo.agent("echo a > a.txt; afresh issue 'the parser is slow \x1b[2J'");
    repo.run(&[]).expect(0);
    let list = std::fs::read_to_string(repo.state().join("ISSUES.md")).expect("the list");
    assert!(list.starts_with("# Issues\n"), "{list}");
    assert!(list.contains("T.1: the parser is slow \\u{1b}[2J"), "{list}");
}

/// HU-03: a task that continued without a dependency is a warning in STATE.md, and its worker is informed.
#[test]
fn running_without_a_dependency_is_reported_to_worker_and_people() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a | b\"\nfiles = [\"A.txt\"]\nno_check = \"x\"\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nneeds = [\"A\"]\nfiles = [\"B.txt\"]\nno_check = \"x\"\n",
    );
    repo.agent("[ $AFRESH_TASK = A ] && exit 1; echo b > B.txt");
    repo.config(&run_section("attempts = 1"));
    repo.run(&[]).expect(4);
    repo.afresh(&["decide", "Q1", "ignore"]).expect(0);
    repo.run(&[]).expect(1);
    assert_eq!(repo.landed(), ["B"]);
    let prompt = repo.prompt("B", 1);
    assert!(prompt.contains("This task needs A, which was skipped"), "{prompt}");
    let page = std::fs::read_to_string(repo.state().join("STATE.md")).expect("the page");
    assert!(page.contains("**warning**: A was ignored"), "{page}");
    assert!(page.contains("| A | a \\| b | skipped |"), "{page}");
}

/// AG-09: a worker that waits for the checks of its step does not count as silent.
#[test]
fn the_checks_of_a_step_are_not_its_workers_silence() {
    let repo = repo();
    let gate = Gate::new(&repo, "checked");
    let slow = format!("{}; sleep 3; {}", "true", gate.opened_by_worker());
    repo.plan(&PLAN.replace("grep -q good one.txt", &slow.replace('"', "\\\"")));
    repo.config(&run_section("silence_timeout = \"1s\"\ntimeout_action = \"fail\""));
    repo.agent(&worker(""));
    repo.run(&[]).expect(0);
    assert!(gate.is_open());
    assert_eq!(repo.status()["tasks"][0]["attempts"], 1);
}
