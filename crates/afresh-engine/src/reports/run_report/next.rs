//! What to do next with a run: one command per line, the most useful first.

use afresh_core::Run;
use afresh_core::run::{DriveState, TaskStage};
use afresh_core::status::{RunState, run_state};
use afresh_core::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::ReportContext;

/// How many failed tasks are named one by one.
const NAMED: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct NextStep {
    pub why: String,
    pub command: String,
}

/// Commands that work as they are: those for another run than the last one name it.
pub fn next_steps(run: &Run, around: &ReportContext) -> Vec<NextStep> {
    let names = CommandNames { run, is_last: around.is_last };
    let mut steps = Vec::new();
    for question in run.questions() {
        let keys: Vec<&str> = question.options.iter().map(|option| option.key.as_str()).collect();
        let answers = if keys.is_empty() {
            String::new()
        } else {
            format!("; its answers: {}", keys.join(", "))
        };
        // Not with all answers in it: a shell would take `retry|skip` for a pipe.
        let command = format!("afresh decide {} ANSWER{}", question.id, names.option());
        steps.push(NextStep::new(&format!("a question waits{answers}"), command));
    }
    if around.is_driven {
        let command = format!("afresh status{}", names.option());
        steps.push(NextStep::new("it is being driven; see where it stands", command));
        return steps;
    }
    steps.extend(steps_to_continue(run, &names));
    steps.extend(step_to_land(run, &names).filter(|_| around.landed_on.is_none()));
    steps
}

impl NextStep {
    fn new(why: &str, command: String) -> Self {
        Self { why: why.to_owned(), command }
    }
}

/// How commands name a run.
struct CommandNames<'a> {
    run: &'a Run,
    /// Commands without a name use it.
    is_last: bool,
}

impl CommandNames<'_> {
    fn option(&self) -> String {
        if self.is_last { String::new() } else { format!(" --run {}", self.run.id()) }
    }

    fn argument(&self) -> String {
        if self.is_last { String::new() } else { format!(" {}", self.run.id()) }
    }

    /// `afresh run` continues the last run only.
    fn continuing(&self) -> String {
        if self.is_last {
            "afresh run".to_owned()
        } else {
            format!("afresh resume {}", self.run.id())
        }
    }
}

fn steps_to_continue(run: &Run, names: &CommandNames<'_>) -> Vec<NextStep> {
    let failed =
        || run.tasks().filter(|(_, state)| matches!(state.stage, TaskStage::Failed { .. }));
    match run.drive_state(Timestamp::default()) {
        DriveState::Halted => {
            let command = format!("afresh resume{}", names.argument());
            vec![NextStep::new("it was halted; continue", command)]
        }
        DriveState::Busy => {
            vec![NextStep::new("it was interrupted; continue", names.continuing())]
        }
        DriveState::BudgetReached => {
            let by_cost = run.settings().budget.cost_micros.is_some();
            let flag = if by_cost { "--budget-usd X" } else { "--budget-tokens N" };
            let command = format!("{} {flag}", names.continuing());
            vec![NextStep::new("the budget is reached; continue with more", command)]
        }
        DriveState::Waiting => Vec::new(),
        DriveState::Finished { ok: true } if run_state(run) != RunState::Done => {
            vec![NextStep::new("other tasks are left; continue", names.continuing())]
        }
        DriveState::Finished { .. } => {
            let mut steps = Vec::new();
            for (task, _) in failed().take(NAMED) {
                let command = format!("afresh task retry {}{}", task.id, names.option());
                steps.push(NextStep::new("give it fresh workers", command));
            }
            for mark in run.refuted_marks().iter().take(NAMED) {
                let id = &mark.task.id;
                let why =
                    format!("mark {id} as open in the plan, or correct its check; then continue");
                steps.push(NextStep::new(&why, names.continuing()));
            }
            if failed().next().is_some() {
                steps.push(NextStep::new("then continue", names.continuing()));
            }
            steps
        }
    }
}

fn step_to_land(run: &Run, names: &CommandNames<'_>) -> Option<NextStep> {
    let land = format!("afresh land{}", names.argument());
    match run.drive_state(Timestamp::default()) {
        _ if run.tip() == run.base() => None,
        DriveState::Finished { ok: true } if run_state(run) == RunState::Done => {
            Some(NextStep::new("merge it into your branch", land))
        }
        DriveState::Finished { .. } => {
            Some(NextStep::new("take what is done", format!("{land} --partial")))
        }
        _ => None,
    }
}
