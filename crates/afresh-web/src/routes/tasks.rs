//! One task: attempts, transcripts, differences, prompts.

use std::sync::Arc;

use afresh_app::error::AppError;
use afresh_app::git::DiffFormat;
use afresh_app::logs::folded::{FoldedTranscript, read_folded};
use afresh_app::logs::readers::AgentReaders;
use afresh_app::session::runs::select;
use afresh_app::tasks::details::{TaskDetails, read_task_details};
use afresh_app::tasks::diff::{TaskDiffOutput, count_task_diff, find_task_diff};
use afresh_app::text::files::read_bounded;
use afresh_core::ids::AttemptId;
use afresh_core::printable;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read_blocking;
use super::runs::Answer;
use crate::failure::WebFailure;
use crate::server::WebState;

/// A longer difference is cut: `afresh diff` shows all of it.
const MAX_PATCH_BYTES: usize = 1024 * 1024;
const MAX_FILE_BYTES: usize = 512 * 1024;

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
        let feed = state.feed(&run)?;
        let (file, reader) = feed.read(|watched| {
            let recorded = &watched.found.run;
            let attempt = find_attempt(recorded, &attempt)?;
            let directory = watched.repository.layout.attempt(recorded.id(), &attempt);
            let agent = watched.history.attempt(&attempt).and_then(|track| track.agent.clone());
            let reader = AgentReaders::load(recorded, &state.context).reader(agent.as_deref());
            Ok::<_, AppError>((directory.join("stdout.log"), reader))
        })?;
        match read_folded(&file, query.from, reader) {
            Ok(folded) => Ok(Json(folded)),
            // It has printed nothing yet.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(Json(FoldedTranscript::default()))
            }
            Err(error) => Err(WebFailure::internal(&error.to_string())),
        }
    })
    .await
}

/// A difference: its files with their numbers of lines, and the patch.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct AttemptDiff {
    #[serde(flatten)]
    summary: TaskDiffOutput,
    patch: String,
    /// The end of the patch is missing.
    is_cut: bool,
}

/// What an attempt (`T001.2`) changed, or what a task (`T001`) landed; nothing as long as its worker has saved nothing.
pub(super) async fn diff(
    State(state): State<Arc<WebState>>,
    Path((run, attempt)): Path<(String, String)>,
) -> Answer<Option<AttemptDiff>> {
    read_blocking(move || {
        let repository = state.repository()?;
        let found = select::find_run(&repository, Some(&run))?;
        let (task, _) = select::find_task_or_attempt(&found.run, &attempt)?;
        let is_underway = found.run.state_of(&task).is_some_and(|state| state.attempt().is_some());
        let diff = match find_task_diff(&repository, &found, &[attempt], &mut Vec::new()) {
            Ok(diff) => diff,
            Err(error) if error.kind == "no-work" && is_underway => return Ok(Json(None)),
            Err(error) => return Err(error.into()),
        };
        let summary = count_task_diff(&repository, &run, &diff)?;
        let patch = repository.git.render_diff(&diff.base, &diff.commit, DiffFormat::Patch);
        let mut patch = patch.map_err(AppError::git)?;
        let is_cut = patch.len() > MAX_PATCH_BYTES;
        patch.truncate(MAX_PATCH_BYTES);
        let patch = printable::lines(&String::from_utf8_lossy(&patch));
        Ok(Json(Some(AttemptDiff { summary, patch, is_cut })))
    })
    .await
}

/// The prompt, the standard error, or the output of a check of an attempt.
pub(super) async fn file(
    State(state): State<Arc<WebState>>,
    Path((run, attempt, file)): Path<(String, String, String)>,
) -> Result<Response, WebFailure> {
    let text = read_blocking(move || {
        let repository = state.repository()?;
        let found = select::find_run(&repository, Some(&run))?;
        let attempt = find_attempt(&found.run, &attempt)?;
        let directory = repository.layout.attempt(found.run.id(), &attempt);
        let name = match file.as_str() {
            "prompt" => "prompt.md",
            "stderr" => "stderr.log",
            "result" => "result.json",
            _ => return Err(WebFailure::not_found("there is no such file of an attempt")),
        };
        let bytes = read_bounded(&directory.join(name), MAX_FILE_BYTES)
            .map_err(|_| WebFailure::not_found("the attempt has no such file"))?;
        Ok(printable::lines(&String::from_utf8_lossy(&bytes)))
    });
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text.await?).into_response())
}

/// An attempt by its name, such as `T001.2`, checked before it becomes part of a path.
fn find_attempt(run: &afresh_core::Run, named: &str) -> Result<AttemptId, AppError> {
    match select::find_task_or_attempt(run, named)? {
        (task, Some(number)) => Ok(AttemptId { task, number }),
        (task, None) => Err(AppError::usage("attempt", format!("{task} is no attempt"))
            .hint(format!("such as {task}.1"))),
    }
}
