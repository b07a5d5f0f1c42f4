//! The journal or the state directory is taken away, during a run or after it.

use std::fs;

use afresh_testkit::TestRepo;

use crate::support::{Driver, Gate, expect_landed_once, repo, run_section};

/// Three tasks, one after the other; the first has landed, the second waits at a gate.
fn after_first_merge() -> (TestRepo, Gate, Driver) {
    let repo = repo();
    let go = Gate::new(&repo, "go");
    repo.config(&run_section("parallel = 1"));
    repo.plan_of(3);
    repo.commit("config and plan");
    let work = "echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt";
    repo.agent(&format!("[ $AFRESH_TASK = T001 ] || {{ {}; }}\n{work}", go.wait()));
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr(" merged ");
    driver.await_stderr(" start T002.1");
    (repo, go, driver)
}

/// The branch of the run with this number.
fn run_branch(repo: &TestRepo, number: u32) -> String {
    let list = repo.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/afresh"]);
    let end = format!("-{number}");
    list.lines().find(|name| name.ends_with(&end)).expect("a branch").to_owned()
}

/// R1, R9: every way to take the journal away is noticed; nothing more is merged, and every command
/// says what happened and how to continue.
#[test]
fn a_journal_that_vanishes_during_a_run_stops_it() {
    for loss in ["journal", "directory", "moved", "replaced", "clean", "stash"] {
        let (repo, go, driver) = after_first_merge();
        let state = repo.root().join(".afresh/state");
        let journal = state.join("journal.sqlite");
        match loss {
            "journal" => {
                for suffix in ["", "-wal", "-shm"] {
                    fs::remove_file(format!("{}{suffix}", journal.display())).expect("removed");
                }
            }
            "directory" => drop(fs::remove_dir_all(&state)),
            "moved" => fs::rename(&state, repo.path().join("moved")).expect("moved"),
            "replaced" => {
                fs::copy(&journal, repo.path().join("copy")).expect("copied");
                fs::rename(repo.path().join("copy"), &journal).expect("replaced");
            }
            // They give up on files that appear meanwhile.
            "clean" => drop(repo.try_git(&["clean", "-fdxq", ".afresh"])),
            _ => drop(repo.try_git(&["stash", "-a", "-q"])),
        }
        go.open();
        let ended = driver.end().expect(74);
        assert!(
            ended.stderr.contains("removed or replaced by another program"),
            "{}",
            ended.stderr
        );
        let range = format!("main..{}", run_branch(&repo, 1));
        let landed = repo.git(&["log", "--first-parent", "--format=%s", &range]);
        assert_eq!(landed.lines().count(), 1, "{loss}: nothing lands that cannot be recorded");
        if loss == "replaced" {
            continue;
        }
        for command in [&["status"][..], &["run", "p.plan.toml"], &["land"], &["clean"], &["logs"]]
        {
            let refused = repo.afresh(command).expect(2);
            let text = &refused.stderr;
            assert!(text.contains("is gone"), "{loss} {command:?}: {text}");
            assert!(text.contains("afresh run --new PLAN"), "{loss} {command:?}: {text}");
            assert!(text.contains("git merge"), "{loss} {command:?}: {text}");
        }
    }
}

/// The words of the error are true: `git stash pop` brings the state back, and the run continues.
#[test]
fn a_stashed_state_directory_is_found_in_the_stash() {
    let repo = repo();
    repo.config(&run_section("parallel = 1"));
    repo.commit("config");
    repo.plan_of(2);
    repo.agent("[ $AFRESH_TASK = T001 ] && echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    repo.run(&["--on-failure", "skip"]).expect(1);
    repo.git(&["stash", "-a", "-q"]);
    let refused = repo.afresh(&["status"]).expect(2);
    assert!(refused.stderr.contains("git stash pop stash@{0}"), "{}", refused.stderr);
    repo.git(&["stash", "pop", "-q", "stash@{0}"]);
    repo.afresh(&["status"]).expect(0);
}

/// The other words are true as well: a new run starts, and the old branch can be merged.
#[test]
fn a_new_run_starts_without_the_lost_journal() {
    for keeps_head in [true, false] {
        let repo = repo();
        repo.config(&run_section("parallel = 1"));
        repo.commit("config");
        repo.plan_of(2);
        repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
        repo.run(&[]).expect(0);
        let state = repo.root().join(".afresh/state");
        if keeps_head {
            fs::remove_file(state.join("journal.sqlite")).expect("removed");
        } else {
            fs::remove_dir_all(&state).expect("removed");
        }
        repo.run(&[]).expect(2);
        repo.run(&["--new"]).expect(0);
        assert_eq!(repo.status()["branch"].as_str(), Some(run_branch(&repo, 2).as_str()));
        repo.git(&["merge", "-q", &run_branch(&repo, 1)]);
        assert!(repo.root().join("T002.txt").exists());
    }
}

/// Where nothing is left of earlier runs, there is nothing to recover.
#[test]
fn a_state_directory_without_runs_is_not_missed() {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    fs::remove_dir_all(repo.root().join(".afresh/state")).expect("removed");
    for name in repo
        .git(&["for-each-ref", "--format=%(refname)", "refs/afresh", "refs/heads/afresh"])
        .lines()
    {
        repo.git(&["update-ref", "-d", name]);
    }
    repo.afresh(&["status"]).expect(0);
    repo.run(&[]).expect(0);
    expect_landed_once(&repo, 1);
}
