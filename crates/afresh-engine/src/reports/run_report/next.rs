//! What to do next with a run: one command per line, the most useful first.

use afresh_core::Run;
use afresh_core::run::{DriveState, TaskStage};
use afresh_core::status::{RunState, run_state};
use afresh_core::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// How many failed tasks are named one by one.
const NAMED: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct NextStep {
    pub why: String,
    pub command: String,
}

pub fn next_steps(run: &Run, is_driven: bool) -> Vec<NextStep> {
    let mut steps = Vec::new();
    let mut step = |why: &str, command: String| {
        steps.push(NextStep { why: why.to_owned(), command });
    };
    for question in run.questions() {
        let keys: Vec<&str> = question.options.iter().map(|option| option.key.as_str()).collect();
        let answers = if keys.is_empty() { "ANSWER".to_owned() } else { keys.join("|") };
        step("a question waits", format!("afresh decide {} {answers}", question.id));
    }
    if is_driven {
        step("it is being driven; see where it stands", "afresh status".to_owned());
        return steps;
    }
    let standing = run.drive_state(Timestamp::default());
    let failed =
        || run.tasks().filter(|(_, state)| matches!(state.stage, TaskStage::Failed { .. }));
    match standing {
        DriveState::Halted => step("it was halted; continue", "afresh resume".to_owned()),
        DriveState::Busy => step("it was interrupted; continue", "afresh run".to_owned()),
        DriveState::BudgetReached => {
            let by_cost = run.settings().budget.cost_micros.is_some();
            let flag = if by_cost { "--budget-usd X" } else { "--budget-tokens N" };
            step("the budget is reached; continue with more", format!("afresh run {flag}"));
        }
        DriveState::Waiting => {}
        DriveState::Finished { ok: true } if run_state(run) != RunState::Done => {
            step("other tasks are left; continue", "afresh run".to_owned());
        }
        DriveState::Finished { .. } => {
            for (task, _) in failed().take(NAMED) {
                step("give it fresh workers", format!("afresh task retry {}", task.id));
            }
            for mark in run.refuted_marks().iter().take(NAMED) {
                let id = &mark.task.id;
                let why =
                    format!("mark {id} as open in the plan, or correct its check; then continue");
                step(&why, "afresh run".to_owned());
            }
            if failed().next().is_some() {
                step("then continue", "afresh run".to_owned());
            }
        }
    }
    if run.tip() != run.base() {
        match standing {
            DriveState::Finished { ok: true } if run_state(run) == RunState::Done => {
                step("merge it into your branch", "afresh land".to_owned());
            }
            DriveState::Finished { .. } => {
                step("take what is done", "afresh land --partial".to_owned());
            }
            _ => {}
        }
    }
    steps
}
