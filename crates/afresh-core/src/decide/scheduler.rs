//! Which tasks start, and when (EX-01, EX-02).

use std::collections::BTreeSet;

use super::Decider;
use crate::effect::Effect;
use crate::event::Event;
use crate::ids::{AttemptId, WorkspaceSlot};
use crate::plan::{ModelTier, TaskIndex};
use crate::run::Run;
use crate::run::settings::Schedule;
use crate::step::StartPoint;
use crate::usage::BudgetAmount;

impl Decider<'_> {
    pub(super) fn start_ready_tasks(&mut self) {
        if self.may_start_tasks() {
            self.fail_over_budget_tasks();
        }
        // A question costs nothing, so it is asked even if the budget is used up.
        if self.run.halt().is_none() && self.run.aborted().is_none() {
            self.ask_about_unreachable_tasks();
        }
        // A policy may have ended the run because of it.
        if !self.may_start_tasks() {
            return;
        }
        let barrier = self.open_wave();
        let candidates: Vec<TaskIndex> = self.run.eligible().collect();
        let mut settled = false;
        for at in candidates {
            let early = self.run.held_until(at).is_some_and(|moment| moment > self.now);
            let later_wave = barrier.is_some_and(|wave| self.run.plan().wave(at) > wave);
            if early || later_wave {
                continue;
            }
            if let Some(checkpoint) = self.run.plan().task(at).checkpoint.clone() {
                settled |= self.reach_checkpoint(at, &checkpoint);
                continue;
            }
            if self.run.holds_back_agents() {
                continue;
            }
            if self.run.settings().interactive && !self.run.task(at).people.allowed {
                self.ask_before_start(at);
                continue;
            }
            let Some(slot) = self.free_slot(at) else { break };
            if self.conflicts_with_active(at) {
                continue;
            }
            let Some(reserved) = self.reservation() else { break };
            self.start_attempt(at, slot, reserved);
        }
        // Others may have waited only for this answer.
        if settled {
            self.start_ready_tasks();
        }
    }

    fn may_start_tasks(&self) -> bool {
        let run = &*self.run;
        let resting = run.halt().is_some() || run.aborted().is_some() || run.budget_reached();
        !resting && self.is_base_settled()
    }

    /// Under `waves`, the earliest wave with a task that can still progress.
    pub(super) fn open_wave(&self) -> Option<u32> {
        if self.run.settings().schedule != Schedule::Waves {
            return None;
        }
        let plan = self.run.plan();
        let waiting = self.run.questions().filter_map(|question| plan.index_of(&question.task));
        let frontier = self.run.frontier();
        // If only one task is to run, the others of its plan block nothing.
        frontier.active().chain(self.run.eligible()).chain(waiting).map(|at| plan.wave(at)).min()
    }

    /// The task's own workspace if it can continue a conversation; else one that no other task would continue in.
    fn free_slot(&self, at: TaskIndex) -> Option<WorkspaceSlot> {
        let own = self.slot_of_conversation(at).filter(|slot| self.is_slot_free(*slot));
        own.filter(|_| self.has_free_slot()).or_else(|| self.unclaimed_slot())
    }

    /// A workspace in which no task would continue a conversation.
    pub(super) fn unclaimed_slot(&self) -> Option<WorkspaceSlot> {
        if !self.has_free_slot() {
            return None;
        }
        let claimed: BTreeSet<WorkspaceSlot> =
            self.run.eligible().filter_map(|other| self.slot_of_conversation(other)).collect();
        let mut slots = (1..=u16::MAX).map(WorkspaceSlot);
        slots.find(|slot| self.is_slot_free(*slot) && !claimed.contains(slot))
    }

    fn has_free_slot(&self) -> bool {
        self.run.agent_slots() < usize::from(self.run.settings().parallel.max(1))
    }

    pub(super) fn is_slot_free(&self, slot: WorkspaceSlot) -> bool {
        !self.run.slots().contains_key(&slot) && !self.run.unsaved_slots().contains_key(&slot)
    }

    fn conflicts_with_active(&self, at: TaskIndex) -> bool {
        self.conflicting(at).is_some()
    }

    /// Two tasks that may write the same file never run at once: the one that is underway.
    pub(super) fn conflicting(&self, at: TaskIndex) -> Option<TaskIndex> {
        self.run.frontier().active().find(|other| may_conflict(self.run, at, *other))
    }

    /// What the next attempt is expected to use, if the budget still has it (R14). Until any usage is known, one
    /// worker starts with an even share; a worker that runs alone gets what is left.
    pub(super) fn reservation(&self) -> Option<BudgetAmount> {
        let settings = self.run.settings();
        let budget = settings.budget;
        let spent = BudgetAmount::from(&self.run.usage());
        if budget.is_reached_by(spent) {
            return None;
        }
        let measured = self.run.dearest();
        let expected = if measured == BudgetAmount::default() {
            budget.share(settings.parallel)
        } else {
            measured
        };
        let mut planned = spent;
        let mut workers = 0;
        for worker in self.run.spenders() {
            workers += 1;
            planned = planned.plus(worker.reserved.minus(worker.used));
        }
        let alone = workers == 0;
        let unknown = !budget.is_unlimited() && !self.run.knows_usage();
        if !self.run.budget_holds(workers + 1) || unknown && !alone {
            return None;
        }
        (alone || !budget.is_exceeded_by(planned.plus(expected))).then_some(expected)
    }

    fn start_attempt(&mut self, at: TaskIndex, slot: WorkspaceSlot, reserved: BudgetAmount) {
        let plan = self.run.plan();
        // The base must contain every dependency, or the worker builds on nothing (EX-03).
        assert!(
            plan.needs(at).iter().all(|need| self.run.task(*need).is_met()),
            "a task starts only when everything it needs is merged"
        );
        let attempt = self.next_attempt(at);
        let fresh = self.next_start_point(at);
        let (ground, resumes) = match self.resumption(at, slot, &fresh) {
            Some((ground, resumption)) => (ground, Some(resumption)),
            None => (fresh, None),
        };
        let tier = self.run.tier_of(at);
        let agent = self.run.contestant(at).map(str::to_owned);
        self.record(Event::AttemptStarting {
            attempt: attempt.clone(),
            slot,
            base: ground.base.clone(),
            reserved,
            from: ground.is_resumed().then(|| ground.prepared.clone()),
            tier: (tier != ModelTier::Standard).then_some(tier),
            agent,
            resumes: resumes.clone(),
            by_hand: None,
        });
        self.request(Effect::Start { attempt, slot, ground, tier, resumes });
    }

    pub(super) fn next_attempt(&self, at: TaskIndex) -> AttemptId {
        let number = self.run.task(at).retries.last_number + 1;
        AttemptId { task: self.run.plan().task(at).id.clone(), number }
    }

    /// Where the next worker starts; steps whose base is outdated are dropped before.
    pub(super) fn next_start_point(&mut self, at: TaskIndex) -> StartPoint {
        if !self.run.steps_hold(at) {
            self.drop_steps(at);
        }
        self.run.next_start_point(at)
    }
}

/// Whether these two tasks may write the same file, by their lists and by earlier conflicts.
fn may_conflict(run: &Run, a: TaskIndex, b: TaskIndex) -> bool {
    let plan = run.plan();
    let (first, second) = (plan.task(a), plan.task(b));
    if first.may_conflict_with(second, run.settings().unlisted_beside_others) {
        return true;
    }
    let (seen_a, seen_b) = (&run.task(a).last.footprint, &run.task(b).last.footprint);
    seen_a.iter().any(|path| second.may_write(path) || seen_b.contains(path))
        || seen_b.iter().any(|path| first.may_write(path))
}
