//! `afresh task redo TASK`: takes a task's merge back, and does it again.

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::runs::select;
use afresh_core::ids::TaskId;
use afresh_core::run::{RewindTarget, TaskStage};

use crate::commands::running::rewind::{self, RewindRequest};
use crate::exit::Exit;
use crate::terminal::output::Output;
use crate::terminal::prompt::UserPrompt;

/// Whether a person has agreed to what else is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consent {
    Given,
    Ask,
}

pub(super) fn redo(
    id: &str,
    named_run: Option<&str>,
    consent: Consent,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let found = select::find_run(&context.repository()?, named_run)?;
    let run = &found.run;
    let task = select::find_task(run, id)?;
    let path = run.plan_rewind(&RewindTarget::Task(task.clone())).map_err(|why| {
        let failure = AppError::incomplete("refused", why);
        match run.state_of(&task).map(|state| &state.stage) {
            Some(TaskStage::Failed { .. } | TaskStage::Skipped { .. } | TaskStage::Waiting(_)) => {
                failure.hint(format!("`afresh task retry {task}` gives it fresh workers"))
            }
            _ => failure.hint("`afresh status` shows the state of each task"),
        }
    })?;
    let others: Vec<&str> =
        path.undone.iter().filter(|other| **other != task).map(TaskId::as_str).collect();
    if !others.is_empty() && consent == Consent::Ask {
        let what = format!(
            "{task} was merged before {}, which would be done again too",
            others.join(", ")
        );
        let agreed = UserPrompt::there(output).map(|user| user.agrees(&format!("{what}; do it?")));
        if agreed != Some(true) {
            return Err(AppError::incomplete("refused", what).hint(format!(
                "`afresh task redo {task} --yes` does all of it again; nothing was changed"
            )));
        }
    }
    let target = RewindTarget::Task(task);
    rewind::carry_out(RewindRequest { found: &found, target, path }, context, output)
}
