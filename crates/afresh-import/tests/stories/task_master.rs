//! Task Master: `tasks.json` with and without tags.

use afresh_core::plan::TaskIndex;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use afresh_formats::folder::MemoryFolder;
use afresh_import::detect::{ReadOptions, WorkUnit, detect_formats};
use afresh_import::formats::task_master::FORMAT;

use crate::folders::{
    fixture, line_ends_make_no_difference, plan_or_located_problems, read, shown,
    survives_any_damage,
};

const FILE: &str = ".taskmaster/tasks/tasks.json";

/// PL-11: the current tag, subtasks as steps in order, dependencies on subtasks, done, cancelled and
/// deferred tasks.
#[test]
fn task_master_tasks_become_tasks() {
    insta::assert_snapshot!(shown(&read(&FORMAT, &fixture("task-master"))));
}

/// PL-11: a list without tags, and the instructions of its worker.
#[test]
fn a_list_without_tags_is_read() {
    insta::assert_snapshot!(shown(&read(&FORMAT, &fixture("task-master-untagged"))));
    let plan = read(&FORMAT, &fixture("task-master")).plan.expect("a plan");
    insta::assert_snapshot!("task_master_instructions", plan.tasks()[1].instructions);
}

/// PL-11.
#[test]
fn task_master_is_recognised() {
    let names = |folder: &MemoryFolder| -> Vec<&str> {
        detect_formats(folder).iter().map(|format| format.name).collect()
    };
    assert_eq!(names(&fixture("task-master")), ["task-master"]);
    assert_eq!(names(&fixture("task-master-untagged")), ["task-master"]);
    assert!(names(&MemoryFolder::new([("tasks/tasks.json", "{\"tasks\": []}")])).is_empty());
}

fn with(tasks: &str) -> BTreeMap<String, Vec<u8>> {
    BTreeMap::from([(FILE.to_owned(), format!("{{\"tasks\": [{tasks}]}}").into_bytes())])
}

/// B07, B09, B10, B12: problems are located.
#[test]
fn wrong_tasks_are_located() {
    for (name, tasks) in [
        ("task_master_doubled", r#"{"id": 1, "title": "a"}, {"id": "1", "title": "b"}"#),
        ("task_master_unknown_need", r#"{"id": 1, "title": "a", "dependencies": [9, "1.4"]}"#),
        ("task_master_itself", r#"{"id": 1, "title": "a", "dependencies": [1]}"#),
        (
            "task_master_circle",
            r#"{"id": 1, "title": "a", "dependencies": [2]}, {"id": 2, "title": "b", "subtasks": [{"id": 1, "title": "s", "dependencies": ["1"]}, {"id": 2, "title": "t", "dependencies": [1.1]}]}"#,
        ),
        ("task_master_empty", ""),
        ("task_master_types", r#"7, {"id": {}, "title": [], "subtasks": 3}"#),
    ] {
        let reading = plan_or_located_problems(&FORMAT, &with(tasks));
        insta::assert_snapshot!(name, shown(&reading));
    }
}

/// PL-11: subtasks in a cycle are a warning, and done in the order of the file.
#[test]
fn subtasks_in_a_cycle_keep_their_order() {
    let tasks = r#"{"id": 1, "title": "a", "subtasks": [{"id": 1, "title": "x", "dependencies": [2]}, {"id": 2, "title": "y", "dependencies": [1]}]}"#;
    let reading = plan_or_located_problems(&FORMAT, &with(tasks));
    assert!(reading.findings.iter().any(|found| found.code == "subtasks-in-a-circle"));
    let plan = reading.plan.expect("a plan");
    let steps: Vec<&str> = plan.tasks()[0].steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(steps, ["x", "y"]);
}

/// B11: ten thousand tasks in a chain, each with subtasks.
#[test]
fn ten_thousand_tasks_are_read() {
    let mut tasks =
        String::from(r#"{"id": 1, "title": "t", "subtasks": [{"id": 1, "title": "s"}]}"#);
    for id in 2..=10_000 {
        let _ = write!(
            tasks,
            r#",{{"id": {id}, "title": "t", "dependencies": [{}], "subtasks": [{{"id": 1, "title": "s", "dependencies": ["{}.1"]}}]}}"#,
            id - 1,
            id - 1
        );
    }
    let reading = plan_or_located_problems(&FORMAT, &with(&tasks));
    assert_eq!(reading.plan.map(|plan| plan.waves().len()), Some(10_000));
}

/// FO-06, B18.
#[test]
fn any_damage_to_task_master_is_a_plan_or_located_problems() {
    survives_any_damage(&FORMAT, "task-master");
    survives_any_damage(&FORMAT, "task-master-untagged");
    line_ends_make_no_difference(&FORMAT, "task-master");
}

/// PL-11: with `--unit task` every subtask has its own worker; a dependency on a task means its open
/// subtasks, and done ones do not block.
#[test]
fn subtasks_can_have_their_own_workers() {
    let tasks = r#"{"id": 1, "title": "a", "details": "of all", "subtasks": [
            {"id": 1, "title": "first", "status": "done"},
            {"id": 2, "title": "second", "dependencies": [1]},
            {"id": 3, "title": "third", "dependencies": [2, "1.1"]}]},
        {"id": 2, "title": "b", "dependencies": [1]},
        {"id": 3, "title": "c", "dependencies": ["1.2"], "subtasks": [{"id": 1, "title": "x"}]}"#;
    let folder = MemoryFolder::new(with(tasks));
    let options = ReadOptions { unit: WorkUnit::Task, only: None };
    let plan = (FORMAT.read)(&folder, &options).plan.expect("a plan");
    let shown: Vec<String> = plan
        .tasks()
        .iter()
        .map(|task| {
            let needs: Vec<&str> =
                task.needs.iter().map(afresh_core::ids::TaskId::as_str).collect();
            format!("{} {} [{}]", task.id, task.title, needs.join(", "))
        })
        .collect();
    assert_eq!(shown, ["1.2 second []", "1.3 third [1.2]", "2 b [1.2, 1.3]", "3.1 x [1.2]"]);
    assert!(
        plan.task(TaskIndex::new(0)).instructions.contains("of all"),
        "{}",
        plan.task(TaskIndex::new(0)).instructions
    );
}
