//! Agents that wait for their model: until when and why, from the journal.

use std::collections::BTreeMap;

use afresh_core::Event;
use afresh_engine::journal_records;
use afresh_engine::session::RecordedRun;
use serde::Serialize;

use crate::text::time;

/// An agent that starts no attempt with this model size until a moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WaitingAgent {
    /// None: the default agent.
    pub agent: Option<String>,
    pub tier: &'static str,
    pub until: String,
    pub why: String,
}

/// Agents that still wait, by the run's own clock; the date is converted to wall-clock time.
pub fn parked(found: &RecordedRun) -> Vec<WaitingAgent> {
    let mut last = BTreeMap::new();
    for record in &found.records {
        let Ok(Event::AgentParked { agent, tier, until, why }) = journal_records::to_event(record)
        else {
            continue;
        };
        let wait = i64::try_from(until.0.saturating_sub(record.at_ms)).unwrap_or(i64::MAX);
        let wall_ms = record.wall_ms.saturating_add(wait);
        last.insert((agent, tier), (until, wall_ms, why));
    }
    let now_ms = i64::try_from(time::now_seconds()).unwrap_or(i64::MAX).saturating_mul(1_000);
    last.into_iter()
        .filter(|(_, (until, wall_ms, _))| *until > found.last_at && *wall_ms > now_ms)
        .map(|((agent, tier), (_, wall_ms, why))| WaitingAgent {
            agent,
            tier: tier.word(),
            until: time::format_utc(wall_ms),
            why,
        })
        .collect()
}
