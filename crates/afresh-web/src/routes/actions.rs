//! Answers, comments, retries, skips, halts: the same commands that other terminals send.

use std::sync::Arc;

use afresh_app::context::user_name;
use afresh_app::error::AppError;
use afresh_app::session::control;
use afresh_app::session::runs::select;
use afresh_app::tasks::tell::{CommentRequest, SentComment, tell_task};
use afresh_core::ids::RunId;
use afresh_engine::ControlCommand;
use axum::Json;
use axum::extract::{Path, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read_blocking;
use super::runs::Answer;
use crate::failure::WebFailure;
use crate::server::WebState;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerRequest {
    /// Such as `Q3`.
    question: String,
    answer: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TellRequest {
    /// A task, or an attempt if the comment is on a part of its change.
    task: String,
    text: String,
    /// `FILE`, `FILE:LINE` or `FILE:LINE-LINE` of what the attempt changed.
    #[serde(default)]
    on: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskRequest {
    task: String,
    /// Why, for people.
    #[serde(default)]
    reason: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HaltBody {
    /// End running attempts now, instead of letting them finish.
    #[serde(default)]
    now: bool,
    #[serde(default)]
    reason: String,
}

/// The command is carried out, or on disk for the driver.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Accepted {
    run: RunId,
    ok: bool,
    /// Whether a process drives the run; else nothing happens until `afresh resume`.
    driven: bool,
}

pub(super) async fn answer(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
    Json(body): Json<AnswerRequest>,
) -> Answer<Accepted> {
    send(state, run, move |found, run| {
        let number = body.question.trim_start_matches(['Q', 'q']).parse::<u32>();
        let open = number.ok().and_then(|number| {
            found.run.questions().find(|question| question.id.0 == number).map(|it| (number, it))
        });
        let Some((question, asked)) = open else {
            let message = format!("there is no open question {}", body.question);
            return Err(AppError::incomplete("question", message));
        };
        let refused = |error: afresh_core::question::AnswerRefusal| {
            AppError::usage("answer", error.to_string())
        };
        asked.interpret(&body.answer).map_err(refused)?;
        Ok(ControlCommand::Decide { run, question, answer: body.answer, by: user_in_browser() })
    })
    .await
}

pub(super) async fn tell(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
    Json(body): Json<TellRequest>,
) -> Answer<SentComment> {
    read_blocking(move || {
        let reporters = &*state.reporters;
        let TellRequest { task, text, on } = &body;
        let request = CommentRequest { task, text, on: on.as_deref() };
        Ok(Json(tell_task(&state.context, &reporters, Some(&run), request)?))
    })
    .await
}

pub(super) async fn retry(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
    Json(body): Json<TaskRequest>,
) -> Answer<Accepted> {
    send(state, run, move |found, run| {
        let task = select::find_task(&found.run, &body.task)?;
        Ok(ControlCommand::Retry { run, task })
    })
    .await
}

pub(super) async fn skip(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
    Json(body): Json<TaskRequest>,
) -> Answer<Accepted> {
    send(state, run, move |found, run| {
        let task = select::find_task(&found.run, &body.task)?;
        let reason = if body.reason.trim().is_empty() {
            format!("skipped by {}", user_in_browser())
        } else {
            body.reason
        };
        Ok(ControlCommand::Skip { run, task, reason })
    })
    .await
}

pub(super) async fn halt(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
    Json(body): Json<HaltBody>,
) -> Answer<Accepted> {
    send(state, run, move |_, run| {
        let reason = if body.reason.trim().is_empty() {
            "halted in the browser".to_owned()
        } else {
            body.reason
        };
        Ok(ControlCommand::Halt { run, now: body.now, reason, by: user_in_browser() })
    })
    .await
}

pub(super) async fn clear_halt(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
) -> Answer<Accepted> {
    send(state, run, |_, run| Ok(ControlCommand::ClearHalt { run })).await
}

async fn send(
    state: Arc<WebState>,
    run: String,
    make: impl FnOnce(&afresh_engine::session::RecordedRun, RunId) -> Result<ControlCommand, AppError>
    + Send
    + 'static,
) -> Answer<Accepted> {
    read_blocking(move || {
        let repository = state.repository()?;
        let found = select::find_run(&repository, Some(&run))?;
        let command = make(&found, found.run.id().clone())?;
        let reporters = &*state.reporters;
        let run = control::send_to_run(&state.context, &reporters, command)?;
        let driven = repository.holder().map_err(AppError::from)?.is_some();
        Ok::<_, WebFailure>(Json(Accepted { run, ok: true, driven }))
    })
    .await
}

fn user_in_browser() -> String {
    format!("{} in the browser", user_name())
}
