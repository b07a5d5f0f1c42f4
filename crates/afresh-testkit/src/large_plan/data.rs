//! Formats whose tasks are TOML or JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::PlanShape;

pub(super) fn native(tasks: &[PlanShape]) -> Vec<(String, String)> {
    let mut text = String::from("version = 1\nname = \"large\"\n");
    for task in tasks {
        let needs = task.need().map_or(String::new(), |need| format!("needs = [\"T{need:05}\"]\n"));
        let _ = write!(
            text,
            "\n[[task]]\nid = \"T{:05}\"\ntitle = {:?}\n{needs}files = [{:?}, {:?}]\ndo = \"\"\"\n{}\"\"\"\nchecks = [{:?}]\n",
            task.number,
            task.title(),
            task.file(),
            task.shared_file(),
            task.text(),
            task.check()
        );
    }
    vec![("large.plan.toml".to_owned(), text)]
}

/// One file per task, and the maps that the tasks refer to.
pub(super) fn tasker(tasks: &[PlanShape]) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = tasks
        .iter()
        .map(|task| (format!(".tasker/tasks/T{:05}.json", task.number), tasker_task(*task)))
        .collect();
    let behaviors: Vec<Value> = tasks
        .iter()
        .map(|task| {
            let (id, name) = (format!("B{}", task.number), task.title());
            json!({"id": id, "name": name, "type": "process", "description": task.text()})
        })
        .collect();
    let capability = json!({"id": "C1", "name": "Parts", "behaviors": behaviors});
    let domain = json!({"id": "D1", "name": "Service", "capabilities": [capability]});
    let map = json!({"version": "1.0", "domains": [domain], "flows": []});
    files.push((".tasker/artifacts/capability-map.json".to_owned(), map.to_string()));
    let mapping: Vec<Value> = tasks
        .iter()
        .map(|task| {
            let (id, file) = (format!("B{}", task.number), task.file());
            json!({"behavior_id": id, "behavior_name": task.title(), "files": [{"path": file, "action": "create"}]})
        })
        .collect();
    let map = json!({"version": "1.0", "target_dir": ".", "file_mapping": mapping});
    files.push((".tasker/artifacts/physical-map.json".to_owned(), map.to_string()));
    files.push((".tasker/inputs/spec.md".to_owned(), "# Service\n\nIt has parts.\n".to_owned()));
    files
}

fn tasker_task(task: PlanShape) -> String {
    let needs: Vec<String> = task.need().map(|need| format!("T{need:05}")).into_iter().collect();
    let document = json!({
        "id": format!("T{:05}", task.number),
        "name": task.title(),
        "phase": 1,
        "behaviors": [format!("B{}", task.number)],
        "files": [
            {"path": task.file(), "action": "create", "purpose": "the piece"},
            {"path": task.shared_file(), "action": "modify"},
        ],
        "dependencies": {"tasks": needs, "external": []},
        "acceptance_criteria": [
            {"criterion": "the tests of this piece pass", "verification": task.check()},
        ],
    });
    document.to_string()
}

pub(super) fn task_master(tasks: &[PlanShape]) -> Vec<(String, String)> {
    let tasks: Vec<Value> = tasks
        .iter()
        .map(|task| {
            json!({
                "id": task.number,
                "title": task.title(),
                "description": format!("It lies in `{}`.", task.file()),
                "status": "pending",
                "priority": "medium",
                "dependencies": task.need().into_iter().collect::<Vec<_>>(),
                "details": task.text(),
                "testStrategy": format!("Run `{}`.", task.check()),
                "subtasks": [
                    {"id": 1, "title": "Types", "description": "What it holds", "status": "pending"},
                ],
            })
        })
        .collect();
    let document = json!({"master": {"tasks": tasks, "metadata": {"description": "large"}}});
    vec![(".taskmaster/tasks/tasks.json".to_owned(), document.to_string())]
}

pub(super) fn beads(tasks: &[PlanShape]) -> Vec<(String, String)> {
    let mut text = String::new();
    for task in tasks {
        let id = format!("bd-{}", task.number);
        let needs: Vec<Value> = task
            .need()
            .map(|need| json!({"issue_id": id, "depends_on_id": format!("bd-{need}"), "type": "blocks"}))
            .into_iter()
            .collect();
        let issue = json!({
            "id": id,
            "title": task.title(),
            "description": task.text(),
            "design": format!("## Files\n- `{}` (create)\n- `{}`", task.file(), task.shared_file()),
            "acceptance_criteria": format!("- [ ] `{}` passes", task.check()),
            "status": "open",
            "priority": 2,
            "issue_type": "task",
            "dependencies": needs,
        });
        let _ = writeln!(text, "{issue}");
    }
    vec![(".beads/issues.jsonl".to_owned(), text)]
}

pub(super) fn prd(tasks: &[PlanShape]) -> Vec<(String, String)> {
    let story = |task: &PlanShape| {
        let needs: Vec<String> = task.need().iter().map(|need| format!("US-{need:05}")).collect();
        json!({
            "id": format!("US-{:05}", task.number), "title": task.title(), "description": task.text(),
            "acceptanceCriteria": [{"text": "it is tested", "testCommand": task.check()}],
            "passes": false, "dependsOn": needs,
        })
    };
    let all =
        json!({"project": "service", "userStories": tasks.iter().map(story).collect::<Vec<_>>()});
    vec![("prd.json".to_owned(), all.to_string())]
}
