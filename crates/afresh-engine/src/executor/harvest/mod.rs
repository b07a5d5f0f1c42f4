//! Saving what an attempt left, and measuring it.

pub(crate) mod secret_scan;

use afresh_core::commit::{CommitLabel, compose_step_body, compose_subject};
use afresh_core::harvest::{Change, ChangeKind, Harvest, SettingsChange};
use afresh_core::ids::{AttemptId, WorkspaceSlot};
use afresh_core::plan::AcceptanceFile;
use afresh_core::scope::{is_manifest, is_python_manifest};
use afresh_core::step::StartPoint;
use afresh_core::{Input, Run, printable};
use afresh_formats::project::{MAX_MANIFEST_BYTES, changed_runner_settings};
use afresh_git::ref_names::salvage_ref;
use afresh_git::{
    CommitSignature, EntryMode, HarvestLimits, HarvestRequest, TreeChange, WorkspaceId,
};
use afresh_secrets::redact;
use nix::sys::statvfs::statvfs;

use crate::driver::clock::wall_seconds;
use crate::executor::ExecutorContext;
use crate::executor::causes::describe;

pub(crate) struct HarvestJob {
    attempt: AttemptId,
    slot: WorkspaceSlot,
    ground: StartPoint,
    files: Vec<String>,
    /// Those that the task is to create.
    created: Vec<String>,
    acceptance: Vec<AcceptanceFile>,
    message: String,
    label: Option<CommitLabel>,
    step_body: String,
    steps: Vec<String>,
}

impl HarvestJob {
    pub(crate) fn new(
        run: &Run,
        attempt: AttemptId,
        slot: WorkspaceSlot,
        ground: StartPoint,
    ) -> Self {
        // The task may be gone if the plan changed; its work is saved all the same.
        let task = run.plan().index_of(&attempt.task).map(|at| run.plan().task(at));
        Self {
            files: task.map_or_else(Vec::new, |t| t.patterns().map(ToString::to_string).collect()),
            created: task.map_or_else(Vec::new, |t| t.created_files().map(str::to_owned).collect()),
            acceptance: task.map_or_else(Vec::new, |task| task.acceptance.clone()),
            message: message(run, &attempt),
            label: task.and_then(|task| task.commit.clone()),
            step_body: compose_step_body(&attempt, task.map_or("", |task| &task.title)),
            steps: task
                .map_or_else(Vec::new, |t| t.steps.iter().map(|step| step.name.clone()).collect()),
            attempt,
            slot,
            ground,
        }
    }

    pub(crate) fn carry_out(&self, shared: &ExecutorContext) -> Input {
        let signature = CommitSignature {
            identity: shared.pool.identity().clone(),
            at_seconds: wall_seconds(),
        };
        let secrets = shared.config.workers.secrets();
        let (message, step_body) =
            (redact(&self.message, &secrets), redact(&self.step_body, &secrets));
        let request = HarvestRequest {
            base: &self.ground.base,
            prepared: &self.ground.prepared,
            onto: &self.ground.onto,
            files: &self.files,
            acceptance: &self.acceptance,
            keep: &shared.config.keep,
            message: &message,
            label: self.label.as_ref(),
            step_body: &step_body,
            step_names: &self.steps,
            signature: &signature,
            salvage: &salvage_ref(shared.run.as_str(), &self.attempt.to_string()),
            limits: limits(shared),
        };
        let harvest = shared.pool.harvest(WorkspaceId::Work(self.slot), &request);
        let harvest = harvest.map(|it| measured(shared, it)).map_err(|error| describe(&error));
        let harvest = harvest.and_then(|it| self.with_missing_files(shared, it));
        Input::Harvested(self.attempt.clone(), harvest)
    }

    /// EX-07: a file that is neither new nor in the tree is missing.
    fn with_missing_files(
        &self,
        shared: &ExecutorContext,
        harvest: Harvest,
    ) -> Result<Harvest, String> {
        let is_new = |path: &&String| {
            let mut changes = harvest.changes.iter();
            changes.any(|change| change.path == **path && change.kind != ChangeKind::Deleted)
        };
        let others: Vec<String> =
            self.created.iter().filter(|path| !is_new(path)).cloned().collect();
        let missing = shared.pool.repository().missing_paths(&harvest.tree, &others);
        let missing = missing.map_err(|error| describe(&error))?;
        Ok(Harvest { missing, ..harvest })
    }
}

/// The message of the last commit. It lands as another one, or behind a merge that has the trailers.
fn message(run: &Run, attempt: &AttemptId) -> String {
    let task = run.plan().index_of(&attempt.task).map(|at| run.plan().task(at));
    let title = task.map_or(attempt.task.as_str(), |task| &task.title);
    let subject = compose_subject(title, task.and_then(|task| task.commit.as_ref()));
    format!("{subject}\n\n{}", compose_step_body(attempt, title))
}

/// Saved work must not fill the disk that a worker has just filled.
fn limits(shared: &ExecutorContext) -> HarvestLimits {
    let most = HarvestLimits::default();
    let space = statvfs(shared.pool.repository().common_dir());
    let Ok(free) = space.map(|it| it.blocks_available() * it.fragment_size()) else { return most };
    HarvestLimits { max_total_bytes: most.max_total_bytes.min(free / 4), ..most }
}

/// What git measured, as the core's types, with the secrets that were found.
pub(crate) fn measured(shared: &ExecutorContext, harvest: afresh_git::WorkspaceHarvest) -> Harvest {
    Harvest {
        leaks: secret_scan::find_leaks(shared, &harvest.changes),
        tree: harvest.tree,
        commit: harvest.commit,
        changes: harvest.changes.iter().map(|change| summarize(shared, change)).collect(),
        notes: harvest.notes,
        missing: Vec::new(),
    }
}

/// A change as the journal records it; of a manifest, with the settings of test runners that it touches.
fn summarize(shared: &ExecutorContext, change: &TreeChange) -> Change {
    let mut summary = change.summarize();
    let has_settings = if summary.existed() { is_manifest } else { is_python_manifest };
    if has_settings(&change.path) {
        summary.settings = compare_settings(shared, change);
    }
    summary
}

fn compare_settings(shared: &ExecutorContext, change: &TreeChange) -> SettingsChange {
    let is_file = |mode| matches!(mode, EntryMode::File | EntryMode::Executable);
    let read = |mode, id: &str| {
        let content = shared.pool.repository().blob(id, MAX_MANIFEST_BYTES).ok()??;
        String::from_utf8(content).ok().filter(|_| is_file(mode))
    };
    let is_new = change.summarize().kind == ChangeKind::Created;
    let before = if is_new { Some(String::new()) } else { read(change.old_mode, &change.old_id) };
    let after = read(change.new_mode, &change.new_id);
    let (Some(before), Some(after)) = (before, after) else { return SettingsChange::Unknown };
    match changed_runner_settings(&change.path, &before, &after) {
        None => SettingsChange::Unknown,
        Some(names) if names.is_empty() => SettingsChange::Same,
        Some(names) => SettingsChange::Changed(names.iter().map(|name| one_line(name)).collect()),
    }
}

/// A name of bounded length.
fn one_line(text: &str) -> String {
    let plain: String = printable::aligned(text).chars().take(100).collect();
    plain.trim().to_owned()
}
