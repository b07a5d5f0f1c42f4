//! Agents that wait for their model: until when and why, from the journal.

use std::collections::BTreeMap;
use std::time::Duration;

use afresh_core::Event;
use afresh_core::rejection::Rejection;
use afresh_engine::RecordedEvent;
use afresh_engine::journal_records;
use afresh_engine::session::RecordedRun;
use serde::Serialize;

use crate::text::time;

/// Waits that are shorter are not worth a line.
const SHORTEST_SHOWN: Duration = Duration::from_secs(10);

/// Who waits for its model, and until when: a task after a failure, or all tasks of an agent.
pub fn describe_wait(seen: &RecordedEvent<'_>) -> Option<(String, String)> {
    let (who, until, what) = match seen.event {
        Event::AttemptRejected {
            attempt,
            reason: Rejection::ModelFailed { .. },
            not_before: Some(until),
            ..
        } => (attempt.task.to_string(), *until, "the model is asked again"),
        Event::AgentParked { agent, until, .. } => {
            let agent = agent.clone().unwrap_or_else(|| seen.run.settings().agent.clone());
            (agent, *until, "its tasks start again")
        }
        _ => return None,
    };
    let wait = seen.at?.until(until);
    let wall_ms = seen.wall_ms.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX));
    let text =
        format!("{what} in {}, at {}", time::format_duration(wait), time::format_utc(wall_ms));
    (wait >= SHORTEST_SHOWN).then_some((who, text))
}

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
