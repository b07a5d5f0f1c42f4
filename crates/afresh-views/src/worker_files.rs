//! The files about running workers that users of long-run look for: who works now, who worked before, and how far a
//! plan has come. Derived from the run, and never read back.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use afresh_core::Run;
use afresh_core::plan::Task;
use afresh_core::run::{TaskStage, TaskState};
use serde_json::{Value, json};

/// The names of the files that come and go with a plan's worker: the reporter removes those that are out of date.
pub const CURRENT_AGENT: &str = "current-agent-id.txt";
pub const CHECKPOINT_END: &str = "-CHECKPOINT.json";
/// Attempts in the history.
const MAX_ATTEMPTS: usize = 500;

/// The files by name, as they are at this point of the run.
pub fn render(run: &Run) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut current = String::new();
    let mut agents = Vec::new();
    for (task, state) in run.tasks() {
        for number in 1..=state.retries.last_number {
            agents.push(agent(task, state, number));
        }
        if let Some(attempt) = running(state) {
            let _ = writeln!(current, "{}", agent_id(task, state, attempt));
        }
        if !state.steps.finished.is_empty() && !state.is_done() {
            files.insert(format!("{}{CHECKPOINT_END}", task.id), checkpoint(task, state));
        }
    }
    if !current.is_empty() {
        files.insert(CURRENT_AGENT.to_owned(), current);
    }
    let first = agents.len().saturating_sub(MAX_ATTEMPTS);
    let history = json!({"version": "1.0", "agents": agents.split_off(first)});
    files.insert("agent-history.json".to_owned(), pretty(&history));
    files
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// The number of the attempt whose worker is running.
fn running(state: &TaskState) -> Option<u32> {
    let is_running = matches!(state.stage, TaskStage::Starting(_) | TaskStage::Running(_));
    state.attempt().filter(|_| is_running).map(|attempt| attempt.number)
}

/// The conversation's id, if the agent has one, else the attempt's.
fn agent_id(task: &Task, state: &TaskState, number: u32) -> String {
    let identity = state.records.identities.get(&number);
    let session = identity.and_then(|identity| identity.session.clone());
    session.unwrap_or_else(|| format!("{}.{number}", task.id))
}

fn agent(task: &Task, state: &TaskState, number: u32) -> Value {
    let is_merged =
        matches!(&state.stage, TaskStage::Done { attempt, .. } if attempt.number == number);
    let status = if is_merged {
        "completed"
    } else if running(state) == Some(number) {
        "spawned"
    } else if state.attempt().is_some_and(|attempt| attempt.number == number) {
        "checking"
    } else {
        "failed"
    };
    json!({
        "agent_id": agent_id(task, state, number),
        "task_description": format!("Execute plan {}: {}", task.id, task.title),
        "plan": task.id.as_str(),
        "attempt": number,
        "status": status,
    })
}

/// How far the plan has come, as long-run's reader counts it.
fn checkpoint(task: &Task, state: &TaskState) -> String {
    let finished = &state.steps.finished;
    let commits: BTreeMap<String, &str> = finished
        .iter()
        .filter_map(|step| Some((step.step.to_string(), step.commit.as_ref()?.as_str())))
        .collect();
    let files = finished.last().map(|step| step.paths.as_slice()).unwrap_or_default();
    pretty(&json!({
        "plan": task.id.as_str(),
        "last_completed_task": state.steps_done(),
        "total_tasks": task.steps.len(),
        "task_commits": commits,
        "files_modified": files,
    }))
}
