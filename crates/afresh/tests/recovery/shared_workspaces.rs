//! A run never lands the work of another run, however the two share workspaces and are killed.

use crate::support::git::{in_front_of_path, put_git};
use crate::support::repo;
use afresh_testkit::TestRepo;
use afresh_testkit::repo::finish;

fn plan(repo: &TestRepo, name: &str) {
    let text = format!(
        "version = 1\nname = \"{name}\"\n[[task]]\nid = \"{name}\"\ntitle = \"{name}\"\nfiles = [\"*.txt\"]\nchecks = [\"ls *.txt\"]\n"
    );
    repo.write(&format!("{name}.plan.toml"), &text);
}

/// R3, R16: a run is killed when its worker has ended, before the harvest; another plan then uses the same workspace
/// from the same commit. The first run must not land the second one's work.
#[test]
fn a_run_that_was_killed_before_its_harvest_does_not_land_another_runs_work() {
    let repo = repo();
    plan(&repo, "one");
    plan(&repo, "two");
    repo.agent("echo by $AFRESH_TASK >$AFRESH_TASK.txt");
    let killed = repo.path().join("killed");
    // The first harvest kills the driver instead.
    let directory = put_git(
        &repo,
        &format!(
            "for word in \"$@\"; do if [ \"$word\" = add ] && [ ! -e '{0}' ]; then\n\
             : > '{0}'; kill -9 $PPID; exit 1\nfi; done",
            killed.display()
        ),
    );
    let mut command = repo.command(&["run", "one.plan.toml"]);
    command.env("PATH", in_front_of_path(&directory));
    let first = finish(command);
    assert!(first.code.is_none() && killed.exists(), "{}", first.stderr);
    repo.afresh(&["run", "two.plan.toml"]).expect(0);
    assert_eq!(repo.git(&["show", "refs/afresh/salvage/one-1/one.1:one.txt"]), "by one");
    repo.afresh(&["run", "one.plan.toml"]).expect(0);
    assert_eq!(repo.status()["run"], "one-1");
    assert_eq!(repo.landed(), ["one"]);
    assert_eq!(repo.on_branch("one.txt").as_deref(), Some("by one\n"));
    assert_eq!(repo.on_branch("two.txt"), None, "the work of the other run");
    assert_eq!(repo.git(&["show", "refs/afresh/salvage/one-1/one.1:one.txt"]), "by one");
    repo.expect_no_survivors();
}

/// R16: the same, killed while the worker runs; the saved work stays unchanged.
#[test]
fn what_was_saved_for_a_killed_attempt_is_not_replaced_by_another_runs_work() {
    let repo = repo();
    plan(&repo, "one");
    plan(&repo, "two");
    let wrote = repo.path().join("wrote");
    repo.agent(&format!(
        "echo by $AFRESH_TASK.$AFRESH_ATTEMPT >$AFRESH_TASK.txt\n\
         if [ $AFRESH_TASK.$AFRESH_ATTEMPT = one.1 ]; then : >'{}'; sleep 600; fi",
        wrote.display()
    ));
    let mut first = repo.spawn(&["run", "one.plan.toml"]);
    repo.wait_until("the worker has written", || wrote.exists());
    first.kill().expect("killed");
    first.wait().expect("ended");
    repo.afresh(&["run", "two.plan.toml"]).expect(0);
    repo.afresh(&["run", "one.plan.toml"]).expect(0);
    assert_eq!(repo.git(&["show", "refs/afresh/salvage/one-1/one.1:one.txt"]), "by one.1");
    assert_eq!(repo.on_branch("one.txt").as_deref(), Some("by one.2\n"));
    assert_eq!(repo.on_branch("two.txt"), None);
    repo.expect_no_survivors();
}
