//! The live region of a run: progress, questions, and what every worker is at.

use std::time::{Duration, Instant};

use afresh_app::dashboard::text::live::LiveOverview;
use afresh_app::dashboard::{LiveFacts, RunHistory};
use afresh_app::logs::worker_actions::WorkerActions;
use afresh_app::text::time;
use afresh_core::Run;
use afresh_core::time::Timestamp;
use afresh_engine::{RecordedEvent, Reporter, StateLayout};

use crate::terminal::attention::TaskbarProgress;
use crate::terminal::live::LiveRegion;
use crate::terminal::live::region::RegionSize;

/// Times change this often.
const TICK: Duration = Duration::from_millis(500);
/// Events in quick succession are painted together.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(crate) struct LiveReporter {
    region: LiveRegion,
    history: RunHistory,
    layout: StateLayout,
    actions: WorkerActions,
    taskbar: Option<TaskbarProgress>,
    painted_at: Option<Instant>,
    /// Something was recorded since.
    is_outdated: bool,
}

impl LiveReporter {
    /// `history` is what was recorded before this session.
    pub(crate) fn new(
        region: LiveRegion,
        history: RunHistory,
        layout: StateLayout,
        actions: WorkerActions,
        taskbar: Option<TaskbarProgress>,
    ) -> Self {
        let (painted_at, is_outdated) = (None, true);
        Self { region, history, layout, actions, taskbar, painted_at, is_outdated }
    }

    fn paint(&mut self, run: &Run) {
        self.painted_at = Some(Instant::now());
        self.is_outdated = false;
        let Some(size) = RegionSize::measure() else { return };
        let actions = self.actions.poll(&self.layout, run).clone();
        let facts = LiveFacts { now_ms: time::now_ms(), is_driven: true, actions };
        let overview = LiveOverview::new(run, &self.history, &facts);
        if let Some(taskbar) = &mut self.taskbar {
            taskbar.show(run, &overview.progress);
        }
        self.region.show(overview.lines(size.columns - 1, size.rows));
    }
}

impl Reporter for LiveReporter {
    fn event_recorded(&mut self, seen: &RecordedEvent<'_>) {
        self.history.record(seen.wall_ms, seen.event, seen.run);
        self.is_outdated = true;
    }

    fn time_passed(&mut self, run: &Run, _now: Timestamp) {
        let pause = if self.is_outdated { SHORTEST_PAUSE } else { TICK };
        if self.painted_at.is_none_or(|at| at.elapsed() >= pause) {
            self.paint(run);
        }
    }

    fn waiting_for_answers(&mut self, run: &Run) {
        self.paint(run);
    }

    fn drive_ended(&mut self, _run: &Run) {
        self.region.finish();
        if let Some(taskbar) = &mut self.taskbar {
            taskbar.clear();
        }
    }
}
