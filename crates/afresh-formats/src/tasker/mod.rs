//! Tasker: `tasks/T001.json` and what it was made from, below `.tasker/` or `project-planning/`
//! (FO-03).
//!
//! A task is a task. Its criteria are checks where their verification is a command, and prose for
//! the worker otherwise. What `state.json` calls complete is done.
//!
//! | module | idea |
//! | --- | --- |
//! | `maps` | behaviours by their ids, and the files that hold them |
//! | `state` | how far each task is |
//! | `task` | one task file |

mod maps;
mod state;
mod task;

use std::collections::BTreeMap;

use crate::drafted::Drafted;
use crate::finding::Finding;
use crate::folder::Folder;
use crate::format::{FolderFormat, Wishes};
use crate::limits::too_many_tasks;
use crate::markdown::headings;
use crate::reading::Reading;
use crate::standing::{self, Found};
use maps::Maps;
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
    drafted.spec = Some(format!("{root}inputs/spec.md"))
        .filter(|spec| folder.paths().binary_search(spec).is_ok());
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
    let shared = task::Shared {
        maps: &maps,
        state: &state,
        constraints: &constraints,
        root,
        count: files.len(),
    };
    let mut found: Vec<Found> = Vec::new();
    for file in files {
        let text = text_of(folder, file, &mut drafted);
        found.extend(task::read(file, &text, &shared, &mut drafted));
    }
    compare_phases(&mut drafted, &found, &state);
    standing::finish(folder, drafted, found, (".", EXPECTED))
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

/// A phase is a wave by another name: what a task needs is in an earlier one.
fn compare_phases(drafted: &mut Drafted, found: &[Found], state: &State) {
    let phases: BTreeMap<&str, u64> = found
        .iter()
        .filter_map(|one| Some((one.task.draft.id.as_str(), state.phase(one)?)))
        .collect();
    for one in found {
        let Some(own) = phases.get(one.task.draft.id.as_str()) else { continue };
        for (need, spot) in &one.needs {
            if let Some(phase) = phases.get(need.as_str()).filter(|phase| *phase > own) {
                let id = &one.task.draft.id;
                let message = format!("{id} of phase {own} needs {need} of phase {phase}");
                let found = drafted.find(spot, "dependency-not-earlier", message);
                found.severity = crate::finding::Severity::Warning;
                found.help = Some("dependencies count, phases do not".to_owned());
            }
        }
    }
}
