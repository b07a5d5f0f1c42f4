//! What landed on the branch, in order, without what a rewind took back.

use std::collections::BTreeMap;

use afresh_core::Event;
use afresh_core::check::Receipt;
use afresh_core::ids::{AttemptId, CommitId};

/// One task's work on the branch.
#[derive(Debug)]
pub(super) struct LandedCommit {
    pub(super) attempt: AttemptId,
    commit: CommitId,
    pub(super) receipt: Receipt,
}

/// The landings, updated with each event.
#[derive(Debug, Default)]
pub(super) struct LandingHistory {
    /// Receipts of work that is about to land.
    intended: BTreeMap<AttemptId, Receipt>,
    landed: Vec<LandedCommit>,
}

impl LandingHistory {
    /// Returns what this event took back.
    pub(super) fn note_event(&mut self, event: &Event) -> Vec<LandedCommit> {
        match event {
            Event::LandIntended { attempt, receipt, .. } => {
                self.intended.insert(attempt.clone(), receipt.clone());
            }
            Event::Merged { attempt, commit } => {
                if let Some(receipt) = self.intended.remove(attempt) {
                    let (attempt, commit) = (attempt.clone(), commit.clone());
                    self.landed.push(LandedCommit { attempt, commit, receipt });
                }
            }
            Event::Rewound { to } => {
                let kept = self.landed.iter().position(|landed| landed.commit == *to);
                return self.landed.split_off(kept.map_or(0, |at| at + 1));
            }
            _ => {}
        }
        Vec::new()
    }

    pub(super) fn receipts(&self) -> impl Iterator<Item = &Receipt> {
        self.landed.iter().map(|landed| &landed.receipt)
    }
}
