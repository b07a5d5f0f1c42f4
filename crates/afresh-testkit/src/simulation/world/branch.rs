//! The branch: builds merges, moves forward and back.

use afresh_core::ids::{AttemptId, CommitId, TreeId};
use afresh_core::input::{BranchMove, Input, MergeBuild, MergedTree};

use crate::simulation::random::SeededRandom;
use crate::simulation::scenario::Scenario;

use super::SimulatedWorld;

impl SimulatedWorld {
    pub(super) fn build(
        &mut self,
        attempt: &AttemptId,
        base: &CommitId,
        onto: &CommitId,
        theirs: Option<&CommitId>,
        random: &mut SeededRandom,
        scenario: &Scenario,
    ) -> Result<Input, String> {
        if !self.branch.contains(onto) {
            return Err(format!("R4: {attempt} is merged onto a commit that is not on the branch"));
        }
        if random.chance(scenario.trouble) {
            return Ok(Input::MergeBuilt(
                attempt.clone(),
                MergeBuild::Impossible("no memory".to_owned()),
            ));
        }
        let moved = base != onto;
        if moved && random.chance(scenario.conflict) {
            let paths = vec!["stray.txt".to_owned()];
            return Ok(Input::MergeBuilt(
                attempt.clone(),
                MergeBuild::Conflict { paths, detail: String::new() },
            ));
        }
        // If nothing landed meanwhile, the merge is the attempt's own tree.
        let own = self.harvests.get(attempt).filter(|_| !moved && theirs.is_some()).cloned();
        let tree = own.unwrap_or_else(|| TreeId::new(self.object('b')).expect("an object id"));
        let commit = CommitId::new(self.object('d')).expect("an object id");
        self.commits.insert(commit.clone(), (tree.clone(), Some(attempt.task.clone())));
        Ok(Input::MergeBuilt(
            attempt.clone(),
            MergeBuild::Clean(MergedTree::new(onto.clone(), commit, tree)),
        ))
    }

    /// Moves the branch back; its commits are kept, so only the records change.
    pub(super) fn move_back(
        &mut self,
        from: &CommitId,
        to: &CommitId,
        random: &mut SeededRandom,
        scenario: &Scenario,
    ) -> Result<Input, String> {
        let answer = |moved: BranchMove| Ok(Input::MovedBack(to.clone(), moved));
        if !self.intended.contains(to) {
            return Err("R3: the branch goes back before the journal says so".to_owned());
        }
        if let Some(other) = self.alive.iter().next() {
            return Err(format!("R2: the branch goes back while {other} lives"));
        }
        if self.branch.last() == Some(to) {
            return answer(BranchMove::Done);
        }
        if random.chance(scenario.trouble) {
            return answer(BranchMove::Trouble("locked".to_owned()));
        }
        if let Some(foreign) = &self.foreign {
            return answer(BranchMove::Foreign(foreign.clone()));
        }
        let position = self.branch.iter().position(|commit| commit == to);
        let (Some(place), true) = (position, self.branch.last() == Some(from)) else {
            return Err(format!(
                "R3: the branch goes back from {from} to {to}, where it never was"
            ));
        };
        for commit in self.branch.split_off(place + 1) {
            if let Some((_, Some(task))) = self.commits.get(&commit) {
                self.landed.remove(task);
            }
        }
        answer(BranchMove::Done)
    }

    pub(super) fn move_branch(
        &mut self,
        attempt: &AttemptId,
        from: &CommitId,
        to: &CommitId,
        restore: Option<&CommitId>,
        random: &mut SeededRandom,
        scenario: &Scenario,
    ) -> Result<Input, String> {
        let answer = |moved: BranchMove| Ok(Input::BranchMoved(attempt.clone(), to.clone(), moved));
        if !self.intended.contains(to) {
            return Err(format!("R3: {attempt} lands before the journal says so"));
        }
        if self.branch.last() == Some(to) {
            return answer(BranchMove::Done);
        }
        if random.chance(scenario.trouble) {
            return answer(BranchMove::Trouble("locked".to_owned()));
        }
        // `git gc` removes commits that no ref points to.
        if random.chance(scenario.trouble) {
            self.commits.remove(to);
        }
        if !self.commits.contains_key(to) {
            return answer(BranchMove::CommitGone);
        }
        if let Some(foreign) = &self.foreign {
            if restore != Some(foreign) {
                return answer(BranchMove::Foreign(foreign.clone()));
            }
            self.foreign = None;
        }
        if self.branch.last() != Some(from) {
            return Err(format!("R3: {attempt} moves the branch from {from}, where it is not"));
        }
        let (_, task) = self.commits.get(to).ok_or("a commit that was never made")?;
        let task = task.clone().ok_or("a commit without a task")?;
        if self.landed.insert(task.clone(), to.clone()).is_some() {
            return Err(format!("R3: {task} lands twice"));
        }
        self.branch.push(to.clone());
        answer(BranchMove::Done)
    }
}
