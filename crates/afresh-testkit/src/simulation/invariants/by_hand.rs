//! ST-06: no work by hand is lost, none ends unless a person says so, and no agent starts where people drive the run.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Run;
use afresh_core::effect::Effect;
use afresh_core::event::Event;
use afresh_core::ids::AttemptId;
use afresh_core::plan::Plan;
use afresh_core::process::ProcessEnd;
use afresh_engine::driver::host::DecidedTurn;

/// How far an attempt by hand is, by the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HandStage {
    Starting,
    /// A person works in its workspace.
    Open,
    /// Its work is being saved.
    Ended,
    Saved,
    /// Its task changed: its work is being saved.
    Left,
}

#[derive(Debug, Default)]
pub(super) struct ByHandInvariants {
    attempts: BTreeMap<AttemptId, HandStage>,
    /// No agent may start.
    held_back: bool,
}

impl ByHandInvariants {
    pub(super) fn is_by_hand(&self, attempt: &AttemptId) -> bool {
        self.attempts.contains_key(attempt)
    }

    /// `plan` is the one before the event.
    pub(super) fn note(&mut self, event: &Event, plan: &Plan) -> Result<(), String> {
        match event {
            Event::Opened { .. } => self.held_back = false,
            Event::PlanChanged { plan: new } => self.plan_changed(plan, new),
            Event::AgentsHeldBack => self.held_back = true,
            Event::AttemptStarting { attempt, by_hand: Some(_), .. } => {
                let live =
                    |stage: &HandStage| matches!(stage, HandStage::Starting | HandStage::Open);
                let mut others =
                    self.attempts.iter().filter(|(other, _)| other.task == attempt.task);
                if let Some((other, _)) = others.find(|(_, stage)| live(stage)) {
                    return Err(format!("R2: {attempt} starts beside {other}"));
                }
                self.attempts.insert(attempt.clone(), HandStage::Starting);
            }
            Event::AttemptStarting { attempt, by_hand: None, .. } if self.held_back => {
                return Err(format!("ST-06: {attempt} starts although agents are held back"));
            }
            Event::AttemptSpawned { attempt } => self.set(attempt, HandStage::Open),
            Event::SpawnFailed { attempt, .. } => self.set(attempt, HandStage::Saved),
            Event::HookFailed { failure } => {
                if let Some(attempt) = &failure.attempt
                    && self.attempts.get(attempt) == Some(&HandStage::Starting)
                {
                    self.set(attempt, HandStage::Saved);
                }
            }
            Event::AttemptEnded { attempt, end } => {
                if self.is_by_hand(attempt)
                    && !matches!(end.ending, ProcessEnd::Exited(0) | ProcessEnd::Stopped)
                {
                    return Err(format!("ST-02: {attempt} by hand ends as {:?}", end.ending));
                }
                self.set(attempt, HandStage::Ended);
            }
            // A harvest that failed is rejected as trouble; its workspace stays until then.
            Event::AttemptHarvested { attempt, .. }
            | Event::AttemptRejected { attempt, .. }
            | Event::LeavingsSaved { attempt } => {
                if self.attempts.get(attempt) == Some(&HandStage::Open)
                    && !matches!(event, Event::LeavingsSaved { .. })
                {
                    return Err(format!("ST-06: {attempt} is judged, and was not handed in"));
                }
                self.set(attempt, HandStage::Saved);
            }
            _ => {}
        }
        Ok(())
    }

    /// Work on a task that changed is saved, and not used.
    fn plan_changed(&mut self, before: &Plan, after: &Plan) {
        for (attempt, stage) in &mut self.attempts {
            let old = before.index_of(&attempt.task).map(|at| before.task(at));
            let new = after.index_of(&attempt.task).map(|at| after.task(at));
            let is_same = old.zip(new).is_some_and(|(old, new)| new.is_same_work_as(old));
            if !is_same && *stage != HandStage::Saved {
                *stage = HandStage::Left;
            }
        }
    }

    fn set(&mut self, attempt: &AttemptId, stage: HandStage) {
        if let Some(known) = self.attempts.get_mut(attempt) {
            *known = stage;
        }
    }

    /// Nothing stops a person.
    pub(super) fn check_turn(&self, turn: &DecidedTurn) -> Result<(), String> {
        for effect in &turn.effects {
            if let Effect::Stop { attempt, .. } = effect
                && matches!(self.attempts.get(attempt), Some(HandStage::Starting | HandStage::Open))
            {
                return Err(format!("ST-06: {attempt} by hand is to be stopped"));
            }
        }
        Ok(())
    }

    /// What is open is still open, and everything else is saved.
    pub(super) fn at_the_end(&self, run: &Run) -> Result<(), String> {
        let open: BTreeSet<&AttemptId> = run.open_by_hand().map(|work| &work.attempt).collect();
        for (attempt, stage) in &self.attempts {
            let is_lost = match stage {
                HandStage::Saved => false,
                HandStage::Open => !open.contains(attempt),
                HandStage::Starting | HandStage::Ended | HandStage::Left => true,
            };
            if is_lost {
                return Err(format!("ST-06: the work of {attempt} by hand is lost ({stage:?})"));
            }
        }
        Ok(())
    }
}
