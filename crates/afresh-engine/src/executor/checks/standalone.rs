//! Checks without a run: before any work for `afresh lint --probe` and `afresh doctor` (TR-01), and again for
//! `afresh verify-run --rerun` (TR-06).
//!
//! Nothing of the repository is changed and no lock is taken: the checks run in workspaces of their own, which are
//! removed afterwards. What a killed probe left is removed by the next one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use afresh_core::check::{CheckOutcome, CheckPhase};
use afresh_core::effect::{CheckOn, CheckRequest, ProbeRequest};
use afresh_core::ids::{CommitId, RunId};
use afresh_core::input::ProbeOutcome;
use afresh_core::plan::Check;
use afresh_core::probe::ProbedCheck;
use afresh_core::{Input, Plan};
use afresh_git::{PoolError, WorkspacePool, remove_tree};
use afresh_notes::write::LineMaker;
use afresh_process::sweep_leftovers;

use crate::bundle::related_tests::TestFinder;
use crate::driver::DriveError;
use crate::driver::local::prepare_tools;
use crate::execution_config::ExecutionConfig;
use crate::executor::checks;
use crate::executor::checks::probe::{OnProbed, measure};
use crate::executor::hooks::HookHandles;
use crate::executor::{CancelRegistry, CheckSlots, ExecutorContext};
use crate::layout::StateLayout;
use crate::session::{RepoContext, job_prefix};
use crate::unique::uuid;

/// Why a probe could not be prepared.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    #[error("cannot make {}", .0.display())]
    Directory(PathBuf, #[source] io::Error),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error(transparent)]
    Drive(#[from] DriveError),
}

/// Workspaces for checks, and nothing else.
pub struct StandaloneProbe {
    context: ExecutorContext,
    _scratch: ScratchDirectory,
}

impl StandaloneProbe {
    /// Prepares a probe of this repository.
    pub fn open(repository: &RepoContext, mut config: ExecutionConfig) -> Result<Self, ProbeError> {
        // A driver of this repository removes what begins with the repository's own prefix.
        let prefix = format!("probe{}-{}", std::process::id(), job_prefix(&repository.git));
        config.sandbox.hidden.push(repository.layout.cache.clone());
        let home = repository.layout.cache.join("probe-work");
        remove_abandoned(&home);
        let scratch = ScratchDirectory::create(&home)?;
        let layout = StateLayout {
            state: scratch.path.join("state"),
            cache: scratch.path.join("cache"),
            lock: scratch.path.join("unused.lock"),
        };
        prepare_tools(&layout, &config)?;
        let context = ExecutorContext {
            run: RunId::new("probe").expect("a plain word is an id"),
            pool: WorkspacePool::open(repository.git.clone(), &layout.cache)?,
            cancels: CancelRegistry::default(),
            check_slots: CheckSlots::new(config.checks_parallel),
            hooks: HookHandles::default(),
            home_tools: OnceLock::new(),
            test_finder: TestFinder::default(),
            connections: afresh_proxy::ConnectionLimit::default(),
            job_prefix: prefix,
            note_lines: LineMaker::default(),
            layout,
            config,
        };
        Ok(Self { context, _scratch: scratch })
    }

    /// Runs every check of the request; `on_probed` gets each result as it is known.
    pub fn measure(
        &self,
        request: &ProbeRequest,
        plan: &Plan,
        on_probed: OnProbed<'_>,
    ) -> Vec<ProbedCheck> {
        let ticket = self.context.check_slots.probe_ticket();
        match measure(&self.context, request, plan, ticket, on_probed) {
            ProbeOutcome::Measured(checks) => checks,
            // Nobody stops a probe that is not part of a run.
            ProbeOutcome::Stopped => Vec::new(),
        }
    }

    /// Runs checks on a commit as a merge does; all of them, even if one fails.
    pub fn rerun(&self, commit: &CommitId, checks: Vec<Check>, reruns: u32) -> CheckOutcome {
        let on = CheckOn::Commit(commit.clone());
        let plain = CheckRequest::plain(None, CheckPhase::Final, on, checks);
        let request = CheckRequest { reruns, ..plain };
        let ticket = self.context.check_slots.ticket();
        match checks::carry_out(&self.context, &request, commit, ticket) {
            Input::Checked(report) => report.checked,
            _ => CheckOutcome::Stopped,
        }
    }
}

impl std::fmt::Debug for StandaloneProbe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StandaloneProbe").finish_non_exhaustive()
    }
}

/// A directory that is removed when this is dropped. A lock beside it shows that its owner is alive.
#[derive(Debug)]
struct ScratchDirectory {
    path: PathBuf,
    _lock: File,
}

impl ScratchDirectory {
    /// The lock is held before the directory exists, so that nobody takes it for abandoned.
    fn create(home: &Path) -> Result<Self, ProbeError> {
        let path = home.join(uuid());
        let failed = |error| ProbeError::Directory(path.clone(), error);
        fs::create_dir_all(home).map_err(failed)?;
        let lock = File::create(lock_of(&path)).map_err(failed)?;
        lock.lock().map_err(failed)?;
        fs::create_dir(&path).map_err(failed)?;
        Ok(Self { path, _lock: lock })
    }
}

impl Drop for ScratchDirectory {
    fn drop(&mut self) {
        // If this fails, the next probe removes it.
        let _ = remove_tree(&self.path);
        let _ = fs::remove_file(lock_of(&self.path));
    }
}

fn lock_of(directory: &Path) -> PathBuf {
    directory.with_extension("lock")
}

/// Removes what killed probes left: processes first, which could still write.
fn remove_abandoned(home: &Path) {
    let Ok(entries) = fs::read_dir(home) else { return };
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()) {
        let lock = lock_of(&path);
        if File::open(&lock).is_ok_and(|file| file.try_lock().is_err()) {
            continue;
        }
        let swept = sweep_leftovers(&path.join("state/processes"), "");
        if swept.stubborn.is_empty() && remove_tree(&path).is_ok() {
            let _ = fs::remove_file(lock);
        }
    }
}
