//! The order that dependencies impose: waves, heights, cycles.
//!
//! Nothing here is recursive: one chain of all tasks that a plan may hold is a valid plan.

pub(super) mod reach;
pub(super) mod starts;

use std::collections::BTreeMap;

use super::problem::{PlanField, PlanProblem, ProblemKind, ProblemLocation};
use super::task::Task;
use super::{PlanGraph, TaskIndex};

/// Orders the tasks, or reports every cycle with its path.
pub(super) fn order(tasks: &[Task]) -> Result<PlanGraph, Vec<PlanProblem>> {
    let index: BTreeMap<_, _> =
        tasks.iter().enumerate().map(|(at, t)| (t.id.clone(), at)).collect();
    let mut needs = Vec::with_capacity(tasks.len());
    let mut problems = Vec::new();
    for (at, task) in tasks.iter().enumerate() {
        let mut positions = Vec::with_capacity(task.needs.len());
        for (item, need) in task.needs.iter().enumerate() {
            match index.get(need) {
                Some(position) => positions.push(*position),
                None => problems.push(PlanProblem::new(
                    ProblemKind::UnknownNeed,
                    ProblemLocation::task(at, PlanField::Needs).item(item),
                    format!(
                        "task {:?} needs {:?}, which is not in the plan",
                        task.id.as_str(),
                        need.as_str()
                    ),
                )),
            }
        }
        needs.push(positions);
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut dependents = vec![Vec::new(); tasks.len()];
    for (at, positions) in needs.iter().enumerate() {
        for need in positions {
            dependents[*need].push(at);
        }
    }
    let Some(sorted) = sort(&needs, &dependents) else {
        let ids: Vec<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
        return Err(circles(&ids, &needs));
    };
    let mut wave = vec![1; tasks.len()];
    for at in &sorted {
        wave[*at] = needs[*at].iter().map(|need| wave[*need] + 1).max().unwrap_or(1);
    }
    let mut height = vec![1; tasks.len()];
    for at in sorted.iter().rev() {
        height[*at] = dependents[*at].iter().map(|next| height[*next] + 1).max().unwrap_or(1);
    }
    let waves = wave.iter().copied().max().unwrap_or(0);
    let indices = |lists: Vec<Vec<usize>>| -> Vec<Vec<TaskIndex>> {
        lists.into_iter().map(|list| list.into_iter().map(TaskIndex).collect()).collect()
    };
    let index = index.into_iter().map(|(id, at)| (id, TaskIndex(at))).collect();
    let (needs, dependents) = (indices(needs), indices(dependents));
    Ok(PlanGraph { index, needs, dependents, wave, waves, height })
}

/// Every task after its dependencies; none if there is a cycle.
fn sort(needs: &[Vec<usize>], dependents: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut sorted: Vec<usize> = (0..needs.len()).filter(|at| open[*at] == 0).collect();
    let mut next = 0;
    while next < sorted.len() {
        for dependent in &dependents[sorted[next]] {
            open[*dependent] -= 1;
            if open[*dependent] == 0 {
                sorted.push(*dependent);
            }
        }
        next += 1;
    }
    (sorted.len() == needs.len()).then_some(sorted)
}

/// Every cycle as a problem that shows its path.
pub(super) fn circles(ids: &[&str], needs: &[Vec<usize>]) -> Vec<PlanProblem> {
    cycles(needs).iter().map(|cycle| describe(ids, cycle)).collect()
}

/// Cycles that share no task, each in the order of its edges.
fn cycles(needs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum VisitState {
        No,
        OnPath,
        Left,
    }
    let mut seen = vec![VisitState::No; needs.len()];
    let mut found = Vec::new();
    for start in 0..needs.len() {
        if seen[start] != VisitState::No {
            continue;
        }
        let mut path = vec![(start, 0)];
        seen[start] = VisitState::OnPath;
        while let Some((at, edge)) = path.last_mut() {
            let (at, next) = (*at, needs[*at].get(*edge).copied());
            *edge += 1;
            match next {
                None => {
                    seen[at] = VisitState::Left;
                    path.pop();
                }
                Some(next) if seen[next] == VisitState::No => {
                    seen[next] = VisitState::OnPath;
                    path.push((next, 0));
                }
                Some(next) if seen[next] == VisitState::OnPath => {
                    let from =
                        path.iter().position(|(at, _)| *at == next).expect("it is on the path");
                    // The path that led here continues: it may lead to other cycles.
                    let cycle: Vec<usize> = path.drain(from..).map(|(at, _)| at).collect();
                    for at in &cycle {
                        seen[*at] = VisitState::Left;
                    }
                    found.push(cycle);
                }
                Some(_) => {}
            }
        }
    }
    found
}

fn describe(ids: &[&str], cycle: &[usize]) -> PlanProblem {
    let mut path: Vec<&str> = cycle.iter().map(|at| ids[*at]).collect();
    path.push(path[0]);
    let message = match cycle.len() {
        1 => format!("task {:?} needs itself", path[0]),
        count => format!("{count} tasks need each other in a circle: {}", path.join(" → ")),
    };
    PlanProblem::new(ProblemKind::Cycle, ProblemLocation::task(cycle[0], PlanField::Needs), message)
        .with_hint("remove one of these dependencies (A → B: A needs B)")
}

/// The longest chain, first task first; ties go to the plan's order.
pub(super) fn critical_path(order: &PlanGraph) -> Vec<TaskIndex> {
    let all = (0..order.height.len()).map(TaskIndex);
    let roots = all.filter(|at| order.needs[at.0].is_empty());
    let mut path = Vec::new();
    let mut next = first_highest(order, roots);
    while let Some(at) = next {
        path.push(at);
        next = first_highest(order, order.dependents[at.0].iter().copied());
    }
    path
}

fn first_highest(order: &PlanGraph, among: impl Iterator<Item = TaskIndex>) -> Option<TaskIndex> {
    among.min_by_key(|at| (std::cmp::Reverse(order.height[at.0]), *at))
}
