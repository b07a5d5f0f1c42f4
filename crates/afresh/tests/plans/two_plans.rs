//! Two plans in one repository share its workspaces, and nothing else.

use afresh_testkit::TestRepo;

fn plan(name: &str, file: &str) -> String {
    format!(
        "version = 1\nname = \"{name}\"\n[[task]]\nid = \"{name}\"\ntitle = \"{name}\"\nfiles = [\"{file}\"]\nchecks = [\"test -s {file}\"]\n"
    )
}

/// R16, ST-02: a run is killed while its worker has written something; another plan then uses the
/// same workspace. What the first worker wrote is saved, and the first run can still be finished.
#[test]
fn another_plan_does_not_overwrite_what_a_killed_worker_left() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.write("one.plan.toml", &plan("one", "one.txt"));
    repo.write("two.plan.toml", &plan("two", "two.txt"));
    let wrote = repo.path().join("wrote");
    repo.agent(&format!(
        "echo half >$AFRESH_TASK.txt\n\
         if [ $AFRESH_TASK.$AFRESH_ATTEMPT = one.1 ]; then touch {}; sleep 600; fi",
        wrote.display()
    ));
    let mut first = repo.spawn(&["run", "one.plan.toml"]);
    repo.wait_until("the worker has written", || wrote.exists());
    first.kill().expect("killed");
    first.wait().expect("ended");
    repo.afresh(&["run", "two.plan.toml"]).expect(0);
    let saved = repo.git(&["show", "refs/afresh/salvage/one-1/one.1:one.txt"]);
    assert_eq!(saved, "half");
    repo.afresh(&["run", "one.plan.toml"]).expect(0);
    assert_eq!(repo.status()["run"], "one-1");
    assert_eq!(repo.landed(), ["one"]);
    repo.expect_no_survivors();
}
