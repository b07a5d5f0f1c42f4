//! Order: phases, writers of one file, tasks that are planned twice (PL-08).

use std::collections::BTreeSet;

use afresh_core::plan::{FileAction, PlanField, Task, TaskIndex};

use super::PlanReview;
use super::grounding::tree::scopes;
use crate::words::{content_words, likeness};

pub(super) fn check(review: &mut PlanReview<'_>) {
    check_phases(review);
    check_writers(review);
    check_actions(review);
    check_duplicates(review);
}

/// A task that needs one of a later phase.
fn check_phases(review: &mut PlanReview<'_>) {
    let plan = review.plan;
    for (at, task) in review.tasks() {
        for need in plan.needs(at) {
            let other = plan.task(*need);
            let (Some(own), Some(later)) = (task.phase, other.phase) else { continue };
            if later > own {
                let message =
                    format!("{} of phase {own} needs {} of phase {later}", task.id, other.id);
                let hint = "no task waits for a later phase: correct the phases, or the dependency";
                review.report(at, PlanField::Needs, "later-phase", message, hint);
            }
        }
    }
}

/// Two tasks of different waves that write one file, and of which neither waits for the other. Those of one wave are
/// a finding of every plan.
fn check_writers(review: &mut PlanReview<'_>) {
    let plan = review.plan;
    for conflict in plan.conflicts() {
        let (one, other) = (&conflict.tasks.0, &conflict.tasks.1);
        let (Some(a), Some(b)) = (plan.index_of(one), plan.index_of(other)) else { continue };
        let is_done = |at: TaskIndex| {
            plan.task(at).done_before.is_some() || plan.task(at).checkpoint.is_some()
        };
        if plan.wave(a) == plan.wave(b) || is_done(a) || is_done(b) {
            continue;
        }
        let message = format!(
            "{one} and {other} both write {:?}, and neither needs the other",
            conflict.path
        );
        let hint = format!("let {other} need {one}, or separate their files");
        review.report(b, PlanField::Files, "unordered-writers", message, &hint);
    }
}

/// A file that a task lists twice with different actions, and a file that is changed after it was deleted.
fn check_actions(review: &mut PlanReview<'_>) {
    let plan = review.plan;
    for (at, task) in review.tasks() {
        let mut seen: Vec<(&str, Option<FileAction>)> = Vec::new();
        for scope in scopes(task) {
            let Some(path) = scope.pattern.literal() else { continue };
            let twice =
                seen.iter().find(|(other, action)| *other == path && *action != scope.action);
            if twice.is_some_and(|(_, action)| action.is_some() && scope.action.is_some()) {
                let message = format!("{} lists {path:?} with two actions", task.id);
                let hint = "a file is either created, modified or deleted by a task";
                review.report(at, PlanField::Files, "contradicting-actions", message, hint);
            }
            seen.push((path, scope.action));
            let deleted = (scope.action == Some(FileAction::Modify))
                .then(|| {
                    review
                        .tasks()
                        .find(|(other, task)| plan.is_before(*other, at) && deletes(task, path))
                })
                .flatten();
            if let Some((_, other)) = deleted {
                let message =
                    format!("{} modifies {path:?}, which {} deletes before", task.id, other.id);
                review.report(
                    at,
                    PlanField::Files,
                    "missing-file",
                    message,
                    "correct the order, or the action",
                );
            }
        }
    }
}

fn deletes(task: &Task, path: &str) -> bool {
    scopes(task).any(|scope| {
        scope.action == Some(FileAction::Delete) && scope.pattern.literal() == Some(path)
    })
}

/// How alike the titles of two tasks for one statement are, in per cent, that are one task.
const SAME_TITLE: usize = 75;
/// The same for all of their words.
const SAME_TEXT: usize = 80;
/// The most tasks that are compared with each other.
const MAX_COMPARED: usize = 500;

/// Two tasks for the same statement in almost the same words.
fn check_duplicates(review: &mut PlanReview<'_>) {
    let tasks: Vec<(TaskIndex, &Task)> = review.tasks().take(MAX_COMPARED).collect();
    let words: Vec<(BTreeSet<String>, BTreeSet<String>)> = tasks
        .iter()
        .map(|(_, task)| {
            let text = format!("{} {}", task.title, task.instructions);
            (content_words(&task.title), content_words(&text))
        })
        .collect();
    for (second, (at, task)) in tasks.iter().enumerate() {
        let same = (0..second).find(|first| {
            let other = tasks[*first].1;
            let serves_same = task.requirements.iter().any(|id| other.requirements.contains(id));
            let is_all_same =
                !task.requirements.is_empty() && task.requirements == other.requirements;
            let (title, text) = &words[second];
            let (other_title, other_text) = &words[*first];
            let is_titled_same = title.len() > 1 && likeness(title, other_title) >= SAME_TITLE;
            let is_same_text = text.len() > 3 && likeness(text, other_text) >= SAME_TEXT;
            (serves_same && is_titled_same) || (is_all_same && is_same_text)
        });
        if let Some(first) = same {
            let message = format!("{} plans the same work as {}", task.id, tasks[first].1.id);
            let hint = "keep one of them, or say what the other adds";
            review.report(*at, PlanField::Title, "duplicate-task", message, hint);
        }
    }
}
