//! Attempts by hand: `afresh run --by-hand`, `afresh task start`, `complete` and `fail` (ST-06).

use std::fs;
use std::path::{Path, PathBuf};

use afresh_testkit::TestRepo;
use serde_json::Value;

use crate::support::{expect_landed_once, repo, run_section};

/// A run that starts no agent: none of this one may ever run.
fn by_hand(tasks: usize) -> TestRepo {
    let repo = repo();
    repo.plan_of(tasks);
    repo.agent("echo an agent was started > $AFRESH_TASK.txt");
    repo.config(&run_section("attempts = 2"));
    repo.run(&["--by-hand"]).expect(0);
    repo
}

fn start(repo: &TestRepo, task: &str) -> Value {
    repo.afresh(&["task", "start", task, "--json"]).expect(0).json()
}

fn path(value: &Value) -> PathBuf {
    PathBuf::from(value.as_str().expect("a path"))
}

fn do_work(started: &Value) {
    let task = started["task"].as_str().expect("a task");
    let workspace = path(&started["workspace"]);
    fs::write(workspace.join(format!("{task}.txt")), format!("by {task}\n")).expect("written");
}

fn ready(repo: &TestRepo) -> Vec<String> {
    repo.afresh(&["task", "ready"]).expect(0).stdout.lines().map(str::to_owned).collect()
}

/// ST-06, R4: seed 003's loop, by its commands alone: ready, start, work in the workspace, complete. Every merge has its
/// receipt, and no agent runs.
#[test]
fn a_script_drives_a_whole_run_by_hand() {
    let repo = by_hand(3);
    let mut merged = 0;
    while let Some(task) = ready(&repo).first() {
        let started = start(&repo, task);
        assert!(Path::new(&path(&started["bundle"])).is_file(), "{started}");
        assert!(fs::read_to_string(path(&started["prompt"])).expect("a prompt").contains(task));
        do_work(&started);
        let done = repo.afresh(&["task", "complete", task, "--json"]).expect(0).json();
        assert_eq!((&done["outcome"], &done["state"]), (&"merged".into(), &"done".into()), "{done}");
        merged += 1;
    }
    assert_eq!(merged, 3);
    assert_eq!(repo.status()["state"], "done");
    expect_landed_once(&repo, 3);
}
