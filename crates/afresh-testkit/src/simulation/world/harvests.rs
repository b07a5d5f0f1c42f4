//! What workers leave in their workspaces.

use afresh_core::harvest::{Change, ChangeKind, EntryKind, Harvest};
use afresh_core::ids::{AttemptId, CommitId, TreeId, WorkspaceSlot};
use afresh_core::input::Input;
use afresh_core::run::Run;

use crate::simulation::random::SeededRandom;
use crate::simulation::scenario::Scenario;

use super::SimulatedWorld;

impl SimulatedWorld {
    pub(super) fn harvest(
        &mut self,
        attempt: &AttemptId,
        slot: WorkspaceSlot,
        random: &mut SeededRandom,
        scenario: &Scenario,
        run: &Run,
    ) -> Result<Vec<Input>, String> {
        self.alive.remove(attempt);
        self.by_hand.remove(attempt);
        if let Some(other) = self.slots.get(&slot)
            && other != attempt
            && self.started.contains(attempt)
            && !self.saved.contains(attempt)
            && self.slots.values().any(|holder| holder == attempt)
        {
            return Err(format!(
                "R16: {attempt} is harvested from slot {slot}, which holds {other}"
            ));
        }
        self.harvesting.insert(slot, attempt.clone());
        // Its workspace was not prepared before the driver died.
        let never_there = !self.places.contains_key(attempt);
        if never_there || random.chance(scenario.trouble) {
            return Ok(vec![Input::Harvested(
                attempt.clone(),
                Err("the workspace is gone".to_owned()),
            )]);
        }
        let harvest = self.left_by(attempt, random, scenario, run);
        self.harvests.insert(attempt.clone(), harvest.tree.clone());
        self.left.insert((attempt.clone(), harvest.tree.clone()));
        Ok(vec![Input::Harvested(attempt.clone(), Ok(harvest))])
    }

    /// The contents of a worker's workspace.
    pub(super) fn left_by(
        &mut self,
        attempt: &AttemptId,
        random: &mut SeededRandom,
        scenario: &Scenario,
        run: &Run,
    ) -> Harvest {
        let tree = TreeId::new(self.object('a')).expect("an object id");
        let tree = self.unchanged.get(attempt).cloned().unwrap_or(tree);
        let commit = CommitId::new(self.object('c')).expect("an object id");
        let task = run.plan().index_of(&attempt.task).map(|at| run.plan().task(at));
        let mut changes = Vec::new();
        if !random.chance(scenario.no_change) {
            let path = task
                .and_then(|t| t.patterns().next())
                .map_or("free.txt", |p| p.as_str())
                .to_owned();
            changes.push(Change::new(path, ChangeKind::Modified, EntryKind::File));
        }
        if random.chance(scenario.strays) {
            let path = random.pick(&["stray.txt", "AGENTS.md", "tests/a.py"]);
            changes.push(Change::new(*path, ChangeKind::Modified, EntryKind::File));
        }
        let commit = (!changes.is_empty()).then_some(commit);
        let work = run.state_of(&attempt.task).and_then(|state| state.stage.work());
        let base = work.and_then(|work| self.commits.get(&work.ground.base));
        self.contents.note_work(&tree, base.map(|(base, _)| base), attempt);
        let forgets = random.chance(scenario.strays);
        let missing = if forgets { vec!["forgotten.txt".to_owned()] } else { vec![] };
        Harvest { tree, commit, changes, notes: vec![], leaks: vec![], missing }
    }
}
