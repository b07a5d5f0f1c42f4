//! The state of the last run at a glance, for a status line (HU-08).
//!
//! A prompt asks for it after every command, so this starts no program where it can be avoided, writes nothing, and is
//! silent where there is nothing to say.

use std::path::{Path, PathBuf};

use afresh_core::ids::RunId;
use afresh_core::status::{RunState, RunStatus, TaskPhase};
use afresh_engine::session::find_last_run;
use afresh_store::DriverLock;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::AppContext;
use crate::error::AppError;

/// What `afresh statusline --json` prints; all null without a run.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct RunGlance {
    pub run: Option<RunId>,
    pub state: Option<&'static str>,
    /// Whether a driver is running.
    pub driven: bool,
    pub done: usize,
    pub tasks: usize,
    /// Tasks that are being worked on, checked or merged.
    pub active: usize,
    pub failed: usize,
    /// The ids of open questions.
    pub questions: Vec<String>,
    pub cost_usd: Option<f64>,
}

/// The last run of the repository around the directory; nothing outside of one.
pub fn glance(context: &AppContext) -> Result<RunGlance, AppError> {
    let directory = context.directory()?;
    let Some(root) = directory.ancestors().find(|place| place.join(".git").exists()) else {
        return Ok(RunGlance::default());
    };
    let (state, lock) = places(context, root)?;
    let Some(run) = find_last_run(&state)? else { return Ok(RunGlance::default()) };
    let status = RunStatus::from_run(&run);
    let count = |wanted: &[TaskPhase]| {
        wanted.iter().filter_map(|phase| status.counts.get(phase)).sum::<usize>()
    };
    let driven = DriverLock::holder(&lock).is_ok_and(|holder| holder.is_some());
    let is_cut_off = status.state == RunState::Running && !driven;
    Ok(RunGlance {
        run: Some(run.id().clone()),
        state: Some(if is_cut_off { "unfinished" } else { status.state.word() }),
        driven,
        done: count(&[TaskPhase::Done]),
        tasks: status.tasks.len(),
        active: count(&[TaskPhase::Running, TaskPhase::Checking, TaskPhase::Merging]),
        failed: count(&[TaskPhase::Failed]),
        questions: status.questions.iter().map(|question| question.id.clone()).collect(),
        cost_usd: status.usage.cost_usd,
    })
}

/// State directory and lock. In a linked worktree only git knows where those of the main one are.
fn places(context: &AppContext, root: &Path) -> Result<(PathBuf, PathBuf), AppError> {
    if !root.join(".git").is_dir() {
        let layout = context.repository()?.layout;
        return Ok((layout.state, layout.lock));
    }
    let state = context.environment.state_directory().unwrap_or_else(|| root.join(".afresh/state"));
    Ok((state, root.join(".git/afresh.lock")))
}

impl RunGlance {
    /// One line; empty without a run.
    pub fn line(&self) -> String {
        let (Some(run), Some(state)) = (&self.run, self.state) else { return String::new() };
        let mut parts = vec![format!("{run} {state} {}/{}", self.done, self.tasks)];
        if self.driven && self.active > 0 {
            parts.push(format!("{} active", self.active));
        }
        if self.failed > 0 {
            parts.push(format!("{} failed", self.failed));
        }
        if let Some(first) = self.questions.first() {
            let more = self.questions.len() - 1;
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            parts.push(format!("{first}{more} waits for you"));
        }
        if let Some(cost) = self.cost_usd {
            parts.push(format!("${cost:.2}"));
        }
        parts.join(" · ")
    }
}
