//! What is finished is not done again, and what is left out keeps the order: both are said (FO-11).

use afresh_formats::reading::PlanReading;

use super::{codes, files, needs, one, plan, read, task};
use crate::rendered;

/// FO-03, FO-11: a state that cannot be read is a warning that says what follows; the results of the
/// tasks say what was finished.
#[test]
fn a_broken_state_of_tasker_refuses_nothing() {
    let task_file = |id: &str| {
        format!(
            r#"{{"id":"{id}","name":"n","phase":1,"behaviors":["B1"],"files":[{{"path":"{id}.py","action":"create"}}],"acceptance_criteria":[{{"criterion":"it works","verification":"pytest -q"}}]}}"#
        )
    };
    let result = |status: &str| format!(r#"{{"version":"1.0","task_id":"T","status":"{status}"}}"#);
    let with = |state: &str| {
        let all = files(&[
            (".tasker/tasks/T001.json", task_file("T001")),
            (".tasker/tasks/T002.json", task_file("T002")),
            (".tasker/tasks/T003.json", task_file("T003")),
            (".tasker/bundles/T001-result.json", result("success")),
            (".tasker/bundles/T002-result.json", result("failed")),
            (".tasker/state.json", state.to_owned()),
        ]);
        read("tasker", &all)
    };
    let done = |reading: &PlanReading| -> Vec<String> {
        let done = plan(reading).tasks().iter().filter(|task| task.done_before.is_some());
        done.map(|task| task.id.to_string()).collect()
    };
    for state in [
        "{\"version\": \"2.0\", \"tasks\": {\"T001\": ",
        "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n",
        "[]",
        "",
        r#"{"tasks": [{"id": "T001", "status": "complete"}]}"#,
        r#"{"tasks": {"T001": 7, "T002": {"status": ["x"]}}}"#,
    ] {
        let reading = with(state);
        assert_eq!(done(&reading), ["T001"], "{state}: {}", rendered(&reading));
        let said = reading.findings.iter().any(|finding| {
            finding.file.ends_with("state.json")
                && finding.hint.as_deref().is_some_and(|hint| hint.contains("done again"))
        });
        assert!(said, "{state}: {}", rendered(&reading));
    }
    let reading = with(
        r#"{"tasks": {"T001": {"status": "pending"}, "T002": {"status": "Completed"}, "T003": {"status": "finshed"}}}"#,
    );
    assert_eq!(done(&reading), ["T002"], "the state outranks the results");
    assert!(codes(&reading).contains(&"unknown-status"), "{}", rendered(&reading));
}

/// FO-09, FO-11: two optional tasks with one number keep the order of what is around them.
#[test]
fn left_out_tasks_with_one_id_keep_the_order() {
    let text =
        "- [ ] 1. A\n  - [ ] 1.1 a\n  - [ ]* 1.2 b\n  - [ ]* 1.2 c\n- [ ] 2. D\n  - [ ] 2.1 d\n";
    let reading = one("kiro", ".kiro/specs/x/tasks.md", text);
    assert_eq!(needs(plan(&reading), "2.1"), ["1.1"], "{}", rendered(&reading));
}

/// FO-11: boxes below plain list items are tasks, or reported, as boxes without indentation are.
#[test]
fn boxes_below_plain_items_are_not_lost() {
    let kit = |text: &str| {
        let all = files(&[
            ("specs/001-a/tasks.md", text.to_owned()),
            ("specs/001-a/spec.md", "# A\n".to_owned()),
        ]);
        read("spec-kit", &all)
    };
    let reading = kit("## Phase 1\n- [ ] T001 a\n- Parser\n  - [ ] write it\n");
    assert!(codes(&reading).contains(&"no-task-id"), "{}", rendered(&reading));
    let reading = kit("## Phase 1\n- Parser\n  - [ ] write it\n  - [ ] try it\n");
    assert_eq!(plan(&reading).len(), 2, "{}", rendered(&reading));
    let os =
        "#### Task Group 1: a\n- [ ] 1.1 a\n## Rollout\n- [x] old\n- People\n  - [ ] tell them\n";
    let reading = one("agent-os", "agent-os/specs/x/tasks.md", os);
    assert!(codes(&reading).contains(&"no-task-id"), "{}", rendered(&reading));
}

/// FO-10: what a story says about itself, in every spelling; nothing that is finished is done again
/// silently.
#[test]
fn stories_that_pass_are_told_in_every_spelling() {
    let story = |fields: &str| {
        let text = format!(
            r#"{{"userStories":[{{"id":"A","title":"a",{fields}}},{{"id":"B","title":"b","passes":false}}]}}"#
        );
        one("prd", "prd.json", &text)
    };
    for (fields, is_done) in [
        (r#""passes":true"#, true),
        (r#""passes":"true""#, true),
        (r#""status":"done""#, true),
        (r#""passes":"false""#, false),
        (r#""status":"open""#, false),
    ] {
        let reading = story(fields);
        assert_eq!(task(plan(&reading), "A").done_before.is_some(), is_done, "{fields}");
        assert_eq!(codes(&reading).contains(&"unproven-done"), is_done, "{fields}");
    }
    let reading = story(r#""passes":3"#);
    assert!(task(plan(&reading), "A").done_before.is_none());
    assert!(codes(&reading).contains(&"wrong-type"), "{}", rendered(&reading));
}
