//! What a format does not hold: the differences between a plan and what is read from its files.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Plan;
use afresh_core::plan::Task;
use afresh_formats::folder::MemoryFolder;

use super::{OrderedTasks, commands, files};
use crate::detect::{PlanFormat, ReadOptions};

/// A part of a plan that is different in another format, and the tasks that it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanLoss {
    /// What is lost: `checks`.
    pub part: &'static str,
    /// The ids of the tasks, as the plan has them; empty if it is the whole plan.
    pub tasks: Vec<String>,
}

/// A part of a task, and whether it is the same in both versions.
type TaskPart = (&'static str, fn(&TaskPair<'_>) -> bool);

const PARTS: &[TaskPart] = &[
    ("ids", |pair| pair.own.id == pair.read.id),
    ("titles", |pair| pair.read.title.contains(super::title(pair.own).trim_end_matches('…'))),
    ("instructions", |pair| {
        let lines = pair.own.instructions.lines().map(|line| line.trim().trim_start_matches("- "));
        lines.filter(|line| !line.is_empty()).all(|line| pair.says(line))
    }),
    ("dependencies", |pair| {
        let own: BTreeSet<&str> = pair.needs.iter().map(String::as_str).collect();
        own == pair.read.needs.iter().map(afresh_core::ids::TaskId::as_str).collect()
    }),
    ("files", |pair| {
        files(pair.own).into_iter().collect::<BTreeSet<_>>()
            == files(pair.read).into_iter().collect()
    }),
    ("checks", |pair| {
        commands(pair.own).into_iter().collect::<BTreeSet<_>>()
            == commands(pair.read).into_iter().collect()
    }),
    ("rules of checks (red_first, guard)", |pair| {
        pair.own.all_checks().all(|check| !check.red_first && !check.guard)
    }),
    ("steps", |pair| {
        // Where every task has steps, one without is one step.
        pair.own.steps.len() == pair.read.steps.len()
            || (pair.own.steps.is_empty() && pair.read.steps.len() == 1)
    }),
    ("questions to a person", |pair| {
        pair.own.checkpoint.is_some() == pair.read.checkpoint.is_some()
    }),
    ("marks of what is done", |pair| {
        pair.own.done_before.is_some() == pair.read.done_before.is_some()
    }),
    ("agents", |pair| {
        (&pair.own.agent, &pair.own.contest) == (&pair.read.agent, &pair.read.contest)
    }),
    ("tiers and contexts", |pair| {
        (pair.own.tier, pair.own.context) == (pair.read.tier, pair.read.context)
    }),
    ("reasons for no check", |pair| pair.own.no_check.is_none()),
    ("acceptance tests", |pair| pair.own.acceptance.is_empty()),
    ("requirements", |pair| pair.own.requirements.is_empty()),
];

/// A task of the plan, and what was read from the files.
struct TaskPair<'a> {
    own: &'a Task,
    read: &'a Task,
    /// What the task needs, by the ids of the format.
    needs: Vec<String>,
}

impl TaskPair<'_> {
    /// Whether the worker would be given this line.
    fn says(&self, line: &str) -> bool {
        let steps = self.read.steps.iter().map(|step| step.instructions.as_str());
        std::iter::once(self.read.instructions.as_str()).chain(steps).any(|it| it.contains(line))
    }
}

pub(super) fn find(
    tasks: &OrderedTasks<'_>,
    format: &PlanFormat,
    files: &BTreeMap<String, String>,
) -> Vec<PlanLoss> {
    let folder = MemoryFolder::new(files.clone());
    let reading = (format.read)(&folder, &ReadOptions::default());
    let Some(read) = reading.plan else {
        return vec![PlanLoss { part: "everything: it cannot be read again", tasks: Vec::new() }];
    };
    let mut losses = Vec::new();
    if tasks.plan.spec.is_some() {
        losses.push(PlanLoss { part: "the name of the specification", tasks: Vec::new() });
    }
    let pairs: Vec<(&Task, Option<&Task>)> =
        tasks.tasks.iter().map(|task| (*task, find_task(&read, tasks.id(&task.id)))).collect();
    let missing = pairs.iter().filter(|(_, read)| read.is_none());
    add(&mut losses, "tasks", missing.map(|(own, _)| *own));
    for (part, is_same) in PARTS {
        let differs = |(own, read): &&(&Task, Option<&Task>)| {
            let Some(read) = read else { return false };
            let needs = tasks.needs(own).into_iter().map(str::to_owned).collect();
            !is_same(&TaskPair { own, read, needs })
        };
        add(&mut losses, part, pairs.iter().filter(differs).map(|(own, _)| *own));
    }
    losses
}

fn find_task<'r>(read: &'r Plan, id: &str) -> Option<&'r Task> {
    read.tasks().iter().find(|task| task.id.as_str() == id)
}

fn add<'t>(losses: &mut Vec<PlanLoss>, part: &'static str, tasks: impl Iterator<Item = &'t Task>) {
    let tasks: Vec<String> = tasks.map(|task| task.id.to_string()).collect();
    if !tasks.is_empty() {
        losses.push(PlanLoss { part, tasks });
    }
}
