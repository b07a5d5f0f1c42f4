//! Plans as JSON.

use afresh_core::plan::{FileAction, Task};
use serde_json::{Value, json};

use super::{OrderedTasks, PlanFiles, commands, files};

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

pub(super) fn tasker(tasks: &OrderedTasks<'_>) -> PlanFiles {
    let mut all = Vec::new();
    let mut states = serde_json::Map::new();
    for task in &tasks.tasks {
        let id = tasks.id(&task.id);
        let criterion = |command: &&str| json!({"criterion": format!("`{command}` passes"), "verification": command});
        let criteria: Vec<Value> = commands(task).iter().map(criterion).collect();
        let phase = task.phase.unwrap_or(1);
        let value = json!({
            "id": id, "name": task.title, "phase": phase, "behaviors": ["B1"],
            "context": {"spec_requirements": task.instructions.lines().collect::<Vec<_>>(), "steel_thread": task.steel_thread},
            "files": tasker_files(task),
            "dependencies": {"tasks": tasks.needs(task), "external": []},
            "acceptance_criteria": criteria,
        });
        all.push((format!(".tasker/tasks/{id}.json"), pretty(&value)));
        let status = if task.done_before.is_some() { "complete" } else { "pending" };
        let state = json!({"id": id, "name": task.title, "status": status, "phase": phase, "depends_on": tasks.needs(task)});
        states.insert(id.to_owned(), state);
    }
    let state =
        json!({"version": "2.0", "phase": {"current": "ready", "completed": []}, "tasks": states});
    all.push((".tasker/state.json".to_owned(), pretty(&state)));
    all
}

fn tasker_files(task: &Task) -> Vec<Value> {
    let own = task.files.iter().chain(task.steps.iter().flat_map(|step| &step.files));
    let word = |action: Option<FileAction>| match action {
        Some(FileAction::Create) => "create",
        Some(FileAction::Delete) => "delete",
        Some(FileAction::Modify) | None => "modify",
    };
    own.map(
        |file| json!({"path": file.pattern.as_str(), "action": word(file.action), "purpose": ""}),
    )
    .collect()
}

pub(super) fn task_master(tasks: &OrderedTasks<'_>) -> PlanFiles {
    let status = |task: &Task| if task.done_before.is_some() { "done" } else { "pending" };
    let number = |id: &str| id.parse::<u64>().map_or_else(|_| json!(id), |number| json!(number));
    let entry = |task: &&Task| {
        let steps: Vec<Value> = task.steps.iter().zip(1..).map(|(step, at)| {
            json!({"id": at, "title": step.name, "description": step.instructions, "status": status(task), "dependencies": []})
        }).collect();
        let needs: Vec<Value> = tasks.needs(task).into_iter().map(number).collect();
        let strategy =
            commands(task).iter().map(|command| format!("`{command}`")).collect::<Vec<_>>();
        json!({
            "id": number(tasks.id(&task.id)), "title": task.title, "description": task.title,
            "details": details(task), "testStrategy": strategy.join("\n"), "status": status(task),
            "priority": "medium", "dependencies": needs, "subtasks": steps,
        })
    };
    let list: Vec<Value> = tasks.tasks.iter().map(entry).collect();
    let all = json!({"master": {"tasks": list, "metadata": {"description": tasks.plan.name}}});
    vec![(".taskmaster/tasks/tasks.json".to_owned(), pretty(&all))]
}

/// The instructions with the files, for formats without a place for them.
fn details(task: &Task) -> String {
    let named = files(task);
    if named.is_empty() {
        return task.instructions.clone();
    }
    format!("{}\n\nFiles: {}", task.instructions, named.join(", "))
}

pub(super) fn beads(tasks: &OrderedTasks<'_>) -> PlanFiles {
    let issue = |task: &&Task| {
        let id = tasks.id(&task.id);
        let need = |need: &str| json!({"issue_id": id, "depends_on_id": need, "type": "blocks"});
        let needs: Vec<Value> = tasks.needs(task).into_iter().map(need).collect();
        let criteria: Vec<String> =
            commands(task).iter().map(|command| format!("`{command}` passes")).collect();
        let status = if task.done_before.is_some() { "closed" } else { "open" };
        let issue = json!({
            "id": id, "title": task.title, "description": details(task), "status": status, "priority": 2,
            "issue_type": "task", "acceptance_criteria": criteria.join("\n"), "dependencies": needs,
        });
        format!("{issue}\n")
    };
    vec![(".beads/issues.jsonl".to_owned(), tasks.tasks.iter().map(issue).collect())]
}

pub(super) fn prd(tasks: &OrderedTasks<'_>) -> PlanFiles {
    let story = |(at, task): (usize, &&Task)| {
        let criterion = |command: &&str| json!(format!("`{command}` passes"));
        let criteria: Vec<Value> = commands(task).iter().map(criterion).collect();
        json!({
            "id": tasks.id(&task.id), "title": task.title, "description": details(task),
            "acceptanceCriteria": criteria, "priority": at + 1, "passes": task.done_before.is_some(),
            "dependsOn": tasks.needs(task), "notes": "",
        })
    };
    let stories: Vec<Value> = tasks.tasks.iter().enumerate().map(story).collect();
    let all = json!({"project": tasks.plan.name, "description": "", "userStories": stories});
    vec![("prd.json".to_owned(), pretty(&all))]
}
