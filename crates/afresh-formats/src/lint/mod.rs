//! What is worth knowing about a plan that can be read, whatever its format (BE-01).
//!
//! Readers find what is wrong with the text; this looks at what it means together with the
//! repository. Nothing here stops a run.
//!
//! | module | idea |
//! | --- | --- |
//! | `said` | findings at the places of tasks |
//! | `size` | tasks that are much for one worker, or that name no files |
//! | `files` | files that are to be changed and are not there, and the like |
//! | `together` | tasks of one wave that write one file |
//! | `reads` | files that workers are told to read, and that they will not have |

mod files;
mod reads;
mod said;
mod size;
mod together;

use std::collections::BTreeSet;

use afresh_core::Plan;
use afresh_core::plan::Task;

use crate::findings::Finding;
use crate::folder::PlanFolder;
use crate::reading::{SourceSpan, TaskPlaces};
use said::LintFindings;

/// What a plan is looked at with.
#[derive(Debug, Clone, Copy)]
pub struct LintSubject<'a> {
    pub plan: &'a Plan,
    /// The name of the plan's format.
    pub format: &'a str,
    /// Where each task is.
    pub places: &'a [TaskPlaces],
    /// Files that the plan tells its workers to read.
    pub reads: &'a [(String, SourceSpan)],
    /// Every file of the repository; none where there is no repository.
    pub repository: Option<&'a BTreeSet<String>>,
}

impl LintSubject<'_> {
    /// Tasks that a worker will do, by position. What is done, or asks a person, needs no advice.
    fn work(&self) -> impl Iterator<Item = (usize, &Task)> {
        let tasks = self.plan.tasks().iter().enumerate();
        tasks.filter(|(_, task)| task.done_before.is_none() && task.checkpoint.is_none())
    }
}

/// Everything worth knowing, in the order of the plan.
pub fn lint_plan(folder: &dyn PlanFolder, subject: LintSubject<'_>) -> Vec<Finding> {
    let mut said = LintFindings::new(subject.places);
    unchecked(subject, &mut said);
    size::check_task_sizes(subject, &mut said);
    together::check_shared_files(subject, &mut said);
    if let Some(repository) = subject.repository {
        files::check_files(subject, repository, &mut said);
        reads::check_context_files(folder, subject, repository, &mut said);
    }
    said.finish(folder)
}

/// Tasks of the own format that nothing judges. Readers of other formats label theirs themselves:
/// there, criteria are prose as a rule.
fn unchecked(subject: LintSubject<'_>, said: &mut LintFindings<'_>) {
    if subject.format != "native" {
        return;
    }
    for (at, task) in subject.work() {
        if task.all_checks().next().is_none() && task.no_check.is_none() {
            let message = format!("nothing proves that {} is done", task.id);
            let hint = "give it a command that fails until the work is done";
            said.of_task(at, "unchecked", message, hint);
        }
    }
}
