//! The branch: builds merges, moves forward and back.

use afresh_core::Run;
use afresh_core::effect::MergeMember;
use afresh_core::ids::{AttemptId, CommitId, TaskId, TreeId};
use afresh_core::input::{BranchMove, Input, MergeBuild, MergedTree};
use afresh_core::run::merge_queue::BatchId;

use crate::simulation::random::SeededRandom;
use crate::simulation::scenario::Scenario;

use super::SimulatedWorld;

impl SimulatedWorld {
    /// Builds the merges of a batch on each other; what cannot be merged is left out.
    pub(super) fn build(
        &mut self,
        batch: BatchId,
        onto: &CommitId,
        members: &[MergeMember],
        random: &mut SeededRandom,
        scenario: &Scenario,
        run: &Run,
    ) -> Result<Vec<Input>, String> {
        let is_known = self.branch.contains(onto) || self.parents.contains_key(onto);
        if !is_known {
            return Err(format!("R4: {batch} is built on a commit that nothing leads to"));
        }
        let mut inputs = Vec::new();
        let mut builds = Vec::new();
        let mut tip = onto.clone();
        for member in members {
            if let Some(failure) = self.fail_hook_before_merge(&member.attempt, scenario, run) {
                inputs.push(Input::HookFailed(failure));
                continue;
            }
            let build = self.build_member(member, &tip, random, scenario);
            if let MergeBuild::Clean(merged) = &build {
                tip = merged.commit.clone();
            }
            builds.push((member.attempt.clone(), build));
        }
        inputs.push(Input::BatchBuilt(batch, builds));
        Ok(inputs)
    }

    fn build_member(
        &mut self,
        member: &MergeMember,
        onto: &CommitId,
        random: &mut SeededRandom,
        scenario: &Scenario,
    ) -> MergeBuild {
        if random.chance(scenario.trouble) {
            return MergeBuild::Impossible("no memory".to_owned());
        }
        let moved = member.base != *onto;
        if moved && random.chance(scenario.conflict) {
            let paths = vec!["stray.txt".to_owned()];
            return MergeBuild::Conflict { paths, detail: String::new() };
        }
        // If nothing landed meanwhile, the merge is the attempt's own tree.
        let is_own = !moved && member.theirs.is_some();
        let own = self.harvests.get(&member.attempt).filter(|_| is_own).cloned();
        let tree = own.unwrap_or_else(|| TreeId::new(self.object('b')).expect("an object id"));
        let commit = CommitId::new(self.object('d')).expect("an object id");
        if let Some((below, _)) = self.commits.get(onto) {
            self.contents.note_merge(&tree, below, &member.attempt);
        }
        let task = Some(member.attempt.task.clone());
        self.commits.insert(commit.clone(), (tree.clone(), task));
        self.parents.insert(commit.clone(), onto.clone());
        MergeBuild::Clean(MergedTree::new(onto.clone(), commit, tree))
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
        if self.inner.contains(to) {
            return Err(format!(
                "R4: the branch goes back to {to}, whose own tree was not checked"
            ));
        }
        for commit in self.branch.split_off(place + 1) {
            if let Some((_, Some(task))) = self.commits.get(&commit) {
                self.landed.remove(task);
            }
        }
        answer(BranchMove::Done)
    }

    /// Moves the branch over a whole batch, or not at all.
    pub(super) fn move_branch(
        &mut self,
        attempts: &[AttemptId],
        from: &CommitId,
        to: &CommitId,
        restore: Option<&CommitId>,
        random: &mut SeededRandom,
        scenario: &Scenario,
    ) -> Result<Input, String> {
        let last = attempts.last().ok_or("R3: the branch moves for no work")?;
        let answer = |moved: BranchMove| Ok(Input::BranchMoved(last.clone(), to.clone(), moved));
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
            return Err(format!("R3: {last} moves the branch from {from}, where it is not"));
        }
        let chain = self.chain(from, to)?;
        if chain.len() != attempts.len() {
            let (commits, count) = (chain.len(), attempts.len());
            return Err(format!(
                "EX-05: the branch moves over {commits} commits for {count} tasks"
            ));
        }
        self.inner.extend(chain.iter().filter(|commit| *commit != to).cloned());
        for (commit, attempt) in chain.into_iter().zip(attempts) {
            self.land(commit, &attempt.task)?;
        }
        answer(BranchMove::Done)
    }

    /// The merges after one commit up to another.
    fn chain(&self, from: &CommitId, to: &CommitId) -> Result<Vec<CommitId>, String> {
        let mut chain = Vec::new();
        let mut next = to;
        while next != from {
            chain.push(next.clone());
            next =
                self.parents.get(next).ok_or("R3: the branch moves to what is not built on it")?;
        }
        chain.reverse();
        Ok(chain)
    }

    fn land(&mut self, commit: CommitId, expected: &TaskId) -> Result<(), String> {
        if !self.intended.contains(&commit) {
            return Err(format!("R3: {expected} lands before the journal says so"));
        }
        let (tree, task) = self.commits.get(&commit).cloned().ok_or("R3: a commit is missing")?;
        if task.as_ref() != Some(expected) {
            return Err(format!("R3: {task:?} lands as {expected}"));
        }
        if self.landed.insert(expected.clone(), commit.clone()).is_some() {
            return Err(format!("R3: {expected} lands twice"));
        }
        self.contents.note_landed(&tree);
        self.branch.push(commit);
        Ok(())
    }
}
