//! What the next worker of a task would be given: made like the worker's own, and written beside
//! the attempts.

use std::path::{Path, PathBuf};

use afresh_agents::prompt::size;
use afresh_core::ids::TaskId;
use afresh_core::run::TaskStage;
use afresh_engine::bundle::rendered::{self, BUNDLE, PROMPT};
use afresh_engine::bundle::tree::{CommitTree, EmptyTree};
use afresh_engine::bundle::{self, MissingSource, RenderedBundle, SourceTree};
use afresh_store::write_atomically;
use serde_json::{Value, json};

use crate::app::bundles::subject::Subject;
use crate::app::error::Failure;
use crate::exit::Exit;
use crate::reporters::plan_json::share;
use crate::terminal::output::{Output, safe};

/// A bundle that was made, and for whom.
pub(crate) struct Generated {
    pub(crate) task: TaskId,
    pub(crate) attempt: u32,
    pub(crate) made: RenderedBundle,
    /// Why no worker could start with it.
    too_large: Option<String>,
}

impl Generated {
    pub(crate) fn of(subject: &Subject, at: usize) -> Result<Self, Failure> {
        let Subject { place, run, rules } = subject;
        let task = &run.plan().task(at).id;
        no_worker(subject, at)?;
        let tree: Box<dyn SourceTree> =
            if run.plan().needs(at).iter().any(|need| run.task(*need).is_done()) {
                let commit = run.next_ground(at).prepared;
                let tree = CommitTree::new(&place.repository, commit);
                Box::new(tree.map_err(|error| Failure::usage("git", error.to_string()))?)
            } else {
                Box::new(EmptyTree)
            };
        let bundle = bundle::next(run, at, &rules.briefing, tree.as_ref()).map_err(|missing| {
            Failure::new(Exit::Incomplete, "missing", missing.to_string())
                .help(MissingSource::ADVICE)
        })?;
        let attempt = bundle.attempt.number;
        let made = RenderedBundle::of(bundle, rules, run.tier_of(at))
            .map_err(|error| Failure::new(Exit::Bug, "bundle", error.to_string()))?;
        let too_large = rendered::fits(run, made.fill).err().map(|error| error.to_string());
        Ok(Self { task: task.clone(), attempt, made, too_large })
    }

    /// Writes it below the state directory.
    pub(crate) fn save(&self, subject: &Subject) -> Result<PathBuf, Failure> {
        let layout = &subject.place.layout;
        let directory = layout.bundles(subject.run.id().as_str());
        let directory = directory.join(format!("{}.{}", self.task, self.attempt));
        let ignore = layout.state.join("bundles/.gitignore");
        let written =
            self.made.save(&directory).map_err(|error| error.to_string()).and_then(|()| {
                // Without a run there is no state directory that git has been told of.
                write_atomically(&ignore, b"*\n").map_err(|error| error.to_string())
            });
        written.map_err(|error| {
            Failure::usage("bundle", format!("cannot write {}", directory.display())).cause(error)
        })?;
        Ok(directory)
    }

    /// What there is to know about it besides.
    pub(crate) fn exit(&self, output: &Output) -> Exit {
        let Some(why) = &self.too_large else { return Exit::Done };
        output.note(&format!(
            "warning: no worker would start with {}: {}\n  hint: {}",
            self.task,
            safe(why),
            size::SIZE_HINT
        ));
        Exit::Incomplete
    }

    pub(crate) fn to_json(&self, directory: &Path) -> Value {
        json!({
            "task": self.task, "attempt": self.attempt,
            "bundle": directory.join(BUNDLE), "prompt": directory.join(PROMPT),
            "tokens": self.made.fill.used, "window": self.made.fill.window,
            "context": share(self.made.fill.percent()), "fits": self.too_large.is_none(),
        })
    }
}

/// Tasks that no worker gets (again).
fn no_worker(subject: &Subject, at: usize) -> Result<(), Failure> {
    let (task, state) = (subject.run.plan().task(at), subject.run.task(at));
    let id = &task.id;
    if task.checkpoint.is_some() {
        let message = format!("{id} asks a person, and has no worker");
        return Err(Failure::usage("checkpoint", message)
            .help("the answer goes to the workers of the tasks that need it"));
    }
    match &state.stage {
        TaskStage::Done { .. } | TaskStage::Settled { .. } => {
            Err(Failure::usage("done", format!("{id} is done: no worker gets it again"))
                .help(format!("`afresh logs {id} --prompt` shows what its worker was told")))
        }
        _ => Ok(()),
    }
}

/// What is not known yet, where others have to be done before.
pub(crate) fn note_what_is_open(subject: &Subject, at: usize, output: &Output) {
    let run = &subject.run;
    let id = &run.plan().task(at).id;
    let waits = run.plan().needs(at).iter().filter(|need| !run.task(**need).is_met());
    let waits: Vec<&str> = waits.map(|need| run.plan().task(*need).id.as_str()).take(10).collect();
    if !waits.is_empty() {
        output.note(&format!(
            "note: {id} waits for {}; what they leave for it is not in it yet",
            waits.join(", ")
        ));
    }
    if let Some(attempt) = run.task(at).attempt() {
        output.note(&format!("note: {attempt} is at work; this is what would come after it"));
    }
}
