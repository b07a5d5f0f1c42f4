//! `afresh task show`: everything about one task (HU-08).

use std::collections::BTreeMap;

use afresh_core::check::CheckResult;
use afresh_core::comment::KeptComment;
use afresh_core::ids::{CommitId, TaskId};
use afresh_core::plan::{FileScope, Task};
use afresh_core::rejection::Rejection;
use afresh_core::status::{QuestionStatus, RunStatus, StepsStatus, TaskPhase, TaskStatus};
use afresh_core::{Event, Run};
use afresh_engine::RepoContext;
use afresh_engine::journal_records;
use afresh_engine::reports::run_report::{NextStep, ReportContext, RunReport, TaskReport};
use afresh_engine::session::RecordedRun;
use afresh_git::ref_names::{salvage_prefix, split_salvage_ref};
use schemars::JsonSchema;
use serde::Serialize;

pub use afresh_engine::reports::run_report::AttemptReport;

use crate::error::AppError;
use crate::session::runs::report_context;

/// What `afresh task show --json` prints.
#[derive(Debug, JsonSchema, Serialize)]
pub struct TaskDetails {
    pub run: String,
    #[serde(flatten)]
    pub report: TaskReport,
    /// Why it does not continue, or what it waits for.
    pub why: Option<String>,
    pub needs: Vec<RelatedTask>,
    /// The tasks that need it.
    pub needed_by: Vec<RelatedTask>,
    pub files: Vec<FileScope>,
    /// Finished steps, for a task that has steps.
    pub steps: Option<StepsStatus>,
    pub checks: Vec<TaskCheck>,
    /// The refs that keep work of its attempts.
    pub saved: Vec<SavedWorkRef>,
    pub questions: Vec<QuestionStatus>,
    /// Comments of people, and which attempts have read them.
    pub comments: Vec<KeptComment>,
    pub next: Vec<NextStep>,
}

/// A task that is needed, or that needs this one.
#[derive(Debug, JsonSchema, Serialize)]
pub struct RelatedTask {
    pub id: TaskId,
    pub state: TaskPhase,
}

/// A check of the task, and what it last showed.
#[derive(Debug, JsonSchema, Serialize)]
pub struct TaskCheck {
    pub name: String,
    pub command: String,
    pub last: Option<LastCheckResult>,
}

#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct LastCheckResult {
    /// The attempt whose work was checked.
    pub attempt: String,
    pub passed: bool,
    pub result: CheckResult,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct SavedWorkRef {
    pub attempt: String,
    pub r#ref: String,
    pub commit: CommitId,
}

/// Everything that the journal and the repository have about a task.
pub fn read_task_details(
    repository: &RepoContext,
    found: &RecordedRun,
    task: &TaskId,
) -> Result<TaskDetails, AppError> {
    let run = &found.run;
    let around = report_context(repository, run)?;
    let report = RunReport::from_run(found, around.clone()).map_err(AppError::journal)?;
    let status = RunStatus::from_run(run);
    let known = |id: &TaskId| status.tasks.iter().find(|other| other.id == *id);
    let missing = || AppError::bug("task", format!("{task} has no state"));
    let at = run.plan().index_of(task).ok_or_else(missing)?;
    let report = report.tasks.into_iter().find(|told| told.id == *task).ok_or_else(missing)?;
    let own = known(task).ok_or_else(missing)?;
    let related = |ids: &mut dyn Iterator<Item = &TaskId>| -> Vec<RelatedTask> {
        ids.filter_map(|id| Some(RelatedTask { id: id.clone(), state: known(id)?.state })).collect()
    };
    let id_at = |at: &_| &run.plan().task(*at).id;
    let needs = related(&mut run.plan().needs(at).iter().map(id_at));
    let needed_by = related(&mut run.plan().dependents(at).iter().map(id_at));
    let question = status.questions.iter().find(|question| question.task == *task).cloned();
    let planned = run.plan().task(at);
    Ok(TaskDetails {
        run: run.id().to_string(),
        why: explain_state(own, &needs, question.as_ref()),
        next: next_for_task(run, own, question.as_ref(), &around),
        files: planned.files.clone(),
        steps: own.steps,
        checks: list_checks(found, planned)?,
        saved: list_saved_work(repository, run, task)?,
        report,
        needs,
        needed_by,
        questions: question.into_iter().collect(),
        comments: own.comments.clone(),
    })
}

fn explain_state(
    own: &TaskStatus,
    needs: &[RelatedTask],
    question: Option<&QuestionStatus>,
) -> Option<String> {
    if let Some(question) = question {
        return Some(format!("it waits for an answer to {}", question.id));
    }
    let list =
        |ids: Vec<&TaskId>| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match own.state {
        TaskPhase::Pending => {
            let unmet =
                needs.iter().filter(|need| need.state != TaskPhase::Done).map(|need| &need.id);
            let ids: Vec<&TaskId> = unmet.chain(&own.blocked_by).collect();
            (!ids.is_empty()).then(|| format!("it waits for {}", list(ids)))
        }
        _ => own.error.clone(),
    }
}

/// Commands that work as they are; a run that is not the last one is named.
fn next_for_task(
    run: &Run,
    own: &TaskStatus,
    question: Option<&QuestionStatus>,
    around: &ReportContext,
) -> Vec<NextStep> {
    let named = if around.is_last { String::new() } else { format!(" --run {}", run.id()) };
    let step = |why: &str, command: String| NextStep { why: why.to_owned(), command };
    let id = &own.id;
    let mut steps = Vec::new();
    if let Some(question) = question {
        let command = format!("afresh decide {} ANSWER{named}", question.id);
        steps.push(step("answer its question", command));
    }
    match own.state {
        TaskPhase::Failed | TaskPhase::Skipped => {
            steps.push(step("give it fresh workers", format!("afresh task retry {id}{named}")));
        }
        TaskPhase::Running if own.by_hand.is_some() => {
            steps.push(step("hand the work in", format!("afresh task complete {id}{named}")));
            steps.push(step("give it up", format!("afresh task fail {id}{named}")));
        }
        TaskPhase::Running | TaskPhase::Checking | TaskPhase::Merging if around.is_driven => {
            steps.push(step("follow its worker", format!("afresh logs {id} -f{named}")));
        }
        TaskPhase::Ready | TaskPhase::Pending | TaskPhase::Running if !around.is_driven => {
            let command = format!("afresh resume {}", run.id());
            steps.push(step("nothing drives the run; continue it", command));
        }
        _ => {}
    }
    if own.attempts > 0 {
        steps.push(step("see what it changed", format!("afresh diff {id}{named}")));
        steps.push(step("read what its workers did", format!("afresh logs {id}{named}")));
    }
    steps
}

/// The checks of the task, each with its last result on the work of an attempt.
fn list_checks(found: &RecordedRun, task: &Task) -> Result<Vec<TaskCheck>, AppError> {
    let mut last: BTreeMap<String, LastCheckResult> = BTreeMap::new();
    for record in &found.records {
        let event = journal_records::to_event(record).map_err(AppError::journal)?;
        let (attempt, results) = match &event {
            Event::LandIntended { attempt, receipt, .. } => (attempt, &receipt.checks),
            Event::LandingInherited { work: Some(work), .. } => {
                (&work.attempt, &work.receipt.checks)
            }
            Event::ChecksPassed { attempt, results, .. }
            | Event::ContestEntered { attempt, results, .. }
            | Event::StepDone { attempt, results, .. }
            | Event::AttemptRejected {
                attempt,
                reason: Rejection::ChecksFailed { results } | Rejection::BrokenMerge { results, .. },
                ..
            } => (attempt, results),
            _ => continue,
        };
        for result in results.iter().filter(|_| attempt.task == task.id) {
            let shown = LastCheckResult {
                attempt: attempt.to_string(),
                passed: result.passed(),
                result: result.clone(),
            };
            last.insert(result.command.clone(), shown);
        }
    }
    let own = task.all_checks().map(|check| TaskCheck {
        name: check.name.clone(),
        command: check.command.clone(),
        last: last.get(&check.command).cloned(),
    });
    Ok(own.collect())
}

fn list_saved_work(
    repository: &RepoContext,
    run: &Run,
    task: &TaskId,
) -> Result<Vec<SavedWorkRef>, AppError> {
    let prefix = format!("{task}.");
    let refs = repository.git.list_refs(&salvage_prefix(run.id().as_str()));
    let refs = refs.map_err(AppError::git)?.into_iter();
    let own = refs.filter_map(|(name, commit)| {
        let (_, attempt) = split_salvage_ref(&name)?;
        // A task may be named like an attempt of another one.
        let number = attempt.strip_prefix(&prefix)?.split(".step-").next()?;
        number.parse::<u32>().ok()?;
        Some(SavedWorkRef { attempt: format!("{prefix}{number}"), commit, r#ref: name.clone() })
    });
    Ok(own.collect())
}
