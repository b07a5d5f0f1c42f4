//! A run as it was at an earlier moment.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};

use super::read_blocking;
use super::runs::Answer;
use crate::feed::{RunMoment, RunMoments};
use crate::server::WebState;

/// When each record was written.
pub(super) async fn moments(
    State(state): State<Arc<WebState>>,
    Path(run): Path<String>,
) -> Answer<RunMoments> {
    read_blocking(move || Ok(Json(state.feed(&run)?.moments()))).await
}

/// The run after this record.
pub(super) async fn moment(
    State(state): State<Arc<WebState>>,
    Path((run, seq)): Path<(String, u64)>,
) -> Answer<RunMoment> {
    read_blocking(move || Ok(Json(state.feed(&run)?.moment(seq)?))).await
}
