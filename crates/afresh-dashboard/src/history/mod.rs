//! What happened when, one event at a time.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`attempt`] | the segments of one attempt |
//! | [`spending`] | tokens and cost over time |
//! | `fold` | what each event adds |

pub mod attempt;
mod fold;
pub mod spending;

use std::collections::BTreeMap;

use afresh_core::ids::{AttemptId, CommitId, QuestionId, TaskId};

use attempt::AttemptTrack;
use spending::SpendingCurve;

/// The past of a run, in milliseconds of the wall clock.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunHistory {
    started_ms: i64,
    last_ms: i64,
    drives: Vec<Period>,
    /// In the order in which they started.
    attempts: Vec<AttemptTrack>,
    by_id: BTreeMap<AttemptId, usize>,
    /// What is on the branch, in order.
    landed: Vec<(AttemptId, CommitId)>,
    /// When the dependents of a task could go ahead.
    met_at: BTreeMap<TaskId, i64>,
    /// When the task was last given up by an attempt, a person or a rewind.
    free_at: BTreeMap<TaskId, i64>,
    /// Open questions: since when, and about which task.
    asked: BTreeMap<QuestionId, (i64, TaskId)>,
    /// When a task without an attempt has waited for a person, since its last attempt.
    person_waits: BTreeMap<TaskId, Vec<Period>>,
    spending: SpendingCurve,
    probe: Option<Period>,
    final_checks: Vec<Period>,
    halted_at: Option<i64>,
    events: u64,
}

/// A span of time; without an end it lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    pub from_ms: i64,
    pub to_ms: Option<i64>,
}

impl Period {
    fn since(from_ms: i64) -> Self {
        Self { from_ms, to_ms: None }
    }

    fn close(&mut self, at_ms: i64) {
        if self.to_ms.is_none() {
            self.to_ms = Some(at_ms.max(self.from_ms));
        }
    }

    /// How long it lasted until `now_ms`.
    pub fn length_ms(&self, now_ms: i64) -> u64 {
        u64::try_from(self.to_ms.unwrap_or(now_ms).saturating_sub(self.from_ms)).unwrap_or(0)
    }
}

impl RunHistory {
    /// When the run was started.
    pub fn started_ms(&self) -> i64 {
        self.started_ms
    }

    /// When something was last recorded.
    pub fn last_ms(&self) -> i64 {
        self.last_ms
    }

    pub fn attempts(&self) -> &[AttemptTrack] {
        &self.attempts
    }

    pub fn attempt(&self, id: &AttemptId) -> Option<&AttemptTrack> {
        self.by_id.get(id).map(|at| &self.attempts[*at])
    }

    pub fn spending(&self) -> &SpendingCurve {
        &self.spending
    }

    /// The attempts whose work is on the branch, in order.
    pub fn landed(&self) -> impl DoubleEndedIterator<Item = &AttemptTrack> {
        self.landed.iter().filter_map(|(attempt, _)| self.attempt(attempt))
    }

    /// The checks before any work.
    pub fn probe(&self) -> Option<Period> {
        self.probe
    }

    /// The checks of the whole run, each time that they ran.
    pub fn final_checks(&self) -> &[Period] {
        &self.final_checks
    }

    pub fn halted_at(&self) -> Option<i64> {
        self.halted_at
    }

    pub fn asked_at(&self, question: QuestionId) -> Option<i64> {
        self.asked.get(&question).map(|(at_ms, _)| *at_ms)
    }

    /// Since when a task without an attempt waits for a person.
    pub fn waits_for_person_since(&self, task: &TaskId) -> Option<i64> {
        let last = self.person_waits.get(task)?.last()?;
        last.to_ms.is_none().then_some(last.from_ms)
    }

    /// How many events were recorded.
    pub fn event_count(&self) -> u64 {
        self.events
    }

    /// How long drivers ran; breaks between two of them do not count.
    pub fn driven_ms(&self, now_ms: i64) -> u64 {
        self.drives.iter().map(|drive| drive.length_ms(now_ms)).sum()
    }

    /// The time between two drivers.
    pub fn breaks(&self) -> impl Iterator<Item = (i64, i64)> {
        let pairs = self.drives.iter().zip(self.drives.iter().skip(1));
        pairs.filter_map(|(one, next)| Some((one.to_ms?, next.from_ms)))
    }

    /// Since when a task that is ready could have started, if all of `needs` are met.
    pub fn ready_since<'a>(
        &self,
        task: &TaskId,
        needs: impl IntoIterator<Item = &'a TaskId>,
    ) -> i64 {
        let met = needs.into_iter().filter_map(|need| self.met_at.get(need)).copied();
        let measured = self.probe.and_then(|probe| probe.to_ms);
        met.chain(self.free_at.get(task).copied()).chain(measured).fold(self.started_ms, i64::max)
    }
}
