//! Formats that keep a status in JSON.

use super::{difference, files, finish, task};

/// FO-07: the status of a task of Task Master and of its open subtasks, in the file's own layout.
#[test]
fn a_task_of_task_master_is_done_with_its_subtasks() {
    let text = r#"{
    "master": { "tasks": [
        { "id": 1, "title": "one",   "status": "pending", "dependencies": [],
          "subtasks": [ {"id": 1, "title": "a"}, {"id":2,"title":"b","status":"cancelled"} ] },
        { "id": 2, "title": "two", "status" : "pending", "dependencies": [1], "own": "kept é" }
    ], "metadata": {"created": "x"} }
}
"#;
    let old = files(&[(".taskmaster/tasks/tasks.json", text)]);
    let new = finish("task-master", &old, &task("1")).expect("written");
    insta::assert_snapshot!(difference(&old, &new), @r#"
    == .taskmaster/tasks/tasks.json
    -        { "id": 1, "title": "one",   "status": "pending", "dependencies": [],
    +        { "id": 1, "title": "one",   "status": "done", "dependencies": [],
    -          "subtasks": [ {"id": 1, "title": "a"}, {"id":2,"title":"b","status":"cancelled"} ] },
    +          "subtasks": [ {"id": 1, "title": "a", "status": "done"}, {"id":2,"title":"b","status":"cancelled"} ] },
    "#);
}

/// FO-07: an issue is closed on its own line.
#[test]
fn an_issue_is_closed() {
    let text = "{\"id\":\"bd-1\",\"title\":\"one\",\"status\":\"open\",\"updated_at\":\"x\"}\n{\"id\":\"bd-2\",\"title\":\"two\",\"status\":\"open\"}\n";
    let old = files(&[(".beads/issues.jsonl", text)]);
    let new = finish("beads", &old, &task("bd-1")).expect("written");
    insta::assert_snapshot!(difference(&old, &new), @r#"
    == .beads/issues.jsonl
    -{"id":"bd-1","title":"one","status":"open","updated_at":"x"}
    +{"id":"bd-1","title":"one","status":"closed","updated_at":"2026-11-18T20:14:59Z","closed_at":"2026-11-18T20:14:59Z","close_reason":"Did it - [ ] with a box"}
    "#);
}

/// FO-07: a story passes, also if it did not say so.
#[test]
fn a_story_passes() {
    let text = "{\"project\": \"x\", \"userStories\": [\n  {\"id\": \"US-1\", \"title\": \"a\", \"passes\": false},\n  {\"id\": \"US-2\", \"title\": \"b\"}\n]}";
    let old = files(&[("prd.json", text)]);
    let first = finish("prd", &old, &task("US-1")).expect("written");
    let both = finish("prd", &first, &task("US-2")).expect("written");
    insta::assert_snapshot!(difference(&old, &both), @r#"
    == prd.json
    -  {"id": "US-1", "title": "a", "passes": false},
    +  {"id": "US-1", "title": "a", "passes": true},
    -  {"id": "US-2", "title": "b"}
    +  {"id": "US-2", "title": "b", "passes": true}
    "#);
}

/// FO-07: Tasker's state and the result of the task.
#[test]
fn a_task_of_tasker_has_a_state_and_a_result() {
    let one = r#"{"id":"T001","name":"one","phase":1,"behaviors":["B1"],"files":[],"acceptance_criteria":[]}"#;
    let two = one.replace("T001", "T002").replace("one", "two");
    let state = "{\n  \"version\": \"2.0\",\n  \"phase\": {\"current\": \"executing\", \"completed\": []},\n  \"updated_at\": \"x\",\n  \"tasks\": {\n    \"T001\": {\"id\": \"T001\", \"status\": \"pending\", \"own\": 1},\n    \"T002\": {\"id\": \"T002\", \"status\": \"pending\"}\n  },\n  \"execution\": {\"completed_count\": 0}\n}\n";
    let old = files(&[
        (".tasker/tasks/T001.json", one),
        (".tasker/tasks/T002.json", &two),
        (".tasker/state.json", state),
    ]);
    let new = finish("tasker", &old, &task("T001")).expect("written");
    insta::assert_snapshot!(difference(&old, &new));
    let all = finish("tasker", &new, &task("T002")).expect("written");
    let text = String::from_utf8_lossy(&all[".tasker/state.json"]).into_owned();
    assert!(text.contains("\"current\": \"complete\""), "{text}");
    assert!(text.contains("\"completed_count\": 2"), "{text}");
}
