//! `afresh tell`: a person's comment for the workers of a task (BE-12).

use afresh_core::Run;
use afresh_core::comment::{self, CommentedPart};
use afresh_core::ids::{RunId, TaskId};
use afresh_core::run::TaskStage;
use afresh_engine::ControlCommand;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::{AppContext, user_name};
use crate::error::AppError;
use crate::session::control::{self, OpenReporters};
use crate::session::runs::select;
use crate::tasks::commented_part::find_commented_part;

/// What a person says, and about what.
#[derive(Debug, Clone, Copy)]
pub struct CommentRequest<'a> {
    /// A task, or an attempt if the comment is on a part of its change.
    pub task: &'a str,
    pub text: &'a str,
    /// `FILE`, `FILE:LINE` or `FILE:LINE-LINE`.
    pub on: Option<&'a str>,
}

/// What `afresh tell --json` prints.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct SentComment {
    pub run: RunId,
    pub ok: bool,
    pub task: TaskId,
    /// The part of an attempt's change that it is on; null if it is on the task as a whole.
    pub on: Option<CommentedPart>,
    /// Its number within the task; null while the driver has not recorded it yet.
    pub comment: Option<u32>,
    pub delivery: CommentDelivery,
    /// The attempt that is sent the comment, or whose work decides whether there is a next worker.
    pub attempt: Option<String>,
    /// Whether a driver is running.
    pub driven: bool,
}

/// How a comment reaches a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommentDelivery {
    /// With our next answer to the worker that is at work.
    Sent,
    /// In the prompt of the task's next worker.
    NextWorker,
    /// The same, if the work that is being checked or merged is rejected.
    IfRejected,
    /// The same, once the task is retried: it failed or was skipped.
    AfterRetry,
    /// The same, once the task is done again.
    AfterRewind,
}

/// Keeps the comment, and says how it reaches a worker.
pub fn tell_task(
    context: &AppContext,
    open_reporters: OpenReporters<'_>,
    named_run: Option<&str>,
    request: CommentRequest<'_>,
) -> Result<SentComment, AppError> {
    let repository = context.repository()?;
    let found = select::find_run(&repository, named_run)?;
    let text = comment::check_text(request.text).map_err(|why| {
        AppError::usage("comment", why.to_string())
            .hint("such as `afresh tell T001 \"keep the old format readable\"`")
    })?;
    let (task, on) = match request.on {
        None => (find_whole_task(&found.run, request.task)?, None),
        Some(place) => {
            let secrets = context.environment.secrets();
            let part = find_commented_part(&repository, &found, request.task, place, &secrets)?;
            (part.task, Some(part.on))
        }
    };
    let known = last_number(&found.run, &task);
    let (run, by) = (found.run.id().clone(), user_name());
    let command = ControlCommand::Comment {
        run: run.clone(),
        task: task.clone(),
        text: text.to_owned(),
        by: by.clone(),
        on: on.clone(),
    };
    control::send_to_run(context, open_reporters, command)?;
    let now = select::find_run(&repository, Some(run.as_str()))?.run;
    let driven = repository.holder()?.is_some();
    let state = now.state_of(&task);
    let kept = state.iter().flat_map(|state| &state.people.comments).rev();
    let mut own = kept
        .take_while(|it| it.comment.number > known)
        .filter(|it| it.comment.by == by && it.comment.text == text);
    let kept = own.next();
    let attempt = state.and_then(|state| state.attempt());
    let delivery = match state.map(|state| &state.stage) {
        _ if driven && kept.is_some_and(|it| it.sent_to.is_some()) => CommentDelivery::Sent,
        Some(TaskStage::Failed { .. } | TaskStage::Skipped { .. }) => CommentDelivery::AfterRetry,
        Some(TaskStage::Done { .. } | TaskStage::Settled { .. }) => CommentDelivery::AfterRewind,
        Some(stage) if stage.work().is_some() && driven => CommentDelivery::IfRejected,
        _ => CommentDelivery::NextWorker,
    };
    let is_about_attempt = matches!(delivery, CommentDelivery::Sent | CommentDelivery::IfRejected);
    Ok(SentComment {
        run,
        ok: true,
        on: on.map(CommentedPart::bounded),
        attempt: attempt.filter(|_| is_about_attempt).map(ToString::to_string),
        task,
        comment: kept.map(|it| it.comment.number),
        delivery,
        driven,
    })
}

/// A comment on an attempt has to say on what: its worker may be gone.
fn find_whole_task(run: &Run, named: &str) -> Result<TaskId, AppError> {
    match select::find_task_or_attempt(run, named)? {
        (task, None) => Ok(task),
        (task, Some(_)) => {
            Err(AppError::usage("attempt", format!("{named} is an attempt: comments are on tasks"))
                .hint(format!(
                    "`afresh tell {task} TEXT`, or `afresh tell {named} --on FILE:LINE TEXT` for what it changed"
                )))
        }
    }
}

fn last_number(run: &Run, task: &TaskId) -> u32 {
    let comments = run.state_of(task).and_then(|state| state.people.comments.last());
    comments.map_or(0, |last| last.comment.number)
}
