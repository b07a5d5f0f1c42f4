//! LO-01: workers can add to the activity log.

use std::fs;

use afresh_testkit::TestRepo;

/// LO-01: a worker's message is in the log under its own name, on one line, however it is written; other files in its
/// mailbox do no harm.
#[test]
fn a_worker_adds_a_line_to_the_activity_log() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.plan_of(1);
    repo.agent(
        "set -e; afresh log warn api 'slow today\u{1b}[2J\nreally'\n\
         mail=$(dirname \"$AFRESH_RESULT\")/mail\n\
         echo garbage >\"$mail/x.json\"; mkfifo \"$mail/y.json\"; ln -s /dev/zero \"$mail/z.json\"\n\
         echo x >T001.txt",
    );
    repo.run(&[]).expect(0);
    let log = fs::read_to_string(repo.state().join("activity.log")).expect("the log");
    let line = log.lines().find(|line| line.contains("slow today")).expect("the worker's line");
    assert!(line.contains("[WARN] [T001.1] worker: api: slow today"), "{line}");
    assert!(line.contains("really") && !line.contains('\u{1b}'), "{line:?}");
    repo.expect_no_survivors();
}

#[test]
fn outside_an_attempt_nothing_can_be_logged() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    let refused = repo.afresh(&["log", "info", "a", "b"]).expect(2);
    assert!(refused.stderr.contains("inside an attempt"), "{}", refused.stderr);
}
