//! The bundles that a user names: by file, by task, or all of a run.

use std::path::{Path, PathBuf};

use afresh_core::Run;
use afresh_core::ids::RunId;
use afresh_engine::RepoContext;
use afresh_engine::bundle::stored::StoredBundle;

use crate::context::AppContext;
use crate::error::AppError;
use crate::plan_source::unstarted_run;
use crate::session::runs::select;

/// Which bundles are meant.
#[derive(Debug, Clone, Default)]
pub struct BundleSelection {
    /// Files, or tasks, whose last bundle is meant; empty: all bundles of the run.
    pub names: Vec<String>,
    /// The run; none: the last one.
    pub run: Option<String>,
}

/// One of them.
#[derive(Debug)]
pub struct SelectedBundle {
    /// `T001.2`, or the file as the user wrote it.
    pub name: String,
    pub file: PathBuf,
}

impl BundleSelection {
    /// The run that bundles are compared with, if there is any.
    pub fn run(&self, repository: &RepoContext) -> Result<Option<Run>, AppError> {
        let found = select::find_optional_run(repository, self.run.as_deref())?;
        Ok(found.map(|found| found.run))
    }

    pub fn find(&self, context: &AppContext) -> Result<Vec<SelectedBundle>, AppError> {
        let here = context.directory()?;
        let (files, tasks): (Vec<&String>, Vec<&String>) =
            self.names.iter().partition(|name| is_file(&here, name));
        let mut selected: Vec<SelectedBundle> = files
            .into_iter()
            .map(|file| SelectedBundle { name: file.clone(), file: here.join(file) })
            .collect();
        // A file needs neither a repository nor a run.
        if !tasks.is_empty() || self.names.is_empty() {
            let repository = context.repository()?;
            let run = select::find_run(&repository, self.run.as_deref())?.run;
            selected.extend(of_run(&repository, &run, &tasks)?);
        }
        Ok(selected)
    }
}

/// The bundles of a run, and those of plans without a run. The run is read after the bundles were
/// listed, so that an attempt that started meanwhile is known to be running.
pub fn list_kept(
    repository: &RepoContext,
    run: Option<&str>,
) -> Result<(Option<Run>, Vec<StoredBundle>), AppError> {
    let of_plans = RunId::new(unstarted_run::NAME).expect("a word is an id");
    let mut kept = StoredBundle::list(&repository.layout, &of_plans);
    let Some(mut found) = select::find_optional_run(repository, run)? else {
        return Ok((None, kept));
    };
    kept.extend(StoredBundle::list(&repository.layout, found.run.id()));
    found.catch_up(repository)?;
    Ok((Some(found.run), kept))
}

/// A name that looks like a path is one, whether the file exists or not.
fn is_file(here: &Path, name: &str) -> bool {
    let is_json = Path::new(name).extension().is_some_and(|ending| ending == "json");
    name.contains('/') || is_json || here.join(name).is_file()
}

fn of_run(
    repository: &RepoContext,
    run: &Run,
    tasks: &[&String],
) -> Result<Vec<SelectedBundle>, AppError> {
    let kept = StoredBundle::list(&repository.layout, run.id());
    if tasks.is_empty() {
        return Ok(kept.iter().map(selected).collect());
    }
    let mut last = Vec::new();
    for task in tasks {
        let id = select::find_task(run, task)?;
        // They are sorted by attempt, and a worker's own comes last.
        let found = kept.iter().rev().find(|kept| kept.attempt.task == id);
        last.push(selected(found.ok_or_else(|| {
            AppError::usage("bundle", format!("{id} has no bundle"))
                .hint(format!("`afresh bundle generate {id}` makes one"))
        })?));
    }
    Ok(last)
}

fn selected(kept: &StoredBundle) -> SelectedBundle {
    SelectedBundle { name: kept.attempt.to_string(), file: kept.bundle() }
}
