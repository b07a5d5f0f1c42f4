//! The list of runs, one run, its stream of updates, its pictures.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;

use afresh_app::logs::needs::RunNeeds;
use afresh_app::plan_source::{self, PlanReadOptions};
use afresh_app::session::runs::select;
use afresh_app::session::runs::{self, RunEntry};
use afresh_app::session::tracing::{self, TraceRequest};
use afresh_core::status::trace::RequirementTrace;
use afresh_dashboard::{Dashboard, svg};
use afresh_engine::reports::run_report::RunReport;
use afresh_formats::Finding;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read_blocking;
use crate::failure::WebFailure;
use crate::feed::{FeedPosition, RunFeed};
use crate::list_cache::SharedList;
use crate::server::WebState;

pub(super) type Answer<T> = Result<Json<T>, WebFailure>;

pub(super) async fn list(State(state): State<Arc<WebState>>) -> Answer<SharedList<RunEntry>> {
    read_blocking(move || Ok(Json(state.runs()?))).await
}

/// What waits for a person, of every run.
pub(super) async fn needs_you(State(state): State<Arc<WebState>>) -> Answer<SharedList<RunNeeds>> {
    read_blocking(move || Ok(Json(state.needs()?))).await
}

pub(super) async fn dashboard(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
) -> Answer<Dashboard> {
    read_blocking(move || Ok(Json(state.feed(&run)?.dashboard()))).await
}

/// Server-sent events: what changed, again and again. `Last-Event-ID` says what the browser already has.
pub(super) async fn updates(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, WebFailure> {
    let feed = read_blocking(move || Ok(state.feed(&run)?)).await?;
    let last = headers.get("last-event-id").and_then(|it| it.to_str().ok()?.parse().ok());
    let position = FeedPosition::after(last.unwrap_or(0));
    Ok(Sse::new(stream_updates(feed, position)).keep_alive(KeepAlive::default()))
}

fn stream_updates(
    feed: Arc<RunFeed>,
    position: FeedPosition,
) -> impl Stream<Item = Result<Event, Infallible>> {
    let changed = feed.subscribe();
    let start = (feed, changed, position, true);
    stream::unfold(start, |(feed, mut changed, mut position, is_first)| async move {
        if !is_first && changed.changed().await.is_err() {
            return None;
        }
        changed.borrow_and_update();
        let source = Arc::clone(&feed);
        let next = read_blocking(move || {
            let update = source.update_since(&mut position)?;
            let data = serde_json::to_string(&update)
                .map_err(|error| WebFailure::internal(&error.to_string()))?;
            Ok((Event::default().event("update").id(update.seq.to_string()).data(data), position))
        });
        let (event, position) = match next.await {
            Ok((event, position)) => (event, position),
            Err(_) => {
                (Event::default().event("failed").data("the journal cannot be read"), position)
            }
        };
        Some((Ok(event), (feed, changed, position, false)))
    })
}

#[derive(Debug, Deserialize)]
pub(super) struct PictureQuery {
    /// As it was after this record, instead of now.
    at: Option<u64>,
}

pub(super) async fn picture(
    State(state): State<Arc<WebState>>,
    Path((run, picture)): Path<(String, String)>,
    Query(query): Query<PictureQuery>,
) -> Result<Response, WebFailure> {
    let drawn = read_blocking(move || {
        let feed = state.feed(&run)?;
        let board = match query.at {
            Some(seq) => feed.moment(seq)?.dashboard,
            None => feed.dashboard(),
        };
        match picture.as_str() {
            "graph.svg" => Ok(svg::graph::render(&board.graph)),
            "timeline.svg" => Ok(svg::timeline::render(&board.timeline)),
            "contexts.svg" => Ok(svg::figures::contexts(&board.contexts)),
            "burn-up.svg" => Ok(svg::figures::burn_up(&board.burn_up)),
            "retries.svg" => Ok(svg::figures::retry_heat(&board.retry_heat)),
            _ => Err(WebFailure::not_found("there is no such picture")),
        }
    });
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], drawn.await?).into_response())
}

pub(super) async fn trace(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
) -> Answer<RequirementTrace> {
    read_blocking(move || {
        let how = PlanReadOptions::default();
        let request = TraceRequest { run: Some(&run), plan: None, how };
        Ok(Json(tracing::load_trace(&state.context, &request, &mut Vec::new())?))
    })
    .await
}

pub(super) async fn report(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
) -> Answer<RunReport> {
    read_blocking(move || {
        let repository = state.repository()?;
        let found = select::find_run(&repository, Some(&run))?;
        let around = runs::report_context(&repository, &found.run)?;
        let report = RunReport::from_run(&found, around);
        Ok(Json(report.map_err(afresh_app::error::AppError::journal)?))
    })
    .await
}

/// What is wrong with the plan's files as they are now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanFindings {
    plan: PathBuf,
    findings: Vec<Finding>,
}

pub(super) async fn findings(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
) -> Answer<PlanFindings> {
    read_blocking(move || {
        let repository = state.repository()?;
        let found = select::find_run(&repository, Some(&run))?;
        let plan = PathBuf::from(&found.run.settings().source);
        let directory = state.context.directory()?;
        let findings = match plan_source::read(&directory, &plan, &PlanReadOptions::default()) {
            Ok(found) => found.for_caller(found.reading.findings.clone()),
            Err(error) if error.findings.is_empty() => return Err(error.into()),
            Err(error) => error.findings,
        };
        Ok(Json(PlanFindings { plan, findings }))
    })
    .await
}
