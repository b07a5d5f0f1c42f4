//! A small specification is one task for one worker (AU-05): no planner, nothing divided.

use afresh_core::plan::{CheckDraft, ContextLevel, FileDraft, PlanDraft, TaskDraft};

use super::PlanningJob;
use crate::spec::files::SpecFile;

/// The whole specification as one task, judged by the project's own checks.
pub fn single_plan(
    job: &PlanningJob<'_>,
    title: &str,
    files: &[SpecFile],
    checks: &[String],
) -> PlanDraft {
    let written = files.iter().filter(|file| file.action.writes());
    let file =
        |file: &SpecFile| FileDraft { path: file.path.clone(), action: file.action.to_plan() };
    let task = TaskDraft {
        id: "T001".to_owned(),
        title: title.to_owned(),
        instructions: "Do everything that the specification asks for, with tests. What it defers or leaves out stays out."
            .to_owned(),
        // Deviations may be declared for files that it does not name.
        files: written.map(file).collect(),
        requirements: job.ledger.active().map(|it| it.id.as_str().to_owned()).collect(),
        checks: checks
            .iter()
            .map(|command| CheckDraft { command: command.clone(), guard: true, ..CheckDraft::default() })
            .collect(),
        context: Some(ContextLevel::Full),
        ..TaskDraft::default()
    };
    let task = if task.checks.is_empty() {
        TaskDraft { no_check: Some("judged by the checks of every merge".to_owned()), ..task }
    } else {
        task
    };
    PlanDraft { name: job.name.to_owned(), spec: Some("spec.md".to_owned()), tasks: vec![task] }
}
