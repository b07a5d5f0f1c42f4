//! Workspaces of people (ST-06).

use afresh_core::ids::{AttemptId, WorkspaceSlot};
use afresh_core::input::Input;
use afresh_core::outcome::SpawnFailure;
use afresh_core::run::Run;
use afresh_core::step::StartPoint;

use super::SimulatedWorld;
use crate::simulation::random::SeededRandom;
use crate::simulation::scenario::Scenario;

impl SimulatedWorld {
    /// After a crash it is prepared again, unless the person was told where it is.
    pub(super) fn prepare_by_hand(
        &mut self,
        attempt: &AttemptId,
        slot: WorkspaceSlot,
        ground: &StartPoint,
        random: &mut SeededRandom,
        scenario: &Scenario,
        run: &Run,
    ) -> Result<Input, String> {
        let state = run.state_of(&attempt.task);
        if state.is_some_and(|state| state.stage.open_by_hand().is_some()) {
            return Err(format!("ST-06: {attempt} is prepared again, and a person works in it"));
        }
        if slot < WorkspaceSlot::FIRST_BY_HAND {
            return Err(format!("ST-06: {attempt} gets slot {slot} of the agents"));
        }
        if !self.by_hand.contains(attempt) {
            self.check_start_by_hand(attempt, slot, ground, run)?;
        }
        self.places.insert(attempt.clone(), slot);
        if random.chance(scenario.spawn_fails) {
            // No person was told about it, so it holds no work.
            self.by_hand.remove(attempt);
            self.saved.insert(attempt.clone());
            let message = "the set-up fails".to_owned();
            let failure = SpawnFailure { message, ..SpawnFailure::default() };
            return Ok(Input::SpawnFailed(attempt.clone(), failure));
        }
        self.slots.insert(slot, attempt.clone());
        self.by_hand.insert(attempt.clone());
        Ok(Input::Spawned(attempt.clone()))
    }
}
