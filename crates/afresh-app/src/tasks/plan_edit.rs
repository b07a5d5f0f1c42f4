//! `afresh task add` and `afresh task edit`: a task in the file of a native plan (HU-08).
//!
//! The new text is read as any plan before it is written, so a file that was readable stays so. Callers at the same
//! time wait for each other: none overwrites what another one wrote.

use std::path::{Path, PathBuf};

use afresh_core::Run;
use afresh_core::ids::TaskId;
use afresh_formats::native::edit::{self, PlanEditError, TaskFields};
use afresh_formats::native::{self as native_format, PlanSyntax, edit_json};
use afresh_formats::text::limits::MAX_DATA_BYTES;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::AppContext;
use crate::error::AppError;
use crate::plan_source::caller_paths::relative_path;
use crate::plan_source::{self, NATIVE, PlanReadOptions, fixes};
use crate::session::runs::LastDriver;
use crate::session::runs::select;
use crate::text::files::{ReplaceError, lock_directory, read_bounded, replace_unchanged};

/// What is to happen to a task of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanEditAction {
    Add,
    Edit,
}

#[derive(Debug, Clone)]
pub struct PlanEditRequest<'a> {
    /// The plan; none: that of the last run, else the one in the directory.
    pub plan: Option<&'a Path>,
    pub action: PlanEditAction,
    pub task: &'a str,
    pub fields: TaskFields,
    pub dry_run: bool,
}

/// What `afresh task add --json` and `afresh task edit --json` print.
#[derive(Debug, JsonSchema, Serialize)]
pub struct PlanEditReport {
    /// The plan's file.
    pub plan: String,
    pub task: String,
    pub action: PlanEditAction,
    /// Whether the file was written: not on a dry run, and not if it says so already.
    pub written: bool,
    /// The change as a unified diff.
    pub diff: String,
    /// The last run of the plan.
    pub run: Option<String>,
    /// Whether that run is driven now: then it continues with the plan as it was.
    pub driven: bool,
    /// Whether the run has the task done again when it takes up the change.
    pub done_again: bool,
}

/// Changes the plan's file, or only says how.
pub fn edit_plan(
    context: &AppContext,
    request: &PlanEditRequest<'_>,
) -> Result<PlanEditReport, AppError> {
    let directory = context.directory()?;
    let given = plan_to_edit(context, request.plan, &directory)?;
    let found = plan_source::read(&directory, &given, &PlanReadOptions::default())?;
    let shown = found.shown.clone();
    if found.format != NATIVE {
        return Err(not_written_here(&shown, found.format));
    }
    let directory_of_plan = found.path.parent().unwrap_or(Path::new("/"));
    let _turn = lock_directory(directory_of_plan)
        .map_err(|error| cannot_write(&shown, error.to_string()))?;
    let old = read_bounded(&found.path, MAX_DATA_BYTES)
        .map_err(|error| cannot_write(&shown, error.to_string()))?;
    let text =
        std::str::from_utf8(&old).map_err(|error| cannot_write(&shown, error.to_string()))?;
    let change = match (request.action, PlanSyntax::from_file_name(&shown)) {
        (PlanEditAction::Add, PlanSyntax::Toml) => edit::add_task,
        (PlanEditAction::Add, PlanSyntax::Json) => edit_json::add_task,
        (PlanEditAction::Edit, PlanSyntax::Toml) => edit::change_task,
        (PlanEditAction::Edit, PlanSyntax::Json) => edit_json::change_task,
    };
    let new = change(text, request.task, &request.fields);
    let new = new.map_err(|error| explain(&shown, error))?;
    let reading = native_format::read(&shown, new.as_bytes());
    let Some(plan) = reading.plan else {
        let what = format!("{shown} stays as it is: with this change it is no plan");
        return Err(AppError::with_findings("plan", &what, reading.findings));
    };
    let is_changed = new != text;
    if is_changed && !request.dry_run {
        write(&found.path, &shown, &old, new.as_bytes())?;
    }
    let source = found.path.to_string_lossy().into_owned();
    let repository = context.repository().ok();
    let run = match &repository {
        Some(repository) => repository.find_run(|run| run.settings().source == source)?,
        None => None,
    };
    let task = TaskId::new(request.task).ok();
    let edited = task.as_ref().and_then(|task| plan.index_of(task)).map(|at| plan.task(at));
    let is_done_again = |run: &Run| {
        let known = edited.and_then(|task| run.plan().index_of(&task.id));
        let is_other_work =
            |at| edited.is_some_and(|task| !run.plan().task(at).is_same_work_as(task));
        known.is_some_and(|at| run.task(at).is_done() && is_other_work(at))
    };
    let is_driven = match (&repository, &run) {
        (Some(repository), Some(found)) => {
            LastDriver::find(repository)?.holder_of(found.run.id()).is_some()
        }
        _ => false,
    };
    Ok(PlanEditReport {
        task: request.task.to_owned(),
        action: request.action,
        written: is_changed && !request.dry_run,
        diff: if is_changed { fixes::diff(&shown, &old, new.as_bytes()) } else { String::new() },
        done_again: run.as_ref().is_some_and(|found| is_done_again(&found.run)),
        driven: is_driven,
        run: run.map(|found| found.run.id().to_string()),
        plan: shown,
    })
}

fn plan_to_edit(
    context: &AppContext,
    given: Option<&Path>,
    directory: &Path,
) -> Result<PathBuf, AppError> {
    if let Some(given) = given {
        return Ok(given.to_owned());
    }
    // Without a repository there is no run.
    let Ok(repository) = context.repository() else { return Ok(PathBuf::from(".")) };
    let Some(found) = select::find_optional_run(&repository, None)? else {
        return Ok(PathBuf::from("."));
    };
    let source = match select::finished_planning(&found) {
        Some(home) => home.plan(),
        None => PathBuf::from(&found.run.settings().source),
    };
    Ok(relative_path(directory, &source))
}

fn not_written_here(shown: &str, format: &str) -> AppError {
    let message = format!("{shown} is a plan of the format {format}, which afresh does not change");
    AppError::usage("format", message).hint(format!(
        "change it with your editor, or write it as TOML first: `afresh import {shown} -o work.plan.toml`"
    ))
}

fn explain(shown: &str, error: PlanEditError) -> AppError {
    let failure = AppError::usage("task", format!("cannot change {shown}: {error}")).in_file(shown);
    match error {
        PlanEditError::NoTask { near: Some(near), .. } => {
            failure.hint(format!("did you mean {near:?}?"))
        }
        PlanEditError::NoTask { .. } => failure.hint("`afresh show` lists its tasks"),
        PlanEditError::Exists(id) => failure.hint(format!("`afresh task edit {id}` changes it")),
        PlanEditError::MixedLineEnds => {
            failure.hint("save it with one kind of line end; your editor or `dos2unix` does that")
        }
        PlanEditError::NotToml(_) | PlanEditError::NotJson(_) | PlanEditError::NoList => {
            failure.hint("`afresh lint` shows what is wrong with it")
        }
    }
}

fn write(path: &Path, shown: &str, old: &[u8], new: &[u8]) -> Result<(), AppError> {
    replace_unchanged(path, old, new).map_err(|error| match error {
        // Editors do not wait for their turn.
        ReplaceError::Changed => {
            AppError::usage("plan", format!("{shown} was changed by another program"))
                .in_file(shown)
                .hint("it was not written; run the command again")
        }
        ReplaceError::Io(error) => cannot_write(shown, error.to_string()),
    })
}

fn cannot_write(shown: &str, why: String) -> AppError {
    AppError::machine("plan", format!("cannot change {shown}"))
        .in_file(shown)
        .cause(why)
        .hint("check that the file exists and is writable")
}
