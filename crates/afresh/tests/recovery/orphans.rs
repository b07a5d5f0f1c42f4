//! A git of ours that outlives kill -9 of its driver does not damage the work of the next one (R6).

use crate::support::git::{in_front_of_path, put_git};
use crate::support::{Driver, Gate, repo, run_section};

/// R6, R1: the first driver is killed while its git is about to clean a workspace. The next one uses the same
/// workspace; what its worker writes there lands.
#[test]
#[cfg(target_os = "linux")]
fn a_git_of_a_killed_driver_does_not_undo_what_the_next_worker_writes() {
    let repo = repo();
    // A worker whose work was undone has no retry.
    repo.config(&run_section("attempts = 1"));
    repo.commit("config");
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"t\"\nfiles = [\"README.md\"]\nchecks = [\"grep -q edited README.md\"]\n",
    );
    let (held, edited, fired) =
        (Gate::new(&repo, "held"), Gate::new(&repo, "edited"), Gate::new(&repo, "fired"));
    // The first git that checks something out does so late: when the next worker has written, or after a while.
    let script = format!(
        "for word in \"$@\"; do if [ \"$word\" = read-tree ] && ! {}; then\n\
         {}; n=0\n\
         while ! {} && [ $n -lt 60 ]; do n=$((n+1)); sleep 0.05; done\n\
         \"$git\" \"$@\"; code=$?; {}; exit $code\nfi; done",
        held.is_open_in_script(),
        held.opened_by_worker(),
        edited.is_open_in_script(),
        fired.opened_by_worker(),
    );
    let directory = put_git(&repo, &script);
    repo.agent(&format!(
        "echo edited > README.md\n{}\n{}",
        edited.opened_by_worker(),
        fired.wait()
    ));
    let start = || {
        let mut command = repo.command(&["run", "p.plan.toml", "--on-failure", "skip"]);
        command.env("PATH", in_front_of_path(&directory));
        Driver::start_command(&repo, command)
    };
    let first = start();
    repo.wait_until("its git is at work", || held.is_open());
    first.kill_9();
    start().end().expect(0);
    assert_eq!(repo.on_branch("README.md").as_deref(), Some("edited\n"));
    assert_eq!(repo.landed(), ["T"]);
    repo.expect_no_survivors();
}
