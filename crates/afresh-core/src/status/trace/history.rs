//! Which texts of requirements workers had when they started.
//!
//! A run may take up a changed plan between two tasks, so that the plan which it has now does not tell.

use std::collections::BTreeMap;

use crate::event::Event;
use crate::ids::AttemptId;
use crate::plan::{Plan, RequirementId};

/// The texts of requirements over a run, as their hashes.
#[derive(Debug, Default)]
pub struct TextHistory {
    /// Each plan that the run took up.
    versions: Vec<BTreeMap<RequirementId, String>>,
    /// The version at which an attempt started.
    started: BTreeMap<AttemptId, usize>,
}

impl TextHistory {
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut history = Self::default();
        for event in events {
            history.note_event(event);
        }
        history
    }

    pub fn note_event(&mut self, event: &Event) {
        match event {
            Event::RunStarted { plan, .. } | Event::PlanChanged { plan } => self.add_version(plan),
            Event::AttemptStarting { attempt, .. } => {
                self.started.insert(attempt.clone(), self.versions.len().saturating_sub(1));
            }
            _ => {}
        }
    }

    fn add_version(&mut self, plan: &Plan) {
        let digests = plan.requirements().iter();
        self.versions.push(digests.map(|one| (one.id.clone(), one.digest.clone())).collect());
    }

    /// Whether the text was this one all the time.
    pub(super) fn is_constant(&self, id: &RequirementId, digest: &str) -> bool {
        self.versions.iter().all(|texts| texts.get(id).is_some_and(|text| text == digest))
    }

    /// A requirement's text now, compared with when an attempt started. Runs of older versions recorded no
    /// requirements at all, which says nothing.
    pub(super) fn compare_text(
        &self,
        attempt: &AttemptId,
        id: &RequirementId,
        now: &str,
    ) -> TextChange {
        let version = self.started.get(attempt).and_then(|at| self.versions.get(*at));
        let Some(version) = version.filter(|texts| !texts.is_empty()) else {
            return TextChange::Same;
        };
        match version.get(id) {
            Some(then) if then == now => TextChange::Same,
            Some(_) => TextChange::Other,
            None => TextChange::New,
        }
    }
}

/// What became of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextChange {
    Same,
    Other,
    /// There was none.
    New,
}
