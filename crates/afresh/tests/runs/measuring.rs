//! Checks that are measured before they are believed: probe, baseline, flakes, empty test runs (TR-01 to TR-04).

use std::fs;
use std::path::PathBuf;

use afresh_testkit::TestRepo;
use serde_json::{Value, json};

use crate::support::{Driver, Gate, repo};

/// Prints what Python's unittest prints; fails the tests that `failing` lists.
const RUNNER: &str = "#!/bin/sh\n\
    count=0; failed=0\n\
    while read -r name; do [ -n \"$name\" ] || continue; count=$((count + 1)); done < tests.txt\n\
    while read -r name; do [ -n \"$name\" ] || continue; failed=$((failed + 1))\n\
    printf '======================================================================\\nFAIL: %s (suite.%s)\\n----------------------------------------------------------------------\\n' \"$name\" \"$name\"; done < failing.txt\n\
    printf '\\n----------------------------------------------------------------------\\nRan %s tests in 0.001s\\n\\n' \"$count\"\n\
    if [ $failed -gt 0 ]; then echo \"FAILED (failures=$failed)\"; exit 1; fi\n\
    echo OK\n";

/// A repository with a test runner and these failing tests.
fn tested_repo(failing: &str, checks: &str) -> TestRepo {
    let repo = repo();
    repo.write("t.sh", RUNNER);
    repo.write("tests.txt", "one\ntwo\nthree\n");
    repo.write("failing.txt", failing);
    repo.config(&format!(
        "[run]\nagent = \"mine\"\nattempts = 1\n[checks]\nalways = [\"sh t.sh\"]\n{checks}"
    ));
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [\"a.txt\", \"failing.txt\"]\n\
         checks = [\"test -s a.txt\"]\n",
    );
    repo.agent("echo x > a.txt");
    repo.commit("a project");
    repo
}

fn receipt(repo: &TestRepo) -> Value {
    repo.status()["tasks"][0]["receipt"].clone()
}

fn result_of<'a>(receipt: &'a Value, command: &str) -> &'a Value {
    let mut checks = receipt["checks"].as_array().expect("checks").iter();
    checks.find(|check| check["command"] == command).expect("a result")
}

/// A file that checks can count in, outside of every workspace.
fn counter(repo: &TestRepo, name: &str) -> PathBuf {
    repo.path().join(name)
}

fn count_of(repo: &TestRepo, name: &str) -> usize {
    fs::read_to_string(counter(repo, name)).unwrap_or_default().lines().count()
}

/// TR-02: a red base is shown before any worker; a person continues, and no task is blamed.
#[test]
fn a_red_base_is_asked_about_and_blamed_on_nobody() {
    let repo = tested_repo("two\n", "");
    let asked = repo.run(&[]).expect(4);
    assert!(asked.stderr.contains("a check of every merge fails before any work"), "{asked:?}");
    assert!(asked.stderr.contains("two (suite.two)"), "{asked:?}");
    let question = &repo.status()["questions"][0];
    assert_eq!(
        (question["kind"].as_str(), repo.status()["tasks"][0]["attempts"].as_u64()),
        (Some("base"), Some(0))
    );
    repo.afresh(&["decide", "Q1", "continue"]).expect(0);
    repo.run(&[]).expect(0);
    assert_eq!(repo.landed(), ["T"]);
    assert_eq!(result_of(&receipt(&repo), "sh t.sh")["excuse"], "failed-before");
    let page = repo.afresh(&["report"]).expect(0).stdout;
    assert!(page.contains("Failed before, still fails: `sh t.sh`"), "{page}");
    assert!(page.contains("still fails: `two (suite.two)`"), "{page}");
}

/// TR-02: no merge may add a failure.
#[test]
fn a_merge_that_adds_a_failure_to_a_red_base_does_not_land() {
    let repo = tested_repo("two\n", "on_red_base = \"continue\"");
    repo.agent("echo x > a.txt; printf 'one\\ntwo\\n' > failing.txt");
    repo.run(&["--on-failure", "skip"]).expect(1);
    assert_eq!(repo.landed(), [""; 0]);
}

/// TR-02: what is fixed on the way is reported as such.
#[test]
fn a_failure_that_the_work_fixed_is_reported() {
    let repo = tested_repo("one\ntwo\n", "on_red_base = \"continue\"");
    repo.agent("echo x > a.txt; echo two > failing.txt");
    repo.run(&[]).expect(0);
    let page = repo.afresh(&["report"]).expect(0).stdout;
    assert!(page.contains("still fails: `two (suite.two)`"), "{page}");
    assert!(page.contains("passes now: `one (suite.one)`"), "{page}");
    let report = repo.afresh(&["report", "--json"]).expect(0).json();
    assert_eq!(
        report["measured"]["earlier_failures"][0]["now_passing"],
        json!(["one (suite.one)"])
    );
}

/// TR-02: stopped before any worker, the next start measures the commit that is there then.
#[test]
fn a_run_that_stopped_at_its_base_begins_again_once_it_is_repaired() {
    let repo = tested_repo("two\n", "on_red_base = \"stop\"");
    let stopped = repo.run(&[]).expect(1);
    assert!(stopped.stderr.contains("fails before any work"), "{stopped:?}");
    assert_eq!(repo.status()["tasks"][0]["attempts"], 0);
    repo.write("failing.txt", "");
    repo.commit("repaired");
    repo.run(&[]).expect(0);
    assert_eq!(repo.status()["tasks"][0]["state"], "done");
}

/// TR-03: a check that fails and passes on the same tree lands, says so everywhere, and keeps both outputs.
#[test]
fn a_flaky_check_is_proved_and_shown() {
    let repo = repo();
    let tries = counter(&repo, "tries");
    repo.config("[run]\nagent = \"mine\"\n[checks]\nrerun = 1");
    // It fails on the base, and every other time once the file is there.
    let check = format!(
        "test -s a.txt && echo x >> {0} && echo try $(wc -l < {0}) && test $(( $(wc -l < {0}) % 2 )) = 0",
        tries.display()
    );
    repo.plan(&format!(
        "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [\"a.txt\"]\nchecks = [{check:?}]\n"
    ));
    repo.agent("echo x > a.txt");
    let ran = repo.run(&[]).expect(0);
    assert!(ran.stderr.contains("failed and passed on the same tree"), "{ran:?}");
    assert_eq!(result_of(&receipt(&repo), &check)["flaky"], true);
    let report = repo.afresh(&["report", "--json"]).expect(0).json();
    let flaky = &report["flaky"][0];
    assert_eq!(flaky["times"], 1, "{flaky}");
    assert_eq!(
        (flaky["failed_output"].as_str(), flaky["passed_output"].as_str()),
        (Some("try 1\n"), Some("try 2\n"))
    );
    let page = repo.afresh(&["report"]).expect(0).stdout;
    assert!(page.contains("## Flaky checks"), "{page}");
}

/// TR-03: without reruns, a failure is a failure.
#[test]
fn without_reruns_the_first_failure_counts() {
    let repo = repo();
    let tries = counter(&repo, "tries");
    repo.config("[run]\nagent = \"mine\"\nattempts = 1\n[checks]\nrerun = 0");
    let check =
        format!("test -s a.txt && echo x >> {0} && test $(wc -l < {0}) -gt 1", tries.display());
    repo.plan(&format!(
        "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [\"a.txt\"]\nchecks = [{check:?}]\n"
    ));
    repo.agent("echo x > a.txt");
    repo.run(&["--on-failure", "skip"]).expect(1);
    assert_eq!(count_of(&repo, "tries"), 1);
}

/// TR-03: a check in quarantine may fail until its day; an expired one is an error where it is written.
#[test]
fn a_quarantine_excuses_until_its_day() {
    let entry = |until: &str| {
        format!(
            "[[checks.quarantine]]\ncommand = \"sh t.sh\"\nreason = \"timing\"\nuntil = \"{until}\"\n"
        )
    };
    let repo = tested_repo("two\n", &entry("2999-12-31"));
    repo.run(&[]).expect(0);
    let excuse = result_of(&receipt(&repo), "sh t.sh")["excuse"].clone();
    assert_eq!(excuse, json!({"quarantined": "timing (until 2999-12-31)"}));
    let repo = tested_repo("two\n", &entry("2020-01-31"));
    let refused = repo.run(&[]).expect(2);
    assert!(refused.stderr.contains("this quarantine ended on 2020-01-31"), "{refused:?}");
}

/// TR-04: a test runner that executes nothing is no pass, whatever its exit code.
#[test]
fn a_task_whose_tests_never_ran_does_not_land() {
    let repo = tested_repo("", "");
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [\"a.txt\", \"tests.txt\"]\nchecks = [\"sh t.sh\"]\n",
    );
    repo.config("[run]\nagent = \"mine\"\nattempts = 1");
    repo.agent("echo x > a.txt; : > tests.txt");
    let ran = repo.run(&["--on-failure", "skip"]).expect(1);
    assert!(
        ran.stderr.contains("`sh t.sh` ended with exit code 0, but executed no test"),
        "{ran:?}"
    );
    assert_eq!(repo.landed(), [""; 0]);
}

const CLASSES: &str = "\
    [[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\", \"new.sh\"]\n\
    checks = [\"test -s a.txt\", \"test -s README.md\", \"sh new.sh\"]\n\
    [[task]]\nid = \"B\"\ntitle = \"b\"\nfiles = [\"b.txt\"]\n\
    checks = [\"no-such-program\", \"if then\", { run = \"true\", guard = true }]\n\
    [[task]]\nid = \"C\"\ntitle = \"c\"\nfiles = [\"c.txt\"]\nchecks = [\"test -s README.md\"]\n";

/// TR-01, BE-01: what each check is worth is known before any agent, for people and for scripts, and nothing changes.
#[test]
fn lint_with_a_probe_says_what_each_check_is_worth() {
    let repo = repo();
    repo.plan(CLASSES);
    repo.commit("a plan");
    let before = repo.untouched();
    let linted = repo.afresh(&["lint", ".", "--probe", "--json"]).expect(1).json();
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    assert!(!repo.state().exists(), "lint keeps no state");
    let classes: Vec<String> = linted["probe"]
        .as_array()
        .expect("a probe")
        .iter()
        .map(|it| {
            format!(
                "{} {} {}",
                it["task"].as_str().unwrap_or("-"),
                it["check"].as_str().unwrap_or_default(),
                it["class"].as_str().unwrap_or_default()
            )
        })
        .collect();
    assert_eq!(
        classes,
        [
            "A test -s a.txt red",
            "A test -s README.md vacuous",
            "C test -s README.md vacuous",
            "A sh new.sh pending",
            "B no-such-program unrunnable",
            "B if then unrunnable",
            "B true guard",
        ]
    );
    let found = |code: &str| -> Vec<(u64, String)> {
        let all = linted["findings"].as_array().expect("findings").iter();
        all.filter(|it| it["code"] == code)
            .map(|it| {
                (
                    it["line"].as_u64().unwrap_or(0),
                    it["message"].as_str().unwrap_or_default().to_owned(),
                )
            })
            .collect()
    };
    assert_eq!(found("vacuous-check").iter().map(|it| it.0).collect::<Vec<_>>(), [7, 17]);
    assert_eq!(found("unproved-task").len(), 1, "C has no other check");
    let unrunnable = found("unrunnable-check");
    assert!(
        unrunnable[0].1.contains("no-such-program: not found")
            || unrunnable[0].1.contains("not found"),
        "{unrunnable:?}"
    );
    let sarif = repo.afresh(&["probe", ".", "--sarif"]).expect(1).json();
    assert!(sarif.to_string().contains("vacuous-check"));
}

/// TR-01: a second probe of the same tree runs nothing again; another tree, or `--fresh`, does.
#[test]
fn what_a_probe_has_shown_is_remembered_by_tree() {
    let repo = repo();
    let runs = counter(&repo, "runs");
    repo.plan(&format!(
        "[[task]]\nid = \"T\"\ntitle = \"t\"\nfiles = [\"a.txt\"]\nchecks = [\"echo x >> {0}; test -s a.txt\"]\n",
        runs.display()
    ));
    repo.commit("a plan");
    for expected in [1, 1] {
        repo.afresh(&["probe"]).expect(0);
        assert_eq!(count_of(&repo, "runs"), expected);
    }
    repo.afresh(&["probe", "--fresh"]).expect(0);
    assert_eq!(count_of(&repo, "runs"), 2);
    repo.write("other.txt", "x");
    repo.commit("another tree");
    repo.afresh(&["probe"]).expect(0);
    assert_eq!(count_of(&repo, "runs"), 3);
    // What is remembered is never the pass of a merge.
    repo.agent("echo x > a.txt");
    repo.run(&[]).expect(0);
    assert_eq!(count_of(&repo, "runs"), 4, "once on the merged tree, and not on the base");
}

/// TR-01: what a check leaves behind cannot make the next one pass.
#[test]
fn every_check_of_a_probe_sees_a_clean_tree() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"t\"\nfiles = [\"a.txt\"]\n\
         checks = [\"echo x > a.txt; false\", \"test -s a.txt\", \"rm README.md; false\", \"test -s README.md\"]\n",
    );
    repo.config("[run]\nagent = \"mine\"\n[checks]\nparallel = 1");
    repo.commit("a plan");
    let linted = repo.afresh(&["probe", "--json"]).expect(1).json();
    let classes: Vec<&str> = linted["probe"]
        .as_array()
        .expect("a probe")
        .iter()
        .filter_map(|it| it["class"].as_str())
        .collect();
    assert_eq!(classes, ["red", "red", "red", "vacuous"]);
}

/// TR-01: what the total limit leaves out is named as such, and a check that hangs is red with that detail.
#[test]
fn a_probe_ends_at_its_limit() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"t\"\nfiles = [\"a.txt\"]\nchecks = [\"sleep 100\", \"test -s a.txt\"]\n",
    );
    repo.config("[run]\nagent = \"mine\"\n[checks]\nparallel = 1");
    repo.commit("a plan");
    let linted = repo.afresh(&["probe", "--json", "--limit", "1s"]).json();
    let entries = linted["probe"].as_array().expect("a probe");
    assert_eq!((entries[0]["class"].as_str(), entries[0]["exit"].as_i64()), (Some("red"), None));
    assert!(entries[0]["detail"].as_str().is_some_and(|it| it.contains("in time")), "{entries:?}");
    assert_eq!(entries[1]["class"], "unprobed");
    repo.expect_no_survivors();
}

/// R6, R12, TR-01: killed twice in the middle of the measurement, the run continues; what was measured is not run
/// again, and no process or workspace is left.
#[test]
fn a_measurement_that_is_killed_continues() {
    let repo = repo();
    let gate = Gate::new(&repo, "measure");
    let (first, second) = (counter(&repo, "first"), counter(&repo, "second"));
    repo.config("[run]\nagent = \"mine\"\n[checks]\nparallel = 1");
    let waits = format!("echo x >> {}; {}; test -s a.txt", second.display(), gate.wait());
    repo.plan(&format!(
        "[[task]]\nid = \"T\"\ntitle = \"t\"\nfiles = [\"a.txt\"]\nchecks = [\"echo x >> {0}; test -s a.txt\", {waits:?}]\n",
        first.display(),
    ));
    repo.agent("echo x > a.txt");
    for kill in 1..=2 {
        let driver = Driver::run(&repo, &[]);
        repo.wait_until("the second check runs", || count_of(&repo, "second") == kill);
        driver.kill_9();
        repo.expect_no_survivors();
    }
    gate.open();
    repo.run(&[]).expect(0);
    assert_eq!(repo.landed(), ["T"]);
    assert_eq!(count_of(&repo, "first"), 2, "once on the base, once on the merged tree");
}

/// R6, TR-01: a probe that is killed leaves nothing that the next one does not remove.
#[test]
fn a_killed_probe_leaves_nothing() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"t\"\nfiles = [\"a.txt\"]\nchecks = [\"sleep 1000\"]\n",
    );
    repo.commit("a plan");
    let work = repo.cache().join("probe-work");
    let is_dir = |entry: &fs::DirEntry| entry.path().is_dir();
    let entries = || fs::read_dir(&work).map_or(0, |all| all.flatten().filter(is_dir).count());
    for _ in 0..2 {
        let driver = Driver::start(&repo, &["probe"]);
        repo.wait_until("a workspace was made", || entries() > 0);
        driver.kill_9();
    }
    repo.expect_no_survivors();
    repo.afresh(&["probe", "--limit", "1s"]);
    assert_eq!(entries(), 0);
}

/// TR-01: a task that nothing can prove is refused where that is configured, and named where it is not.
#[test]
fn a_task_that_nothing_can_prove_is_named_or_refused() {
    let plan = "[[task]]\nid = \"T\"\ntitle = \"t\"\nfiles = [\"a.txt\"]\nchecks = [\"true\"]\n";
    let with = |vacuous: &str| {
        let repo = repo();
        repo.config(&format!("[run]\nagent = \"mine\"\n[checks]\nvacuous = \"{vacuous}\""));
        repo.plan(plan);
        repo.agent("echo x > a.txt");
        repo
    };
    let warned = with("warn").run(&[]).expect(0);
    assert!(warned.stderr.contains("no check of its own can prove it done"), "{warned:?}");
    let refused = with("refuse").run(&[]).expect(1);
    assert!(refused.stderr.contains("nothing can prove T done"), "{refused:?}");
    with("ask").run(&[]).expect(4);
}

/// TR-09: the next worker knows that its predecessors failed in the same way; after the third, a person is asked.
#[test]
fn the_same_failure_three_times_asks_a_person() {
    let repo = repo();
    repo.config("[run]\nagent = \"mine\"\nattempts = 9\n[checks]\nrerun = 0");
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"t\"\nfiles = [\"a.txt\"]\n\
         checks = [\"echo 'took 0.123 s in /tmp/x1'; date +%s%N; false\"]\n",
    );
    repo.agent("echo $AFRESH_ATTEMPT > a.txt");
    repo.run(&[]).expect(4);
    assert_eq!(repo.status()["tasks"][0]["attempts"], 3);
    assert!(!repo.prompt("T", 2).contains("in the same way"));
    assert!(repo.prompt("T", 3).contains("The last 2 attempts failed in the same way"));
}

/// TR-01, D8: `doctor` runs the checks of every merge, and says which proves nothing.
#[test]
fn doctor_runs_the_checks_of_every_merge() {
    let line = |failing: &str, tests: &str| {
        let repo = tested_repo(failing, "");
        repo.write("tests.txt", tests);
        repo.commit("other tests");
        let output = repo.afresh(&["doctor"]);
        let lines = output.stdout + &output.stderr;
        lines.lines().find(|line| line.contains("`sh t.sh`")).unwrap_or_default().to_owned()
    };
    assert!(line("", "one\ntwo\n").contains("`sh t.sh` passes (2 tests)"));
    assert!(line("", "").contains("`sh t.sh` executes no test"));
    assert!(line("two\n", "one\ntwo\n").contains("`sh t.sh` fails on the current commit"));
}

/// Writes a report with one mutant per line of the change's tests: noticed where `tests.txt` says so.
const MUTATION_TOOL: &str = "#!/bin/sh\n\
    grep -q '^+++ b/a.txt' \"$AFRESH_DIFF\" || exit 9\n\
    status=Survived; grep -q strong a.txt && status=Killed\n\
    cat > \"$AFRESH_MUTANTS/mutation.json\" <<END\n\
    {\"schemaVersion\": \"1\", \"files\": {\"a.txt\": {\"mutants\": [\n\
    {\"status\": \"Killed\", \"mutatorName\": \"One\"},\n\
    {\"status\": \"$status\", \"mutatorName\": \"Two\", \"location\": {\"start\": {\"line\": 7}}}]}}}\n\
    END\n\
    test $status = Killed\n";

fn mutation_repo(checks: &str) -> TestRepo {
    let repo = repo();
    repo.write("mutate.sh", MUTATION_TOOL);
    repo.config(&format!(
        "[run]\nagent = \"mine\"\nattempts = 2\n[checks]\nmutants = \"sh mutate.sh\"\n{checks}"
    ));
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"t\"\nfiles = [\"a.txt\"]\nchecks = [\"test -s a.txt\"]\n",
    );
    repo.commit("a project");
    repo
}

/// TR-07: tests that notice too few faults of the change do not let it land; the next worker learns which.
#[test]
fn weak_tests_are_rejected_where_strength_is_required() {
    let repo = mutation_repo("strength = 0.6");
    repo.agent("if [ $AFRESH_ATTEMPT = 1 ]; then echo weak > a.txt; else echo strong > a.txt; fi");
    let ran = repo.run(&[]).expect(0);
    assert!(ran.stderr.contains("`sh mutate.sh`: 1 of 2 mutants noticed"), "{ran:?}");
    assert!(repo.prompt("T", 2).contains("not noticed: a.txt:7 Two"), "{}", repo.prompt("T", 2));
    assert_eq!(repo.status()["tasks"][0]["attempts"], 2);
    assert_eq!(result_of(&receipt(&repo), "sh mutate.sh")["mutants"], "2 of 2 mutants noticed");
}

/// TR-07: without a threshold the share stands in the receipt, and nothing is rejected for it; also not because the
/// tool fails.
#[test]
fn strength_can_be_measured_without_being_required() {
    let repo = mutation_repo("");
    repo.agent("echo weak > a.txt");
    repo.run(&[]).expect(0);
    assert_eq!(result_of(&receipt(&repo), "sh mutate.sh")["mutants"], "1 of 2 mutants noticed");
    let repo = mutation_repo("");
    repo.write("mutate.sh", "exit 3\n");
    repo.commit("a broken tool");
    repo.agent("echo weak > a.txt");
    repo.run(&[]).expect(0);
    assert_eq!(result_of(&receipt(&repo), "sh mutate.sh")["excuse"], "only-measured");
}

/// TR-04: a changed test file that no check executed is named in the receipt.
#[test]
fn a_test_file_that_nothing_executed_is_named() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"t\"\nfiles = [\"a.txt\", \"tests/test_a.py\"]\n\
         checks = [\"test -s a.txt\"]\n",
    );
    repo.agent("echo x > a.txt; mkdir -p tests; echo 'def test_a(): pass' > tests/test_a.py");
    let ran = repo.run(&[]).expect(0);
    assert!(
        ran.stderr.contains("no check executed the changed test file tests/test_a.py"),
        "{ran:?}"
    );
    assert_eq!(receipt(&repo)["unexecuted_tests"], json!(["tests/test_a.py"]));
}
