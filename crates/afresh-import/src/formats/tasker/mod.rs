//! Tasker: `tasks/T001.json` and its maps, below `.tasker/` or `project-planning/` (FO-03).
//!
//! A task is a task. A criterion is a check if its verification is a command, and otherwise prose for
//! the worker. Tasks that `state.json` calls complete are done; without its word, the result of the task
//! decides.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `coverage` | whether the tasks implement the capability map, in a sensible order |
//! | `maps` | behaviours by id, and their files |
//! | `results` | the tasks whose executor reported success |
//! | `state` | the status of each task |
//! | `spec` | the spec, and the lines of it that tasks refer to |
//! | `task` | one task file |
//! | `trace` | behaviours and criteria, and which tasks serve them |

mod coverage;
mod maps;
mod results;
mod spec;
mod state;
mod task;
mod trace;

use std::collections::BTreeSet;

use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::status::{self, ImportedTask, TaskStanding};
use crate::draft::{DraftPlan, IdRule, report_needs_outside, unreadable_file};
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::markdown::headings;
use coverage::TaskCoverage;
use maps::TaskerMaps;
use spec::TaskerSpec;
use state::TaskerState;

pub const FORMAT: PlanFormat =
    PlanFormat { name: "tasker", is_present, read, requirements: trace::add };

/// The possible planning directories, relative to the folder; the newer one first.
const ROOTS: &[&str] = &[".tasker/", "project-planning/", ""];

const EXPECTED: &str = "expected tasks/T001.json and so on, below .tasker/ or project-planning/";

const HINT: &str = "see Tasker's schema of this file";

fn is_present(folder: &dyn PlanFolder) -> bool {
    root(folder).is_some()
}

fn root(folder: &dyn PlanFolder) -> Option<&'static str> {
    let holds = |root: &&&str| folder.paths().iter().any(|path| is_task(path, root));
    ROOTS.iter().find(holds).copied()
}

/// `tasks/T001.json`.
fn is_task(path: &str, root: &str) -> bool {
    let name = path.strip_prefix(root).and_then(|path| path.strip_prefix("tasks/"));
    let number = name.and_then(|name| name.strip_prefix('T')?.strip_suffix(".json"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    let Some(root) = root(folder) else {
        let message = "no tasks here: nothing to do";
        let finding = Finding::for_file(".", "empty-plan", message);
        return PlanReading::failed(finding.with_hint(EXPECTED));
    };
    let mut drafted = DraftPlan { id_rule: IdRule::Keys, ..DraftPlan::default() };
    let maps = TaskerMaps::read(folder, root, &mut drafted);
    let state = TaskerState::read(folder, root, &mut drafted);
    drafted.name = name(folder, root, &maps);
    drafted.spec = Some(format!("{root}inputs/spec.md")).filter(|spec| folder.holds(spec));
    // A separate planning directory names its repository.
    if root != ".tasker/" {
        drafted.target = maps.target.clone().or_else(|| state.target.clone());
    }
    let files: Vec<&String> = folder
        .paths()
        .iter()
        .filter(|path| match &options.only {
            Some(only) if !only.ends_with('/') => *path == only,
            _ => is_task(path, root),
        })
        .collect();
    if let Some(finding) = too_many_tasks(".", files.len()) {
        return PlanReading::failed(finding);
    }
    let mut beside = |path: &str| {
        drafted.read_additional(folder, path, "workers do not get it").unwrap_or_default()
    };
    let constraints = beside(&format!("{root}inputs/constraints.md"));
    let spec = TaskerSpec::new(beside(&format!("{root}inputs/spec.md")));
    let shared = task::TaskerContext {
        maps: &maps,
        state: &state,
        constraints: &constraints,
        spec: &spec,
        root,
        count: files.len(),
    };
    let mut found: Vec<ImportedTask> = Vec::new();
    let mut tasks: Vec<TaskCoverage> = Vec::new();
    for file in files {
        let text = match folder.text(file) {
            Some(Ok(text)) => text,
            Some(Err(finding)) => {
                found.push(task::unreadable(file, &finding.message, &shared));
                drafted.contain([unreadable_file(finding)]);
                continue;
            }
            None => continue,
        };
        let (one, about) = task::read(file, &text, &shared, &mut drafted);
        found.push(one);
        tasks.extend(about);
    }
    if options.named_file().is_some() {
        leave_out_others(folder, root, &state, &mut drafted, &mut found);
    }
    coverage::phases(&mut drafted, &found, &tasks);
    // A single task is not expected to cover everything.
    if options.only.is_none() {
        coverage::behaviours(&mut drafted, &maps, &tasks);
        coverage::steel_thread(&mut drafted, &maps, &tasks);
    }
    status::finish(folder, drafted, found, (".", EXPECTED))
}

/// Removes dependencies on tasks that exist and were not named; those that are not complete are
/// reported.
fn leave_out_others(
    folder: &dyn PlanFolder,
    root: &str,
    state: &TaskerState,
    drafted: &mut DraftPlan,
    found: &mut [ImportedTask],
) {
    let named: BTreeSet<String> = found.iter().map(|one| one.task.draft.id.clone()).collect();
    for one in found {
        let exists = |id: &str| folder.holds(&format!("{root}tasks/{id}.json"));
        let needs = std::mem::take(&mut one.needs);
        let (others, own): (Vec<_>, Vec<_>) =
            needs.into_iter().partition(|(id, _)| !named.contains(id) && exists(id));
        one.needs = own;
        for (id, span) in others.iter().filter(|(id, _)| state.standing(id) == TaskStanding::Open) {
            report_needs_outside(drafted, &one.task.draft.id, &[id.as_str()], span);
        }
    }
}

fn name(folder: &dyn PlanFolder, root: &str, maps: &TaskerMaps) -> String {
    let titled = || {
        let text = folder.text(&format!("{root}inputs/spec.md"))?.ok()?;
        headings(&text).first().map(|heading| heading.text.to_owned())
    };
    maps.slug.clone().or_else(titled).unwrap_or_else(|| "Tasker".to_owned())
}
