//! How long tasks take together: a simulation of the scheduler with known durations (PL-20).
//!
//! It starts what the scheduler would start, in the same order. What it leaves out: merges that wait for each other,
//! people, limits of providers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::ids::TaskId;
use crate::plan::{Plan, TaskIndex};
use crate::run::settings::{Schedule, Settings};

/// How many tasks that could start are compared with those that run, at each step.
const MAX_CANDIDATES: usize = 1_000;

/// The settings that decide when a task starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchedulePolicy {
    pub parallel: u16,
    pub schedule: Schedule,
    /// Tasks without a file list run beside others.
    pub unlisted_beside_others: bool,
}

impl From<&Settings> for SchedulePolicy {
    fn from(settings: &Settings) -> Self {
        let Settings { parallel, schedule, unlisted_beside_others, .. } = *settings;
        Self { parallel, schedule, unlisted_beside_others }
    }
}

/// When the last task ends. A task that takes no time needs no worker.
pub(super) fn simulate(
    plan: &Plan,
    policy: SchedulePolicy,
    duration_of: impl Fn(&TaskId) -> u64,
) -> u64 {
    let durations: Vec<u64> = plan.tasks().iter().map(|task| duration_of(&task.id)).collect();
    let mut simulation = ScheduleSimulation::new(plan, policy, durations);
    loop {
        if let Some(at) = simulation.next_start() {
            simulation.start(at);
        } else if !simulation.advance() {
            return simulation.now;
        }
    }
}

struct ScheduleSimulation<'a> {
    plan: &'a Plan,
    policy: SchedulePolicy,
    durations: Vec<u64>,
    now: u64,
    /// Longest remaining path first, then the plan's order.
    ready: BTreeSet<(Reverse<u32>, TaskIndex)>,
    /// By the end of each.
    running: BTreeSet<(u64, TaskIndex)>,
    /// Dependencies that are not done yet.
    open_needs: Vec<usize>,
    /// Tasks of each wave that are not done yet.
    open_waves: BTreeMap<u32, usize>,
}

impl<'a> ScheduleSimulation<'a> {
    fn new(plan: &'a Plan, policy: SchedulePolicy, durations: Vec<u64>) -> Self {
        let open_needs: Vec<usize> = plan.indices().map(|at| plan.needs(at).len()).collect();
        let mut open_waves = BTreeMap::new();
        for at in plan.indices() {
            *open_waves.entry(plan.wave(at)).or_default() += 1;
        }
        let (ready, running) = (BTreeSet::new(), BTreeSet::new());
        let mut new =
            Self { plan, policy, durations, now: 0, ready, running, open_needs, open_waves };
        new.make_ready(plan.indices().filter(|at| plan.needs(*at).is_empty()).collect());
        new
    }

    /// A task that takes no time is done at once: later waves wait for their turn all the same.
    fn make_ready(&mut self, mut tasks: Vec<TaskIndex>) {
        while let Some(at) = tasks.pop() {
            if self.durations[at.position()] == 0 {
                tasks.extend(self.finish(at));
            } else {
                self.ready.insert((Reverse(self.plan.height(at)), at));
            }
        }
    }

    fn candidates(&self) -> impl Iterator<Item = TaskIndex> {
        let first = self.open_waves.keys().next().copied().unwrap_or(u32::MAX);
        let last = if self.policy.schedule == Schedule::Waves { first } else { u32::MAX };
        let tasks = self.ready.iter().map(|(_, at)| *at);
        tasks.filter(move |at| self.plan.wave(*at) <= last).take(MAX_CANDIDATES)
    }

    fn next_start(&self) -> Option<TaskIndex> {
        if self.running.len() >= usize::from(self.policy.parallel.max(1)) {
            return None;
        }
        let beside = self.policy.unlisted_beside_others;
        let conflicts = |at: TaskIndex| {
            let task = self.plan.task(at);
            let mut others = self.running.iter().map(|(_, other)| self.plan.task(*other));
            others.any(|other| task.may_conflict_with(other, beside))
        };
        self.candidates().find(|at| !conflicts(*at))
    }

    fn start(&mut self, at: TaskIndex) {
        self.ready.remove(&(Reverse(self.plan.height(at)), at));
        self.running.insert((self.now.saturating_add(self.durations[at.position()]), at));
    }

    /// Goes to the end of the next task; nothing is left if there is none.
    fn advance(&mut self) -> bool {
        let Some((end, at)) = self.running.pop_first() else { return false };
        self.now = end;
        let next = self.finish(at);
        self.make_ready(next);
        true
    }

    /// The tasks that only waited for this one.
    fn finish(&mut self, at: TaskIndex) -> Vec<TaskIndex> {
        let wave = self.plan.wave(at);
        match self.open_waves.get_mut(&wave) {
            Some(open) if *open > 1 => *open -= 1,
            _ => drop(self.open_waves.remove(&wave)),
        }
        let mut next = Vec::new();
        for dependent in self.plan.dependents(at) {
            let open = &mut self.open_needs[dependent.position()];
            *open -= 1;
            if *open == 0 {
                next.push(*dependent);
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{FileDraft, PlanDraft, TaskDraft};

    /// Tasks as `id needs… / files…`.
    fn plan(lines: &[&str]) -> Plan {
        let task = |line: &&str| {
            let (names, files) = line.split_once('/').unwrap_or((line, ""));
            let mut names = names.split_whitespace().map(str::to_owned);
            let file = |path: &str| FileDraft { path: path.to_owned(), action: None };
            TaskDraft {
                id: names.next().expect("an id"),
                title: "t".to_owned(),
                needs: names.collect(),
                files: files.split_whitespace().map(file).collect(),
                ..TaskDraft::default()
            }
        };
        let tasks = lines.iter().map(task).collect();
        Plan::new(PlanDraft { tasks, ..PlanDraft::default() }).expect("a plan")
    }

    fn lasting(plan: &Plan, parallel: u16, schedule: Schedule, durations: &[(&str, u64)]) -> u64 {
        let policy = SchedulePolicy { parallel, schedule, unlisted_beside_others: false };
        simulate(plan, policy, |task| {
            durations.iter().find(|(id, _)| *id == task.as_str()).map_or(10, |(_, ms)| *ms)
        })
    }

    /// PL-20, EX-02: dependencies, slots, shared files and waves all take their time.
    #[test]
    fn a_schedule_respects_dependencies_slots_files_and_waves() {
        let free = plan(&["A/a", "B/b", "C/c", "D/d"]);
        assert_eq!(lasting(&free, 4, Schedule::Eager, &[]), 10);
        assert_eq!(lasting(&free, 2, Schedule::Eager, &[]), 20);
        assert_eq!(lasting(&plan(&["A/a", "B A/b", "C B/c"]), 3, Schedule::Eager, &[]), 30);
        assert_eq!(lasting(&plan(&["A/same", "B/same"]), 2, Schedule::Eager, &[]), 20);
        assert_eq!(lasting(&plan(&["A", "B"]), 2, Schedule::Eager, &[]), 20, "without file lists");
        let two = plan(&["A/a", "B/b", "C A/c"]);
        assert_eq!(lasting(&two, 2, Schedule::Eager, &[("B", 15)]), 20);
        assert_eq!(lasting(&two, 2, Schedule::Waves, &[("B", 15)]), 25);
    }

    /// PL-20: the longest remaining path starts first, as in a run.
    #[test]
    fn the_longest_path_starts_first() {
        let plan = plan(&["A/a", "B/b", "C B/c", "D C/d"]);
        assert_eq!(lasting(&plan, 1, Schedule::Eager, &[]), 40);
        assert_eq!(lasting(&plan, 2, Schedule::Eager, &[("A", 20)]), 30);
    }

    /// PL-20: what a person decides, or what is done, takes no worker's time.
    #[test]
    fn a_task_without_a_worker_takes_no_time() {
        let plan = plan(&["A", "B A/b", "C/c"]);
        assert_eq!(lasting(&plan, 1, Schedule::Eager, &[("A", 0)]), 20);
    }
}
