//! Dependencies that tasks of a checklist state in words (FO-10).

use super::{codes, needs, one, plan};
use crate::rendered;

/// Three headings; the last one has this line.
fn headings(line: &str) -> String {
    format!(
        "# Plan\n\n### Task 1: Parse the text\n- [ ] a\n\n### Task 2: Render the page\n\
         **Dependencies:** None\n- [ ] b\n\n### Task 3: Join them\n{line}\n- [ ] c\n"
    )
}

/// FO-10: a stated dependency replaces the order of the file, in every spelling.
#[test]
fn stated_dependencies_replace_the_order_of_the_file() {
    for (line, expected) in [
        ("**Depends on:** Task 1", vec!["task-1"]),
        ("- **Depends on**: #1", vec!["task-1"]),
        ("Dependencies: Task 1 (the parser)", vec!["task-1"]),
        ("**Blocked by:** Parse the text", vec!["task-1"]),
        ("- Requires: Task 1, Task 2", vec!["task-1", "task-2"]),
        ("**Depends on:** Tasks 1-2", vec!["task-1", "task-2"]),
        ("**Depends on:** all previous tasks", vec!["task-1", "task-2"]),
        ("**Dependencies:**\n- Task 1\n- Task 2\n", vec!["task-1", "task-2"]),
        ("Requires: Python 3.11", vec!["task-1", "task-2"]),
        ("```\nDepends on: Task 1\n```", vec!["task-1", "task-2"]),
    ] {
        let reading = one("checklist", "PLAN.md", &headings(line));
        let plan = plan(&reading);
        assert_eq!(needs(plan, "task-3"), expected, "{line}\n{}", rendered(&reading));
        assert!(needs(plan, "task-2").is_empty(), "{line}");
        assert!(!codes(&reading).contains(&"unresolved-dependency"), "{}", rendered(&reading));
    }
}

/// FO-10: a task may wait for a later one; what states nothing keeps its place, without a false circle.
#[test]
fn a_task_may_wait_for_a_later_one() {
    let text = "### Task 1: a\n**Depends on:** Task 3\n\n### Task 2: b\nx\n\n### Task 3: c\ny\n";
    let reading = one("checklist", "PLAN.md", text);
    let plan = plan(&reading);
    assert_eq!(needs(plan, "task-1"), ["task-3"], "{}", rendered(&reading));
    assert!(needs(plan, "task-2").is_empty());
    assert_eq!(needs(plan, "task-3"), ["task-2"]);
}

/// FO-10, FO-11: a dependency on nothing is reported, and the task keeps its place; a circle is an error.
#[test]
fn unknown_dependencies_are_reported() {
    let reading = one("checklist", "PLAN.md", &headings("**Depends on:** Task 9"));
    assert!(codes(&reading).contains(&"unresolved-dependency"), "{}", rendered(&reading));
    assert_eq!(needs(plan(&reading), "task-3"), ["task-1", "task-2"]);
    let text = "### Task 1: a\n**Depends on:** Task 2\n\n### Task 2: b\n**Depends on:** Task 1\n";
    let reading = one("checklist", "PLAN.md", text);
    assert!(codes(&reading).contains(&"cycle"), "{}", rendered(&reading));
}

/// FO-10: boxes state dependencies in their notes or in brackets, by label, place or title.
#[test]
fn boxes_state_dependencies_too() {
    let text = "- [ ] Parse the text\n- [ ] Render the page\n  - Depends on: none\n- [ ] Join (depends on #1)\n\
                - [ ] Ship it\n  Blocked by: Join, Render the page\n";
    let reading = one("checklist", "TODO.md", text);
    let plan = plan(&reading);
    let all: Vec<(String, Vec<String>)> = plan
        .tasks()
        .iter()
        .map(|task| (task.id.to_string(), needs(plan, task.id.as_str())))
        .collect();
    let ids: Vec<&str> = all.iter().map(|(id, _)| id.as_str()).collect();
    let expected: Vec<Vec<&str>> = vec![vec![], vec![], vec![ids[0]], vec![ids[2], ids[1]]];
    let found: Vec<Vec<&str>> =
        all.iter().map(|(_, needs)| needs.iter().map(String::as_str).collect()).collect();
    assert_eq!(found, expected, "{all:?}\n{}", rendered(&reading));
}
