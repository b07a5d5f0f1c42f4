//! Checks that prove nothing, whatever the work (PL-09). What they show on the base is measured elsewhere.

use afresh_core::plan::PlanField;
use afresh_core::plan::shell::simple_commands;
use afresh_import::plan_md::checks::command::{cannot_fail, leaves_the_tree};

use super::PlanReview;

/// Programs that succeed by themselves.
const SUCCEEDING: &[&str] = &["true", ":", "echo", "printf", "exit"];

pub(super) fn check(review: &mut PlanReview<'_>) {
    for (at, task) in review.tasks() {
        for (item, check) in task.checks.iter().enumerate() {
            let span = review
                .places(at)
                .map(|places| places.locate(None, PlanField::Checks, item).clone());
            if let Some(why) = why_it_passes(&check.command) {
                let message = format!("a check of {} always passes: {why}", task.id);
                let hint = "write a command that fails until the work is done";
                review.report_at(span.as_ref(), "check-cannot-fail", message, hint);
            } else if leaves_the_tree(&check.command) {
                let message =
                    format!("a check of {} uses a directory outside of the repository", task.id);
                let hint = "checks start in the root of the repository: use paths relative to it";
                review.report_at(span.as_ref(), "check-leaves-tree", message, hint);
            }
        }
    }
}

fn why_it_passes(command: &str) -> Option<String> {
    if let Some(why) = cannot_fail(command) {
        return Some(why.to_owned());
    }
    let commands = simple_commands(command);
    let succeeds = |program: &str, words: &[String]| {
        SUCCEEDING.contains(&program)
            && words.get(1).is_none_or(|code| program != "exit" || code == "0")
    };
    let all = !commands.is_empty() && commands.iter().all(|it| succeeds(it.program(), &it.words));
    all.then(|| format!("{:?} tests nothing", commands[0].program()))
}
