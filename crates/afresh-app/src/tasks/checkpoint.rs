//! `afresh checkpoint`: the batch of tasks that a script is at, for its own recovery (ST-06).
//!
//! A run needs none: its journal says what is done, and the next start recovers. This is for orchestrating scripts and
//! agents that keep track of batches. No mark makes a task done: `success` is taken only for a task that the run has
//! merged, and `recover` sets the marks by the journal.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::PathBuf;

use afresh_core::Run;
use afresh_core::ids::{RunId, TaskId};
use afresh_core::status::{RunStatus, TaskPhase};
use afresh_engine::RepoContext;
use nix::fcntl::Flock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::AppContext;
use crate::error::AppError;
use crate::session::runs::LastDriver;
use crate::session::runs::select;
use crate::text::files::{lock_directory, read_bounded};
use crate::text::time;

/// More than the ids of any plan.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// How a script sees a task of its batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BatchMark {
    Running,
    Success,
    Failed,
    /// Nothing works on it, and it is not done: the script or its worker died.
    Orphaned,
}

/// The file of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct BatchFile {
    run: RunId,
    created_at: String,
    completed: bool,
    tasks: BTreeMap<TaskId, BatchMark>,
}

/// What `afresh checkpoint … --json` prints.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct BatchCheckpoint {
    /// None: there is no checkpoint.
    pub checkpoint: Option<BatchStatus>,
}

#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct BatchStatus {
    pub run: RunId,
    pub created_at: String,
    /// Whether the script has marked the batch as complete.
    pub completed: bool,
    pub tasks: Vec<BatchTask>,
}

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct BatchTask {
    pub id: TaskId,
    pub mark: BatchMark,
    /// What the run says; null if the plan no longer has the task.
    pub state: Option<TaskPhase>,
}

impl BatchStatus {
    pub fn has(&self, mark: BatchMark) -> bool {
        self.tasks.iter().any(|task| task.mark == mark)
    }
}

/// The checkpoint of the repository, while no other command changes it.
#[derive(Debug)]
pub struct CheckpointFile {
    repository: RepoContext,
    path: PathBuf,
    _turn: Flock<File>,
}

impl CheckpointFile {
    pub fn open(context: &AppContext) -> Result<Self, AppError> {
        let repository = context.repository()?;
        let state = &repository.layout.state;
        // Without a run there is no state directory, and nothing to make a checkpoint of.
        select::find_run(&repository, None)?;
        let turn = lock_directory(state).map_err(|error| cannot_use(&error))?;
        Ok(Self { path: state.join("checkpoint.json"), repository, _turn: turn })
    }

    /// Begins a batch of tasks of the last run.
    pub fn create(&self, named: &[String]) -> Result<BatchCheckpoint, AppError> {
        if let Some(before) = self.read()?.filter(|before| !before.completed) {
            let message = format!("a checkpoint of {} tasks is active", before.tasks.len());
            return Err(AppError::incomplete("checkpoint", message).hint(
                "`afresh checkpoint recover` sets its marks, `afresh checkpoint clear` removes it",
            ));
        }
        let run = select::find_run(&self.repository, None)?.run;
        let tasks = named
            .iter()
            .map(|id| Ok((select::find_task(&run, id)?, BatchMark::Running)))
            .collect::<Result<_, AppError>>()?;
        let created_at = time::format_utc(i64::try_from(time::now_seconds()).unwrap_or(0) * 1000);
        self.save(BatchFile { run: run.id().clone(), created_at, completed: false, tasks })
    }

    /// Marks a task of the batch; a success needs the run's merge as its proof.
    pub fn update(&self, id: &str, mark: BatchMark) -> Result<BatchCheckpoint, AppError> {
        let mut batch = self.active()?;
        let run = self.run_of(&batch)?;
        let task = select::find_task(&run, id)?;
        if !batch.tasks.contains_key(&task) {
            return Err(AppError::usage("checkpoint", format!("{task} is not in the checkpoint"))
                .hint("`afresh checkpoint status` lists its tasks"));
        }
        let state = phases(&run).get(&task).copied();
        if mark == BatchMark::Success && state != Some(TaskPhase::Done) {
            let word = state.map_or("gone from the plan", TaskPhase::word);
            return Err(AppError::incomplete("checkpoint", format!("{task} is {word}, not done"))
                .hint("a task is done when afresh has checked and merged it; `afresh resume` works on it"));
        }
        batch.tasks.insert(task, mark);
        self.save(batch)
    }

    /// Marks the batch as complete; a task that is still marked as running stands in the way.
    pub fn complete(&self) -> Result<BatchCheckpoint, AppError> {
        let mut batch = self.active()?;
        let running: Vec<&str> = batch
            .tasks
            .iter()
            .filter(|(_, mark)| **mark == BatchMark::Running)
            .map(|(task, _)| task.as_str())
            .collect();
        if !running.is_empty() {
            let message = format!("still marked as running: {}", running.join(", "));
            return Err(AppError::incomplete("checkpoint", message)
                .hint("`afresh checkpoint recover` sets the marks by what the run says"));
        }
        batch.completed = true;
        self.save(batch)
    }

    pub fn status(&self) -> Result<BatchCheckpoint, AppError> {
        match self.read()? {
            None => Ok(BatchCheckpoint { checkpoint: None }),
            Some(batch) => self.describe(batch),
        }
    }

    /// Sets every mark by what the run says, also those that were right once: a task can be rewound or retried.
    pub fn recover(&self) -> Result<BatchCheckpoint, AppError> {
        let Some(mut batch) = self.read()? else { return Ok(BatchCheckpoint { checkpoint: None }) };
        let phases = phases(&self.run_of(&batch)?);
        let is_driven = LastDriver::find(&self.repository)?.holder_of(&batch.run).is_some();
        for (task, mark) in &mut batch.tasks {
            *mark = match phases.get(task) {
                Some(TaskPhase::Done) => BatchMark::Success,
                Some(TaskPhase::Failed | TaskPhase::Skipped) => BatchMark::Failed,
                Some(_) if is_driven => BatchMark::Running,
                _ => BatchMark::Orphaned,
            };
        }
        self.save(batch)
    }

    pub fn clear(&self) -> Result<BatchCheckpoint, AppError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(cannot_use(&error)),
            _ => Ok(BatchCheckpoint { checkpoint: None }),
        }
    }

    fn active(&self) -> Result<BatchFile, AppError> {
        self.read()?.filter(|batch| !batch.completed).ok_or_else(|| {
            AppError::usage("checkpoint", "there is no active checkpoint")
                .hint("`afresh checkpoint create TASK …` begins one")
        })
    }

    fn read(&self) -> Result<Option<BatchFile>, AppError> {
        let bytes = match read_bounded(&self.path, MAX_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| cannot_use(&error))?,
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            AppError::usage("checkpoint", format!("{} is damaged", self.path.display()))
                .cause(error.to_string())
                .hint("`afresh checkpoint clear` removes it; the run itself does not need it")
        })
    }

    fn save(&self, batch: BatchFile) -> Result<BatchCheckpoint, AppError> {
        let text = serde_json::to_vec_pretty(&batch).expect("plain data");
        afresh_store::write_atomically(&self.path, &text)
            .map_err(|error| AppError::cannot_write("checkpoint", &self.path, error))?;
        self.describe(batch)
    }

    fn describe(&self, batch: BatchFile) -> Result<BatchCheckpoint, AppError> {
        let phases = phases(&self.run_of(&batch)?);
        let BatchFile { run, created_at, completed, tasks } = batch;
        let task = |(id, mark): (TaskId, BatchMark)| BatchTask {
            state: phases.get(&id).copied(),
            id,
            mark,
        };
        let tasks = tasks.into_iter().map(task).collect();
        Ok(BatchCheckpoint { checkpoint: Some(BatchStatus { run, created_at, completed, tasks }) })
    }

    fn run_of(&self, batch: &BatchFile) -> Result<Run, AppError> {
        Ok(select::find_run(&self.repository, Some(batch.run.as_str()))?.run)
    }
}

fn phases(run: &Run) -> BTreeMap<TaskId, TaskPhase> {
    RunStatus::from_run(run).tasks.into_iter().map(|task| (task.id, task.state)).collect()
}

fn cannot_use(error: &dyn std::fmt::Display) -> AppError {
    AppError::machine("checkpoint", "cannot use the checkpoint in the state directory")
        .cause(error.to_string())
        .hint("check the permissions and the free space there")
}
