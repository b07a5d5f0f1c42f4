//! The requirements of a plan, with what a run says about them: what `afresh trace` shows.
//!
//! The plan is read from its files again, so that texts which changed since the run took them up are noticed. Nothing
//! is written.

use std::path::{Path, PathBuf};

use afresh_core::Run;
use afresh_core::ids::TaskId;
use afresh_core::plan::{Plan, nearest};
use afresh_core::status::trace::history::TextHistory;
use afresh_core::status::trace::{RequirementTrace, TraceSources};
use afresh_engine::journal_records;
use afresh_engine::session::RecordedRun;

use super::runs::select;
use crate::context::AppContext;
use crate::error::AppError;
use crate::notice::Notice;
use crate::plan_source::{self, PlanReadOptions};

/// What to trace.
#[derive(Debug)]
pub struct TraceRequest<'a> {
    /// The run; none: the last one, of the plan if one is named.
    pub run: Option<&'a str>,
    /// The plan; none: that of the run, or the one in this directory.
    pub plan: Option<&'a Path>,
    pub how: PlanReadOptions,
}

/// Traces the requirements of a run, or of a plan that was not run yet.
pub fn load_trace(
    context: &AppContext,
    request: &TraceRequest<'_>,
    notices: &mut Vec<Notice>,
) -> Result<RequirementTrace, AppError> {
    let directory = context.directory()?;
    if let Some(given) = request.plan {
        let (file, _) = plan_source::read_plan(&directory, given, &request.how)?;
        let found = find_run_of_plan(context, request.run, &file.path)?;
        return trace(&file.plan, found.as_ref());
    }
    let repository = match context.repository() {
        Ok(repository) => Some(repository),
        Err(error) if request.run.is_some() => return Err(error),
        // A plan may be outside of any repository.
        Err(_) => None,
    };
    let found = match &repository {
        Some(repository) => select::find_optional_run(repository, request.run)?,
        None => None,
    };
    let Some(found) = found else {
        let (file, _) = plan_source::read_plan(&directory, Path::new("."), &request.how)
            .map_err(|error| error.or_hint("`afresh trace --plan PLAN` traces a plan"))?;
        return trace(&file.plan, None);
    };
    let plan = current_plan(&found.run, &directory, notices);
    trace(&plan, Some(&found))
}

/// The newest run of a plan's file.
fn find_run_of_plan(
    context: &AppContext,
    named: Option<&str>,
    path: &Path,
) -> Result<Option<RecordedRun>, AppError> {
    let repository = match context.repository() {
        Ok(repository) => repository,
        Err(error) if named.is_some() => return Err(error),
        Err(_) => return Ok(None),
    };
    if named.is_some() {
        return select::find_run(&repository, named).map(Some);
    }
    let source = path.display().to_string();
    Ok(repository.find_run(|run| run.settings().source == source)?)
}

/// The plan of a run as its files are now; as the run took it up, if they cannot be read.
fn current_plan(run: &Run, directory: &Path, notices: &mut Vec<Notice>) -> Plan {
    let source = PathBuf::from(&run.settings().source);
    let caller = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    if source.exists() {
        match select::load_plan(run, &caller) {
            Ok(file) => return file.plan,
            Err(error) => notices.push(Notice::warning(format!(
                "{error}; requirements are shown as the run took them up, and changes are not noticed"
            ))),
        }
    } else {
        notices.push(Notice::note(format!(
            "the plan {} is gone; requirements are shown as the run took them up",
            source.display()
        )));
    }
    run.plan().clone()
}

fn trace(plan: &Plan, found: Option<&RecordedRun>) -> Result<RequirementTrace, AppError> {
    let Some(found) = found else {
        return Ok(RequirementTrace::new(TraceSources { plan, run: None }));
    };
    let mut history = TextHistory::default();
    for record in &found.records {
        history.note_event(&journal_records::to_event(record).map_err(AppError::journal)?);
    }
    Ok(RequirementTrace::new(TraceSources { plan, run: Some((&found.run, &history)) }))
}

/// What a word after `afresh trace` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceSubject {
    Requirement,
    Task,
    /// A requirement, although a task has the same id.
    Both,
}

/// Cuts a trace to what this id names: a requirement, else a task.
pub fn select_subject(
    trace: &mut RequirementTrace,
    id: &str,
    wants_task: bool,
) -> Result<TraceSubject, AppError> {
    let task = TaskId::new(id).ok().filter(|id| trace.work.iter().any(|task| task.id == *id));
    if !wants_task && trace.keep_requirement(id) {
        return Ok(if task.is_some() { TraceSubject::Both } else { TraceSubject::Requirement });
    }
    let Some(task) = task else { return Err(unknown_subject(trace, id, wants_task)) };
    trace.keep_task(&task);
    Ok(TraceSubject::Task)
}

fn unknown_subject(trace: &RequirementTrace, id: &str, wants_task: bool) -> AppError {
    let tasks = trace.work.iter().map(|task| task.id.as_str());
    let requirements = trace.requirements.iter().map(|one| one.id.as_str());
    if wants_task {
        let failure = AppError::usage("task", format!("there is no task {id:?}"));
        return match nearest(id, tasks) {
            Some(near) => failure.hint(format!("did you mean {near:?}?")),
            None => failure.hint("`afresh show` lists the tasks of a plan"),
        };
    }
    let failure =
        AppError::usage("requirement", format!("there is no requirement and no task {id:?}"));
    match nearest(id, requirements).or_else(|| nearest(id, tasks)) {
        Some(near) => failure.hint(format!("did you mean {near:?}?")),
        None => failure.hint("`afresh trace` lists the requirements"),
    }
}
