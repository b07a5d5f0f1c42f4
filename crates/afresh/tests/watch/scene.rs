//! A view of a run in tmux.

use afresh_testkit::TestRepo;

use crate::support::tmux::TmuxScreen;

pub(crate) fn watch(repo: &TestRepo, columns: u16, rows: u16) -> Option<TmuxScreen> {
    TmuxScreen::start(repo, &["watch"], columns, rows)
}

/// A run of two tasks; one has landed, the other one has failed and was skipped.
pub(crate) fn finished() -> TestRepo {
    let repo = crate::support::repo();
    repo.plan_of(2);
    repo.config(&crate::support::run_section("attempts = 1"));
    repo.agent("echo looked around; [ $AFRESH_TASK = T001 ] || exit 1; echo x > $AFRESH_TASK.txt");
    repo.run(&["--on-failure", "skip"]).expect(1);
    repo
}
