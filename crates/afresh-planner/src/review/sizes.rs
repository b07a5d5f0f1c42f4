//! Tasks that fill more of a worker's context than they should.

use afresh_core::estimate::ContextEstimate;
use afresh_core::pattern::FilePattern;
use afresh_core::plan::PlanField;

use super::PlanReview;
use crate::discovery::RepositoryFiles;

pub(super) fn check(review: &mut PlanReview<'_>) {
    check_statements(review);
    let (window, soft) = (review.subject.window, u64::from(review.subject.soft));
    for (at, task) in review.tasks() {
        let repository = review.subject.repository;
        let estimate =
            ContextEstimate::for_task(task, window, |pattern| bytes_of(repository, pattern));
        if estimate.percent() <= soft {
            continue;
        }
        let message = format!(
            "{} would fill about {} % of a worker's context; the limit is {soft} %",
            task.id,
            estimate.percent()
        );
        let hint = "divide it, or let it list fewer and smaller files";
        review.report(at, PlanField::Files, "task-too-large", message, hint);
    }
}

fn bytes_of(repository: &dyn RepositoryFiles, pattern: &FilePattern) -> Option<u64> {
    if let Some(path) = pattern.literal() {
        return repository.bytes_of(path);
    }
    let matching = repository.files().iter().filter(|file| pattern.matches(&file.path));
    matching.fold(None, |sum, file| Some(sum.unwrap_or(0_u64).saturating_add(file.bytes)))
}

/// The most requirements that one of several tasks may serve.
const MAX_STATEMENTS: usize = 15;

fn check_statements(review: &mut PlanReview<'_>) {
    if review.tasks().count() < 2 {
        return;
    }
    let ledger = review.subject.ledger;
    for (at, task) in review.tasks() {
        let served = task.requirements.iter().filter_map(|id| ledger.find(id.as_str()));
        let served = served.filter(|statement| !statement.is_criterion()).count();
        if served > MAX_STATEMENTS {
            let message =
                format!("{} serves {served} requirements; the limit is {MAX_STATEMENTS}", task.id);
            review.report(at, PlanField::Requirements, "task-too-large", message, "divide it");
        }
    }
}
