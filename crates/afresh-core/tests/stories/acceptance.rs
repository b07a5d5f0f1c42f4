//! Tests that were written before the work, and the steel thread, which stays a guard.

use afresh_core::Plan;
use afresh_core::check::{CheckOutcome, CheckPhase};
use afresh_core::plan::{PlanDraft, TaskDraft};
use afresh_core::run::settings::Settings;

use crate::support::{Story, check_result, draft_of, tree};

/// A plan in the short notation, with one task changed.
fn plan_with(text: &str, task: &str, change: impl Fn(&mut TaskDraft)) -> Plan {
    let mut draft: PlanDraft = draft_of(text);
    let found = draft.tasks.iter_mut().find(|it| it.id == task).expect("a task");
    change(found);
    Plan::new(draft).expect("a plan without problems")
}

fn open(plan: Plan) -> Story {
    let mut story = Story::unopened(plan, Settings::default());
    story.open();
    story
}

/// PL-18: once the steel thread has landed, every later merge passes its end-to-end check, too.
#[test]
fn the_steel_thread_stays_a_guard_of_later_merges() {
    let plan = plan_with("A: a\nB: b\nC < A: c", "A", |task| {
        task.steel_thread = true;
        task.checks[0].red_first = true;
    });
    let mut story = open(plan);
    // B does not build on the thread: its own tree cannot pass the guard.
    story.spawned("A.1");
    story.spawned("B.1");
    story.ends("A.1");
    story.harvested("A.1", &["a"]);
    story.checked("A.1", CheckPhase::Red, 1);
    story.checked("A.1", CheckPhase::Alone, 0);
    story.built("A.1");
    story.moved("A.1", afresh_core::input::BranchMove::Done);
    story.ends("B.1");
    assert_eq!(story.harvested("B.1", &["b"]).effects(), ["→ check Alone tree B.1: test B"]);
    story.checked("B.1", CheckPhase::Alone, 0);
    assert_eq!(story.built("B.1").effects(), ["→ check Merged tree mB.1: test B | test A"]);
    // Results without the guard are not enough.
    let without_guard = story.clone().checked("B.1", CheckPhase::Merged, 0);
    assert_eq!(without_guard.effects(), ["→ drop batch 2", "→ build B.1 onto mA.1"]);
    let results = vec![check_result("test B", 0), check_result("test A", 1)];
    let rejected =
        story.report("B.1", CheckPhase::Merged, tree("mB.1"), CheckOutcome::Ran(results));
    assert!(rejected.text().contains("rejected B.1 (does not count)"), "{}", rejected.text());
    // C builds on the thread: its own tree has to pass it already.
    story.spawned("C.1");
    story.ends("C.1");
    assert_eq!(
        story.harvested("C.1", &["c"]).effects(),
        ["→ check Alone tree C.1: test C | test A"]
    );
}

/// PL-17, EX-11: a worker that leaves only the tests of another author has changed nothing.
#[test]
fn acceptance_files_are_not_the_workers_work() {
    let plan = plan_with("A: a", "A", |task| task.acceptance = vec!["t/acceptance.sh".to_owned()]);
    assert!(plan.tasks()[0].may_write("t/acceptance.sh"), "it lands with the task");
    let mut story = open(plan);
    story.spawned("A.1");
    story.ends("A.1");
    let rejected = story.harvested("A.1", &["t/acceptance.sh"]);
    assert!(rejected.text().contains("no-op"), "{}", rejected.text());
    story.spawned("A.2");
    story.ends("A.2");
    let accepted = story.harvested("A.2", &["a", "t/acceptance.sh"]);
    assert_eq!(accepted.effects(), ["→ check Alone tree A.2: test A"]);
}

/// PL-17: an acceptance file is one file; patterns are refused.
#[test]
fn an_acceptance_file_is_named_by_its_path() {
    let mut draft = draft_of("A: a");
    draft.tasks[0].acceptance = vec!["tests/*.py".to_owned(), "../x".to_owned()];
    let problems = Plan::new(draft).expect_err("problems");
    let messages: Vec<&str> = problems.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].contains("acceptance file 1 is not one file"), "{messages:?}");
}
