//! Agent OS: tasks.md with task groups.

use std::collections::BTreeMap;

use afresh_formats::folder::MemoryFolder;
use afresh_import::detect::detect_formats;
use afresh_import::formats::agent_os::FORMAT;

use crate::folders::{
    files, fixture, line_ends_make_no_difference, plan_or_located_problems, read, read_only, shown,
    survives_any_damage,
};

const TASKS: &str = "agent-os/specs/2025-11-02-bulk-import/tasks.md";

/// FO-01: groups are tasks, and their boxes steps; checked groups are done; the finished spec is not read.
#[test]
fn task_groups_become_tasks() {
    insta::assert_snapshot!(shown(&read(&FORMAT, &fixture("agent-os"))));
}

/// FO-01: a worker gets its group, its role, the specification and the requirements.
#[test]
fn a_worker_gets_its_group_and_the_common_documents() {
    let plan = read(&FORMAT, &fixture("agent-os")).plan.expect("a plan");
    insta::assert_snapshot!(plan.tasks()[1].instructions);
}

/// FO-01: the finished spec is read if the user names it or a file next to it.
#[test]
fn a_named_spec_is_read() {
    for file in ["tasks.md", "spec.md", "planning/initialization.md"] {
        let file = format!("agent-os/specs/2025-10-01-login/{file}");
        let plan = read_only(&FORMAT, &fixture("agent-os"), &file).plan.expect("a plan");
        assert_eq!((plan.name.as_str(), plan.len()), ("Login", 1));
        assert!(plan.tasks()[0].done_before.is_some());
    }
}

/// FO-06: with several unfinished specs, the user must name one.
#[test]
fn several_unfinished_specs_are_an_error() {
    let mut all = files("agent-os");
    let other = TASKS.replace("bulk-import", "other");
    all.insert(other, all[TASKS].clone());
    insta::assert_snapshot!(shown(&plan_or_located_problems(&FORMAT, &all)));
}

/// FO-01: checking a box during a run changes only what is done.
#[test]
fn a_checked_box_does_not_change_the_task() {
    let open = read(&FORMAT, &fixture("agent-os")).plan.expect("a plan");
    let mut all = files("agent-os");
    let text = String::from_utf8(all[TASKS].clone()).expect("text");
    all.insert(
        TASKS.to_owned(),
        text.replace("[ ] 2", "[x] 2").replace("[ ] 3.1", "[X] 3.1").into_bytes(),
    );
    let ticked = read(&FORMAT, &MemoryFolder::new(all)).plan.expect("a plan");
    for (before, after) in open.tasks().iter().zip(ticked.tasks()) {
        assert!(before.is_same_work_as(after), "{} changed", before.id);
    }
    assert!(open.tasks()[1].done_before.is_none() && ticked.tasks()[1].done_before.is_some());
}

/// FO-01: detected from the root, from its own directory and from a spec's; not by another format's
/// tasks.md, and not if long-run plans were made from it.
#[test]
fn it_is_recognised_by_its_files() {
    let names = |files: Vec<(String, Vec<u8>)>| -> Vec<&str> {
        detect_formats(&MemoryFolder::new(files)).iter().map(|format| format.name).collect()
    };
    let below = |front: &str| -> Vec<(String, Vec<u8>)> {
        let inside =
            |(path, text): (String, Vec<u8>)| Some((path.strip_prefix(front)?.to_owned(), text));
        files("agent-os").into_iter().filter_map(inside).collect()
    };
    for front in ["", "agent-os/", "agent-os/specs/2025-11-02-bulk-import/"] {
        assert_eq!(names(below(front)), ["agent-os"], "{front}");
    }
    let other = b"# Tasks\n\n- [ ] 1. Something\n".to_vec();
    assert!(names(vec![("specs/x/tasks.md".to_owned(), other)]).is_empty());
}

fn with(text: &str) -> BTreeMap<String, Vec<u8>> {
    BTreeMap::from([(TASKS.to_owned(), text.as_bytes().to_vec())])
}

/// B07, B09, B10, B12: problems are located.
#[test]
fn wrong_groups_are_located() {
    let text = "# T\n\n#### Task Group 1: A\n**Dependencies:** Task Group 9\n\n#### Task Group 2: B\n**Dependencies:** the design, once approved\n\n#### Task Group 3: C\n- **Dependencies**: Task Group 3\n\n#### Task Group 1: D\n";
    insta::assert_snapshot!("wrong_groups", shown(&plan_or_located_problems(&FORMAT, &with(text))));
    let empty = plan_or_located_problems(&FORMAT, &with("# T\n"));
    insta::assert_snapshot!("no_groups", shown(&empty));
}

/// B11: ten thousand groups, also with dependencies on ranges.
#[test]
fn many_groups_are_read() {
    let groups = |needs: &str| -> String {
        let group =
            |n| format!("#### Task Group {n}: x\n**Dependencies:** {needs}\n- [ ] {n}.1 y\n");
        (1..=10_000).map(group).collect::<Vec<_>>().concat()
    };
    let reading = plan_or_located_problems(&FORMAT, &with(&groups("None")));
    assert_eq!(reading.plan.map(|plan| plan.len()), Some(10_000));
    let reading = plan_or_located_problems(&FORMAT, &with(&groups("Task Groups 1-10000")));
    assert!(reading.findings.iter().any(|found| found.code == "too-large"));
}

/// FO-06: cut off at any byte, any line lost.
#[test]
fn damaged_task_groups_are_plans_or_located_problems() {
    survives_any_damage(&FORMAT, "agent-os");
}

/// B18
#[test]
fn line_endings_of_task_groups_make_no_difference() {
    line_ends_make_no_difference(&FORMAT, "agent-os");
}
