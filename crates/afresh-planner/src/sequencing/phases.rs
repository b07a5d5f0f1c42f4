//! Phases (PL-08): 1 foundations, 2 the steel thread, 3 and on features. They group tasks for people; order comes from
//! `needs`. What is neither part of the thread nor needed by it waits for the thread (PL-18).

use afresh_core::Plan;
use afresh_core::plan::{PlanDraft, TaskIndex};

/// The draft of `plan` with phases and the order that the steel thread demands.
pub(super) fn assign_phases(mut draft: PlanDraft, plan: &Plan) -> PlanDraft {
    let Some(end) = plan.steel_thread_end() else {
        for (at, task) in plan.indices().zip(&mut draft.tasks) {
            task.phase = Some(plan.wave(at));
        }
        return draft;
    };
    let is_thread = |at: TaskIndex| plan.task(at).steel_thread;
    let is_foundation = |at: TaskIndex| {
        !is_thread(at) && plan.indices().any(|other| is_thread(other) && plan.is_before(at, other))
    };
    for at in plan.indices() {
        let task = &mut draft.tasks[at.position()];
        if is_thread(at) {
            task.phase = Some(2);
            continue;
        }
        if is_foundation(at) {
            task.phase = Some(1);
            continue;
        }
        if !plan.is_before(end, at) {
            task.needs.push(plan.task(end).id.to_string());
        }
        task.phase = Some(2 + feature_depth(plan, at, &|it| !is_thread(it) && !is_foundation(it)));
    }
    draft
}

/// How many features are on the longest path to this one, itself included.
fn feature_depth(plan: &Plan, at: TaskIndex, is_feature: &dyn Fn(TaskIndex) -> bool) -> u32 {
    // Tasks in the order of their waves, so that each needs only earlier ones.
    let mut order: Vec<TaskIndex> = plan.indices().collect();
    order.sort_by_key(|it| plan.wave(*it));
    let mut depth = vec![0_u32; plan.len()];
    for it in order {
        let before = plan.needs(it).iter().map(|need| depth[need.position()]).max().unwrap_or(0);
        depth[it.position()] = before + u32::from(is_feature(it));
    }
    depth[at.position()]
}
