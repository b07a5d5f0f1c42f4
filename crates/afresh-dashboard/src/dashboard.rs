//! All of the view data of one moment.

use std::collections::BTreeMap;

use afresh_core::Run;
use afresh_core::ids::{AttemptId, RunId};
use afresh_core::status::{RunState, RunStatus};
use schemars::JsonSchema;
use serde::Serialize;

use crate::data::burn_up::BurnUp;
use crate::data::context::ContextBar;
use crate::data::graph::TaskGraph;
use crate::data::merge_line::MergeLine;
use crate::data::needs_you::NeedsYou;
use crate::data::progress::RunProgress;
use crate::data::retry_heat::RetryHeat;
use crate::data::task_rows::TaskRow;
use crate::data::timeline::Timeline;
use crate::data::workers::{WorkerAction, WorkerRow};
use crate::history::RunHistory;

/// What is known besides the journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LiveFacts {
    /// The present, on the clock of the records.
    pub now_ms: i64,
    /// Whether a process drives the run.
    pub is_driven: bool,
    /// What workers did last, as their programs reported it.
    pub actions: BTreeMap<AttemptId, WorkerAction>,
}

impl LiveFacts {
    /// A run that nothing drives any more, as it was when something was last recorded.
    pub fn of_ended(history: &RunHistory) -> Self {
        Self { now_ms: history.last_ms(), is_driven: false, actions: BTreeMap::new() }
    }

    /// Time stands still while nothing drives the run.
    pub(crate) fn clock_ms(&self, history: &RunHistory) -> i64 {
        let last = history.last_ms();
        if self.is_driven { self.now_ms.max(last) } else { last }
    }
}

/// What people see of a run.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct Dashboard {
    pub run: RunId,
    pub plan: String,
    pub branch: String,
    pub state: RunState,
    pub is_driven: bool,
    /// Why the run as a whole failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub needs_you: Vec<NeedsYou>,
    pub progress: RunProgress,
    pub workers: Vec<WorkerRow>,
    pub merge_line: MergeLine,
    pub tasks: Vec<TaskRow>,
    pub timeline: Timeline,
    pub graph: TaskGraph,
    pub contexts: Vec<ContextBar>,
    pub burn_up: BurnUp,
    pub retry_heat: RetryHeat,
}

impl Dashboard {
    pub fn new(run: &Run, history: &RunHistory, live: &LiveFacts) -> Self {
        let status = RunStatus::from_run(run);
        let now_ms = live.clock_ms(history);
        let timeline = Timeline::new(run, history, &status, now_ms);
        Self {
            run: run.id().clone(),
            plan: run.plan().name.clone(),
            branch: run.branch().to_owned(),
            state: status.state,
            is_driven: live.is_driven,
            error: status.error.clone(),
            needs_you: NeedsYou::list(run, history),
            progress: RunProgress::new(run, history, now_ms),
            workers: WorkerRow::list(run, history, live),
            merge_line: MergeLine::new(run, history, now_ms),
            tasks: TaskRow::list(run, history, &status, &timeline.critical_path),
            graph: TaskGraph::new(run.plan(), &status, &timeline.critical_path),
            contexts: ContextBar::list(run, history),
            burn_up: BurnUp::new(run, history, now_ms),
            retry_heat: RetryHeat::new(run, history),
            timeline,
        }
    }
}
