//! Findings about a plan that can be read, in any format (BE-01).
//!
//! Readers report what is wrong with the text; lint compares the plan with the repository. Nothing
//! here prevents a run.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `findings` | collects findings at the positions of tasks |
//! | `size` | tasks that are large for one worker, or that list no files |
//! | `files` | files to modify that do not exist, files to create that do |
//! | `shared_files` | tasks of one wave that write the same file |
//! | `context_files` | files that workers are asked to read and that are not committed |

mod context_files;
mod files;
mod findings;
mod shared_files;
mod size;

use std::collections::BTreeSet;

use afresh_core::Plan;
use afresh_core::plan::{Task, TaskIndex};

use crate::findings::Finding;
use crate::folder::PlanFolder;
use crate::lint::findings::LintFindings;
use crate::reading::{PartialPlan, PlanReading, SourceSpan, TaskPlaces};

/// The plan to lint, and what it is compared with.
#[derive(Debug, Clone, Copy)]
pub struct LintSubject<'a> {
    pub plan: &'a Plan,
    /// The name of the plan's format.
    pub format: &'a str,
    /// The source position of each task.
    pub places: &'a [TaskPlaces],
    /// Files that the plan asks workers to read.
    pub reads: &'a [(String, SourceSpan)],
    /// Every file of the repository, if there is one.
    pub repository: Option<&'a BTreeSet<String>>,
}

impl LintSubject<'_> {
    /// Tasks for workers, with their index: not those that are done or that ask a person.
    fn worker_tasks(&self) -> impl Iterator<Item = (TaskIndex, &Task)> {
        let tasks = self.plan.indices().zip(self.plan.tasks());
        tasks.filter(|(_, task)| task.done_before.is_none() && task.checkpoint.is_none())
    }
}

/// The findings of a plan's reader, and of the lints over what it read, by place.
pub fn all_findings(
    folder: &dyn PlanFolder,
    format: &str,
    reading: &PlanReading,
    repository: Option<&BTreeSet<String>>,
) -> Vec<Finding> {
    let mut findings = reading.findings.clone();
    if let Some(plan) = &reading.plan {
        let (places, reads) = (&reading.places, &reading.reads);
        let subject = LintSubject { plan, format, places, reads, repository };
        findings.extend(lint_plan(folder, subject));
    } else if let Some(PartialPlan { plan, places }) = &reading.part {
        let subject = LintSubject { plan, format, places, reads: &[], repository: None };
        findings.extend(lint_single_tasks(folder, subject));
    }
    findings.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    findings
}

/// What can be said about tasks without knowing the others.
fn lint_single_tasks(folder: &dyn PlanFolder, subject: LintSubject<'_>) -> Vec<Finding> {
    let mut findings = LintFindings::new(subject.places);
    check_unchecked_tasks(subject, &mut findings);
    size::check_task_sizes(subject, &mut findings);
    findings.finish(folder)
}

/// All findings, in the order of the plan.
pub fn lint_plan(folder: &dyn PlanFolder, subject: LintSubject<'_>) -> Vec<Finding> {
    let mut findings = LintFindings::new(subject.places);
    check_unchecked_tasks(subject, &mut findings);
    size::check_task_sizes(subject, &mut findings);
    crate::lint::shared_files::check_shared_files(subject, &mut findings);
    if let Some(repository) = subject.repository {
        files::check_files(subject, repository, &mut findings);
        crate::lint::context_files::check_context_files(folder, subject, repository, &mut findings);
    }
    findings.finish(folder)
}

/// Reports tasks of the native format without checks. Readers of other formats report theirs: there,
/// criteria are usually prose.
fn check_unchecked_tasks(subject: LintSubject<'_>, findings: &mut LintFindings<'_>) {
    if subject.format != "native" {
        return;
    }
    for (at, task) in subject.worker_tasks() {
        if task.all_checks().next().is_none() && task.no_check.is_none() {
            let message = format!("{} has no check that proves it is done", task.id);
            let hint =
                "add a command that fails until the work is done, or say why not in `no_check`";
            findings.warn_about_task(at, "unchecked", message, hint);
        }
    }
}
