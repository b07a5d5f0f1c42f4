//! The plan changes while a run exists: unchanged tasks keep their state, changed ones start over, a task that is
//! landing lands, and no work is lost (R2, R3, R16).

use afresh_core::Plan;
use afresh_core::input::{BranchMove, RunOpening};
use afresh_core::outcome::Outcome;
use afresh_core::process::ProcessEnd;
use afresh_core::run::DriveState;
use afresh_core::run::settings::Settings;

use crate::support::{Story, draft_of, plan_of};

fn reopened(story: &mut Story, plan: Plan) -> String {
    story.open_with(RunOpening { plan: Some(plan), ..RunOpening::default() }).text()
}

/// The same plan with one task reworded.
fn reworded(plan: &str, at: usize) -> Plan {
    let mut draft = draft_of(plan);
    draft.tasks[at].instructions.push_str(", otherwise");
    Plan::new(draft).expect("a plan without problems")
}

#[test]
fn an_unchanged_plan_is_no_change() {
    let mut story = Story::of_plan("A: a");
    assert!(!reopened(&mut story, plan_of("A: a")).contains("plan changed"));
}

/// Done tasks stay done; changed tasks are done again; new tasks are added.
#[test]
fn unchanged_tasks_keep_their_state_and_changed_ones_start_over() {
    let mut story = Story::with("A: a\nB: b", Settings { parallel: 1, ..Settings::default() });
    story.lands("A.1");
    story.lands("B.1");
    let mut draft = draft_of("A: a\nB: b\nC < A: c");
    draft.tasks[1].instructions = "B, but better".to_owned();
    let step = reopened(&mut story, Plan::new(draft).expect("a plan without problems"));
    insta::assert_snapshot!(step, @"
    opened 2
    plan changed: 3 tasks
    starting B.2 in 1
    → start B.2 in 1 from mB.1
    ");
    assert_eq!(story.states(), "A done, B ready, C ready");
}

/// R16: the work of a changed task's worker is saved before its workspace is used again.
#[test]
fn work_of_a_changed_task_is_saved_before_its_slot_is_free() {
    let mut story = Story::with("A: a", Settings { parallel: 1, ..Settings::default() });
    story.spawned("A.1");
    insta::assert_snapshot!(reopened(&mut story, reworded("A: a", 0)), @"
    opened 2
    plan changed: 1 tasks
    starting A.2 in 2
    → harvest A.1 in 1
    → start A.2 in 2 from base
    ");
    // After a kill here, the harvest is requested again.
    assert_eq!(story.open().effects(), ["→ harvest A.2 in 2", "→ harvest A.1 in 1"]);
    assert_eq!(story.run.drive_state(story.now), DriveState::Busy);
    assert_eq!(story.harvested("A.1", &["a"]).lines(), ["leavings saved A.1"]);
    story.harvested("A.1", &["a"]).changes_nothing();
}

/// R2: a task that returns to the plan continues its numbers.
#[test]
fn numbers_are_not_used_again_when_a_task_comes_back() {
    let mut story = Story::of_plan("A: a\nB: b");
    story.dies("A.1");
    reopened(&mut story, plan_of("B: b"));
    let step = reopened(&mut story, plan_of("A: a\nB: b"));
    assert!(step.contains("starting A.2"), "{step}");
}

/// R3: the branch may have moved already, so a landing task stays until that is known.
#[test]
fn a_task_that_lands_lands_although_it_left_the_plan() {
    let mut story = Story::of_plan("A: a\nB: b");
    story.passes_alone("A.1");
    story.built("A.1");
    let step = reopened(&mut story, plan_of("B: b"));
    assert!(step.contains("plan changed: 2 tasks"), "{step}");
    assert!(step.contains("→ move A.1 from base to mA.1"), "{step}");
    assert_eq!(story.moved("A.1", BranchMove::Done).lines()[0], "merged A.1");
    let step = reopened(&mut story, plan_of("B: b"));
    assert!(step.contains("plan changed: 1 tasks"), "{step}");
}

/// R3: the same for one that was reworded while it landed.
#[test]
fn a_task_that_lands_lands_although_it_changed() {
    let mut story = Story::of_plan("A: a");
    story.passes_alone("A.1");
    story.built("A.1");
    reopened(&mut story, reworded("A: a", 0));
    story.moved("A.1", BranchMove::Done);
    assert_eq!(story.states(), "A done");
}

/// R4: work that passed the old checks also needs the checks of the new settings.
#[test]
fn new_checks_count_for_work_that_is_about_to_land() {
    let mut story = Story::of_plan("A: a");
    story.passes_alone("A.1");
    let settings = Settings { always: vec!["lint".to_owned()], ..Settings::default() };
    story.open_with(RunOpening { settings: Some(settings), ..RunOpening::default() });
    assert_eq!(
        story.built("A.1").lines(),
        ["merge built A.1", "→ check Merged tree A.1: test A | lint"]
    );
}

/// The question of a changed task is withdrawn.
#[test]
fn questions_of_changed_tasks_are_gone() {
    let mut story = Story::with("A: a", Settings { attempts: 1, ..Settings::default() });
    story.ends_with("A.1", ProcessEnd::TimedOut, Outcome::Silent);
    story.harvested("A.1", &[]);
    assert_eq!(story.run.drive_state(story.now), DriveState::Waiting);
    let step = reopened(&mut story, reworded("A: a", 0));
    assert!(step.contains("starting A.2"), "{step}");
    assert_eq!(story.answer(1, "skip").refusal(), "there is no open question Q1");
}

/// The plan as its files say after these tasks landed: marked, and without what only open tasks need.
fn marked(plan: &str, done: &[usize]) -> afresh_core::plan::PlanDraft {
    let mut draft = draft_of(plan);
    for at in done {
        draft.tasks[*at].done_before = Some("checked in tasks.md".to_owned());
    }
    draft
}

/// ST-07, FO-07: that the plan's files now call done what the run did is no change, also where a reader forgets the
/// details of finished tasks and the dependencies on them.
#[test]
fn marks_of_what_landed_are_no_change() {
    let plan = "A: a\nB < A: b\nC < B: c";
    let mut story = Story::with(plan, Settings { parallel: 1, ..Settings::default() });
    story.lands("A.1");
    let own = Plan::new(marked(plan, &[0])).expect("a plan without problems");
    assert!(!reopened(&mut story, own).contains("plan changed"));
    let mut forgotten = marked(plan, &[0]);
    forgotten.tasks[0].instructions.clear();
    forgotten.tasks[0].files.clear();
    forgotten.tasks[0].checks.clear();
    forgotten.tasks[1].needs.clear();
    let forgotten = Plan::new(forgotten).expect("a plan without problems");
    assert!(!reopened(&mut story, forgotten).contains("plan changed"));
    assert!(story.states().starts_with("A done, "), "{}", story.states());
}

/// ST-07: a mark of what the run did not do is a change, and so is another text of an open task.
#[test]
fn a_mark_of_a_person_is_a_change() {
    let plan = "A: a\nB < A: b\nC < B: c";
    let mut story = Story::with(plan, Settings { parallel: 1, ..Settings::default() });
    story.lands("A.1");
    let other = Plan::new(marked(plan, &[0, 2])).expect("a plan without problems");
    assert!(reopened(&mut story, other).contains("plan changed"));
    let mut text = marked(plan, &[0]);
    text.tasks[1].instructions.push_str(", but better");
    let text = Plan::new(text).expect("a plan without problems");
    assert!(reopened(&mut story, text).contains("plan changed"));
}
