//! `SpecFlow`: `.specflow/specs/SPEC-XXX.md` (FO-04).
//!
//! A task group is a task, and the items of its row are steps. A spec without groups is one task.
//! Criteria are prose: the worker gets them, and a finding says so (`checks-are-prose`).
//!
//! | module | what it holds |
//! | --- | --- |
//! | `spec` | a spec: its id and its sections, without the history |
//! | `groups` | the table of task groups |
//! | `needs` | dependencies of groups and specs |
//! | `waves` | stated waves that dependencies contradict |
//! | `files` | files to create, modify and delete |
//! | `share` | which requirements, criteria and files belong to which group |
//! | `progress` | what was executed before |
//! | `tasks` | groups as tasks |
//! | `trace` | requirements and criteria, and which groups serve them |

mod files;
mod groups;
mod needs;
mod progress;
mod share;
mod spec;
mod tasks;
mod trace;
mod waves;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::{DraftPlan, DraftTask, unreadable_file};
use afresh_core::commit::CommitLabel;
use afresh_core::plan::TaskDraft;
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, SourceSpan};
use spec::SpecflowSpec;

pub const FORMAT: PlanFormat =
    PlanFormat { name: "specflow", is_present, read, requirements: trace::add };

fn is_present(folder: &dyn PlanFolder) -> bool {
    folder.paths().iter().any(|path| is_spec(path))
}

/// `SPEC-XXX.md`, alone or in the directory of open specs.
fn is_spec(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let named = name.starts_with("SPEC-") && name.to_ascii_lowercase().ends_with(".md");
    named && matches!(directory, "" | "specs" | ".specflow/specs" | ".specflow")
}

fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    let mut drafted = DraftPlan::default();
    let mut texts: Vec<(&str, String)> = Vec::new();
    let wanted = |path: &&String| match &options.only {
        Some(only) if !only.ends_with('/') => *path == only,
        Some(only) => is_spec(path) && path.starts_with(only),
        None => is_spec(path),
    };
    let mut unreadable: Vec<DraftTask> = Vec::new();
    for path in folder.paths().iter().filter(wanted) {
        match folder.text(path) {
            Some(Ok(text)) => texts.push((path, text)),
            Some(Err(finding)) => {
                unreadable.push(unreadable_spec(path, &finding));
                drafted.contain([unreadable_file(finding)]);
            }
            None => {}
        }
    }
    let specs: Vec<SpecflowSpec<'_>> =
        texts.iter().map(|(file, text)| SpecflowSpec::read(file, text)).collect();
    let (split, live): (Vec<_>, Vec<_>) = specs.iter().partition(|spec| spec.is_split());
    for spec in &split {
        name_children(&mut drafted, spec, live.is_empty());
    }
    if let [only] = live.as_slice() {
        drafted.name.clone_from(&only.title);
        drafted.spec = Some(only.file.to_owned());
    } else {
        "SpecFlow".clone_into(&mut drafted.name);
    }
    let mut added = BTreeMap::new();
    for spec in &live {
        let prefix = if live.len() > 1 { format!("{}.", spec.id) } else { String::new() };
        let range = tasks::add(folder, &mut drafted, spec, &prefix);
        for task in &mut drafted.tasks[range.clone()] {
            task.draft.commit = commit_label(&spec.id).filter(|_| task.draft.done_before.is_none());
        }
        added.insert(spec.id.clone(), range);
    }
    for task in unreadable {
        let at = drafted.tasks.len();
        added.insert(task.draft.id.clone(), at..at + 1);
        drafted.tasks.push(task);
    }
    let others = OtherSpecs::find(folder, &added);
    for spec in &live {
        needs::between_specs(&mut drafted, spec, &added, &others);
    }
    if specs.is_empty() && drafted.findings.is_empty() {
        let message = "no spec here: nothing to do";
        let finding = Finding::for_file(".", "empty-plan", message);
        return PlanReading::failed(finding.with_hint("expected .specflow/specs/SPEC-XXX.md"));
    }
    drafted.finish(folder)
}

/// `feat(sf-001)` for SPEC-001, as `SpecFlow` asks its workers.
fn commit_label(id: &str) -> Option<CommitLabel> {
    let number = id.to_lowercase();
    let number = number.strip_prefix("spec-").unwrap_or(&number);
    CommitLabel::new("feat", Some(&format!("sf-{number}")))
}

/// A spec that cannot be read: its id is the file's name.
fn unreadable_spec(path: &str, finding: &Finding) -> DraftTask {
    let name = path.rsplit('/').next().unwrap_or(path);
    let id = name.strip_suffix(".md").unwrap_or(name).to_owned();
    let draft = TaskDraft { title: id.clone(), id, ..TaskDraft::default() };
    let mut task = DraftTask::new(draft, SourceSpan::new(path, 0..0));
    task.fault = Some(finding.message.clone());
    task
}

/// Reports a spec that was split: its children are run instead.
fn name_children(drafted: &mut DraftPlan, spec: &SpecflowSpec<'_>, alone: bool) {
    let children = spec.children();
    let named = if children.is_empty() { "others".to_owned() } else { children.join(", ") };
    let message = format!("{} was split into {named} and is not run itself", spec.id);
    let at = spec.status.as_ref().map_or(0..0, |status| status.at.clone());
    let found = drafted.find(&SourceSpan::new(spec.file, at), "spec-is-split", message);
    found.hint = Some(format!("run {named} instead"));
    if !alone {
        *found = found.clone().as_warning();
    }
}

/// The ids of specs that are not part of the plan.
struct OtherSpecs {
    finished: Vec<String>,
    /// They are not finished, and were not named.
    open: Vec<String>,
}

impl OtherSpecs {
    fn find(folder: &dyn PlanFolder, added: &BTreeMap<String, Range<usize>>) -> Self {
        let mut others = Self { finished: archived(folder), open: Vec::new() };
        for path in folder.paths().iter().filter(|path| is_spec(path)) {
            let name = path.rsplit('/').next().and_then(|name| name.strip_suffix(".md"));
            if name.is_none_or(|name| added.contains_key(name)) {
                continue;
            }
            let text = folder.finished_text(path).unwrap_or_default();
            let spec = SpecflowSpec::read(path, &text);
            if added.contains_key(&spec.id) {
                continue;
            }
            if progress::is_executed(&spec) {
                others.finished.push(spec.id);
            } else if !spec.is_split() {
                others.open.push(spec.id);
            }
        }
        others
    }
}

/// Ids of archived specs, which are finished.
fn archived(folder: &dyn PlanFolder) -> Vec<String> {
    let name = |path: &String| {
        let (directory, name) = path.rsplit_once('/')?;
        let archive = matches!(directory, "archive" | ".specflow/archive");
        let name = name.strip_suffix(".md").filter(|_| archive)?;
        Some(name.to_owned())
    };
    folder.paths().iter().filter_map(name).collect()
}
