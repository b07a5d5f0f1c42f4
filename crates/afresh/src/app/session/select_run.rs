//! The run that a command is about: the one that was named, else the last one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use afresh_core::Run;
use afresh_core::ids::TaskId;
use afresh_engine::RepoContext;
use afresh_engine::session::RecordedRun;

use crate::app::error::Failure;
use crate::app::plan_source;
use crate::app::plan_source::{How, PlanFile};
use crate::app::session::control;

pub(crate) fn find(place: &RepoContext, named: Option<&str>) -> Result<RecordedRun, Failure> {
    let wanted = place.find_run(|run| named.is_none_or(|id| id == run.id().as_str()))?;
    match (wanted, named) {
        (Some(found), _) => Ok(found),
        (None, None) => Err(control::no_run()),
        (None, Some(id)) => Err(unknown(place, id)?),
    }
}

/// The task that was named.
pub(crate) fn task(run: &Run, named: &str) -> Result<TaskId, Failure> {
    let known = TaskId::new(named).ok().filter(|id| run.plan().position(id).is_some());
    known.ok_or_else(|| {
        let ids = run.plan().tasks().iter().map(|task| task.id.as_str());
        let failure = Failure::usage("task", format!("run {} has no task {named:?}", run.id()));
        match afresh_core::plan::nearest(named, ids) {
            Some(near) => failure.help(format!("did you mean {near:?}?")),
            None => failure.help("`afresh status` lists the tasks"),
        }
    })
}

/// The plan of a run, read from its file again.
pub(crate) fn plan_file(run: &Run) -> Result<PlanFile, Failure> {
    let (settings, how) = (run.settings(), How::of(run.settings()));
    let source = PathBuf::from(&settings.source);
    if source.exists() {
        return plan_source::load(Path::new("/"), &source, &how);
    }
    // The file is gone; the run goes on with the plan that was pinned.
    let shown = source.display().to_string();
    Ok(PlanFile {
        path: source,
        shown,
        format: "native",
        how,
        plan: run.plan().clone(),
        files: vec![],
        task_files: BTreeMap::new(),
        target: None,
        warnings: vec![],
        unknown: BTreeMap::new(),
    })
}

/// The ids of all runs of the repository.
pub(crate) fn ids(place: &RepoContext) -> Result<BTreeSet<String>, Failure> {
    let mut ids = BTreeSet::new();
    // The journal has no list of runs: whoever is asked says no, and is noted.
    let seen = std::cell::RefCell::new(&mut ids);
    place.find_run(|run| {
        seen.borrow_mut().insert(run.id().to_string());
        false
    })?;
    Ok(ids)
}

fn unknown(place: &RepoContext, id: &str) -> Result<Failure, Failure> {
    let known = ids(place)?;
    if known.is_empty() {
        return Ok(control::no_run());
    }
    let failure = Failure::usage("no-run", format!("there is no run {id:?}"));
    let list: Vec<&str> = known.iter().map(String::as_str).collect();
    Ok(match afresh_core::plan::nearest(id, list.iter().copied()) {
        Some(near) => failure.help(format!("did you mean {near:?}?")),
        None => failure.help(format!("there are: {}", list.join(", "))),
    })
}
