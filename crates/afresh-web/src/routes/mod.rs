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
use axum::routing::{MethodRouter, get, post};

use crate::failure::WebFailure;
use crate::guard;
use crate::page;
use crate::server::WebState;

/// Longer bodies are refused unread.
const MAX_BODY_BYTES: usize = 128 * 1024;

pub(crate) fn router(state: Arc<WebState>) -> Router {
    let mut router = Router::new();
    for ApiRoute { path, handler, .. } in api_routes() {
        router = router.route(path, handler);
    }
    router
        .fallback(page_file)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(middleware::from_fn_with_state(Arc::clone(&state), guard::check_request))
        .with_state(state)
}

/// Something that can be asked; the `OpenAPI` document has the same ones.
struct ApiRoute {
    path: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "compared with the document"))]
    method: &'static str,
    handler: MethodRouter<Arc<WebState>>,
}

fn api_routes() -> Vec<ApiRoute> {
    let read = |path, handler| ApiRoute { path, method: "get", handler };
    let act = |path, handler| ApiRoute { path, method: "post", handler };
    vec![
        read("/api/openapi.json", get(description::document)),
        read("/api/needs-you", get(runs::needs_you)),
        read("/api/runs", get(runs::list)),
        read("/api/runs/{run}", get(runs::dashboard)),
        read("/api/runs/{run}/updates", get(runs::updates)),
        read("/api/runs/{run}/pictures/{picture}", get(runs::picture)),
        read("/api/runs/{run}/moments", get(replay::moments)),
        read("/api/runs/{run}/moments/{seq}", get(replay::moment)),
        read("/api/runs/{run}/trace", get(runs::trace)),
        read("/api/runs/{run}/report", get(runs::report)),
        read("/api/runs/{run}/findings", get(runs::findings)),
        read("/api/runs/{run}/tasks/{task}", get(tasks::details)),
        read("/api/runs/{run}/attempts/{attempt}/transcript", get(tasks::transcript)),
        read("/api/runs/{run}/attempts/{attempt}/diff", get(tasks::diff)),
        read("/api/runs/{run}/attempts/{attempt}/files/{file}", get(tasks::file)),
        act("/api/runs/{run}/answer", post(actions::answer)),
        act("/api/runs/{run}/tell", post(actions::tell)),
        act("/api/runs/{run}/retry", post(actions::retry)),
        act("/api/runs/{run}/skip", post(actions::skip)),
        act("/api/runs/{run}/halt", post(actions::halt)),
        act("/api/runs/{run}/clear-halt", post(actions::clear_halt)),
    ]
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// B39: the document has every route that is served, and no other.
    #[test]
    fn the_document_has_every_route_and_no_other() {
        let routes = api_routes();
        let served: BTreeSet<(String, String)> =
            routes.iter().map(|it| (it.path.to_owned(), it.method.to_owned())).collect();
        assert_eq!(served.len(), routes.len(), "a route is served once");
        let document = description::openapi();
        let paths = document["paths"].as_object().expect("paths");
        let described = paths.iter().flat_map(|(path, entry)| {
            let methods = entry.as_object().expect("methods").keys();
            methods.map(|method| (path.clone(), method.clone()))
        });
        assert_eq!(described.collect::<BTreeSet<_>>(), served);
    }

    /// Every name of the document that stands for a type is defined in it.
    #[test]
    fn every_reference_of_the_document_is_defined() {
        let document = description::openapi();
        let text = document.to_string();
        for reference in text.split("\"$ref\":\"#").skip(1) {
            let pointer = reference.split('"').next().expect("a pointer");
            assert!(document.pointer(pointer).is_some(), "{pointer} is not defined");
        }
    }
}
