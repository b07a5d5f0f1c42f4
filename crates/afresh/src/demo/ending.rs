//! The end of the demo: what happened, by the report, and what to try next.

use std::path::Path;

use afresh_engine::reports::run_report::{AttemptResult, RunReport};

use crate::terminal::output::{Output, Paint, safe};

/// What went wrong and was fixed.
pub(crate) fn print_outcome(report: &RunReport, output: &Output) {
    let heading = |text: &str| output.note(&format!("\n{}", output.paint(Paint::Cyan, text)));
    heading("Problems found and fixed");
    for task in &report.tasks {
        let merged = task.attempts.iter().find(|it| it.result == AttemptResult::Merged);
        for attempt in task.attempts.iter().filter(|it| it.result == AttemptResult::Rejected) {
            // A question is no mistake; it is listed below.
            let asked = report.questions.iter().any(|question| question.task == task.id);
            if let (false, Some(reason), Some(merged)) = (asked, &attempt.reason, merged) {
                line(output, &attempt.attempt, &format!("{reason}; {} succeeded", merged.attempt));
            }
        }
    }
    for question in &report.questions {
        let answer = question.answer.as_deref().unwrap_or("no answer");
        let by = question.by.as_deref().unwrap_or("no one");
        let first = question.text.lines().next().unwrap_or_default();
        line(output, question.task.as_str(), &format!("asked: {first} {answer} ({by})"));
    }
    heading("Results");
    for task in &report.tasks {
        let commit = task.commits.last().map_or("-", |commit| &commit.as_str()[..10]);
        let tries = task.attempts.len();
        let again = if tries > 1 { format!(", {tries} workers") } else { String::new() };
        line(output, commit, &format!("{}: {}{again}", task.id, task.title));
    }
    output.note(&format!(
        "  Branch {}: one commit per task; every commit's exact tree passed the checks.",
        safe(&report.branch)
    ));
}

/// What to try next. `us` is the command that starts afresh.
pub(crate) fn try_next(kept: Option<&Path>, us: &str, output: &Output) {
    output.note(&format!("\n{}", output.paint(Paint::Cyan, "Try next")));
    if let Some(repository) = kept {
        output.note(&format!("  cd {}", repository.display()));
        command(output, "git log --graph --oneline afresh/todo-1", "the commits of the workers");
        command(output, &format!("{us} report"), "the report");
        command(output, &format!("{us} logs add"), "the transcript of one task");
        command(output, &format!("{us} land"), "merge it into main");
    } else {
        let slow = "other failures, slow enough to watch";
        command(output, &format!("{us} demo --keep"), "keep the scratch repository");
        command(output, &format!("{us} demo --slow --seed 7"), slow);
    }
    command(output, &format!("{us} init"), "in a repository of your own");
}

fn line(output: &Output, who: &str, what: &str) {
    output.note(&format!("  {:<10} {}", safe(who), safe(what)));
}

fn command(output: &Output, command: &str, why: &str) {
    output.note(&format!("  {command:<40} {}", output.paint(Paint::Dim, why)));
}
