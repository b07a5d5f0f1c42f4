//! The bundles that somebody names: by file, by task, or all of a run.

use std::path::{Path, PathBuf};

use afresh_core::Run;
use afresh_engine::RepoContext;
use afresh_engine::bundle::stored::StoredBundle;

use crate::app::error::Failure;
use crate::app::session::select_run;
use crate::app::session::workplace;
use crate::cli::Common;
use crate::terminal::completion;

/// Which bundles are meant.
#[derive(Debug, clap::Args)]
pub(crate) struct Which {
    /// A bundle's file, or a task, whose last bundle is meant; without it all bundles of the run
    #[arg(value_name = "FILE|TASK", add = completion::tasks())]
    what: Vec<String>,
    /// Another run than the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
}

/// One of them.
pub(crate) struct Chosen {
    /// As people know it: `T001.2`, or the file.
    pub(crate) name: String,
    pub(crate) file: PathBuf,
}

impl Which {
    /// The run that bundles are compared with, if there is any.
    pub(crate) fn run(&self, place: &RepoContext) -> Result<Option<Run>, Failure> {
        match &self.run {
            Some(id) => Ok(Some(select_run::find(place, Some(id))?.run)),
            None => Ok(place.find_run(|_| true)?.map(|found| found.run)),
        }
    }

    pub(crate) fn find(&self, common: &Common) -> Result<Vec<Chosen>, Failure> {
        let here = workplace::directory(common)?;
        let (files, tasks): (Vec<&String>, Vec<&String>) =
            self.what.iter().partition(|what| is_file(&here, what));
        let mut chosen: Vec<Chosen> = files
            .into_iter()
            .map(|file| Chosen { name: file.clone(), file: here.join(file) })
            .collect();
        // A file needs neither a repository nor a run.
        if !tasks.is_empty() || self.what.is_empty() {
            let place = workplace::find(common)?;
            let run = select_run::find(&place, self.run.as_deref())?.run;
            chosen.extend(of_run(&place, &run, &tasks)?);
        }
        Ok(chosen)
    }
}

/// What has the shape of a path is one, whether it is there or not.
fn is_file(here: &Path, what: &str) -> bool {
    let is_json = Path::new(what).extension().is_some_and(|ending| ending == "json");
    what.contains('/') || is_json || here.join(what).is_file()
}

fn of_run(place: &RepoContext, run: &Run, tasks: &[&String]) -> Result<Vec<Chosen>, Failure> {
    let kept = StoredBundle::list(&place.layout, run.id());
    if tasks.is_empty() {
        return Ok(kept.iter().map(chosen).collect());
    }
    let mut last = Vec::new();
    for task in tasks {
        let id = select_run::task(run, task)?;
        // They are sorted by attempt, and a worker's own comes last.
        let found = kept.iter().rev().find(|kept| kept.attempt.task == id);
        last.push(chosen(found.ok_or_else(|| {
            Failure::usage("bundle", format!("{id} has no bundle"))
                .help(format!("`afresh bundle generate {id}` makes one"))
        })?));
    }
    Ok(last)
}

fn chosen(kept: &StoredBundle) -> Chosen {
    Chosen { name: kept.attempt.to_string(), file: kept.bundle() }
}
