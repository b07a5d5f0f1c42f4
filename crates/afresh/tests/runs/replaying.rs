//! `afresh replay`: a recorded run again, and whether its records are true.

use crate::support::tmux::TmuxScreen;
use crate::support::{repo, run_section};
use afresh_testkit::TestRepo;

const PLAN: &str = "[[task]]\nid = \"A\"\ntitle = \"first\"\nfiles = [\"A.txt\"]\nchecks = [\"test -s A.txt\"]\n\
     [[task]]\nid = \"B\"\ntitle = \"second\"\nneeds = [\"A\"]\nfiles = [\"B.txt\"]\nchecks = [\"test -s B.txt\"]\n";

/// B is rejected once.
fn recorded() -> TestRepo {
    let repo = repo();
    repo.plan(PLAN);
    repo.config(&run_section("attempts = 2"));
    repo.agent("[ $AFRESH_TASK.$AFRESH_ATTEMPT = B.1 ] || echo $AFRESH_ATTEMPT > $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    repo
}

/// BE-03: the same lines as when it ran, and nothing is changed; `--from` begins with a task, `--json` has every event.
#[test]
fn a_run_is_played_again() {
    let repo = recorded();
    let before = repo.untouched();
    let played = repo.afresh(&["replay"]).expect(0).stderr;
    let place = |text: &str| played.find(text).unwrap_or_else(|| panic!("no {text:?}: {played}"));
    assert!(place("merged A.1 first") < place("rejected B.1"), "{played}");
    assert!(place("rejected B.1") < place("merged B.2 second"), "{played}");
    let later = repo.afresh(&["replay", "--from", "B", "--speed", "max"]).expect(0).stderr;
    assert!(!later.contains("merged A.1") && later.contains("start B.1"), "{later}");
    let events = repo.afresh(&["replay", "--json"]).expect(0).stdout;
    assert!(events.lines().count() > 20, "{events}");
    for line in events.lines() {
        serde_json::from_str::<serde_json::Value>(line).expect("an event");
    }
    let unknown = repo.afresh(&["replay", "--from", "C"]).expect(2).stderr;
    assert!(unknown.contains("has no task"), "{unknown}");
    let speed = repo.afresh(&["replay", "--speed", "0"]).expect(2).stderr;
    assert!(speed.contains("or `max`"), "{speed}");
    repo.untouched().expect_same_as(&before);
}

/// BE-03, R4: the records of a run lead to its state, schedule and trees, each time; also after a rewind. A branch that
/// was moved, and a commit that is gone, are named.
#[test]
fn records_are_compared_with_what_is_there() {
    let repo = recorded();
    let check = || repo.afresh(&["replay", "--check", "--json"]);
    let first = check().expect(0).json();
    assert_eq!(
        (&first["ok"], &first["starts"], &first["merges"]),
        (&true.into(), &3.into(), &2.into())
    );
    assert_eq!(check().expect(0).json()["digest"], first["digest"]);
    repo.afresh(&["rewind", "B"]).expect(0);
    repo.run(&[]).expect(0);
    let second = check().expect(0).json();
    assert_eq!((&second["ok"], &second["merges"]), (&true.into(), &3.into()), "{second}");
    assert_ne!(second["digest"], first["digest"]);
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    repo.git(&["update-ref", &format!("refs/heads/{branch}"), "HEAD"]);
    let moved = repo.afresh(&["replay", "--check"]).expect(1).stdout;
    assert!(moved.contains("but the records end at") && moved.contains("1 difference"), "{moved}");
}

/// BE-03, LO-02: in a terminal the run plays with its live region, and leaves its lines in the scrollback.
#[test]
fn a_run_plays_in_the_terminal() {
    let repo = recorded();
    let Some(screen) = TmuxScreen::start(&repo, &["replay", "--speed", "0.5"], 80, 24) else {
        return;
    };
    screen.await_that("the region shows progress", |screen| screen.contains("/2 done"));
    assert!(!screen.is_full_screen() && !screen.takes_mouse());
    screen.await_text("ended with 0");
    let history = screen.history();
    assert!(history.contains("merged B.2 second"), "{history}");
    assert!(!history.contains("/2 done"), "the region is gone:\n{history}");
}
