//! Batches: how large they are, what covers a commit inside of one, and who is blamed for a broken one.

use afresh_core::check::Receipt;
use afresh_core::event::Event;
use afresh_core::ids::AttemptId;
use afresh_core::input::MergedTree;
use afresh_core::rejection::Rejection;
use afresh_core::run::settings::{BatchLimit, Settings};

use crate::simulation::scenario::Scenario;
use crate::simulation::world::SimulatedWorld;

/// The largest batch that is ever formed.
const LARGEST_BATCH: usize = 16;

#[derive(Debug, Default)]
pub(super) struct MergeInvariants {
    /// Batches that are on their way, and the failures of which something was concluded.
    started: usize,
}

impl MergeInvariants {
    /// IN-02: a batch is no larger than the settings allow.
    pub(super) fn note(&mut self, event: &Event, settings: &Settings) -> Result<(), String> {
        let Event::BatchStarted { attempts, .. } = event else { return Ok(()) };
        self.started += 1;
        let most = match settings.merge.batch {
            BatchLimit::Auto => LARGEST_BATCH,
            BatchLimit::AtMost(most) => usize::from(most),
        };
        if attempts.len() > most {
            return Err(format!("IN-02: {} merges in one batch of {most}", attempts.len()));
        }
        Ok(())
    }

    /// R4: the tree of a receipt is that of its commit, or of a commit that follows it.
    pub(super) fn check_covering(
        &self,
        attempt: &AttemptId,
        merged: &MergedTree,
        receipt: &Receipt,
        world: &SimulatedWorld,
    ) -> Result<(), String> {
        let is_covered = match &receipt.covered_by {
            None => receipt.tree == merged.tree,
            Some(covering) => {
                self.started > 0
                    && world.tree_of(covering) == Some(&receipt.tree)
                    && world.follows(covering, &merged.commit)
            }
        };
        if is_covered {
            return Ok(());
        }
        Err(format!("R4: the receipt of {attempt} is about another tree"))
    }
}

/// IN-03: where checks always say the same, no work is sent back that neither fails by itself nor beside what landed.
pub(in crate::simulation) fn check_blame(
    event: &Event,
    world: &SimulatedWorld,
    scenario: &Scenario,
) -> Result<(), String> {
    let Event::AttemptRejected { attempt, reason, .. } = event else { return Ok(()) };
    let is_blamed =
        matches!(reason, Rejection::BrokenMerge { .. } | Rejection::ChecksFailed { .. });
    if is_blamed && scenario.checks_are_reliable && !world.can_fail(attempt, scenario) {
        return Err(format!("IN-03: {attempt} is sent back for what others broke: {reason:?}"));
    }
    Ok(())
}
