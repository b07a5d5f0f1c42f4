//! The user and other programs change the repository while a run is underway (F13, F14).

use std::fs;

use crate::support::git::{in_front_of_path, put_git};
use crate::support::{Driver, Gate, expect_landed_once, repo, run_section};
use afresh_testkit::TestRepo;
use afresh_testkit::repo::{CommandOutput, finish};

/// Four tasks, two at a time; the first two workers have started and wait at a gate.
fn under_way() -> (TestRepo, Gate, Driver) {
    let repo = repo();
    let go = Gate::new(&repo, "go");
    repo.config(&run_section("parallel = 2"));
    repo.write("notes.txt", "one\n");
    repo.commit("config");
    repo.plan_of(4);
    repo.agent(&format!("{}\necho \"by $AFRESH_TASK\" > $AFRESH_TASK.txt", go.wait()));
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr(" start T001.1");
    driver.await_stderr(" start T002.1");
    (repo, go, driver)
}

fn branch(repo: &TestRepo) -> String {
    repo.status()["branch"].as_str().expect("a branch").to_owned()
}

/// Counts first-parent commits against the run's base, wherever `main` is by now.
#[track_caller]
fn expect_all_landed(repo: &TestRepo) {
    let mut landed = repo.landed();
    landed.sort();
    assert_eq!(landed, ["T001", "T002", "T003", "T004"]);
    for task in landed {
        assert_eq!(repo.on_branch(&format!("{task}.txt")), Some(format!("by {task}\n")));
    }
}

/// F13, R5: commits, another branch, edits and a stash of the user's during a run.
#[test]
fn the_user_continues_working_and_finds_everything_as_it_was() {
    let (repo, go, driver) = under_way();
    let base = repo.git(&["rev-parse", "main"]);
    repo.write("notes.txt", "stashed\n");
    repo.git(&["stash", "-q"]);
    repo.write("own.txt", "the user's\n");
    repo.git(&["add", "own.txt"]);
    repo.git(&["commit", "-q", "-m", "meanwhile"]);
    repo.git(&["switch", "-q", "-c", "side"]);
    repo.write("notes.txt", "edited\n");
    repo.write("staged.txt", "staged\n");
    repo.git(&["add", "staged.txt"]);
    repo.write("T001.txt", "an untracked file of the same name\n");
    let before = repo.untouched();
    go.open();
    driver.end().expect(0);
    repo.untouched().expect_same_as(&before);
    expect_all_landed(&repo);
    assert_eq!(repo.git(&["branch", "--show-current"]), "side");
    assert_eq!(repo.git(&["show", "stash@{0}:notes.txt"]), "stashed");
    assert_eq!(repo.on_branch("own.txt"), None, "the run stands on the commit it began with");
    assert_eq!(repo.git(&["merge-base", &branch(&repo), "main"]), base);
}

/// F14: everything on a deleted branch is kept, so the branch returns with the next task.
#[test]
fn the_users_deleting_our_branch_loses_nothing() {
    let (repo, go, mut driver) = under_way();
    let name = branch(&repo);
    repo.git(&["branch", "-q", "-D", &name]);
    go.open();
    driver.await_stderr(" merged ");
    // Again, with commits on it.
    let _ = repo.try_git(&["branch", "-q", "-D", &name]);
    driver.end().expect(0);
    // The branch was deleted after the last task, or it exists: either way the next start has it.
    repo.run(&[]).expect(0);
    expect_landed_once(&repo, 4);
}

/// F14: the attempt in a deleted workspace fails, and is retried; others continue.
#[test]
fn a_deleted_workspace_costs_its_own_attempt_only() {
    let (repo, go, driver) = under_way();
    let pool = fs::read_dir(repo.cache())
        .expect("a cache")
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.join("work-1").is_dir())
        .expect("workspaces");
    fs::remove_dir_all(pool.join("work-1")).expect("removed");
    go.open();
    driver.end().expect(0);
    expect_landed_once(&repo, 4);
    repo.expect_no_survivors();
    let status = repo.status();
    let attempts = |at: usize| status["tasks"][at]["attempts"].as_u64().expect("a number");
    assert_eq!(attempts(0) + attempts(1), 3, "one of the two was made again: {status}");
}

/// F14: the same for everything that we keep outside of the repository.
#[test]
fn a_deleted_cache_costs_running_attempts_only() {
    let (repo, go, driver) = under_way();
    fs::remove_dir_all(repo.cache()).expect("removed");
    go.open();
    driver.end().expect(0);
    expect_landed_once(&repo, 4);
    repo.expect_no_survivors();
}

/// F14: a branch that the user has checked out is not moved.
#[test]
fn our_branch_in_the_users_checkout_halts_the_run_until_it_is_free() {
    let (repo, go, driver) = under_way();
    let name = branch(&repo);
    repo.git(&["switch", "-q", &name]);
    let before = repo.untouched();
    go.open();
    let halted = driver.end().expect(3);
    assert!(halted.stderr.contains("is checked out in"), "{}", halted.stderr);
    repo.untouched().expect_same_as(&before);
    assert!(repo.landed().is_empty());
    let refused = repo.afresh(&["resume"]).expect(2);
    assert!(refused.stderr.contains("is checked out in"), "{}", refused.stderr);
    repo.git(&["switch", "-q", "main"]);
    repo.afresh(&["resume"]).expect(0);
    expect_landed_once(&repo, 4);
}

/// F14, R3: a commit of another program on our branch is never overwritten; a person is asked.
#[test]
fn a_strangers_commit_on_our_branch_is_asked_about() {
    let (repo, go, driver) = under_way();
    let name = format!("refs/heads/{}", branch(&repo));
    let tree = repo.git(&["rev-parse", "main^{tree}"]);
    let foreign = repo.git(&["commit-tree", &tree, "-p", &name, "-m", "a stranger's"]);
    repo.git(&["update-ref", &name, &foreign]);
    go.open();
    let waits = driver.end().expect(4);
    assert!(waits.stderr.contains("not by afresh"), "{}", waits.stderr);
    assert_eq!(repo.git(&["rev-parse", &name]), foreign);
    let status = repo.status();
    assert_eq!(status["state"], "waiting", "{status}");
    let question = &status["questions"][0];
    assert!(question["text"].as_str().expect("text").contains(&foreign), "{question}");
    // Running again changes nothing.
    repo.run(&[]).expect(4);
    assert_eq!(repo.git(&["rev-parse", &name]), foreign);
    repo.expect_no_survivors();
    // The person lets it be moved back; the foreign commit is kept.
    let id = question["id"].as_str().expect("an id");
    repo.afresh(&["decide", id, "restore"]).expect(0);
    repo.run(&[]).expect(0);
    expect_landed_once(&repo, 4);
    let saved = repo.git(&["for-each-ref", "--format=%(objectname)", "refs/afresh/salvage"]);
    assert!(saved.lines().any(|commit| commit == foreign), "{saved}");
}

/// Runs the plan of one task; `deed` happens once, after the plan was read and before the run is opened.
fn run_while_prepared(repo: &TestRepo, deed: &str) -> CommandOutput {
    let done = Gate::new(repo, "done");
    let script = format!(
        "case \"$*\" in *\"ls-tree -r\"*) if ! {}; then {}; (cd '{}'; {deed}); fi;; esac",
        done.is_open_in_script(),
        done.opened_by_worker(),
        repo.root().display()
    );
    let mut command = repo.command(&["run", "p.plan.toml", "--no-input"]);
    command.env("PATH", in_front_of_path(&put_git(repo, &script)));
    finish(command)
}

/// F13: a commit of the user's while a run is prepared becomes its base, and the user is told.
#[test]
fn a_commit_before_the_first_worker_is_the_base_of_the_run() {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("cat late.txt > T001.txt");
    repo.write("late.txt", "late\n");
    let deed =
        "for it in 'add late.txt' 'commit -q -m late'; do env -i HOME=\"$HOME\" \"$git\" $it; done";
    let ran = run_while_prepared(&repo, deed).expect(0);
    assert!(ran.stderr.contains("while the run was being prepared"), "{ran:?}");
    assert_eq!(repo.on_branch("T001.txt").as_deref(), Some("late\n"));
    assert_eq!(repo.status()["base"], repo.git(&["rev-parse", "main"]));
}

/// F13, ST-07: an edited plan, or an edited file that every prompt contains, is noticed before a worker starts.
#[test]
fn a_file_that_changes_while_a_run_is_prepared_stops_it_before_the_first_worker() {
    for file in ["p.plan.toml", "README.md"] {
        let repo = repo();
        repo.write("README.md", "# A project\n");
        repo.commit("readme");
        repo.plan_of(1);
        let started = Gate::new(&repo, "started");
        repo.agent(&format!("{}\necho x > T001.txt", started.opened_by_worker()));
        let refused = run_while_prepared(&repo, &format!("echo '# more' >> {file}")).expect(2);
        assert!(refused.stderr.contains("changed while the run was being prepared"), "{refused:?}");
        assert!(refused.stderr.contains(file), "{refused:?}");
        assert!(!started.is_open(), "no worker was paid");
        assert!(repo.status()["run"].is_null(), "no run was started");
        repo.run(&[]).expect(0);
    }
}

/// F14: a branch that was moved while nothing drove the run is noticed before a worker is paid, not when it lands.
#[test]
fn a_branch_that_moved_between_sessions_is_noticed_before_the_first_worker() {
    let repo = repo();
    repo.plan_of(2);
    repo.agent(
        "if [ $AFRESH_TASK = T002 ]; then exit 1; fi; echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt",
    );
    repo.run(&["--no-input"]).expect(4);
    let (branch, tip) = (branch(&repo), repo.status()["tip"].as_str().expect("a tip").to_owned());
    repo.git(&["update-ref", &format!("refs/heads/{branch}"), "main"]);
    let started = Gate::new(&repo, "started");
    repo.agent(&format!(
        "{}\necho \"by $AFRESH_TASK\" > $AFRESH_TASK.txt",
        started.opened_by_worker()
    ));
    let refused = repo.run(&["--no-input", "--on-failure", "retry"]).expect(2);
    assert!(refused.stderr.contains("not by afresh"), "{refused:?}");
    assert!(refused.stderr.contains(&format!("git branch -f {branch} {tip}")), "{refused:?}");
    assert!(!started.is_open(), "no worker was paid");
    repo.git(&["branch", "-f", &branch, &tip]);
    repo.run(&["--no-input", "--on-failure", "retry"]).expect(0);
    expect_landed_once(&repo, 2);
}
