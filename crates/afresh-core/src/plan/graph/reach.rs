//! Which tasks are done before another one starts, and why.
//!
//! Walks only the waves between the two.

use std::collections::BTreeMap;

use crate::plan::{Plan, TaskIndex};

impl Plan {
    /// Whether the first task is merged before the second one starts.
    pub fn is_before(&self, first: TaskIndex, second: TaskIndex) -> bool {
        self.way(first, second).is_some()
    }

    /// The tasks from the first to the second, each depending on the one before it; none if the second does not wait
    /// for the first.
    pub fn way(&self, first: TaskIndex, second: TaskIndex) -> Option<Vec<TaskIndex>> {
        let mut queue = vec![second];
        // By task: the one that depends on it, on the path to the second.
        let mut next = BTreeMap::new();
        while let Some(at) = queue.pop() {
            for need in self.needs(at) {
                if *need == first {
                    let mut way = vec![first, at];
                    while let Some(after) = way.last().and_then(|last| next.get(last)) {
                        way.push(*after);
                    }
                    return Some(way);
                }
                if self.wave(*need) > self.wave(first) && !next.contains_key(need) {
                    next.insert(*need, at);
                    queue.push(*need);
                }
            }
        }
        None
    }
}

/// Answers many such questions about one plan, without allocating for each.
pub(in crate::plan) struct ReachWalk<'a> {
    plan: &'a Plan,
    /// The last question in which a task was seen.
    seen: Vec<u32>,
    question: u32,
    queue: Vec<TaskIndex>,
}

impl<'a> ReachWalk<'a> {
    pub(in crate::plan) fn new(plan: &'a Plan) -> Self {
        Self { plan, seen: vec![0; plan.len()], question: 0, queue: Vec::new() }
    }

    /// Whether one of the two is merged before the other starts.
    pub(in crate::plan) fn is_ordered(&mut self, a: TaskIndex, b: TaskIndex) -> bool {
        let plan = self.plan;
        let (first, second) = if plan.wave(a) < plan.wave(b) { (a, b) } else { (b, a) };
        self.question += 1;
        self.queue.clear();
        self.queue.push(second);
        while let Some(at) = self.queue.pop() {
            for need in plan.needs(at) {
                if *need == first {
                    return true;
                }
                if plan.wave(*need) > plan.wave(first)
                    && self.seen[need.position()] != self.question
                {
                    self.seen[need.position()] = self.question;
                    self.queue.push(*need);
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{PlanDraft, TaskDraft};

    #[test]
    fn a_way_names_every_task_on_it() {
        let task = |id: &str, needs: &[&str]| TaskDraft {
            id: id.to_owned(),
            title: id.to_owned(),
            needs: needs.iter().map(|need| (*need).to_owned()).collect(),
            ..TaskDraft::default()
        };
        let tasks = vec![task("a", &[]), task("b", &["a"]), task("c", &["b"]), task("d", &["a"])];
        let plan = Plan::new(PlanDraft { tasks, ..PlanDraft::default() }).expect("a plan");
        let at = TaskIndex::new;
        assert_eq!(plan.way(at(0), at(2)), Some(vec![at(0), at(1), at(2)]));
        assert_eq!(plan.way(at(2), at(0)), None);
        assert_eq!(plan.way(at(1), at(3)), None);
        assert!(
            plan.is_before(at(0), at(3))
                && !plan.is_before(at(3), at(2))
                && !plan.is_before(at(1), at(1))
        );
        let mut walk = ReachWalk::new(&plan);
        assert!(
            walk.is_ordered(at(0), at(2))
                && walk.is_ordered(at(3), at(0))
                && !walk.is_ordered(at(1), at(3))
        );
    }
}
