//! The run's own clock: monotonic, and continuing where the journal ended (R11).

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use afresh_core::time::Timestamp;

#[derive(Debug)]
pub(crate) struct RunClock {
    started_at: Timestamp,
    since: Instant,
}

impl RunClock {
    /// A clock that continues after `last`.
    pub(crate) fn after(last: Timestamp) -> Self {
        Self { started_at: Timestamp(last.0 + 1), since: Instant::now() }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.started_at + self.since.elapsed()
    }
}

/// The wall clock, for people and for commits; no decision depends on it.
pub(crate) fn wall_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The same in seconds, for commits.
pub(crate) fn wall_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
