//! Tasks that the plan marks as done: not done again, and not believed either (FO-10).

use afresh_core::check::{CheckOutcome, CheckPhase};
use afresh_core::input::{CheckReport, RunOpening};
use afresh_core::run::DriveState;
use afresh_core::run::settings::Settings;
use afresh_core::{Input, Plan};

use crate::support::{Story, check_result, draft_of, tree};

/// The plan, with these tasks marked as done.
fn marked(plan: &str, done: &[&str]) -> Plan {
    let mut draft = draft_of(plan);
    for task in draft.tasks.iter_mut().filter(|task| done.contains(&task.id.as_str())) {
        task.done_before = Some("marked by hand".to_owned());
    }
    Plan::new(draft).expect("the plan has no problems")
}

fn story(plan: &str, done: &[&str]) -> Story {
    let settings = Settings { always: vec!["lint".to_owned()], ..Settings::default() };
    let mut story = Story::unopened(marked(plan, done), settings);
    story.open();
    story
}

fn finally(on: &str, results: &[(&str, i32)]) -> Input {
    Input::Checked(CheckReport {
        batch: None,
        attempt: None,
        phase: CheckPhase::Final,
        tree: tree(on),
        checked: CheckOutcome::Ran(
            results.iter().map(|(c, code)| check_result(c, *code)).collect(),
        ),
    })
}

/// FO-10: the checks of a task that is marked as done run last of all, and a failure names the mark.
#[test]
fn a_mark_that_its_check_refutes_fails_the_run_and_blames_no_worker() {
    let mut story = story("A: a\nB: b", &["A"]);
    let last = story.lands("B.1");
    assert_eq!(
        last.lines(),
        ["merged B.1", "final checks", "→ check Final tree B.1: test B | lint | test A"]
    );
    story.feed(&finally("B.1", &[("test B", 0), ("lint", 0), ("test A", 1)]));
    assert_eq!(story.run.drive_state(story.now), DriveState::Finished { ok: false });
    assert_eq!(story.states(), "A done, B done");
    let status = story.status();
    let error = status.error.expect("an error");
    assert!(error.starts_with("A is marked done in the plan, but its check fails: `test A`"));
    let errors: Vec<_> = status.tasks.iter().map(|task| task.error.is_some()).collect();
    assert_eq!(errors, [true, false]);
}

/// FO-10: a command that also judges work of this run is about that work.
#[test]
fn a_shared_check_refutes_no_mark() {
    let mut story = story("A: a\nB: b", &["A"]);
    story.lands("B.1");
    story.feed(&finally("B.1", &[("test B", 0), ("lint", 1), ("test A", 0)]));
    assert!(story.run.refuted_marks().is_empty());
    assert_eq!(story.run.final_failures(), ["on the final tree, `lint` ended with exit code 1"]);
}

/// FO-10: of a plan that is all done, only the checks are run, on the base.
#[test]
fn a_plan_that_is_all_done_is_checked_on_its_base() {
    let mut story = Story::unopened(marked("A: a\nB < A: b", &["A", "B"]), Settings::default());
    assert_eq!(
        story.open().lines(),
        ["opened 1", "final checks", "→ check Final commit base: test A | test B"]
    );
    let mut failing = story.clone();
    failing.feed(&finally("base", &[("test A", 0), ("test B", 2)]));
    assert_eq!(failing.run.drive_state(failing.now), DriveState::Finished { ok: false });
    // The next driver checks again, and one that reads a corrected plan does the work.
    assert_eq!(failing.open().effects(), ["→ check Final commit base: test A | test B"]);
    let plan = Some(marked("A: a\nB < A: b", &["A"]));
    let opened = failing.open_with(RunOpening { plan, ..RunOpening::default() });
    assert_eq!(opened.started(), ["B.1"]);
    story.feed(&finally("base", &[("test A", 0), ("test B", 0)]));
    assert_eq!(story.run.drive_state(story.now), DriveState::Finished { ok: true });
    assert_eq!(story.open().lines(), ["opened 2"]);
}

/// A driver that died during the final checks on the base leaves them to the next one.
#[test]
fn final_checks_on_the_base_survive_a_crash() {
    let mut story = Story::unopened(marked("A: a", &["A"]), Settings::default());
    story.open();
    assert_eq!(story.open().lines(), ["opened 2", "→ check Final commit base: test A"]);
}
