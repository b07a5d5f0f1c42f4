//! The bundle for the next worker of a task, made by the same code as the worker's own.

use afresh_agents::prompt::size;
use afresh_core::ids::TaskId;
use afresh_core::plan::TaskIndex;
use afresh_core::printable;
use afresh_core::run::TaskStage;
use afresh_engine::bundle::rendered::{self};
use afresh_engine::bundle::tree::{CommitTree, EmptyTree};
use afresh_engine::bundle::{self, MissingSource, RenderedBundle, SourceTree};
use afresh_store::write_atomically;
use std::path::PathBuf;

use crate::error::AppError;
use crate::notice::Notice;
use crate::tasks::bundles::subject::BundleSubject;

/// A bundle for one attempt.
#[derive(Debug)]
pub struct GeneratedBundle {
    pub task: TaskId,
    pub attempt: u32,
    pub made: RenderedBundle,
    /// Why no worker could start with it.
    too_large: Option<String>,
}

impl GeneratedBundle {
    pub fn make(subject: &BundleSubject, at: TaskIndex) -> Result<Self, AppError> {
        let BundleSubject { repository, run, workers, test_finder } = subject;
        let task = &run.plan().task(at).id;
        no_worker(subject, at)?;
        let tree: Box<dyn SourceTree> =
            if run.plan().needs(at).iter().any(|need| run.task(*need).is_done()) {
                let commit = run.next_start_point(at).prepared;
                let tree = CommitTree::new(&repository.git, commit);
                Box::new(tree.map_err(AppError::git)?)
            } else {
                Box::new(EmptyTree)
            };
        let mut bundle =
            bundle::next(run, at, &workers.briefing, tree.as_ref()).map_err(|missing| {
                AppError::incomplete("missing", missing.to_string()).hint(MissingSource::ADVICE)
            })?;
        test_finder.add_tests(&mut bundle, &repository.git, run.base());
        let attempt = bundle.attempt.number;
        let made = RenderedBundle::render(bundle, workers, run.tier_of(at))
            .map_err(|error| AppError::bug("bundle", error.to_string()))?;
        let too_large = rendered::fits(run, made.fill).err().map(|error| error.to_string());
        Ok(Self { task: task.clone(), attempt, made, too_large })
    }

    /// Writes it into the state directory.
    pub fn save(&self, subject: &BundleSubject) -> Result<PathBuf, AppError> {
        let layout = &subject.repository.layout;
        let directory = layout.bundles(subject.run.id().as_str());
        let directory = directory.join(format!("{}.{}", self.task, self.attempt));
        let ignore = layout.state.join("bundles/.gitignore");
        let written =
            self.made.save(&directory).map_err(|error| error.to_string()).and_then(|()| {
                // Without a run, git does not ignore the state directory yet.
                write_atomically(&ignore, b"*\n").map_err(|error| error.to_string())
            });
        written.map_err(|error| {
            AppError::machine("bundle", format!("cannot write {}", directory.display()))
                .cause(error)
                .hint("check the permissions and the free space there")
        })?;
        Ok(directory)
    }

    /// Why no worker could start with it, if it is too large.
    pub fn warning(&self) -> Option<Notice> {
        let why = self.too_large.as_ref()?;
        Some(Notice::warning(format!(
            "no worker would start with {}: {}\n  hint: {}",
            self.task,
            printable::line(why),
            size::SIZE_HINT
        )))
    }

    pub fn fits(&self) -> bool {
        self.too_large.is_none()
    }
}

/// Refuses tasks that need no worker.
fn no_worker(subject: &BundleSubject, at: TaskIndex) -> Result<(), AppError> {
    let (task, state) = (subject.run.plan().task(at), subject.run.task(at));
    let id = &task.id;
    if task.checkpoint.is_some() {
        let message = format!("{id} asks a person and has no worker");
        return Err(AppError::usage("checkpoint", message)
            .hint("its answer is given to the workers of the tasks that need it"));
    }
    match &state.stage {
        TaskStage::Done { .. } | TaskStage::Settled { .. } => {
            Err(AppError::usage("done", format!("{id} is done and needs no worker"))
                .hint(format!("`afresh logs {id} --prompt` shows the prompt of its worker")))
        }
        _ => Ok(()),
    }
}

/// What the bundle does not contain yet because other tasks are unfinished.
pub fn open_parts(subject: &BundleSubject, at: TaskIndex) -> Vec<Notice> {
    let run = &subject.run;
    let id = &run.plan().task(at).id;
    let mut notices = Vec::new();
    let waits = run.plan().needs(at).iter().filter(|need| !run.task(**need).is_met());
    let waits: Vec<&str> = waits.map(|need| run.plan().task(*need).id.as_str()).take(10).collect();
    if !waits.is_empty() {
        notices.push(Notice::note(format!(
            "{id} waits for {}; their results are not in the bundle yet",
            waits.join(", ")
        )));
    }
    if let Some(attempt) = run.task(at).attempt() {
        notices
            .push(Notice::note(format!("{attempt} is running; this is for the attempt after it")));
    }
    notices
}
