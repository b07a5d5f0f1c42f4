//! One task: attempts, transcripts, differences, prompts.

use std::sync::Arc;

use afresh_app::error::AppError;
use afresh_app::logs::folded::FoldedTranscript;
use afresh_app::session::runs::select;
use afresh_app::tasks::attempt_diff::AttemptDiff;
use afresh_app::tasks::attempt_parts::{AttemptFile, TranscriptSource, find_attempt};
use afresh_app::tasks::details::{TaskDetails, read_task_details};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::read_blocking;
use super::runs::Answer;
use crate::failure::WebFailure;
use crate::server::WebState;

pub(super) async fn details(
    State(state): State<Arc<WebState>>,
    Path((run, task)): Path<(String, String)>,
) -> Answer<TaskDetails> {
    read_blocking(move || {
        let repository = state.repository()?;
        let found = select::find_run(&repository, Some(&run))?;
        let task = select::find_task(&found.run, &task)?;
        Ok(Json(read_task_details(&repository, &found, &task)?))
    })
    .await
}

#[derive(Debug, Deserialize)]
pub(super) struct TranscriptQuery {
    #[serde(default)]
    from: u64,
}

pub(super) async fn transcript(
    State(state): State<Arc<WebState>>,
    Path((run, attempt)): Path<(String, String)>,
    Query(query): Query<TranscriptQuery>,
) -> Answer<FoldedTranscript> {
    read_blocking(move || {
        let source = state.feed(&run)?.read(|watched| {
            let attempt = find_attempt(&watched.found.run, &attempt)?;
            Ok::<_, AppError>(TranscriptSource::find(watched, &state.context, &attempt))
        })?;
        Ok(Json(source.read_from(query.from)?))
    })
    .await
}

/// What an attempt (`T001.2`) changed, or what a task (`T001`) landed; nothing as long as its worker has saved nothing.
pub(super) async fn diff(
    State(state): State<Arc<WebState>>,
    Path((run, attempt)): Path<(String, String)>,
) -> Answer<Option<AttemptDiff>> {
    read_blocking(move || {
        let repository = state.repository()?;
        let found = select::find_run(&repository, Some(&run))?;
        Ok(Json(AttemptDiff::read(&repository, &found, &attempt)?))
    })
    .await
}

/// The prompt, the standard error, or the result of an attempt.
pub(super) async fn file(
    State(state): State<Arc<WebState>>,
    Path((run, attempt, file)): Path<(String, String, String)>,
) -> Result<Response, WebFailure> {
    let text = read_blocking(move || {
        let repository = state.repository()?;
        let found = select::find_run(&repository, Some(&run))?;
        let attempt = find_attempt(&found.run, &attempt)?;
        let file = AttemptFile::from_word(&file)
            .ok_or_else(|| WebFailure::not_found("there is no such file of an attempt"))?;
        file.read(&repository, &found.run, &attempt)
            .ok_or_else(|| WebFailure::not_found("the attempt has no such file"))
    });
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text.await?).into_response())
}
