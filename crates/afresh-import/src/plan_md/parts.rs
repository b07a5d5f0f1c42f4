//! Converts a PLAN.md to tasks.
//!
//! By default a plan is one task, and its `<task>`s are steps; with `--unit task` every `<task>` is a
//! task. A checkpoint is always a task of its own, and splits its plan. The last part has the plan's id,
//! so that a dependency on the plan means all of it; the parts before it are `id.1`, `id.2` … With
//! `--unit task` the ids are `id-01`, `id-02` …

use std::collections::BTreeSet;
use std::ops::Range;

use afresh_core::plan::{CheckDraft, FileDraft, PlanField, StepDraft, TaskDraft};

use crate::detect::WorkUnit;
use crate::draft::DraftTask;
use crate::plan_md::order::plan_set::PlanMember;
use crate::plan_md::parse::document::PlanDocument;
use crate::plan_md::parse::item::PlanItem;
use afresh_formats::reading::SourceSpan;

/// With more tasks than this in one plan, waves would need too many dependencies: the tasks run in
/// order.
const MAX_WAVED: usize = 500;

/// The tasks of one plan.
#[derive(Debug)]
pub struct PlanTasks {
    pub tasks: Vec<DraftTask>,
    /// Indexes of the tasks that wait for the plan's dependencies.
    pub first: Vec<usize>,
    /// Ids of the tasks that dependents of the plan wait for.
    pub last: Vec<String>,
}

pub fn plan_tasks(member: &PlanMember, unit: WorkUnit) -> PlanTasks {
    match unit {
        WorkUnit::Plan => by_plan(member),
        WorkUnit::Task => by_task(member),
    }
}

/// One task for each run of `<task>`s between checkpoints.
fn by_plan(member: &PlanMember) -> PlanTasks {
    let open: Vec<&PlanItem> = member.document.items.iter().filter(|item| !item.is_done).collect();
    let groups: Vec<&[&PlanItem]> =
        open.chunk_by(|a, b| a.checkpoint.is_none() && b.checkpoint.is_none()).collect();
    let count = groups.len().max(1);
    let id = |at: usize| {
        if at + 1 == count { member.id.clone() } else { format!("{}.{}", member.id, at + 1) }
    };
    let mut tasks: Vec<DraftTask> = groups
        .iter()
        .enumerate()
        .map(|(at, group)| match group {
            [item] if item.checkpoint.is_some() => point(member, id(at), item),
            group => work(member, id(at), group, groups.len() > 1),
        })
        .collect();
    if tasks.is_empty() {
        tasks.push(work(member, id(0), &[], false));
    }
    for at in 1..tasks.len() {
        let before = tasks[at - 1].draft.id.clone();
        tasks[at].draft.needs.push(before);
    }
    let end = tasks.iter().rposition(|task| task.draft.checkpoint.is_none());
    finish(member, &mut tasks, end);
    PlanTasks { tasks, first: vec![0], last: vec![id(count - 1)] }
}

/// One task for each `<task>`, in order. Under `### Wave N`, a wave waits for the whole wave before.
fn by_task(member: &PlanMember) -> PlanTasks {
    let items = &member.document.items;
    if items.is_empty() {
        return by_plan(member);
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|at| items[*at].wave);
    let waved = items.iter().any(|item| item.wave > 0) && items.len() <= MAX_WAVED;
    let groups: Vec<&[usize]> =
        order.chunk_by(|a, b| waved && items[*a].wave == items[*b].wave).collect();
    let plan_text = instructions(member);
    let id = |at: usize| format!("{}-{:02}", member.id, at + 1);
    let mut tasks: Vec<DraftTask> = items
        .iter()
        .enumerate()
        .map(|(at, item)| match item.checkpoint {
            Some(_) => point(member, id(at), item),
            None => single(member, id(at), item, &plan_text),
        })
        .collect();
    for pair in groups.windows(2) {
        for (at, before) in
            pair[1].iter().flat_map(|at| pair[0].iter().map(move |before| (*at, *before)))
        {
            tasks[at].draft.needs.push(id(before));
        }
    }
    let mut last: Vec<usize> = groups.last().map(|group| group.to_vec()).unwrap_or_default();
    let end = order.iter().rev().find(|at| items[**at].checkpoint.is_none()).copied();
    // Must-haves of the plan can only be checked after its last task.
    if let Some(end) = end.filter(|_| !member.document.must_haves.checks.is_empty()) {
        let beside = groups.iter().find(|group| group.contains(&end)).copied().unwrap_or_default();
        let others = beside.iter().filter(|at| **at != end).map(|at| id(*at));
        tasks[end].draft.needs.extend(others);
        last = if last.contains(&end) { vec![end] } else { last };
    }
    if let Some(end) = end {
        add_files(&mut tasks[end], &member.document.path, None, &unnamed_files(&member.document));
    }
    finish(member, &mut tasks, end);
    PlanTasks {
        tasks,
        first: groups.first().map(|group| group.to_vec()).unwrap_or_default(),
        last: last.into_iter().map(id).collect(),
    }
}

/// Several `<task>`s as the steps of one task.
fn work(member: &PlanMember, id: String, items: &[&PlanItem], split: bool) -> DraftTask {
    let document = &member.document;
    let title = match items.first().filter(|_| split) {
        Some(first) => format!("{}: {}", member.title, first.name),
        None => member.title.clone(),
    };
    let draft = TaskDraft {
        id,
        title,
        instructions: instructions(member),
        agent: document.fields.agent.clone(),
        ..TaskDraft::default()
    };
    let whole = items.first().filter(|_| split).map_or(0..0, |item| item.at.clone());
    let mut task = DraftTask::new(draft, SourceSpan::new(&document.path, whole));
    add_files(&mut task, &document.path, None, &unnamed_files(document));
    for (step, item) in items.iter().enumerate() {
        let (name, instructions) = (item.name.clone(), item.text.clone());
        task.draft.steps.push(StepDraft { name, instructions, ..StepDraft::default() });
        add_files(&mut task, &document.path, Some(step), &item.files);
        for (command, at) in &item.checks {
            add_check(&mut task, &document.path, Some(step), check(command), at);
        }
    }
    task
}

/// One `<task>` as a task.
fn single(member: &PlanMember, id: String, item: &PlanItem, plan_text: &str) -> DraftTask {
    let document = &member.document;
    let whole = "Your task (other workers do the other tasks of this plan):";
    let instructions = format!("{plan_text}\n\n{whole}\n\n{}", item.text);
    let draft = TaskDraft {
        id,
        title: item.name.clone(),
        instructions,
        agent: document.fields.agent.clone(),
        ..TaskDraft::default()
    };
    let mut task = DraftTask::new(draft, SourceSpan::new(&document.path, item.at.clone()));
    let files = if item.files.is_empty() { &document.fields.files } else { &item.files };
    add_files(&mut task, &document.path, None, files);
    for (command, at) in &item.checks {
        add_check(&mut task, &document.path, None, check(command), at);
    }
    if item.is_done {
        task.draft.done_before = Some(format!("marked as finished in {}", document.path));
    }
    task
}

fn point(member: &PlanMember, id: String, item: &PlanItem) -> DraftTask {
    let draft = TaskDraft {
        id,
        title: item.name.clone(),
        instructions: item.text.clone(),
        checkpoint: item.checkpoint.clone(),
        ..TaskDraft::default()
    };
    DraftTask::new(draft, SourceSpan::new(&member.document.path, item.at.clone()))
}

/// Adds what belongs to the whole plan: its must-haves, as checks of the last task, and its status.
fn finish(member: &PlanMember, tasks: &mut [DraftTask], end: Option<usize>) {
    let path = &member.document.path;
    if let Some(end) = end {
        for (check, at) in &member.document.must_haves.checks {
            add_check(&mut tasks[end], path, None, check.clone(), at);
        }
    }
    let all_done =
        !member.document.items.is_empty() && member.document.items.iter().all(|item| item.is_done);
    let finished = all_done.then(|| format!("all tasks of {path} are finished"));
    if let Some(why) = member.done_before.clone().or(finished) {
        for task in tasks {
            let (id, title, needs) =
                (task.draft.id.clone(), task.draft.title.clone(), task.draft.needs.clone());
            // A done task needs no instructions, files or checks.
            task.draft = TaskDraft {
                id,
                title,
                needs,
                done_before: Some(why.clone()),
                ..TaskDraft::default()
            };
        }
    }
}

fn instructions(member: &PlanMember) -> String {
    let document = &member.document;
    let mut parts = vec![document.sections.clone()];
    if !document.must_haves.truths.is_empty() {
        let truths: Vec<String> =
            document.must_haves.truths.iter().map(|t| format!("- {t}")).collect();
        parts.push(format!("These must be true at the end of the plan:\n{}", truths.join("\n")));
    }
    let done: Vec<String> = document
        .items
        .iter()
        .filter(|item| item.is_done)
        .map(|item| format!("- {}", item.name))
        .collect();
    if !done.is_empty() {
        parts.push(format!("These tasks of the plan are already done:\n{}", done.join("\n")));
    }
    parts.retain(|text| !text.trim().is_empty());
    parts.join("\n\n")
}

/// The files of the plan that none of its tasks lists.
fn unnamed_files(document: &PlanDocument) -> Vec<(FileDraft, Range<usize>)> {
    let items = document.items.iter().flat_map(|item| &item.files);
    let named: BTreeSet<&str> = items.map(|(file, _)| file.path.as_str()).collect();
    let own = document.fields.files.iter();
    own.filter(|(file, _)| !named.contains(file.path.as_str())).cloned().collect()
}

fn check(command: &str) -> CheckDraft {
    CheckDraft { command: command.to_owned(), ..CheckDraft::default() }
}

fn add_files(
    task: &mut DraftTask,
    path: &str,
    step: Option<usize>,
    files: &[(FileDraft, Range<usize>)],
) {
    let list = match step {
        Some(step) => &mut task.draft.steps[step].files,
        None => &mut task.draft.files,
    };
    let mut listed: BTreeSet<String> = list.iter().map(|file| file.path.clone()).collect();
    for (file, at) in files.iter().filter(|(file, _)| listed.insert(file.path.clone())) {
        list.push(file.clone());
        let span = SourceSpan::new(path, at.clone());
        task.places.parts.insert((step, PlanField::Files, list.len() - 1), span);
    }
}

fn add_check(
    task: &mut DraftTask,
    path: &str,
    step: Option<usize>,
    check: CheckDraft,
    at: &Range<usize>,
) {
    let list = match step {
        Some(step) => &mut task.draft.steps[step].checks,
        None => &mut task.draft.checks,
    };
    list.push(check);
    let item = list.len() - 1;
    task.note(step, PlanField::Checks, item, SourceSpan::new(path, at.clone()));
}
