//! Lists of check boxes.

use std::fmt::Write as _;

use afresh_core::plan::Task;
use serde_json::json;

use super::{OrderedTasks, PlanFiles, commands, files, indented, title};

fn mark(task: &Task) -> &'static str {
    if task.done_before.is_some() { "x" } else { " " }
}

/// Files and checks as notes of a box.
fn notes(task: &Task, width: usize) -> String {
    let space = " ".repeat(width);
    let mut text = String::new();
    for step in &task.steps {
        let _ = writeln!(text, "{space}- [{}] {}", mark(task), super::one_line(&step.name));
    }
    text.push_str(&indented(&task.instructions, width));
    let named = files(task);
    if !named.is_empty() {
        let named: Vec<String> = named.iter().map(|file| format!("`{file}`")).collect();
        let _ = writeln!(text, "{space}- Files: {}", named.join(", "));
    }
    for command in commands(task) {
        let _ = writeln!(text, "{space}- `{}` passes", super::one_line(command));
    }
    text
}

pub(super) fn spec_kit(tasks: &OrderedTasks<'_>) -> PlanFiles {
    let mut text = format!("# Tasks: {}\n\n## Phase 1: All\n\n", tasks.name());
    let mut order = String::new();
    for task in &tasks.tasks {
        let id = tasks.id(&task.id);
        let needs = tasks.needs(task).join(", ");
        let after = if needs.is_empty() { String::new() } else { format!(" (depends on {needs})") };
        let named: Vec<String> = files(task).iter().map(|file| format!("`{file}`")).collect();
        let place =
            if named.is_empty() { String::new() } else { format!(" in {}", named.join(", ")) };
        let _ = writeln!(text, "- [{}] {id} [P] {}{place}{after}", mark(task), title(task));
        let _ = writeln!(order, "## {id}\n\n{}\n", task.instructions.trim());
        for command in commands(task) {
            let _ = writeln!(order, "- `{command}`");
        }
    }
    let front = format!("specs/001-{}", tasks.slug());
    let plan = format!("# Plan: {}\n\n{order}", tasks.name());
    vec![(format!("{front}/tasks.md"), text), (format!("{front}/plan.md"), plan)]
}

pub(super) fn openspec(tasks: &OrderedTasks<'_>) -> PlanFiles {
    let mut text = "## 1. Tasks\n\n".to_owned();
    for task in &tasks.tasks {
        let id = tasks.id(&task.id);
        let _ = write!(text, "- [{}] {id} {}\n{}", mark(task), title(task), notes(task, 2));
    }
    let front = format!("openspec/changes/{}", tasks.slug());
    let why = format!("# {}\n\n## Why\n\n{0}\n\n## What Changes\n\n- See tasks.md\n", tasks.name());
    vec![(format!("{front}/tasks.md"), text), (format!("{front}/proposal.md"), why)]
}

pub(super) fn kiro(tasks: &OrderedTasks<'_>) -> PlanFiles {
    let mut text = format!("# Implementation Plan: {}\n\n", tasks.name());
    let mut graph = Vec::new();
    for task in &tasks.tasks {
        let id = tasks.id(&task.id);
        let _ = write!(text, "- [{}] {id}. {}\n{}", mark(task), title(task), notes(task, 2));
        graph.push(json!({"id": id, "dependsOn": tasks.needs(task)}));
    }
    let graph = serde_json::to_string_pretty(&json!({ "tasks": graph })).unwrap_or_default();
    let _ = write!(text, "\n## Task Dependency Graph\n\n```json\n{graph}\n```\n");
    vec![(format!(".kiro/specs/{}/tasks.md", tasks.slug()), text)]
}

pub(super) fn agent_os(tasks: &OrderedTasks<'_>) -> PlanFiles {
    let mut text = format!("# Task Breakdown: {}\n\n", tasks.name());
    for task in &tasks.tasks {
        let id = tasks.id(&task.id);
        let needs: Vec<String> =
            tasks.needs(task).iter().map(|need| format!("Task Group {need}")).collect();
        let needs = if needs.is_empty() { "None".to_owned() } else { needs.join(", ") };
        let _ =
            write!(text, "#### Task Group {id}: {}\n\n**Dependencies:** {needs}\n\n", title(task));
        if task.steps.is_empty() {
            let _ = writeln!(text, "- [{}] {id}.1 {}", mark(task), title(task));
        }
        for (at, step) in task.steps.iter().enumerate() {
            let name = super::one_line(&step.name);
            let _ = writeln!(text, "- [{}] {id}.{} {name}", mark(task), at + 1);
        }
        text.push_str(&indented(&task.instructions, 2));
        for command in commands(task) {
            let _ = writeln!(text, "  - `{command}` passes");
        }
        text.push('\n');
    }
    vec![(format!("agent-os/specs/{}/tasks.md", tasks.slug()), text)]
}

pub(super) fn checklist(tasks: &OrderedTasks<'_>) -> PlanFiles {
    let mut text = format!("# {}\n\n", tasks.name());
    for task in &tasks.tasks {
        let id = tasks.id(&task.id);
        let _ = write!(text, "- [{}] {id}. {}\n{}", mark(task), title(task), notes(task, 2));
    }
    vec![("TODO.md".to_owned(), text)]
}
