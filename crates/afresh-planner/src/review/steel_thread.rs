//! The steel thread (PL-18): one way through the whole program, end to end, before features fan out.

use afresh_core::plan::{PlanField, TaskIndex};

use super::PlanReview;

/// Plans with fewer tasks need none: they are one way through.
const LEAST_TASKS: usize = 4;

pub(super) fn check(review: &mut PlanReview<'_>) {
    if review.tasks().count() < LEAST_TASKS {
        return;
    }
    let plan = review.plan;
    let thread: Vec<TaskIndex> =
        review.tasks().filter(|(_, task)| task.steel_thread).map(|(at, _)| at).collect();
    let Some(last) = thread.iter().copied().max_by_key(|at| plan.wave(*at)) else {
        let message = "no task is marked with steel_thread = true".to_owned();
        let hint = "mark the tasks that first make the program work end to end; the last of them has an end-to-end check with red_first = true";
        let first = review.tasks().next().map(|(at, _)| at);
        if let Some(first) = first {
            review.report(first, PlanField::Id, "no-steel-thread", message, hint);
        }
        return;
    };
    let end = plan.task(last);
    if !end.all_checks().any(|check| check.red_first) {
        let message =
            format!("{} ends the steel thread and has no check with red_first = true", end.id);
        let hint = "give it one end-to-end command that fails until the whole thread works";
        review.report(last, PlanField::Checks, "steel-thread-unchecked", message, hint);
    }
    for at in thread.iter().copied().filter(|at| *at != last && !plan.is_before(*at, last)) {
        let message = format!(
            "{} is part of the steel thread, but {} does not need it",
            plan.task(at).id,
            end.id
        );
        let hint = "connect them with `needs`: the thread is one chain";
        review.report(at, PlanField::Needs, "steel-thread-apart", message, hint);
    }
    if let Some(why) = why_late(review, &thread, last) {
        let message = format!("the steel thread ends with {}, {why}", end.id);
        let hint = "let the thread need only foundations; features come after it";
        review.report(last, PlanField::Needs, "steel-thread-late", message, hint);
    }
    let features: Vec<TaskIndex> = review
        .tasks()
        .map(|(at, _)| at)
        .filter(|at| *at != last && !plan.is_before(*at, last) && !plan.is_before(last, *at))
        .filter(|at| !plan.task(*at).steel_thread)
        .collect();
    for at in features {
        let message = format!(
            "{} does not wait for the steel thread, which ends with {}",
            plan.task(at).id,
            end.id
        );
        let hint = format!(
            "add {:?} to its `needs`, or make it something that the thread needs",
            end.id.as_str()
        );
        review.report(at, PlanField::Needs, "steel-thread-late", message, &hint);
    }
}

/// The phase of foundations, which may come before the steel thread.
const FOUNDATIONS: u32 = 1;

/// Why a thread is late although all tasks are ordered: it waits for features.
fn why_late(review: &PlanReview<'_>, thread: &[TaskIndex], last: TaskIndex) -> Option<String> {
    let plan = review.plan;
    let before: Vec<TaskIndex> = review
        .tasks()
        .map(|(at, _)| at)
        .filter(|at| !thread.contains(at) && plan.is_before(*at, last))
        .filter(|at| plan.task(*at).phase != Some(FOUNDATIONS))
        .collect();
    let phase = plan.task(last).phase;
    let feature =
        before.iter().find(|at| plan.task(**at).phase.is_some_and(|of| of > 2 && phase.is_some()));
    if let Some(feature) = feature {
        return Some(format!("which waits for {}, a feature", plan.task(*feature).id));
    }
    let after = review.tasks().filter(|(at, _)| plan.is_before(last, *at)).count();
    (before.len() > thread.len() && (after == 0 || before.len() > after + 1))
        .then(|| format!("after {} other tasks and before {after}", before.len()))
}
