//! The run that a command is about: the named one, else the last one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use afresh_core::Run;
use afresh_core::ids::{CommitId, TaskId};
use afresh_core::plan::nearest;
use afresh_core::run::{RewindTarget, TaskStage, TaskState};
use afresh_engine::RepoContext;
use afresh_engine::session::RecordedRun;

use crate::error::AppError;
use crate::plan_source::caller_paths::relative_path;
use crate::plan_source::file_states::FileStates;
use crate::plan_source::{self, PlanFile, PlanHome, PlanReadOptions};
use crate::planning::directory::PlanDirectory;
use crate::session::control;

/// The run with this id, else the last one.
pub fn find_run(repository: &RepoContext, named: Option<&str>) -> Result<RecordedRun, AppError> {
    match (find_last_or_named(repository, named)?, named) {
        (Some(found), _) => Ok(found),
        (None, None) => Err(control::no_run()),
        (None, Some(id)) => Err(unknown_run(repository, id)?),
    }
}

/// The same, where no run at all is no error.
pub fn find_optional_run(
    repository: &RepoContext,
    named: Option<&str>,
) -> Result<Option<RecordedRun>, AppError> {
    match named {
        Some(id) => find_run(repository, Some(id)).map(Some),
        None => find_last_or_named(repository, None),
    }
}

fn find_last_or_named(
    repository: &RepoContext,
    named: Option<&str>,
) -> Result<Option<RecordedRun>, AppError> {
    let found = repository.find_run(|run| named.is_none_or(|id| id == run.id().as_str()))?;
    let Some(home) = found.as_ref().filter(|_| named.is_none()).and_then(finished_planning) else {
        return Ok(found);
    };
    // Once a plan is updated, the run that carries it out is of interest again.
    let work = repository.find_run(|run| run.settings().source == home.plan().to_string_lossy())?;
    Ok(work.or(found))
}

/// The directory that a planning run has finished.
pub fn finished_planning(found: &RecordedRun) -> Option<PlanDirectory> {
    let is_done = |state: &TaskState| matches!(state.stage, TaskStage::Done { .. });
    let home = PlanDirectory::planned_by(Path::new(&found.run.settings().source))?;
    found.run.tasks().all(|(_, state)| is_done(state)).then_some(home)
}

/// The task with this id.
pub fn find_task(run: &Run, named: &str) -> Result<TaskId, AppError> {
    let known = TaskId::new(named).ok().filter(|id| run.plan().index_of(id).is_some());
    known.ok_or_else(|| {
        let ids = run.plan().tasks().iter().map(|task| task.id.as_str());
        let failure = AppError::usage("task", format!("run {} has no task {named:?}", run.id()));
        match (split_attempt(run, named), nearest(named, ids)) {
            (Some((task, number)), _) => failure.hint(format!(
                "it is an attempt of {task}: `afresh logs {task} --attempt {number}` shows it"
            )),
            (None, Some(near)) => failure.hint(format!("did you mean {near:?}?")),
            (None, None) => failure.hint("`afresh status` lists the tasks"),
        }
    })
}

/// The task with this id, or the attempt (`T002.1`) and its task.
pub fn find_task_or_attempt(run: &Run, named: &str) -> Result<(TaskId, Option<u32>), AppError> {
    match find_task(run, named) {
        Ok(task) => Ok((task, None)),
        Err(error) => {
            split_attempt(run, named).map(|(task, number)| (task, Some(number))).ok_or(error)
        }
    }
}

/// Where a rewind goes: a task, the number of a wave, the start of a commit of the run, or `base`. A task's id wins.
pub fn find_rewind_target(run: &Run, named: &str) -> Result<RewindTarget, AppError> {
    let unknown = match find_task(run, named) {
        Ok(task) => return Ok(RewindTarget::Task(task)),
        Err(unknown) => unknown,
    };
    if named == "base" {
        return Ok(RewindTarget::Commit(run.base().clone()));
    }
    let is_hex = named.len() >= 4 && named.bytes().all(|byte| byte.is_ascii_hexdigit());
    let starts = |commit: &&CommitId| commit.as_str().starts_with(&named.to_ascii_lowercase());
    let mut commits =
        std::iter::once(run.base()).chain(run.landed_commits()).filter(|it| is_hex && starts(it));
    match (commits.next(), commits.next()) {
        (Some(commit), None) => return Ok(RewindTarget::Commit(commit.clone())),
        (Some(_), Some(_)) => {
            let message = format!("{named} is the start of several commits of run {}", run.id());
            return Err(AppError::usage("commit", message).hint("give more of its digits"));
        }
        (None, _) => {}
    }
    let number =
        named.strip_prefix("wave").unwrap_or(named).trim_start_matches([' ', '-', ':', '=']);
    match number.parse() {
        Ok(wave) if wave > 0 => Ok(RewindTarget::Wave(wave)),
        _ => Err(unknown.hint("name a task, a wave's number, a commit of the run, or `base`")),
    }
}

/// The parts of an attempt's id, if its task exists.
fn split_attempt(run: &Run, named: &str) -> Option<(TaskId, u32)> {
    let (task, number) = named.rsplit_once('.')?;
    let task = TaskId::new(task).ok().filter(|id| run.plan().index_of(id).is_some())?;
    Some((task, number.parse().ok()?))
}

/// The plan of a run, read from its file again. Messages name it as seen from the caller's directory,
/// which is absolute and without links.
pub fn load_plan(run: &Run, caller: &Path) -> Result<PlanFile, AppError> {
    let (settings, how) = (run.settings(), PlanReadOptions::recorded_in(run.settings()));
    let source = PathBuf::from(&settings.source);
    if source.exists() {
        return plan_source::load(caller, &relative_path(caller, &source), &how);
    }
    // The file is gone; the run continues with the plan that was pinned.
    Ok(pinned_plan(run))
}

/// The plan that a run was started with, as it was read then.
pub fn pinned_plan(run: &Run) -> PlanFile {
    let source = PathBuf::from(&run.settings().source);
    PlanFile {
        shown: source.display().to_string(),
        path: source,
        format: "native",
        how: PlanReadOptions::recorded_in(run.settings()),
        plan: run.plan().clone(),
        files: vec![],
        task_files: BTreeMap::new(),
        states: FileStates::default(),
        target: None,
        spec: None,
        warnings: vec![],
        blocked: BTreeMap::new(),
        unknown: BTreeMap::new(),
        home: PlanHome::Recorded(run.settings().writeback.clone()),
    }
}

/// The ids of all runs of the repository.
pub fn run_ids(repository: &RepoContext) -> Result<BTreeSet<String>, AppError> {
    let runs = repository.all_runs()?;
    Ok(runs.iter().map(|found| found.run.id().to_string()).collect())
}

fn unknown_run(repository: &RepoContext, id: &str) -> Result<AppError, AppError> {
    let known = run_ids(repository)?;
    if known.is_empty() {
        return Ok(control::no_run());
    }
    let failure = AppError::usage("no-run", format!("there is no run {id:?}"));
    if matches!(id, "failed" | "wave") {
        return Ok(failure
            .hint(format!("`afresh run --resume {id}` says how an interrupted wave continues")));
    }
    let list: Vec<&str> = known.iter().map(String::as_str).collect();
    Ok(match nearest(id, list.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean {near:?}?")),
        None => failure.hint(format!("the runs are: {}", list.join(", "))),
    })
}
