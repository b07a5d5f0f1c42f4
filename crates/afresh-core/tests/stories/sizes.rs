//! Large plans (B11): nothing is recursive, and nothing is walked at every step.
//!
//! No clock is read here: a quadratic walk over ten thousand tasks would take minutes, and shows as a test that does
//! not end.

use afresh_core::Plan;
use afresh_core::plan::TaskIndex;
use afresh_core::plan::{PlanDraft, TaskDraft};
use afresh_core::run::settings::Settings;

use crate::support::{Story, check, file};

const MANY: usize = 10_000;

fn many(needs: impl Fn(usize) -> Vec<String>, path: impl Fn(usize) -> String) -> Plan {
    let tasks = (0..MANY).map(|at| TaskDraft {
        id: format!("T{at}"),
        title: format!("task {at}"),
        needs: needs(at),
        files: vec![file(&path(at))],
        checks: vec![check("true")],
        ..TaskDraft::default()
    });
    let draft = PlanDraft { name: "large".to_owned(), spec: None, tasks: tasks.collect() };
    Plan::new(draft).expect("a plan without problems")
}

fn chain(at: usize) -> Vec<String> {
    at.checked_sub(1).map(|before| format!("T{before}")).into_iter().collect()
}

/// B11.
#[test]
fn ten_thousand_tasks_in_a_chain_are_a_plan() {
    let plan = many(chain, |_| "one.txt".to_owned());
    assert_eq!(plan.waves().len(), MANY);
    assert_eq!(plan.critical_path().len(), MANY);
    assert_eq!(plan.height(TaskIndex::new(0)), 10_000);
    assert!(plan.conflicts().is_empty());
}

/// B11.
#[test]
fn ten_thousand_independent_tasks_are_a_plan() {
    let plan = many(|_| vec![], |at| format!("dir-{at}/file.txt"));
    assert_eq!(plan.waves().len(), 1);
    assert_eq!(plan.critical_path().len(), 1);
    assert!(plan.conflicts().is_empty());
}

/// B11: even if they all write the same file; then only the first ten thousand pairs are reported.
#[test]
fn ten_thousand_tasks_of_one_file_are_a_plan() {
    let conflicts = many(|_| vec![], |_| "one.txt".to_owned()).conflicts();
    assert!(!conflicts.is_empty() && conflicts.len() <= MANY);
    let conflicts = many(|_| vec![], |_| "src/**/*.txt".to_owned()).conflicts();
    assert_eq!(conflicts.len(), MANY);
}

/// B11: landing a task of a large plan visits its neighbours, not the whole plan.
#[test]
fn a_large_plan_is_run_step_by_step() {
    let plan = many(chain, |at| format!("{at}.txt"));
    let mut story = Story { replays: false, ..Story::unopened(plan, Settings::default()) };
    assert_eq!(story.open().started(), ["T0.1"]);
    for at in 0..200 {
        let landed = story.lands(&format!("T{at}.1"));
        assert_eq!(landed.started(), [format!("T{}.1", at + 1)]);
    }
}

/// B11: blocking walks the whole chain, without recursion.
#[test]
fn a_failure_at_the_start_of_a_chain_blocks_all_of_it() {
    let plan = many(chain, |at| format!("{at}.txt"));
    let mut story = Story { replays: false, ..Story::unopened(plan, Settings::default()) };
    story.skip("T0");
    let blocked = story.run.blocked();
    assert_eq!(blocked.len(), MANY - 1);
    assert!(blocked.values().all(|causes| causes.len() == 1));
}
