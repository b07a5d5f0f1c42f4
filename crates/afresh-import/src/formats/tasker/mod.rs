//! Tasker: `tasks/T001.json` and what it was made from, below `.tasker/` or `project-planning/`
//! (FO-03).
//!
//! A task is a task. Its criteria are checks where their verification is a command, and prose for
//! the worker otherwise. What `state.json` calls complete is done.
//!
//! | module | idea |
//! | --- | --- |
//! | `coverage` | whether the tasks are what the map asks for, in an order that makes sense |
//! | `maps` | behaviours by their ids, and the files that hold them |
//! | `state` | how far each task is |
//! | `task` | one task file |

mod coverage;
mod maps;
mod spec;
mod state;
mod task;

use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::DraftPlan;
use crate::draft::status::{self, ImportedTask};
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::markdown::headings;
use coverage::TaskCoverage;
use maps::TaskerMaps;
use spec::TaskerSpec;
use state::TaskerState;

pub const FORMAT: PlanFormat = PlanFormat { name: "tasker", recognises, read };

/// Where a planning directory may be, seen from the folder; the newer one first.
const ROOTS: &[&str] = &[".tasker/", "project-planning/", ""];

const EXPECTED: &str = "expected is tasks/T001.json and so on, below .tasker/ or project-planning/";

const HELP: &str = "expected is what Tasker's schema of this file says";

fn recognises(folder: &dyn PlanFolder) -> bool {
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

fn read(folder: &dyn PlanFolder, wishes: &ReadOptions) -> PlanReading {
    let Some(root) = root(folder) else {
        let message = "there are no tasks here: nothing to do";
        let finding = Finding::for_file(".", "empty-plan", message);
        return PlanReading::failed(finding.with_hint(EXPECTED));
    };
    let mut drafted = DraftPlan::default();
    let maps = TaskerMaps::read(folder, root, &mut drafted);
    let state = TaskerState::read(folder, root, &mut drafted);
    drafted.name = name(folder, root, &maps);
    drafted.spec = Some(format!("{root}inputs/spec.md")).filter(|spec| folder.holds(spec));
    // A planning directory of its own says for which repository it plans.
    if root != ".tasker/" {
        drafted.target = maps.target.clone().or_else(|| state.target.clone());
    }
    let files: Vec<&String> = folder
        .paths()
        .iter()
        .filter(|path| match &wishes.only {
            Some(only) => *path == only,
            None => is_task(path, root),
        })
        .collect();
    if let Some(finding) = too_many_tasks(".", files.len()) {
        return PlanReading::failed(finding);
    }
    let constraints = text_of(folder, &format!("{root}inputs/constraints.md"), &mut drafted);
    let spec = drafted.spec.clone().map(|spec| text_of(folder, &spec, &mut drafted));
    let spec = TaskerSpec::new(spec.unwrap_or_default());
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
        let text = text_of(folder, file, &mut drafted);
        if let Some((one, about)) = task::read(file, &text, &shared, &mut drafted) {
            found.push(one);
            tasks.push(about);
        }
    }
    coverage::phases(&mut drafted, &found, &tasks);
    // Of a single task, nobody expects that it is everything.
    if wishes.only.is_none() {
        coverage::behaviours(&mut drafted, &maps, &tasks);
        coverage::steel_thread(&mut drafted, &maps, &tasks);
    }
    status::finish(folder, drafted, found, (".", EXPECTED))
}

/// The text of a file; nothing, and a finding, where it cannot be read.
fn text_of(folder: &dyn PlanFolder, path: &str, drafted: &mut DraftPlan) -> String {
    match folder.text(path) {
        Some(Ok(text)) => text,
        Some(Err(finding)) => {
            drafted.findings.push(finding.with_hint("save it as a plain text of moderate size"));
            String::new()
        }
        None => String::new(),
    }
}

fn name(folder: &dyn PlanFolder, root: &str, maps: &TaskerMaps) -> String {
    let titled = || {
        let text = folder.text(&format!("{root}inputs/spec.md"))?.ok()?;
        headings(&text).first().map(|heading| heading.text.to_owned())
    };
    maps.slug.clone().or_else(titled).unwrap_or_else(|| "Tasker".to_owned())
}
