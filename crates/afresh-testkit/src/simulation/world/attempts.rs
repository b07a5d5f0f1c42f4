//! Workers that start, finish steps, and are stopped.

use afresh_core::ids::{AttemptId, CommitId, TaskId, WorkspaceSlot};
use afresh_core::input::{AttemptEnd, Input};
use afresh_core::interruption::AttemptResumption;
use afresh_core::outcome::{Outcome, SpawnFailure};
use afresh_core::plan::{Plan, Task};
use afresh_core::process::ProcessEnd;
use afresh_core::run::Run;
use afresh_core::step::StartPoint;
use afresh_core::usage::Usage;

use crate::simulation::random::SeededRandom;
use crate::simulation::scenario::Scenario;
use crate::simulation::workers;

use super::SimulatedWorld;

impl SimulatedWorld {
    /// A worker that continues finds the files that were left, in the same workspace.
    pub(super) fn check_resumption(
        &self,
        attempt: &AttemptId,
        slot: WorkspaceSlot,
        resumes: Option<&AttemptResumption>,
    ) -> Result<(), String> {
        let Some(resumption) = resumes else { return Ok(()) };
        let of = AttemptId { number: resumption.of, ..attempt.clone() };
        if !self.left.contains(&(of.clone(), resumption.tree.clone())) {
            return Err(format!("AG-08: {attempt} goes on with what {of} did not leave"));
        }
        if self.places.get(&of) != Some(&slot) {
            return Err(format!("AG-08: {attempt} goes on in slot {slot}, where {of} was not"));
        }
        Ok(())
    }

    /// Its program does not know the conversation, or its work is gone.
    pub(super) fn fail_to_resume(
        &mut self,
        attempt: &AttemptId,
        resumption: &AttemptResumption,
        random: &mut SeededRandom,
    ) -> Vec<Input> {
        self.spent.remove(attempt);
        if random.chance(500) {
            self.alive.remove(attempt);
            self.saved.insert(attempt.clone());
            return vec![Input::CannotResume(attempt.clone(), "it is gone".to_owned())];
        }
        self.unchanged.insert(attempt.clone(), resumption.tree.clone());
        let (ending, outcome) = (ProcessEnd::Exited(1), Outcome::Silent);
        let end = AttemptEnd::new(ending, outcome, Usage::default(), 1);
        vec![Input::Spawned(attempt.clone()), Input::AttemptEnded(attempt.clone(), Box::new(end))]
    }

    pub(super) fn start(
        &mut self,
        attempt: &AttemptId,
        slot: WorkspaceSlot,
        ground: &StartPoint,
        random: &mut SeededRandom,
        scenario: &Scenario,
        run: &Run,
    ) -> Result<Vec<Input>, String> {
        let task = self.check_start(attempt, slot, ground, run)?;
        self.places.insert(attempt.clone(), slot);
        if random.chance(scenario.spawn_fails) {
            let failure =
                SpawnFailure { message: "no such program".to_owned(), ..SpawnFailure::default() };
            return Ok(vec![Input::SpawnFailed(attempt.clone(), failure)]);
        }
        self.spawned += 1;
        self.slots.insert(slot, attempt.clone());
        self.alive.insert(attempt.clone());
        let steps = u32::try_from(task.steps.len()).expect("small");
        let (inputs, usage) = workers::draw_life(attempt, steps, random, scenario);
        self.spent.insert(attempt.clone(), usage);
        Ok(inputs)
    }

    /// Whether it may start here and now.
    pub(super) fn check_start<'r>(
        &mut self,
        attempt: &AttemptId,
        slot: WorkspaceSlot,
        ground: &StartPoint,
        run: &'r Run,
    ) -> Result<&'r Task, String> {
        let task = run.plan().task(run.plan().index_of(&attempt.task).ok_or("an unknown task")?);
        self.check_slot(attempt, slot, run)?;
        self.check_start_point(attempt, ground, task)?;
        self.check_overlaps(task, run.plan())?;
        if !self.started.insert(attempt.clone()) {
            return Err(format!("R2: {attempt} is started twice"));
        }
        Ok(task)
    }

    /// Whether a person may start it: as a worker, but beside as many others as there are.
    pub(super) fn check_start_by_hand(
        &mut self,
        attempt: &AttemptId,
        slot: WorkspaceSlot,
        ground: &StartPoint,
        run: &Run,
    ) -> Result<(), String> {
        let task = run.plan().task(run.plan().index_of(&attempt.task).ok_or("an unknown task")?);
        self.check_unused(attempt, slot)?;
        if !self.begun_under_another_plan.contains(attempt) {
            self.check_start_point(attempt, ground, task)?;
        }
        self.check_overlaps(task, run.plan())?;
        self.started.insert(attempt.clone());
        Ok(())
    }

    /// One worker for each task, no more than allowed, and none in a workspace with unsaved work.
    fn check_slot(
        &self,
        attempt: &AttemptId,
        slot: WorkspaceSlot,
        run: &Run,
    ) -> Result<(), String> {
        self.check_reviewers(attempt, slot)?;
        if self.alive.len() + self.reviewers.len() >= usize::from(run.settings().parallel) {
            return Err("EX-01: more workers than allowed".to_owned());
        }
        self.check_unused(attempt, slot)
    }

    fn check_unused(&self, attempt: &AttemptId, slot: WorkspaceSlot) -> Result<(), String> {
        let mut others = self.alive.iter().chain(&self.by_hand);
        if let Some(other) = others.find(|other| other.task == attempt.task) {
            return Err(format!("R2: {attempt} starts while {other} lives"));
        }
        if let Some(other) = self.harvesting.get(&slot) {
            return Err(format!("R16: {attempt} takes slot {slot} while {other} is saved from it"));
        }
        if let Some(last) = self.slots.get(&slot)
            && !self.saved.contains(last)
        {
            return Err(format!("R16: {attempt} overwrites what {last} left in slot {slot}"));
        }
        if self.landed.contains_key(&attempt.task) {
            return Err(format!("R3: {attempt} does again what has landed"));
        }
        Ok(())
    }

    /// It starts on top of everything that its task needs, or after a finished step of its own.
    fn check_start_point(
        &self,
        attempt: &AttemptId,
        ground: &StartPoint,
        task: &Task,
    ) -> Result<(), String> {
        let behind = self
            .branch
            .iter()
            .position(|commit| *commit == ground.base)
            .ok_or("EX-03: the base is not on the branch")?;
        let held = &self.branch[..=behind];
        let is_missing = |need: &&TaskId| {
            let is_present = self.landed.get(*need).is_some_and(|commit| held.contains(commit));
            !is_present && !self.ignored.contains(*need)
        };
        if let Some(missing) = task.needs.iter().find(is_missing) {
            return Err(format!("EX-03: {attempt} starts from a base without {missing}"));
        }
        let step_of = |commit: &CommitId| self.step_commits.get(commit);
        if ground.is_resumed()
            && step_of(&ground.prepared) != Some(&(attempt.task.clone(), ground.base.clone()))
        {
            return Err(format!(
                "ST-02: {attempt} continues from a commit that is no step of its task"
            ));
        }
        Ok(())
    }

    /// Tasks that may write the same file do not run at the same time.
    fn check_overlaps(&self, task: &Task, plan: &Plan) -> Result<(), String> {
        for other in self.alive.iter().chain(&self.by_hand) {
            let other = plan.task(plan.index_of(&other.task).ok_or("an unknown task")?);
            let apart = task.patterns().all(|a| other.patterns().all(|b| !a.overlaps(b)));
            if !apart || !task.lists_files() || !other.lists_files() {
                return Err(format!(
                    "EX-01: {} and {} may write one file at once",
                    task.id, other.id
                ));
            }
        }
        Ok(())
    }

    /// A commit of the worker's files while it waits.
    pub(super) fn save_step(
        &mut self,
        attempt: &AttemptId,
        ground: &StartPoint,
        step: u32,
        random: &mut SeededRandom,
        scenario: &Scenario,
        run: &Run,
    ) -> Input {
        let saved = if random.chance(scenario.trouble) {
            Err("no room".to_owned())
        } else {
            let harvest = self.left_by(attempt, random, scenario, run);
            if let Some(commit) = &harvest.commit {
                let of = (attempt.task.clone(), ground.base.clone());
                self.step_commits.insert(commit.clone(), of);
            }
            Ok(harvest)
        };
        Input::StepSaved { attempt: attempt.clone(), step, saved }
    }

    pub(super) fn stop(&mut self, attempt: &AttemptId) -> Vec<Input> {
        if !self.alive.remove(attempt) {
            return self.stop_reviewer(attempt);
        }
        let spent = self.spent.get(attempt).copied().unwrap_or_default();
        let end = AttemptEnd::new(ProcessEnd::Stopped, Outcome::Silent, spent, 1);
        vec![Input::AttemptEnded(attempt.clone(), Box::new(end))]
    }
}
