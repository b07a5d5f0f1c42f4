//! Faults of single tasks (FO-11).
//!
//! A task with a fault is not run: a person is asked when its turn comes, its dependents wait for
//! the answer, and the rest of the plan runs. Finished tasks have no faults: what they say orders
//! nothing, and is not checked.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Plan;
use afresh_core::ids::check_name;
use afresh_core::plan::{
    Checkpoint, CheckpointKind, PlanDraft, PlanField, PlanProblem, ProblemKind, TaskDraft,
};

use super::{DraftPlan, IdRule, MAX_FINDINGS};
use afresh_formats::findings::{Finding, Severity};

/// How often a plan is corrected and checked again. Each time, at least one more task is blocked.
const MAX_ROUNDS: usize = 20;
/// The longest id that is made up here, which leaves room for a number.
const MAX_ID_CHARS: usize = 56;

/// A plan in which tasks with a fault are blocked.
#[derive(Debug, Default)]
pub(super) struct ContainedPlan {
    pub(super) plan: Option<Plan>,
    /// The ids of blocked tasks, and why.
    pub(super) blocked: BTreeMap<String, String>,
}

/// What problems concern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProblemScope {
    SingleTasks,
    WholePlan,
}

/// Why tasks are blocked, by position.
type BlockedTasks = BTreeMap<usize, String>;

impl DraftPlan {
    /// Builds the plan; faults block their tasks. Without a task that can run there is no plan.
    pub(super) fn contain_faults(&mut self) -> ContainedPlan {
        self.tell_ids_apart();
        let mut blocked: BlockedTasks = BTreeMap::new();
        for (at, task) in self.tasks.iter().enumerate() {
            if let Some(why) = task.fault.clone().filter(|_| task.draft.done_before.is_none()) {
                blocked.insert(at, why);
            }
        }
        let drafts = self.tasks.iter_mut().map(|task| std::mem::take(&mut task.draft)).collect();
        let mut draft =
            PlanDraft { name: self.name.clone(), spec: self.spec.clone(), tasks: drafts };
        free_finished_tasks(&mut draft.tasks);
        // What else is wrong with a blocked task is reported, too.
        if !blocked.is_empty()
            && let Err(problems) = Plan::from_draft(&draft)
            && self.report_and_block(&problems, &mut draft, &mut blocked) == ProblemScope::WholePlan
        {
            return ContainedPlan::default();
        }
        self.block_tasks(&mut draft, &blocked);
        for _ in 0..MAX_ROUNDS {
            let problems = match Plan::from_draft(&draft) {
                Ok(plan) => return runnable_plan(plan, &blocked),
                Err(problems) => problems,
            };
            if self.report_and_block(&problems, &mut draft, &mut blocked) == ProblemScope::WholePlan
            {
                break;
            }
        }
        ContainedPlan::default()
    }

    /// Reports problems and blocks the tasks that have them.
    fn report_and_block(
        &mut self,
        problems: &[PlanProblem],
        draft: &mut PlanDraft,
        blocked: &mut BlockedTasks,
    ) -> ProblemScope {
        let mut scope = ProblemScope::SingleTasks;
        let (mut newly, mut finished) = (BlockedTasks::new(), BTreeSet::new());
        for (count, problem) in problems.iter().enumerate() {
            let at = problem.place.task;
            if let Some(at) = at.filter(|at| draft.tasks[*at].done_before.is_some()) {
                finished.insert(at);
                continue;
            }
            if count < MAX_FINDINGS {
                self.add_problem(problem);
            }
            let Some(at) = at else {
                scope = ProblemScope::WholePlan;
                continue;
            };
            self.contained += usize::from(count < MAX_FINDINGS);
            newly.entry(at).or_insert_with(|| problem.message.clone());
            if problem.kind == ProblemKind::Cycle {
                draft.tasks[at].needs.clear();
            }
        }
        make_ids_valid(draft, finished.iter().chain(newly.keys()).copied());
        for at in finished {
            forget_details(&mut draft.tasks[at]);
        }
        self.block_tasks(draft, &newly);
        for (at, why) in newly {
            blocked.entry(at).or_insert(why);
        }
        scope
    }

    /// Turns tasks into questions to a person.
    fn block_tasks(&self, draft: &mut PlanDraft, blocked: &BlockedTasks) {
        if blocked.is_empty() {
            return;
        }
        make_ids_valid(draft, blocked.keys().copied());
        let known: BTreeSet<String> = draft.tasks.iter().map(|task| task.id.clone()).collect();
        for (at, why) in blocked {
            let file = &self.tasks[*at].places.whole.file;
            let old = &mut draft.tasks[*at];
            let mut needs = std::mem::take(&mut old.needs);
            needs.retain(|need| known.contains(need) && *need != old.id);
            let (id, title) = (old.id.clone(), title_or_id(old));
            let why: String = why.chars().take(400).collect();
            let text = format!(
                "{id} cannot be run as it is written: {why}\nCorrect {file}, then run `afresh run` \
                 again; or do it by hand, and answer that it is done.\n{title}"
            );
            let checkpoint = Checkpoint { kind: CheckpointKind::Action, text, options: Vec::new() };
            let checkpoint = Some(checkpoint);
            *old = TaskDraft { id, title, needs, checkpoint, ..TaskDraft::default() };
        }
    }

    /// Makes repeated ids unique: the second `T082` becomes `T082.2`.
    fn tell_ids_apart(&mut self) {
        let mut by_id: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, task) in self.tasks.iter().enumerate().filter(|(_, t)| !t.draft.id.is_empty()) {
            by_id.entry(task.draft.id.to_ascii_lowercase()).or_default().push(at);
        }
        let repeated: Vec<Vec<usize>> =
            by_id.values().filter(|all| all.len() > 1).cloned().collect();
        if repeated.is_empty() {
            return;
        }
        let mut used: BTreeSet<String> = by_id.into_keys().collect();
        let mut copies: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut renamed: BTreeMap<usize, String> = BTreeMap::new();
        for all in &repeated {
            for (number, at) in all.iter().enumerate() {
                let id = self.tasks[*at].draft.id.clone();
                copies.entry(id.clone()).or_default().push(*at);
                if number > 0 {
                    let new = free_id(&id, number + 1, &mut used);
                    self.report_repeated(all[0], *at, &new);
                    renamed.insert(*at, new);
                }
            }
        }
        self.point_needs_at_copies(&copies, &renamed);
        for (at, id) in renamed {
            self.tasks[at].draft.id = id;
        }
    }

    fn report_repeated(&mut self, first: usize, again: usize, new: &str) {
        let done = |at: usize| self.tasks[at].draft.done_before.is_some();
        if done(first) && done(again) {
            return;
        }
        let id: String = self.tasks[again].draft.id.chars().take(80).collect();
        let place = |at: usize| self.tasks[at].places.locate(None, PlanField::Id, 0).clone();
        let (at, other) = (place(again), place(first));
        let position = self.findings.len();
        self.placing.locate(position, &at);
        self.placing.locate_first(position, &other);
        let keyed = self.id_rule == IdRule::Keys && !done(again);
        let (message, hint) = if keyed {
            (format!("two tasks have the id {id:?}; the second is not run"), "give it another id")
        } else {
            (
                format!("two tasks have the id {id:?}; the second is called {new}"),
                "give it a number of its own",
            )
        };
        let mut finding = Finding::for_file(&at.file, "duplicate-id", message.as_str());
        finding.hint = Some(hint.to_owned());
        if keyed {
            self.contained += 1;
            self.tasks[again].fault = Some(message);
        } else {
            finding.severity = Severity::Warning;
        }
        self.findings.push(finding);
    }

    /// A name of several tasks means the last one before the task that uses it. Where ids are keys,
    /// one of them is a mistake, and it means all of them.
    fn point_needs_at_copies(
        &mut self,
        copies: &BTreeMap<String, Vec<usize>>,
        renamed: &BTreeMap<usize, String>,
    ) {
        let keyed = self.id_rule == IdRule::Keys;
        for at in 0..self.tasks.len() {
            let needs = std::mem::take(&mut self.tasks[at].draft.needs);
            let mut pointed = Vec::with_capacity(needs.len());
            for need in needs {
                let all = copies.get(&need).map(Vec::as_slice).unwrap_or_default();
                let before = all.iter().rev().find(|copy| **copy < at);
                let meant = before.or_else(|| all.iter().find(|copy| **copy > at));
                let name = |copy: &usize| renamed.get(copy).unwrap_or(&need).clone();
                match meant {
                    Some(_) if keyed => {
                        pointed.extend(all.iter().filter(|copy| **copy != at).map(name));
                    }
                    Some(copy) => pointed.push(name(copy)),
                    None => pointed.push(need),
                }
            }
            self.tasks[at].draft.needs = pointed;
        }
    }
}

/// No plan if nothing could run.
fn runnable_plan(plan: Plan, blocked: &BlockedTasks) -> ContainedPlan {
    let mut waits: Vec<bool> = (0..plan.len()).map(|at| blocked.contains_key(&at)).collect();
    let mut runs = false;
    for at in plan.waves().into_iter().flatten() {
        let position = at.position();
        waits[position] |= plan.needs(at).iter().any(|need| waits[need.position()]);
        if plan.task(at).done_before.is_some() {
            waits[position] = false;
        } else {
            runs |= !waits[position];
        }
    }
    let reason = |(at, why): (&usize, &String)| (plan.tasks()[*at].id.to_string(), why.clone());
    let reasons = blocked.iter().map(reason).collect();
    let plan = Some(plan).filter(|_| runs || blocked.is_empty());
    ContainedPlan { plan, blocked: reasons }
}

/// An id that is not used yet.
fn free_id(id: &str, number: usize, used: &mut BTreeSet<String>) -> String {
    let front: String = id.chars().take(MAX_ID_CHARS).collect();
    let mut number = number;
    loop {
        let new = format!("{front}.{number}");
        if used.insert(new.to_ascii_lowercase()) {
            return new;
        }
        number += 1;
    }
}

/// Edges of finished tasks order nothing, so they cannot be part of a cycle, nor lead nowhere.
fn free_finished_tasks(tasks: &mut [TaskDraft]) {
    if tasks.iter().all(|task| task.done_before.is_none()) {
        return;
    }
    let index: BTreeMap<&str, usize> =
        tasks.iter().enumerate().map(|(at, task)| (task.id.as_str(), at)).collect();
    let needs: Vec<Vec<usize>> = tasks
        .iter()
        .map(|task| {
            task.needs.iter().filter_map(|need| index.get(need.as_str()).copied()).collect()
        })
        .collect();
    let known: Vec<bool> =
        tasks.iter().zip(&needs).map(|(task, found)| task.needs.len() == found.len()).collect();
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    for (at, found) in needs.iter().enumerate() {
        for need in found {
            dependents[*need].push(at);
        }
    }
    let mut sorted: Vec<usize> = (0..tasks.len()).filter(|at| open[*at] == 0).collect();
    let mut next = 0;
    while let Some(at) = sorted.get(next).copied() {
        for dependent in &dependents[at] {
            open[*dependent] -= 1;
            if open[*dependent] == 0 {
                sorted.push(*dependent);
            }
        }
        next += 1;
    }
    for (at, task) in tasks.iter_mut().enumerate().filter(|(_, t)| t.done_before.is_some()) {
        // Whatever is still open is in a cycle, or behind one.
        if open[at] > 0 || !known[at] {
            task.needs.clear();
        }
    }
}

/// Removes what could be wrong with a finished task.
fn forget_details(old: &mut TaskDraft) {
    let (id, title) = (old.id.clone(), title_or_id(old));
    let instructions = std::mem::take(&mut old.instructions);
    let done_before = old.done_before.take();
    *old = TaskDraft { id, title, instructions, done_before, ..TaskDraft::default() };
}

fn title_or_id(task: &TaskDraft) -> String {
    if task.title.trim().is_empty() { task.id.clone() } else { task.title.clone() }
}

/// Replaces ids that are none, also where others need them.
fn make_ids_valid(draft: &mut PlanDraft, tasks: impl Iterator<Item = usize>) {
    let wrong = |at: &usize| check_name(&draft.tasks[*at].id).is_err();
    let wrong: Vec<usize> = tasks.filter(wrong).collect();
    if wrong.is_empty() {
        return;
    }
    let mut used: BTreeSet<String> =
        draft.tasks.iter().map(|task| task.id.to_ascii_lowercase()).collect();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let mut renamed: BTreeMap<String, String> = BTreeMap::new();
    for at in wrong {
        let old = std::mem::take(&mut draft.tasks[at].id);
        let words: String = old.chars().take(40).map(plain).collect();
        let words = words.trim_matches('-');
        let front = if words.is_empty() { "task".to_owned() } else { format!("task-{words}") };
        draft.tasks[at].id = free_id(&front, at + 1, &mut used);
        renamed.insert(old, draft.tasks[at].id.clone());
    }
    for need in draft.tasks.iter_mut().flat_map(|task| &mut task.needs) {
        if let Some(new) = renamed.get(need) {
            need.clone_from(new);
        }
    }
}
