//! How far the requirements of a run's plan are met: `afresh trace` has all of it.

use std::collections::BTreeMap;

use afresh_core::plan::RequirementId;
use afresh_core::run::Run;
use afresh_core::status::trace::history::TextHistory;
use afresh_core::status::trace::{RequirementState, RequirementTrace, TraceSources};
use schemars::JsonSchema;
use serde::Serialize;

/// The most gaps that a report names.
const MAX_GAPS: usize = 50;

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct RequirementsReport {
    /// How many requirements are in each state.
    pub counts: BTreeMap<RequirementState, usize>,
    /// Those that are uncovered, stale or partial; at most 50.
    pub gaps: Vec<RequirementGap>,
    /// How many gaps there are in all.
    pub gap_count: usize,
}

/// A requirement that something is missing for.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct RequirementGap {
    pub id: RequirementId,
    pub text: String,
    pub state: RequirementState,
    pub reason: String,
}

impl RequirementsReport {
    /// None if the plan states no requirements. Texts are compared with what workers had, not with the files of now.
    pub(super) fn from_run(run: &Run, history: &TextHistory) -> Option<Self> {
        if run.plan().requirements().is_empty() {
            return None;
        }
        let trace =
            RequirementTrace::new(TraceSources { plan: run.plan(), run: Some((run, history)) });
        let mut gaps: Vec<RequirementGap> = trace
            .requirements
            .into_iter()
            .filter(|one| one.state.is_gap())
            .map(|one| RequirementGap {
                id: one.id,
                text: one.text,
                state: one.state,
                reason: one.reason,
            })
            .collect();
        let gap_count = gaps.len();
        gaps.truncate(MAX_GAPS);
        Some(Self { counts: trace.counts, gaps, gap_count })
    }
}
