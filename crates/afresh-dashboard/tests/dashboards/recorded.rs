//! The recorded run, as far as one wants to play it.

use afresh_core::ids::AttemptId;
use afresh_core::{Event, Run};
use afresh_dashboard::{Dashboard, LiveFacts, RunHistory};
use serde::Deserialize;

const RECORDED: &str = include_str!("demo_run.jsonl");

#[derive(Deserialize)]
struct TimedEvent {
    wall_ms: i64,
    event: Event,
}

pub(crate) struct PlayedRun {
    pub(crate) run: Run,
    pub(crate) history: RunHistory,
}

impl PlayedRun {
    pub(crate) fn whole() -> Self {
        Self::until(|_| false)
    }

    /// Up to and including the first event like this.
    pub(crate) fn until(is_last: impl Fn(&Event) -> bool) -> Self {
        Self::play(is_last, 0)
    }

    /// The whole run, with a person who answered so much later.
    pub(crate) fn answered_later(later_ms: i64) -> Self {
        Self::play(|_| false, later_ms)
    }

    fn play(is_last: impl Fn(&Event) -> bool, answer_later_ms: i64) -> Self {
        let mut lines = RECORDED
            .lines()
            .map(|line| serde_json::from_str::<TimedEvent>(line).expect("an event"));
        let first = lines.next().expect("a first event");
        let run = Run::start(&first.event).expect("it starts a run");
        let mut played = Self { run, history: RunHistory::default() };
        played.history.record(first.wall_ms, &first.event, &played.run);
        let mut shift_ms = 0;
        for line in lines {
            if matches!(line.event, Event::QuestionAnswered { .. }) {
                shift_ms = answer_later_ms;
            }
            played.run.apply(&line.event).expect("an event that fits");
            played.history.record(line.wall_ms + shift_ms, &line.event, &played.run);
            if is_last(&line.event) {
                break;
            }
        }
        played
    }

    /// While a process drives it, so long after the last event.
    pub(crate) fn live(&self, later_ms: i64) -> LiveFacts {
        let now_ms = self.history.last_ms() + later_ms;
        LiveFacts { now_ms, is_driven: true, actions: std::collections::BTreeMap::new() }
    }

    pub(crate) fn dashboard(&self) -> Dashboard {
        Dashboard::new(&self.run, &self.history, &LiveFacts::of_ended(&self.history))
    }
}

/// The first attempt of a task has been spawned.
pub(crate) fn is_spawned(task: &'static str) -> impl Fn(&Event) -> bool {
    move |event| matches!(event, Event::AttemptSpawned { attempt: AttemptId { task: id, .. } } if id.as_str() == task)
}

pub(crate) fn is_question(event: &Event) -> bool {
    matches!(event, Event::QuestionAsked { .. })
}
