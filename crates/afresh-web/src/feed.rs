//! One watched run, shared by every browser that looks at it.
//!
//! A thread reads the journal; connections wait for its word, and each is sent what changed since it was last sent
//! something. Nothing is queued for a slow browser: it gets the present state when it is ready for it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use afresh_app::error::AppError;
use afresh_app::logs::activity::{self, ActivityEntry, ActivityFilter};
use afresh_app::logs::run_replay::RunReplay;
use afresh_app::logs::watched_run::WatchedRun;
use afresh_core::ids::{RunId, TaskId};
use afresh_core::status::{RunState, run_state};
use afresh_dashboard::data::merge_line::MergeLine;
use afresh_dashboard::data::needs_you::NeedsYou;
use afresh_dashboard::data::progress::RunProgress;
use afresh_dashboard::data::task_rows::TaskRow;
use afresh_dashboard::data::workers::WorkerRow;
use afresh_dashboard::{Dashboard, LiveFacts};
use afresh_store::JournalRecord;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;

const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Workers act without any record in the journal.
const WORKER_INTERVAL: Duration = Duration::from_secs(1);
/// A browser that was away for longer starts with the last ones.
const MAX_ACTIVITY: usize = 200;
const MAX_REPLAY_ACTIVITY: usize = 40;

/// What changed since a browser was last sent something.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ViewUpdate {
    /// The last record that it contains; a stream that was cut continues after it.
    pub seq: u64,
    pub state: RunState,
    pub is_driven: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub needs_you: Vec<NeedsYou>,
    pub progress: RunProgress,
    pub workers: Vec<WorkerRow>,
    pub merge_line: MergeLine,
    /// Only those that changed.
    pub tasks: Vec<TaskRow>,
    /// Every task, in order, if there are others than before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_order: Option<Vec<TaskId>>,
    /// What was recorded, in words; at most the last 200.
    pub activity: Vec<ActivityItem>,
}

/// One line of the activity log.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct ActivityItem {
    pub seq: u64,
    pub at_ms: i64,
    pub level: String,
    pub who: String,
    pub event: String,
    pub message: String,
}

/// When each record of a run was written.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct RunMoments {
    pub seqs: Vec<u64>,
    pub at_ms: Vec<i64>,
}

/// A run as it was after one record.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct RunMoment {
    pub seq: u64,
    pub at_ms: i64,
    /// How many records there were then, and how many there are.
    pub position: usize,
    pub of: usize,
    pub dashboard: Dashboard,
    /// What was recorded last before it, in words.
    pub activity: Vec<ActivityItem>,
}

/// Where a connection is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FeedPosition {
    /// The last record that it has.
    pub(crate) seq: u64,
    /// The version of the rows that it has; 0: none.
    version: u64,
    order: u64,
}

impl FeedPosition {
    /// A connection that has everything up to this record; its rows are sent all the same.
    pub(crate) fn after(seq: u64) -> Self {
        Self { seq, ..Self::default() }
    }
}

/// A watched run.
#[derive(Debug)]
pub(crate) struct RunFeed {
    inner: Mutex<FeedState>,
    /// For looking back; made when it is first asked for.
    replay: Mutex<Option<RunReplay>>,
    changed: watch::Sender<u64>,
}

#[derive(Debug)]
struct FeedState {
    watched: WatchedRun,
    facts: LiveFacts,
    /// Each row with the version in which it last changed.
    rows: BTreeMap<TaskId, (u64, TaskRow)>,
    order: (u64, Vec<TaskId>),
    version: u64,
}

impl RunFeed {
    pub(crate) fn start(watched: WatchedRun) -> Result<Arc<Self>, AppError> {
        let mut state = FeedState {
            watched,
            facts: LiveFacts::default(),
            rows: BTreeMap::new(),
            order: (0, Vec::new()),
            version: 0,
        };
        state.refresh()?;
        let feed = Arc::new(Self {
            inner: Mutex::new(state),
            replay: Mutex::default(),
            changed: watch::channel(1).0,
        });
        let weak = Arc::downgrade(&feed);
        std::thread::spawn(move || keep_up(&weak));
        Ok(feed)
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// What changed since; the position moves along.
    pub(crate) fn update_since(&self, position: &mut FeedPosition) -> Result<ViewUpdate, AppError> {
        let state = self.lock();
        let run = &state.watched.found.run;
        let history = &state.watched.history;
        let now_ms = if state.facts.is_driven { state.facts.now_ms } else { history.last_ms() };
        let rows = state.rows.values().filter(|(version, _)| *version > position.version);
        let (order_version, order) = &state.order;
        let update = ViewUpdate {
            seq: state.watched.last_seq(),
            state: run_state(run),
            is_driven: state.facts.is_driven,
            error: run
                .aborted()
                .map(str::to_owned)
                .or_else(|| run.final_failures().into_iter().next()),
            needs_you: NeedsYou::list(run, history),
            progress: RunProgress::new(run, history, now_ms),
            workers: WorkerRow::list(run, history, &state.facts),
            merge_line: MergeLine::new(run, history, now_ms),
            tasks: rows.map(|(_, row)| row.clone()).collect(),
            task_order: (*order_version > position.order).then(|| order.clone()),
            activity: activity_since(&state.watched, position.seq)?,
        };
        *position = FeedPosition { seq: update.seq, version: state.version, order: *order_version };
        Ok(update)
    }

    /// Everything at once, for pictures and for programs.
    pub(crate) fn dashboard(&self) -> Dashboard {
        let state = self.lock();
        Dashboard::new(&state.watched.found.run, &state.watched.history, &state.facts)
    }

    /// When each record was written.
    pub(crate) fn moments(&self) -> RunMoments {
        let records = &self.lock().watched.found.records;
        RunMoments {
            seqs: records.iter().map(|record| record.seq).collect(),
            at_ms: records.iter().map(|record| record.wall_ms).collect(),
        }
    }

    /// The run after this record.
    pub(crate) fn moment(&self, seq: u64) -> Result<RunMoment, AppError> {
        let mut replay = self.replay.lock().unwrap_or_else(PoisonError::into_inner);
        let state = self.lock();
        let of = state.watched.found.records.len();
        let replay = match &mut *replay {
            Some(replay) if replay.records().len() == of => replay,
            outdated => outdated.insert(RunReplay::new(&state.watched.found)),
        };
        let run = state.watched.id().clone();
        // The live view does not wait for it.
        drop(state);
        replay.go_to_seq(seq)?;
        let Some(dashboard) = replay.dashboard() else {
            let message = format!("run {run} had not started at record {seq}");
            return Err(AppError::usage("moment", message));
        };
        let position = replay.position();
        let before = &replay.records()[..position];
        let last = &before[position.saturating_sub(MAX_REPLAY_ACTIVITY)..];
        Ok(RunMoment {
            seq: before.last().map_or(0, |record| record.seq),
            at_ms: replay.history().last_ms(),
            position,
            of,
            dashboard,
            activity: activity_items(last, &run)?,
        })
    }

    /// Reads something of the run itself.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&WatchedRun) -> T) -> T {
        read(&self.lock().watched)
    }

    /// Reads the journal again; true if anything changed.
    fn poll(&self, with_workers: bool) -> Result<bool, AppError> {
        let mut state = self.lock();
        let has_news = state.watched.catch_up()?;
        if has_news {
            state.refresh()?;
        } else if with_workers {
            let facts = state.watched.facts()?;
            let is_same = facts.is_driven == state.facts.is_driven && !facts.is_driven;
            state.facts = facts;
            return Ok(!is_same);
        }
        Ok(has_news)
    }

    fn lock(&self) -> MutexGuard<'_, FeedState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FeedState {
    /// Notes which rows changed.
    fn refresh(&mut self) -> Result<(), AppError> {
        self.version += 1;
        self.facts = self.watched.facts()?;
        let rows = TaskRow::list_all(&self.watched.found.run, &self.watched.history);
        let order: Vec<TaskId> = rows.iter().map(|row| row.id.clone()).collect();
        if order != self.order.1 {
            self.rows.retain(|id, _| order.contains(id));
            self.order = (self.version, order);
        }
        for row in rows {
            match self.rows.get(&row.id) {
                Some((_, known)) if *known == row => {}
                _ => {
                    self.rows.insert(row.id.clone(), (self.version, row));
                }
            }
        }
        Ok(())
    }
}

/// Until no connection has the feed any more.
fn keep_up(feed: &Weak<RunFeed>) {
    let mut workers_read_at = Instant::now();
    loop {
        std::thread::sleep(POLL_INTERVAL);
        let Some(feed) = feed.upgrade() else { return };
        let with_workers = workers_read_at.elapsed() >= WORKER_INTERVAL;
        if with_workers {
            workers_read_at = Instant::now();
        }
        // A journal that cannot be read now may be readable again; the next request says what is wrong.
        if feed.poll(with_workers).unwrap_or(false) {
            feed.changed.send_modify(|version| *version += 1);
        }
    }
}

fn activity_since(watched: &WatchedRun, seq: u64) -> Result<Vec<ActivityItem>, AppError> {
    let records = &watched.found.records;
    let first = records.partition_point(|record| record.seq <= seq);
    let fresh = &records[first.max(records.len().saturating_sub(MAX_ACTIVITY))..];
    activity_items(fresh, watched.id())
}

fn activity_items(records: &[JournalRecord], run: &RunId) -> Result<Vec<ActivityItem>, AppError> {
    let entries = activity::entries(records.to_vec(), run, ActivityFilter::Usual)?;
    let skipped = entries.len().saturating_sub(MAX_ACTIVITY);
    let item = |entry: ActivityEntry| ActivityItem {
        seq: entry.seq,
        at_ms: entry.wall_ms,
        level: entry.line.level.to_string(),
        who: entry.line.who.clone(),
        event: entry.line.event.to_string(),
        message: entry.line.message.clone(),
    };
    Ok(entries.into_iter().skip(skipped).map(item).collect())
}
