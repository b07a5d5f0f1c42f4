//! The end of a run: failures, one summary line, the next command.

use std::time::Duration;

use afresh_core::Run;
use afresh_core::ids::AttemptId;
use afresh_core::plan::Task;
use afresh_core::run::{DriveState, TaskStage, TaskState};
use afresh_core::status::{RunState, RunStatus, TaskPhase};
use afresh_core::usage::BudgetAmount;
use afresh_engine::StateLayout;

use crate::terminal::output::{self, Output, Paint, join_lines, safe};
use afresh_app::config::policy::budget;
use afresh_app::dashboard::data::needs_you::sort_questions;
use afresh_app::text::time;

/// A run after its driver ended.
#[derive(Debug)]
pub(crate) struct EndedRun {
    pub(crate) run: Run,
    pub(crate) standing: DriveState,
    pub(crate) took: Duration,
    pub(crate) layout: StateLayout,
    /// The user's branch that has all of it already.
    pub(crate) landed_on: Option<String>,
    /// Whether its branch still exists.
    pub(crate) has_branch: bool,
    /// It was done before this session, which had nothing to do.
    pub(crate) was_done: bool,
}

pub(crate) fn print(ended: &EndedRun, output: &Output) {
    if ended.was_done {
        let run = ended.run.id();
        output.note(&format!("run {run} is done already; `afresh run --new` starts another"));
    } else {
        print_outcome(ended, output);
    }
    let mut status = RunStatus::from_run(&ended.run);
    sort_questions(&ended.run, &mut status.questions);
    next(ended, &status, output);
}

/// The outcome, without the next command.
pub(crate) fn print_outcome(ended: &EndedRun, output: &Output) {
    let status = RunStatus::from_run(&ended.run);
    failures(ended, &status, output);
    output.note(&line(&ended.run, &status, ended.took, output));
    output.notices(budget::attempts_without_price(&ended.run));
}

fn failures(ended: &EndedRun, status: &RunStatus, output: &Output) {
    for task in &status.tasks {
        if let (TaskPhase::Failed | TaskPhase::Skipped | TaskPhase::Blocked, Some(error)) =
            (task.state, &task.error)
        {
            let word = output.paint(Paint::Red, task.state.word());
            output.note(&format!("  {word} {}: {}", task.id, join_lines(error)));
            let attempt = AttemptId { task: task.id.clone(), number: task.attempts };
            let output_of = ended.layout.attempt(ended.run.id(), &attempt);
            if task.attempts > 0 && output_of.is_dir() {
                output.note(&format!("     last output: {}", output_of.display()));
            }
        }
    }
    if let Some(error) = &status.error {
        output.note(&format!("  {} {}", output.paint(Paint::Red, "run"), safe(error)));
    }
}

/// In the order in which they matter to the reader.
const UNFINISHED_PHASES: [TaskPhase; 6] = [
    TaskPhase::Failed,
    TaskPhase::Skipped,
    TaskPhase::Blocked,
    TaskPhase::Waiting,
    TaskPhase::Ready,
    TaskPhase::Pending,
];

fn line(run: &Run, status: &RunStatus, took: Duration, output: &Output) -> String {
    let total = status.tasks.len();
    let count = |phase: TaskPhase| status.counts.get(&phase).copied().unwrap_or(0);
    let done = count(TaskPhase::Done);
    let mut parts = done_parts(run);
    for state in UNFINISHED_PHASES {
        if count(state) > 0 {
            parts.push(format!("{} {state}", count(state)));
        }
    }
    let mut text =
        format!("[{}] {done}/{total} tasks: {}", time::format_duration(took), parts.join(", "));
    let tokens = run.usage().tokens();
    if tokens > 0 {
        text = format!("{text} · {tokens} tokens");
    }
    if let Some(cost) = status.usage.cost_usd {
        text = format!("{text} · ${cost:.2}");
    }
    if status.without_price > 0 {
        text = format!("{text} + {} unknown", status.without_price);
    }
    format!("{} {text}", output.paint(Paint::Cyan, "Summary"))
}

/// Merged tasks, and those that are done without a merge: checkpoints, and tasks that were done before the run.
fn done_parts(run: &Run) -> Vec<String> {
    let count = |is_wanted: &dyn Fn(&Task, &TaskState) -> bool| {
        run.tasks().filter(|(task, state)| is_wanted(task, state)).count()
    };
    let is_merged = |state: &TaskState| matches!(state.stage, TaskStage::Done { .. });
    let is_settled = |state: &TaskState| matches!(state.stage, TaskStage::Settled { .. });
    let merged = count(&|_, state| is_merged(state));
    let retried = count(&|_, state| is_merged(state) && state.retries.last_number > 1);
    let checkpoints = count(&|task, state| is_settled(state) && task.checkpoint.is_some());
    let before = count(&|task, state| is_settled(state) && task.checkpoint.is_none());
    let mut parts = vec![match retried {
        0 => format!("{merged} merged"),
        _ => format!("{merged} merged ({retried} retried)"),
    }];
    if checkpoints > 0 {
        parts.push(format!("{} answered", output::count(checkpoints, "checkpoint")));
    }
    if before > 0 {
        parts.push(format!("{before} done before"));
    }
    parts
}

fn next(ended: &EndedRun, status: &RunStatus, output: &Output) {
    let run = &ended.run;
    let branch = run.branch();
    waits_for(run, output);
    waits_for_people(ended, output);
    if !run.refuted_marks().is_empty() {
        let hint = "mark the task as open in the plan to have it done, or correct its check";
        output.note(&format!("  {hint}; then `afresh run` continues"));
    }
    match ended.standing {
        DriveState::Finished { .. } if run.tip() != run.base() => {
            output.note(&if ended.has_branch {
                format!("  branch {branch}: `git log --first-parent {branch}` shows it")
            } else {
                format!("  branch {branch} was deleted; its last commit is {}", run.tip())
            });
            // A run of one task is well, and still not finished.
            let partial = if status.state == RunState::Done { "" } else { " --partial" };
            let land = match &ended.landed_on {
                Some(branch) => format!("it is already in {branch}"),
                None => format!("`afresh land{partial}` merges it into your branch"),
            };
            output.note(&format!("  `afresh report` summarizes it; {land}"));
        }
        DriveState::Halted => {
            if run.halt().is_some_and(|halt| halt.now) && has_saved_work(run) {
                output.note(&format!(
                    "  the work of ended attempts is saved: `git for-each-ref refs/afresh/salvage/{}` lists it",
                    run.id()
                ));
            }
            let reason = run.halt().map_or("", |halt| halt.reason.as_str());
            output.note(&match run.halt().and_then(|halt| halt.cause) {
                Some(_) => format!("  stopped: {}; then `afresh run` continues", safe(reason)),
                None => "  halted; `afresh resume` continues".to_owned(),
            });
        }
        DriveState::BudgetReached => {
            let budget = run.settings().budget;
            let used = budget.describe(BudgetAmount::from(&run.usage()));
            let flag =
                if budget.cost_micros.is_some() { "--budget-usd X" } else { "--budget-tokens N" };
            output.note(&format!(
                "  budget reached: {used}; `afresh run {flag}` with a higher limit continues"
            ));
        }
        _ => {}
    }
    for question in &status.questions {
        let keys: Vec<&str> = question.options.iter().map(|option| option.key.as_str()).collect();
        let first = question.text.lines().next().unwrap_or_default();
        output.note(&format!(
            "  {} ({}) {}: {}",
            question.id,
            question.kind,
            question.task,
            safe(first)
        ));
        let answers = safe(&keys.join(", "));
        output.note(&format!("     `afresh decide {} ANSWER` answers it: {answers}", question.id));
    }
}

/// Whether an attempt that was ended had changed something.
fn has_saved_work(run: &Run) -> bool {
    let mut left = run.tasks().filter_map(|(_, state)| state.session.interrupted.as_ref());
    left.any(|left| !left.harvest.changes.is_empty())
}

/// Work that only people can do: attempts by hand, and tasks that no agent starts.
fn waits_for_people(ended: &EndedRun, output: &Output) {
    let run = &ended.run;
    for work in run.open_by_hand() {
        let (attempt, task) = (&work.attempt, &work.attempt.task);
        let by = safe(work.by_hand.as_deref().unwrap_or_default());
        output.note(&format!(
            "  {attempt} is open by hand ({by}); `afresh task complete {task}` hands it in"
        ));
    }
    if ended.standing == DriveState::Waiting
        && let Some(first) = run.left_to_people().next()
    {
        output.note(&format!(
            "  no agent starts; `afresh task ready` lists tasks, `afresh task start {first}` starts one by hand"
        ));
    }
}

/// Why the task of `--task` did not run.
fn waits_for(run: &Run, output: &Output) {
    let Some(at) = run.settings().only.as_ref().and_then(|id| run.plan().index_of(id)) else {
        return;
    };
    let needs = run.plan().needs(at).iter().filter(|need| !run.task(**need).is_done());
    let unmet: Vec<&str> = needs.map(|need| run.plan().task(*need).id.as_str()).collect();
    if !unmet.is_empty() {
        output.note(&format!("  {} waits for {}", run.plan().task(at).id, unmet.join(", ")));
    }
}
