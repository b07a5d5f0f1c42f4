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

use crate::detect::{FolderFormat, Wishes};
use crate::draft::Drafted;
use crate::draft::status::{self, Found};
use afresh_formats::findings::Finding;
use afresh_formats::folder::Folder;
use afresh_formats::reading::Reading;
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::markdown::headings;
use coverage::About;
use maps::Maps;
use spec::Spec;
use state::State;

pub const FORMAT: FolderFormat = FolderFormat { name: "tasker", recognises, read };

/// Where a planning directory may be, seen from the folder; the newer one first.
const ROOTS: &[&str] = &[".tasker/", "project-planning/", ""];

const EXPECTED: &str = "expected is tasks/T001.json and so on, below .tasker/ or project-planning/";

const HELP: &str = "expected is what Tasker's schema of this file says";

fn recognises(folder: &dyn Folder) -> bool {
    root(folder).is_some()
}

fn root(folder: &dyn Folder) -> Option<&'static str> {
    let holds = |root: &&&str| folder.paths().iter().any(|path| is_task(path, root));
    ROOTS.iter().find(holds).copied()
}

/// `tasks/T001.json`.
fn is_task(path: &str, root: &str) -> bool {
    let name = path.strip_prefix(root).and_then(|path| path.strip_prefix("tasks/"));
    let number = name.and_then(|name| name.strip_prefix('T')?.strip_suffix(".json"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

fn read(folder: &dyn Folder, wishes: &Wishes) -> Reading {
    let Some(root) = root(folder) else {
        let message = "there are no tasks here: nothing to do";
        let finding = Finding::of_file(".", "empty-plan", message);
        return Reading::failed(finding.with_help(EXPECTED));
    };
    let mut drafted = Drafted::default();
    let maps = Maps::read(folder, root, &mut drafted);
    let state = State::read(folder, root, &mut drafted);
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
        return Reading::failed(finding);
    }
    let constraints = text_of(folder, &format!("{root}inputs/constraints.md"), &mut drafted);
    let spec = drafted.spec.clone().map(|spec| text_of(folder, &spec, &mut drafted));
    let spec = Spec::new(spec.unwrap_or_default());
    let shared = task::Shared {
        maps: &maps,
        state: &state,
        constraints: &constraints,
        spec: &spec,
        root,
        count: files.len(),
    };
    let mut found: Vec<Found> = Vec::new();
    let mut tasks: Vec<About> = Vec::new();
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
fn text_of(folder: &dyn Folder, path: &str, drafted: &mut Drafted) -> String {
    match folder.text(path) {
        Some(Ok(text)) => text,
        Some(Err(finding)) => {
            drafted.findings.push(finding.with_help("save it as a plain text of moderate size"));
            String::new()
        }
        None => String::new(),
    }
}

fn name(folder: &dyn Folder, root: &str, maps: &Maps) -> String {
    let titled = || {
        let text = folder.text(&format!("{root}inputs/spec.md"))?.ok()?;
        headings(&text).first().map(|heading| heading.text.to_owned())
    };
    maps.slug.clone().or_else(titled).unwrap_or_else(|| "Tasker".to_owned())
}
