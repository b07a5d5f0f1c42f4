//! What a run came to: one line that says everything, failures repeated, then the next command.

use std::time::Duration;

use afresh_core::Run;
use afresh_core::run::{Stage, Standing};
use afresh_core::status::Status;

use crate::moment;
use crate::output::{Output, Paint, safe};

pub(crate) fn print(run: &Run, standing: Standing, took: Duration, output: &Output) {
    let status = Status::of(run);
    failures(&status, output);
    output.note(&line(run, &status, took, output));
    next(run, &status, standing, output);
}

fn failures(status: &Status, output: &Output) {
    for task in &status.tasks {
        if let ("failed" | "skipped" | "blocked", Some(error)) = (task.state, &task.error) {
            let word = output.paint(Paint::Red, task.state);
            output.note(&format!("  {word} {}: {}", task.id, safe(error)));
        }
    }
    if let Some(error) = &status.error {
        output.note(&format!("  {} {}", output.paint(Paint::Red, "run"), safe(error)));
    }
}

fn line(run: &Run, status: &Status, took: Duration, output: &Output) -> String {
    let total = status.tasks.len();
    let count = |state: &str| status.counts.get(state).copied().unwrap_or(0);
    let done = count("done");
    let retried = run
        .tasks()
        .filter(|(_, state)| matches!(state.stage, Stage::Done { .. }) && state.attempts > 1)
        .count();
    let mut parts = vec![if retried > 0 {
        format!("{done} merged ({retried} retried)")
    } else {
        format!("{done} merged")
    }];
    for state in ["failed", "skipped", "blocked", "waiting", "ready", "pending"] {
        if count(state) > 0 {
            parts.push(format!("{} {state}", count(state)));
        }
    }
    let mut text = format!("[{}] {done}/{total} tasks: {}", moment::span(took), parts.join(", "));
    let tokens = run.usage().tokens();
    if tokens > 0 {
        text = format!("{text} · {tokens} tokens");
    }
    if let Some(cost) = status.usage.cost_usd {
        text = format!("{text} · ${cost:.2}");
    }
    format!("{} {text}", output.paint(Paint::Blue, "Summary"))
}

fn next(run: &Run, status: &Status, standing: Standing, output: &Output) {
    let branch = run.branch();
    match standing {
        Standing::Finished { .. } if run.tip() != run.base() => {
            output.note(&format!(
                "  branch {branch}; look at it with `git log --first-parent {branch}`"
            ));
        }
        Standing::Halted => output.note("  halted; `afresh resume` goes on"),
        Standing::BudgetReached => {
            output.note("  the budget is reached; `afresh run --budget-usd X` goes on");
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
        output.note(&format!("     `afresh decide {} {}`", question.id, safe(&keys.join("|"))));
    }
}
