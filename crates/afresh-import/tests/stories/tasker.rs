//! Tasker: task files, maps and a state, in both layouts (FO-03).

use std::collections::BTreeMap;

use afresh_formats::folder::MemoryFolder;
use afresh_import::detect::detect_formats;
use afresh_import::formats::tasker::FORMAT;

use crate::folders::{
    files, fixture, line_ends_make_no_difference, plan_or_located_problems, read, read_only, shown,
    survives_any_damage,
};

/// FO-03: tasks, files, checks, dependencies, what is complete, skipped, missing, prose or unknown.
#[test]
fn task_files_become_tasks() {
    insta::assert_snapshot!(shown(&read(&FORMAT, &fixture("tasker"))));
}

/// FO-03: a worker gets behaviours from the maps, the reference to the spec, criteria and constraints.
#[test]
fn a_worker_gets_what_the_maps_say() {
    let plan = read(&FORMAT, &fixture("tasker")).plan.expect("a plan");
    let texts: Vec<&str> = plan.tasks().iter().map(|task| task.instructions.as_str()).collect();
    insta::assert_snapshot!(texts[..3].join("\n\n=====\n\n"));
}

/// FO-03: the older layout, whose plan is for another directory.
#[test]
fn the_older_layout_names_its_target() {
    let reading = read(&FORMAT, &fixture("tasker-older"));
    assert_eq!(reading.target.as_deref(), Some("../todo"));
    insta::assert_snapshot!(shown(&reading));
}

/// FO-03: detected by its task files, from the project's root and from inside.
#[test]
fn it_is_recognised_by_its_task_files() {
    let names = |folder: &MemoryFolder| -> Vec<&str> {
        detect_formats(folder).iter().map(|format| format.name).collect()
    };
    assert_eq!(names(&fixture("tasker")), ["tasker"]);
    assert_eq!(names(&fixture("tasker-older")), ["tasker"]);
    let inside = files("tasker")
        .into_iter()
        .map(|(path, text)| (path.strip_prefix(".tasker/").expect("inside").to_owned(), text));
    let inside = MemoryFolder::new(inside);
    assert_eq!(names(&inside), ["tasker"]);
    assert_eq!(read(&FORMAT, &inside).plan.map(|plan| plan.len()), Some(4));
    assert!(names(&MemoryFolder::new([("tasks/Test.json", ""), ("tasks/T1.md", "")])).is_empty());
}

fn with(tasks: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
    tasks
        .iter()
        .map(|(name, text)| (format!(".tasker/tasks/{name}.json"), text.as_bytes().to_vec()))
        .collect()
}

/// B07, B08, B09, B10, B12, FO-06: problems are located in their file.
#[test]
fn problems_are_located_in_their_file() {
    let story = |name: &str, tasks: &[(&str, &str)]| {
        let reading = plan_or_located_problems(&FORMAT, &with(tasks));
        // A key that repeats blocks its second task, and the first one runs.
        assert_eq!(reading.plan.is_none(), name != "tasker_doubled_id", "{name}");
        insta::assert_snapshot!(name, shown(&reading));
    };
    let first = r#"{"id": "T001", "name": "a", "files": [{"path": "a"}]}"#;
    story("tasker_doubled_id", &[("T001", first), ("T002", first)]);
    story("tasker_bad_id", &[("T001", r#"{"id": "../x", "name": "a"}"#)]);
    let unknown = r#"{"id": "T001", "name": "a", "dependencies": {"tasks": ["T007"]}}"#;
    story("tasker_unknown_need", &[("T001", unknown)]);
    story(
        "tasker_circle",
        &[
            ("T001", r#"{"id": "T001", "name": "a", "dependencies": {"tasks": ["T002"]}}"#),
            ("T002", r#"{"id": "T002", "name": "b", "dependencies": {"tasks": ["T001"]}}"#),
        ],
    );
    story(
        "tasker_wrong_types",
        &[
            (
                "T001",
                r#"{"id": ["T001"], "name": 7, "files": "a.py", "context": [], "behaviors": [{}]}"#,
            ),
            ("T002", r#"{"id": "T002", "name": "b", "files": [{"path": "../../etc/x"}]"#),
            ("T003", ""),
        ],
    );
}

/// FO-03: one task file, named by the user.
#[test]
fn one_file_is_read_alone() {
    let reading = read_only(&FORMAT, &fixture("tasker"), ".tasker/tasks/T001.json");
    assert_eq!(reading.plan.map(|plan| plan.len()), Some(1));
}

/// FO-06, B18.
#[test]
fn any_damage_is_a_plan_or_located_problems() {
    survives_any_damage(&FORMAT, "tasker");
    survives_any_damage(&FORMAT, "tasker-older");
    line_ends_make_no_difference(&FORMAT, "tasker");
}
