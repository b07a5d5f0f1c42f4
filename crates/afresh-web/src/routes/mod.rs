//! What can be asked, one file per topic.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`runs`] | the list of runs, one run, its stream of updates, its pictures |
//! | [`tasks`] | one task: attempts, transcripts, differences, prompts |
//! | [`replay`] | a run as it was at an earlier moment |
//! | [`actions`] | answers, comments, retries, skips, halts |
//! | [`description`] | the `OpenAPI` document |

mod actions;
mod description;
mod replay;
mod runs;
mod tasks;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, Uri, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::failure::WebFailure;
use crate::guard;
use crate::page;
use crate::server::WebState;

/// Longer bodies are refused unread.
const MAX_BODY_BYTES: usize = 128 * 1024;

pub(crate) fn router(state: Arc<WebState>) -> Router {
    let router = Router::new()
        .route("/api/openapi.json", get(description::document))
        .route("/api/needs-you", get(runs::needs_you))
        .route("/api/runs", get(runs::list))
        .route("/api/runs/{run}", get(runs::dashboard))
        .route("/api/runs/{run}/updates", get(runs::updates))
        .route("/api/runs/{run}/pictures/{picture}", get(runs::picture))
        .route("/api/runs/{run}/moments", get(replay::moments))
        .route("/api/runs/{run}/moments/{seq}", get(replay::moment))
        .route("/api/runs/{run}/trace", get(runs::trace))
        .route("/api/runs/{run}/report", get(runs::report))
        .route("/api/runs/{run}/findings", get(runs::findings))
        .route("/api/runs/{run}/tasks/{task}", get(tasks::details))
        .route("/api/runs/{run}/attempts/{attempt}/transcript", get(tasks::transcript))
        .route("/api/runs/{run}/attempts/{attempt}/diff", get(tasks::diff))
        .route("/api/runs/{run}/attempts/{attempt}/files/{file}", get(tasks::file))
        .route("/api/runs/{run}/answer", post(actions::answer))
        .route("/api/runs/{run}/tell", post(actions::tell))
        .route("/api/runs/{run}/retry", post(actions::retry))
        .route("/api/runs/{run}/skip", post(actions::skip))
        .route("/api/runs/{run}/halt", post(actions::halt))
        .route("/api/runs/{run}/clear-halt", post(actions::clear_halt))
        .fallback(page_file)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(middleware::from_fn_with_state(Arc::clone(&state), guard::check_request));
    router.with_state(state)
}

async fn page_file(uri: Uri) -> Response {
    match page::find(uri.path()) {
        Some(file) => (StatusCode::OK, [(header::CONTENT_TYPE, file.media_type)], file.content)
            .into_response(),
        None => WebFailure::not_found("there is no such page").into_response(),
    }
}

/// Work that reads files, away from the thread that answers.
async fn read_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WebFailure> + Send + 'static,
) -> Result<T, WebFailure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(_) => Err(WebFailure::internal("a bug in afresh: the request failed")),
    }
}
