//! Commands for scripts: checkpoints of batches, `halt --check`, `statusline`.

use std::fs;

use crate::support::{Driver, gated, repo, run_section};
use serde_json::json;

/// ST-06: a checkpoint keeps a script's batch; a success needs the run's merge, and `recover` goes by the journal.
#[test]
fn a_checkpoint_is_recovered_by_what_the_run_says() {
    let repo = repo();
    repo.afresh(&["checkpoint", "status"]).expect(2);
    repo.plan_of(3);
    repo.agent("[ $AFRESH_TASK = T001 ] || exit 1; echo x > $AFRESH_TASK.txt");
    repo.run(&["--on-failure", "ask", "--no-input", "--task", "T001"]).expect(0);
    let none = repo.afresh(&["checkpoint", "status", "--json"]).expect(0).json();
    assert_eq!(none, json!({"checkpoint": null}));
    repo.afresh(&["checkpoint", "create", "T001", "T002", "nope"]).expect(2);
    repo.afresh(&["checkpoint", "create", "T001", "T002", "T003"]).expect(0);
    let again = repo.afresh(&["checkpoint", "create", "T001"]).expect(1);
    assert!(again.stderr.contains("a checkpoint of 3 tasks is active"), "{again:?}");
    let claimed = repo.afresh(&["checkpoint", "update", "T002", "success"]).expect(1);
    assert!(claimed.stderr.contains("T002 is ready, not done"), "{claimed:?}");
    repo.afresh(&["checkpoint", "update", "T001", "success"]).expect(0);
    repo.afresh(&["checkpoint", "update", "T003", "failed"]).expect(0);
    let early = repo.afresh(&["checkpoint", "complete"]).expect(1);
    assert!(early.stderr.contains("still marked as running: T002"), "{early:?}");
    let recovered = repo.afresh(&["checkpoint", "recover", "--json"]).expect(1).json();
    let marks = |from: &serde_json::Value| {
        let tasks = from["checkpoint"]["tasks"].as_array().cloned().unwrap_or_default();
        tasks.iter().map(|task| task["mark"].clone()).collect::<Vec<_>>()
    };
    // The script called T003 failed; the run has not worked on it.
    assert_eq!(marks(&recovered), ["success", "orphaned", "orphaned"], "{recovered}");
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    let recovered = repo.afresh(&["checkpoint", "recover", "--json"]).expect(0).json();
    assert_eq!(marks(&recovered), ["success", "success", "success"], "{recovered}");
    assert_eq!(recovered["checkpoint"]["tasks"][2]["state"], "done", "{recovered}");
    let done = repo.afresh(&["checkpoint", "complete", "--json"]).expect(0).json();
    assert_eq!(done["checkpoint"]["completed"], true, "{done}");
    fs::write(repo.state().join("checkpoint.json"), "garbage").expect("written");
    let damaged = repo.afresh(&["checkpoint", "status"]).expect(2);
    assert!(damaged.stderr.contains("`afresh checkpoint clear`"), "{damaged:?}");
    repo.afresh(&["checkpoint", "clear"]).expect(0);
    repo.afresh(&["checkpoint", "clear"]).expect(0);
}

/// ST-06, ST-07: a process that drives another run works on no task of this one.
#[test]
fn the_driver_of_another_run_does_not_count() {
    let (repo, gate) = gated(2);
    gate.open();
    repo.run(&["--no-input", "--task", "T001"]).expect(0);
    repo.afresh(&["checkpoint", "create", "T001", "T002"]).expect(0);
    gate.close();
    let other = "version = 1\nname = \"other\"\n[[task]]\nid = \"Z\"\ntitle = \"z\"\nno_check = \"prose\"\n";
    repo.write("other.plan.toml", other);
    let driver = Driver::start(&repo, &["run", "other.plan.toml", "--no-input"]);
    repo.wait_until("the other run is driven", || {
        let status = repo.status();
        status["run"] == "other-1" && status["counts"]["running"] == 1
    });
    let recovered = repo.afresh(&["checkpoint", "recover", "--json"]).expect(1).json();
    assert_eq!(recovered["checkpoint"]["tasks"][1]["mark"], "orphaned", "{recovered}");
    let edit = ["task", "edit", "T002", "--title", "t", "--json", "--plan"];
    let edited = |plan: &str| repo.afresh(&[&edit[..], &[plan]].concat()).expect(0).json();
    let own = edited("p.plan.toml");
    assert_eq!((&own["run"], &own["driven"]), (&"test-1".into(), &false.into()), "{own}");
    gate.open();
    driver.end().expect(0);
}

/// ST-06: marks that are set at the same time are all there.
#[test]
fn marks_that_are_set_at_the_same_time_are_all_there() {
    let repo = repo();
    repo.plan_of(8);
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    let ids: Vec<String> = (1..=8).map(|number| format!("T{number:03}")).collect();
    let create: Vec<&str> =
        ["checkpoint", "create"].into_iter().chain(ids.iter().map(String::as_str)).collect();
    repo.afresh(&create).expect(0);
    let mut updates: Vec<_> =
        ids.iter().map(|id| repo.spawn(&["checkpoint", "update", id, "success"])).collect();
    for update in &mut updates {
        assert!(update.wait().expect("ended").success());
    }
    repo.afresh(&["checkpoint", "complete"]).expect(0);
}

/// ST-06, ST-04: a script learns whether the run is halted, and whether anything still runs.
#[test]
fn a_script_learns_whether_the_run_is_halted() {
    let (repo, gate) = gated(2);
    let driver = Driver::run(&repo, &["--parallel", "1"]);
    repo.wait_until("a worker runs", || repo.status()["counts"]["running"] == 1);
    let before = repo.afresh(&["halt", "--check", "--json"]).expect(0).json();
    assert_eq!((&before["halted"], &before["quiet"]), (&false.into(), &false.into()), "{before}");
    repo.afresh(&["halt", "tea"]).expect(0);
    let halted = repo.afresh(&["halt", "--check"]).expect(3);
    assert!(halted.stderr.contains("tea; running attempts finish"), "{halted:?}");
    gate.open();
    driver.end().expect(3);
    let quiet = repo.afresh(&["halt", "--check", "--json"]).expect(3).json();
    assert_eq!((&quiet["quiet"], &quiet["reason"]), (&true.into(), &"tea".into()), "{quiet}");
}

/// HU-08: one line about the last run; nothing without a run or a repository, and nothing is written.
#[test]
fn a_status_line_is_one_line_and_writes_nothing() {
    let repo = repo();
    let outside = tempfile::tempdir().expect("a directory");
    let there = ["-C", outside.path().to_str().expect("UTF-8"), "statusline"];
    for silent in [repo.afresh(&["statusline"]).expect(0), repo.afresh(&there).expect(0)] {
        assert_eq!((silent.stdout.as_str(), silent.stderr.as_str()), ("", ""));
    }
    assert!(!repo.state().exists());
    repo.plan_of(2);
    repo.config(&run_section("attempts = 1"));
    repo.agent("if [ $AFRESH_TASK = T001 ]; then echo x > T001.txt; fi");
    repo.run(&["--no-input"]).expect(4);
    let names = || {
        let entries = fs::read_dir(repo.state()).expect("the state").flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let line = repo.afresh(&["statusline"]).expect(0).stdout;
    assert_eq!(line, "test-1 waiting 1/2 · 1 failed · Q1 waits for you\n");
    assert_eq!((line.lines().count(), names()), (1, before));
    let json = repo.afresh(&["statusline", "--json"]).expect(0).json();
    assert_eq!((&json["done"], &json["questions"]), (&1.into(), &json!(["Q1"])), "{json}");
    // A linked worktree shows the run of its repository.
    repo.git(&["worktree", "add", "-q", "../linked", "HEAD"]);
    let linked = repo.path().join("linked");
    let from = ["-C", linked.to_str().expect("UTF-8"), "statusline"];
    assert_eq!(repo.afresh(&from).expect(0).stdout, line);
}
