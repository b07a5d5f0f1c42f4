//! From a PLAN.md to tasks.
//!
//! By default a plan is one task, and its `<task>`s are steps; on request every `<task>` is a task.
//! A checkpoint is a task of its own either way, and splits its plan. The last part has the plan's
//! id, so that whoever needs the plan needs all of it; the parts before it are `id.1`, `id.2` … By
//! task, the ids are `id-01`, `id-02` …

use std::collections::BTreeSet;
use std::ops::Range;

use afresh_core::plan::{CheckDraft, FileDraft, PlanField, StepDraft, TaskDraft};

use crate::detect::WorkUnit;
use crate::draft::DraftTask;
use crate::plan_md::order::plan_set::PlanMember;
use crate::plan_md::parse::document::PlanDocument;
use crate::plan_md::parse::item::PlanItem;
use afresh_formats::reading::SourceSpan;

/// With more tasks than this in one plan, waves are not worth their number of dependencies: the
/// tasks run in order.
const MAX_WAVED: usize = 500;

/// The tasks of one plan.
#[derive(Debug)]
pub struct PlanTasks {
    pub tasks: Vec<DraftTask>,
    /// Positions of those that wait for what the plan needs.
    pub first: Vec<usize>,
    /// Ids of those that others wait for.
    pub last: Vec<String>,
}

pub fn plan_tasks(member: &PlanMember, unit: WorkUnit) -> PlanTasks {
    match unit {
        WorkUnit::Plan => by_plan(member),
        WorkUnit::Task => by_task(member),
    }
}

/// Runs of `<task>`s between checkpoints.
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

/// Every `<task>`, one after the other; under `### Wave N`, all of a wave after all of the one before.
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
    let told = instructions(member);
    let id = |at: usize| format!("{}-{:02}", member.id, at + 1);
    let mut tasks: Vec<DraftTask> = items
        .iter()
        .enumerate()
        .map(|(at, item)| match item.checkpoint {
            Some(_) => point(member, id(at), item),
            None => single(member, id(at), item, &told),
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
    // What the plan as a whole must have can only be judged when all of it is there.
    if let Some(end) = end.filter(|_| !member.document.must_haves.checks.is_empty()) {
        let beside = groups.iter().find(|group| group.contains(&end)).copied().unwrap_or_default();
        let others = beside.iter().filter(|at| **at != end).map(|at| id(*at));
        tasks[end].draft.needs.extend(others);
        last = if last.contains(&end) { vec![end] } else { last };
    }
    if let Some(end) = end {
        put_files(&mut tasks[end], &member.document.path, None, &unnamed_files(&member.document));
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
    put_files(&mut task, &document.path, None, &unnamed_files(document));
    for (step, item) in items.iter().enumerate() {
        let (name, instructions) = (item.name.clone(), item.text.clone());
        task.draft.steps.push(StepDraft { name, instructions, ..StepDraft::default() });
        put_files(&mut task, &document.path, Some(step), &item.files);
        for (command, at) in &item.checks {
            put_check(&mut task, &document.path, Some(step), check(command), at);
        }
    }
    task
}

/// One `<task>` as a task.
fn single(member: &PlanMember, id: String, item: &PlanItem, told: &str) -> DraftTask {
    let document = &member.document;
    let whole = "The task, of a plan whose other tasks others do:";
    let instructions = format!("{told}\n\n{whole}\n\n{}", item.text);
    let draft = TaskDraft {
        id,
        title: item.name.clone(),
        instructions,
        agent: document.fields.agent.clone(),
        ..TaskDraft::default()
    };
    let mut task = DraftTask::new(draft, SourceSpan::new(&document.path, item.at.clone()));
    let files = if item.files.is_empty() { &document.fields.files } else { &item.files };
    put_files(&mut task, &document.path, None, files);
    for (command, at) in &item.checks {
        put_check(&mut task, &document.path, None, check(command), at);
    }
    if item.is_done {
        task.draft.done_before = Some(format!("{} says that it is finished", document.path));
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

/// What belongs to the plan as a whole: its must-haves, with the work that ends it; and that it was
/// done.
fn finish(member: &PlanMember, tasks: &mut [DraftTask], end: Option<usize>) {
    let path = &member.document.path;
    if let Some(end) = end {
        for (check, at) in &member.document.must_haves.checks {
            put_check(&mut tasks[end], path, None, check.clone(), at);
        }
    }
    let all_done =
        !member.document.items.is_empty() && member.document.items.iter().all(|item| item.is_done);
    let said = all_done.then(|| format!("each task of {path} is finished"));
    if let Some(why) = member.done_before.clone().or(said) {
        for task in tasks {
            let (id, title, needs) =
                (task.draft.id.clone(), task.draft.title.clone(), task.draft.needs.clone());
            // What was done is not judged any more, nor what it was done with.
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
    let mut told = vec![document.sections.clone()];
    if !document.must_haves.truths.is_empty() {
        let truths: Vec<String> =
            document.must_haves.truths.iter().map(|t| format!("- {t}")).collect();
        told.push(format!("At the end of the plan this must be true:\n{}", truths.join("\n")));
    }
    let done: Vec<String> = document
        .items
        .iter()
        .filter(|item| item.is_done)
        .map(|item| format!("- {}", item.name))
        .collect();
    if !done.is_empty() {
        told.push(format!("These tasks of the plan are done already:\n{}", done.join("\n")));
    }
    told.retain(|text| !text.trim().is_empty());
    told.join("\n\n")
}

/// The files of the plan that none of its tasks names.
fn unnamed_files(document: &PlanDocument) -> Vec<(FileDraft, Range<usize>)> {
    let items = document.items.iter().flat_map(|item| &item.files);
    let named: BTreeSet<&str> = items.map(|(file, _)| file.path.as_str()).collect();
    let own = document.fields.files.iter();
    own.filter(|(file, _)| !named.contains(file.path.as_str())).cloned().collect()
}

fn check(command: &str) -> CheckDraft {
    CheckDraft { command: command.to_owned(), ..CheckDraft::default() }
}

fn put_files(
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

fn put_check(
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
