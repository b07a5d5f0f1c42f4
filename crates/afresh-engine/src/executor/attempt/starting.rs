//! From a request to a process: a clean workspace, a bundle, a sandbox.

use std::fs;
use std::path::{Path, PathBuf};

use afresh_agents::agent::SessionRef;
use afresh_agents::prompt::size;
use afresh_core::ids::AttemptId;
use afresh_core::outcome::{FailureReach, SpawnFailure};
use afresh_core::usage::ContextFill;
use afresh_git::ref_names::salvage_ref;
use afresh_git::{PrepareTarget, WorkspaceId};
use afresh_process::{JobSpec, RunningJob};

use super::AttemptJob;
use super::files::AttemptFiles;
use super::launch::{WorkerLaunch, attempt_variables};
use super::request_log;
use crate::bundle::tree::WorkspaceTree;
use crate::bundle::{self, MissingSource, RenderedBundle};
use crate::executor::ExecutorContext;
use crate::executor::cancel::CancelHandle;
use crate::executor::causes::describe;
use crate::executor::setup::SetupOutcome;
use crate::unique;

/// Why no worker was started.
pub(super) enum StartFailure {
    Failed(SpawnFailure),
    /// The conversation or the work that it was to continue is not available.
    NotResumed(String),
}

/// Who the workspace is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttemptWorker {
    Agent,
    Person,
}

/// A workspace and a bundle; only the worker is missing.
pub(super) struct PreparedAttempt {
    files: AttemptFiles,
    /// How much of its model's context the prompt fills.
    fill: ContextFill,
}

/// A worker whose supervisor has started.
pub(super) struct StartedWorker {
    pub(super) running: RunningJob,
    pub(super) files: AttemptFiles,
    /// How much of its model's context the prompt fills.
    pub(super) fill: ContextFill,
}

impl From<SpawnFailure> for StartFailure {
    fn from(failure: SpawnFailure) -> Self {
        Self::Failed(failure)
    }
}

impl AttemptJob {
    /// None if the attempt was stopped before any of its processes ran.
    pub(super) fn start(
        &self,
        shared: &ExecutorContext,
        handle: &CancelHandle,
    ) -> Result<Option<StartedWorker>, StartFailure> {
        let Some(prepared) = self.prepare(shared, handle, AttemptWorker::Agent)? else {
            return Ok(None);
        };
        let PreparedAttempt { mut files, fill } = prepared;
        let place = WorkspaceId::Work(self.slot);
        let job = self.job(shared, &mut files, shared.pool.tree(place))?;
        let running = RunningJob::start(&shared.config.exe, &job)
            .map_err(|error| failure(&error.to_string(), None))?;
        Ok(Some(StartedWorker { running, files, fill }))
    }

    /// None if the attempt was stopped before.
    pub(super) fn prepare(
        &self,
        shared: &ExecutorContext,
        handle: &CancelHandle,
        worker: AttemptWorker,
    ) -> Result<Option<PreparedAttempt>, StartFailure> {
        let place = WorkspaceId::Work(self.slot);
        self.check_base(shared)?;
        shared
            .pool
            .prepare(place, PrepareTarget::Commit(&self.ground.prepared), &shared.config.keep)
            .map_err(|error| machine_failure(&describe(&error)))?;
        self.put_back(shared, place)?;
        let salvage = salvage_ref(shared.run.as_str(), &self.attempt.to_string());
        let lease = shared.pool.acquire_lease(place, &salvage);
        let lease = lease.map_err(|error| machine_failure(&describe(&error)))?;
        if handle.is_asked() {
            return Ok(None);
        }
        let ready = shared.set_up(place, handle, None).map_err(|failed| SpawnFailure {
            output: failed.output,
            hint: Some("correct `setup` under [workspace] in .afresh/config.toml".to_owned()),
            ..machine_failure(&failed.message)
        })?;
        if ready == SetupOutcome::Stopped {
            return Ok(None);
        }
        // After the set-up, whose files are not harvested.
        shared
            .pool
            .write_acceptance_files(place, &self.bundle.task.acceptance)
            .map_err(|error| failure(&error.to_string(), None))?;
        let made = self.make(shared, &shared.pool.tree(place), worker)?;
        let files = AttemptFiles::new(shared.layout.attempt(&self.bundle.run, &self.attempt));
        made.save(&files.directory)
            .and_then(|()| fs::create_dir_all(&files.worker))
            .map_err(|error| machine_failure(&format!("cannot write the bundle: {error}")))?;
        if handle.is_asked() {
            return Ok(None);
        }
        let listed: Vec<String> = self.bundle.task.patterns().map(ToString::to_string).collect();
        lease.mark_unsaved(&listed).map_err(|error| failure(&describe(&error), None))?;
        Ok(Some(PreparedAttempt { files, fill: made.fill }))
    }

    /// EX-07: what the tasks that it needs landed is part of what it starts from.
    fn check_base(&self, shared: &ExecutorContext) -> Result<(), SpawnFailure> {
        let base = &self.ground.base;
        let outside = shared.pool.repository().commit_outside(base, &self.needs);
        match outside.map_err(|error| machine_failure(&describe(&error)))? {
            None => Ok(()),
            Some(commit) => Err(SpawnFailure {
                lasting: true,
                ..failure(
                    &format!("{base}, which it starts from, lacks {commit}, which it builds on"),
                    Some("check the repository with `git fsck`"),
                )
            }),
        }
    }

    /// Runs before the lease is acquired: work that is lost here is still kept under its salvage ref.
    fn put_back(&self, shared: &ExecutorContext, place: WorkspaceId) -> Result<(), StartFailure> {
        let Some(resuming) = &self.resuming else { return Ok(()) };
        let agent = shared.config.workers.agent_for(self.agent.as_deref());
        if let Some(why) = agent.and_then(|agent| resuming.refusal(agent)) {
            return Err(StartFailure::NotResumed(why));
        }
        resuming.put_back(shared, place).map_err(StartFailure::NotResumed)
    }

    /// Fails if an agent would start with a full context (PR-06): it would cost money, and a retry would end the
    /// same way.
    fn make(
        &self,
        shared: &ExecutorContext,
        tree: &Path,
        worker: AttemptWorker,
    ) -> Result<RenderedBundle, SpawnFailure> {
        let mut bundle =
            bundle::finished(&self.bundle, &self.ground, &self.gone, &WorkspaceTree(tree))
                .map_err(|missing| failure(&missing.to_string(), Some(MissingSource::ADVICE)))?;
        shared.test_finder.add_tests(&mut bundle, shared.pool.repository(), &self.run_base);
        let workers = &shared.config.workers;
        let made = match worker {
            AttemptWorker::Agent => RenderedBundle::render(bundle, workers, self.tier),
            AttemptWorker::Person => RenderedBundle::render_by_hand(bundle, workers, self.tier),
        };
        let made = made.map_err(|error| failure(&error.to_string(), None))?;
        if worker == AttemptWorker::Person {
            return Ok(made);
        }
        size::check_fits(made.fill, self.fullest).map_err(|error| SpawnFailure {
            lasting: true,
            ..failure(&error.to_string(), Some(size::SIZE_HINT))
        })?;
        Ok(made)
    }

    fn job(
        &self,
        shared: &ExecutorContext,
        files: &mut AttemptFiles,
        cwd: PathBuf,
    ) -> Result<JobSpec, SpawnFailure> {
        let agent = shared.find_agent(self.agent.as_deref())?;
        if let (Some(resuming), Some(log)) = (&self.resuming, agent.request_log(&files.worker)) {
            let of = AttemptId { number: resuming.attempt_number(), ..self.attempt.clone() };
            let before = AttemptFiles::new(shared.layout.attempt(&self.bundle.run, &of));
            request_log::continue_log(agent, &before.worker, &log);
        }
        let new = unique::uuid();
        let session = match &self.resuming {
            Some(resuming) => SessionRef::Resumed(resuming.session()),
            None => SessionRef::New(&new),
        };
        let own = attempt_variables(&self.bundle, files);
        let (tier, slot, grace) = (self.tier, self.slot, self.grace);
        let launch = WorkerLaunch { agent, tier, session, slot, cwd, own, grace };
        shared.worker_job(&launch, files)
    }
}

pub(in crate::executor) fn failure(message: &str, hint: Option<&str>) -> SpawnFailure {
    let (message, hint) = (message.to_owned(), hint.map(str::to_owned));
    SpawnFailure { message, hint, ..SpawnFailure::default() }
}

/// A failure that has nothing to do with the agent.
pub(in crate::executor) fn machine_failure(message: &str) -> SpawnFailure {
    SpawnFailure { reach: FailureReach::Machine, ..failure(message, None) }
}
