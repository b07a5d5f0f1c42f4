//! Progress in the plan's own files, as part of the tree that is checked and lands (FO-07).
//!
//! The files are read from the merged tree, never from the user's checkout. Nothing here stops a merge: if progress
//! cannot be written, the work lands without it, and the reason goes to the journal.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use afresh_core::Run;
use afresh_core::check::CheckResult;
use afresh_core::harvest::ChangeKind;
use afresh_core::ids::{AttemptId, TreeId};
use afresh_core::plan::TaskIndex;
use afresh_core::run::TaskStage;
use afresh_core::run::settings::WritebackTarget;
use afresh_formats::Finding;
use afresh_formats::folder::{
    MAX_DEPTH, MAX_FILES, PlanFolder, as_text, is_searched, may_hold_a_plan,
};
use afresh_formats::text::limits;
use afresh_git::{Repository, TreeSelection};
use afresh_import::detect::{ReadOptions, WorkUnit, format_by_name};
use afresh_import::writeback::finished::{MarkedTask, PassedCheck};
use afresh_import::writeback::write_back;

use crate::executor::causes::describe;

/// What to write, and where.
pub(super) struct ProgressJob {
    target: WritebackTarget,
    options: ReadOptions,
    task: MarkedTask,
}

/// A tree, and why it does not say that the task is finished, if it was meant to.
pub(super) struct WrittenProgress {
    pub(super) tree: TreeId,
    pub(super) problem: Option<String>,
}

impl ProgressJob {
    /// None: the run writes no progress.
    pub(super) fn find(run: &Run, attempt: &AttemptId) -> Option<Self> {
        let target = run.settings().writeback.clone()?;
        let at = run.plan().index_of(&attempt.task)?;
        let state = run.task(at);
        let TaskStage::Merging { harvest, .. } = &state.stage else { return None };
        let paths = |kind: ChangeKind| {
            let of_kind = harvest.changes.iter().filter(|change| change.kind == kind);
            of_kind.map(|change| change.path.clone()).collect()
        };
        let below: Vec<TaskIndex> = run.merge_queue().chained_before(at).collect();
        let is_finished = |other: &TaskIndex| run.task(*other).is_done() || below.contains(other);
        let finished = run.plan().indices().filter(is_finished);
        let task = MarkedTask {
            id: attempt.task.to_string(),
            title: run.plan().task(at).title.clone(),
            run: run.id().to_string(),
            attempt: attempt.number,
            claim: state.claim().cloned().unwrap_or_default(),
            created: paths(ChangeKind::Created),
            modified: paths(ChangeKind::Modified),
            deleted: paths(ChangeKind::Deleted),
            checks: passed_checks(run, attempt, &state.stage),
            finished_at: 0,
            finished: finished.map(|other| run.plan().task(other).id.to_string()).collect(),
        };
        let unit = if run.settings().by_task { WorkUnit::Task } else { WorkUnit::Plan };
        let options = ReadOptions { unit, only: target.only.clone() };
        Some(Self { target, options, task })
    }

    /// Builds the tree with the progress in it, on top of what is finished below it in the same batch.
    pub(super) fn write(
        &self,
        repository: &Repository,
        tree: TreeId,
        finished_at: u64,
        below: &[&AttemptId],
    ) -> Result<WrittenProgress, String> {
        let without =
            |tree: TreeId, why: &str| Ok(WrittenProgress { tree, problem: Some(why.to_owned()) });
        let Some(format) = format_by_name(&self.target.format) else {
            return without(tree, "this version does not know the format");
        };
        let folder = TreeFolder::list(repository, &tree, &self.target.directory)?;
        let mut task = MarkedTask { finished_at, ..self.task.clone() };
        task.finished.extend(below.iter().map(|attempt| attempt.task.to_string()));
        let edits = match write_back(&folder, format, &self.options, &task) {
            Ok(edits) => edits,
            Err(problem) => return without(tree, &problem.to_string()),
        };
        if !edits.paths().all(is_plain_path) {
            return without(tree, "a file would be outside of the repository");
        }
        let changed = edits.apply(|path| folder.bytes(path));
        if changed.is_empty() {
            return Ok(WrittenProgress { tree, problem: None });
        }
        let front = &self.target.directory;
        let changed: BTreeMap<String, Vec<u8>> =
            changed.into_iter().map(|(path, bytes)| (format!("{front}{path}"), bytes)).collect();
        match repository.overlay_tree(&tree, &changed).map_err(|error| describe(&error))? {
            Some(tree) => Ok(WrittenProgress { tree, problem: None }),
            None => without(tree, "something that is no regular file is in the way"),
        }
    }
}

/// What passed on the work's own tree; if that was not checked, what must pass on the tree that lands.
fn passed_checks(run: &Run, attempt: &AttemptId, stage: &TaskStage) -> Vec<PassedCheck> {
    let TaskStage::Merging { results, .. } = stage else { return Vec::new() };
    if results.is_empty() {
        let facts = run.commit_facts(attempt);
        let commands = facts.into_iter().flat_map(|facts| facts.checks);
        return commands.map(|command| PassedCheck { command, took: None }).collect();
    }
    let passed = results.iter().filter(|result| result.is_accepted());
    passed.map(passed_check).collect()
}

fn passed_check(result: &CheckResult) -> PassedCheck {
    let took = Some(Duration::from_millis(result.duration_ms));
    PassedCheck { command: result.command.clone(), took }
}

/// Whether a path leads to a file of the tree, and not into a repository's own directory.
fn is_plain_path(path: &str) -> bool {
    path.split('/')
        .all(|part| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git"))
}

/// The files of a plan, in a tree.
struct TreeFolder<'a> {
    repository: &'a Repository,
    paths: Vec<String>,
    objects: BTreeMap<String, String>,
    read: RefCell<BTreeMap<String, Vec<u8>>>,
}

impl<'a> TreeFolder<'a> {
    fn list(repository: &'a Repository, tree: &TreeId, directory: &str) -> Result<Self, String> {
        let selection = TreeSelection {
            directory: directory.trim_end_matches('/'),
            searches: is_searched,
            lists: may_hold_a_plan,
            max_depth: MAX_DEPTH,
            max_files: MAX_FILES,
        };
        let objects =
            repository.list_tree_files(tree, &selection).map_err(|error| describe(&error))?;
        let paths = objects.keys().cloned().collect();
        Ok(Self { repository, paths, objects, read: RefCell::default() })
    }

    /// The content of a file; none if it is missing or larger than any file of a plan.
    fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        if let Some(known) = self.read.borrow().get(path) {
            return Some(known.clone());
        }
        let id = self.objects.get(path)?;
        let bytes = self.repository.blob(id, limits::max_bytes(path)).ok()??;
        self.read.borrow_mut().insert(path.to_owned(), bytes.clone());
        Some(bytes)
    }
}

impl PlanFolder for TreeFolder<'_> {
    fn paths(&self) -> &[String] {
        &self.paths
    }

    fn text(&self, path: &str) -> Option<Result<String, Finding>> {
        if !self.objects.contains_key(path) {
            return None;
        }
        let unreadable = || Finding::for_file(path, "unreadable", "cannot read it");
        Some(self.bytes(path).ok_or_else(unreadable).and_then(|bytes| as_text(path, &bytes)))
    }
}
