//! BE-08: whose turn it is where agents compete, and whose work is chosen; counted without the core.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::event::Event;
use afresh_core::ids::{AttemptId, TaskId};
use afresh_core::plan::{ContestRule, Plan};
use afresh_core::usage::Usage;

#[derive(Debug, Default)]
pub(super) struct ContestInvariants {
    tasks: BTreeMap<TaskId, CountedContest>,
    usages: BTreeMap<AttemptId, Usage>,
    /// Tasks that others were done without.
    ignored: BTreeSet<TaskId>,
}

#[derive(Debug, Default)]
struct CountedContest {
    turns: usize,
    entries: Vec<AttemptId>,
    phase: ContestPhase,
    out_of_budget: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ContestPhase {
    #[default]
    Open,
    Decided,
    /// A rewind or a new plan took it back, or not, which cannot be seen from here.
    Uncertain,
}

impl ContestInvariants {
    pub(super) fn note(&mut self, event: &Event, plan: &Plan) -> Result<(), String> {
        match event {
            Event::AttemptStarting { attempt, agent, .. } => {
                self.starting(attempt, agent.as_deref(), plan)?;
            }
            Event::UsageCounted { attempt, usage } => self.used(attempt, usage),
            Event::AttemptEnded { attempt, end } => self.used(attempt, &end.usage),
            Event::AttemptRejected { attempt, counts: true, .. } => {
                self.contest(&attempt.task).turns += 1;
            }
            Event::ContestForfeited { task, .. } => self.contest(task).turns += 1,
            Event::TaskFailed { task, .. } => self.failed(task)?,
            Event::ContestEntered { attempt, .. } => {
                let contest = self.contest(&attempt.task);
                contest.turns += 1;
                contest.entries.push(attempt.clone());
            }
            Event::ContestDecided { attempt } => self.decided(attempt, plan)?,
            Event::ChecksPassed { attempt, .. } => self.passed(attempt, plan)?,
            Event::NeedIgnored { task } => drop(self.ignored.insert(task.clone())),
            Event::TaskRetried { task } => {
                self.tasks.remove(task);
                // Once it lands, work that was done without it is not usable.
                if self.ignored.remove(task) {
                    self.note_uncertainty();
                }
            }
            // Tasks that are done again, or changed, start with the first agent; those that are not keep their turns.
            Event::Rewound { .. } | Event::PlanChanged { .. } => self.note_uncertainty(),
            _ => {}
        }
        Ok(())
    }

    /// The task whose next agent starts like the first one, because this event ended a turn and others are left.
    pub(super) fn restarted_by<'a>(&self, event: &'a Event, plan: &Plan) -> Option<&'a TaskId> {
        let task = match event {
            Event::AttemptRejected { attempt, counts: true, .. }
            | Event::ContestEntered { attempt, .. } => &attempt.task,
            Event::ContestForfeited { task, .. } => task,
            _ => return None,
        };
        let contest = plan.task(plan.index_of(task)?).contest.as_ref()?;
        let counted = self.tasks.get(task)?;
        let is_alike = contest.land == ContestRule::Cheapest
            && counted.phase == ContestPhase::Open
            && counted.turns < contest.agents.len();
        is_alike.then_some(task)
    }

    pub(super) fn is_uncertain(&self, task: &TaskId) -> bool {
        self.tasks.get(task).is_some_and(|contest| contest.phase == ContestPhase::Uncertain)
    }

    fn starting(
        &self,
        attempt: &AttemptId,
        agent: Option<&str>,
        plan: &Plan,
    ) -> Result<(), String> {
        let at = plan.index_of(&attempt.task);
        let contest = at.and_then(|at| plan.task(at).contest.as_ref());
        let counted = self.tasks.get(&attempt.task);
        let expected = match (contest, counted) {
            (None, _) => None,
            (Some(_), Some(counted)) if counted.phase != ContestPhase::Open => return Ok(()),
            (Some(contest), counted) => {
                let turn = counted.map_or(0, |it| it.turns) % contest.agents.len();
                Some(contest.agents[turn].as_str())
            }
        };
        if agent == expected {
            return Ok(());
        }
        Err(format!("BE-08: {attempt} is started by {agent:?}, and it is the turn of {expected:?}"))
    }

    /// A task fails only if no agent's work has passed.
    fn failed(&self, task: &TaskId) -> Result<(), String> {
        let contest = self.tasks.get(task).filter(|contest| contest.phase == ContestPhase::Open);
        match contest.and_then(|contest| contest.entries.first()) {
            Some(passed) => Err(format!("BE-08: {task} fails, and {passed} has passed")),
            None => Ok(()),
        }
    }

    /// The cheapest of those that passed, once each agent has had its turn or the budget is used up.
    fn decided(&mut self, attempt: &AttemptId, plan: &Plan) -> Result<(), String> {
        let agents = plan.index_of(&attempt.task).and_then(|at| plan.task(at).contest.as_ref());
        let agents = agents.map_or(0, |contest| contest.agents.len());
        let Some(contest) = self.tasks.get_mut(&attempt.task) else {
            return Err(format!("BE-08: {attempt} is chosen without an entry"));
        };
        if contest.phase != ContestPhase::Open {
            return Ok(());
        }
        contest.phase = ContestPhase::Decided;
        if !contest.entries.contains(attempt) {
            return Err(format!("BE-08: {attempt} is chosen, and never passed"));
        }
        if contest.turns < agents && !contest.out_of_budget {
            return Err(format!("BE-08: {attempt} is chosen before each agent has tried"));
        }
        let price = |of: &AttemptId| {
            let usage = self.usages.get(of).copied().unwrap_or_default();
            (usage.cost_micros.is_none(), usage.cost_micros.unwrap_or(0), usage.tokens())
        };
        match contest.entries.iter().find(|other| price(other) < price(attempt)) {
            Some(other) => Err(format!("BE-08: {attempt} is chosen, and {other} is cheaper")),
            None => Ok(()),
        }
    }

    /// Work of an undecided contest for the cheapest goes to the merge queue by a decision alone.
    fn passed(&self, attempt: &AttemptId, plan: &Plan) -> Result<(), String> {
        let at = plan.index_of(&attempt.task);
        let contest = at.and_then(|at| plan.task(at).contest.as_ref());
        let is_open = contest.is_some_and(|contest| contest.land == ContestRule::Cheapest)
            && self.tasks.get(&attempt.task).is_none_or(|it| it.phase == ContestPhase::Open);
        if is_open { Err(format!("BE-08: {attempt} lands before a decision")) } else { Ok(()) }
    }

    fn used(&mut self, attempt: &AttemptId, usage: &Usage) {
        let known = self.usages.entry(attempt.clone()).or_default();
        *known = known.at_least(usage);
    }

    fn note_uncertainty(&mut self) {
        for contest in self.tasks.values_mut() {
            contest.phase = ContestPhase::Uncertain;
        }
    }

    /// The task has no budget for another attempt.
    pub(super) fn note_spent(&mut self, task: &TaskId) {
        self.contest(task).out_of_budget = true;
    }

    fn contest(&mut self, task: &TaskId) -> &mut CountedContest {
        self.tasks.entry(task.clone()).or_default()
    }
}
