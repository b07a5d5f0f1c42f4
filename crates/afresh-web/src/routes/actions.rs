//! Answers, comments, retries, skips, halts: the same commands that other terminals send.

use std::sync::Arc;

use afresh_app::session::view_command::{AcceptedCommand, ActingView, ViewCommand};
use afresh_app::tasks::tell::{CommentRequest, SentComment, tell_task};
use axum::Json;
use axum::extract::{Path, State};
use schemars::JsonSchema;
use serde::Deserialize;

use super::read_blocking;
use super::runs::Answer;
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

pub(super) async fn answer(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
    Json(body): Json<AnswerRequest>,
) -> Answer<AcceptedCommand> {
    let AnswerRequest { question, answer } = body;
    send(state, run, ViewCommand::Answer { question, answer }).await
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
) -> Answer<AcceptedCommand> {
    send(state, run, ViewCommand::Retry { task: body.task }).await
}

pub(super) async fn skip(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
    Json(body): Json<TaskRequest>,
) -> Answer<AcceptedCommand> {
    let TaskRequest { task, reason } = body;
    send(state, run, ViewCommand::Skip { task, reason }).await
}

pub(super) async fn halt(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
    Json(body): Json<HaltBody>,
) -> Answer<AcceptedCommand> {
    let HaltBody { now, reason } = body;
    send(state, run, ViewCommand::Halt { now, reason }).await
}

pub(super) async fn clear_halt(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
) -> Answer<AcceptedCommand> {
    send(state, run, ViewCommand::ClearHalt).await
}

async fn send(state: Arc<WebState>, run: String, command: ViewCommand) -> Answer<AcceptedCommand> {
    read_blocking(move || {
        let open_reporters = &*state.reporters;
        let view = ActingView {
            context: &state.context,
            open_reporters: &open_reporters,
            place: "in the browser",
        };
        Ok(Json(view.send(&run, command)?))
    })
    .await
}
