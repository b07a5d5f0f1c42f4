//! Takes the lock, and starts a run or opens a recorded one.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `branch` | making sure that a run's branch exists and can move |
//! | `dead_refs` | repairing refs of ours whose objects are gone |
//! | `last_drive` | which run was driven last |
//! | `run_name` | a readable name for a new run |
//! | [`state_marker`] | noticing that the state directory vanished |

mod branch;
mod dead_refs;
mod last_drive;
mod run_name;
pub mod state_marker;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use afresh_core::estimate::history::TaskSample;
use afresh_core::ids::CommitId;
use afresh_core::run::Run;
use afresh_core::run::RunFork;
use afresh_core::run::settings::Settings;
use afresh_core::time::Timestamp;
use afresh_core::{Event, Plan};
use afresh_git::ref_names::run_branch_name;
use afresh_git::{
    CommandError, CommitSignature, DiscoverError, FileOverlay, GitProgram, HarvestError, PoolError,
    RefError, Repository, WorkspacePool,
};
use afresh_process::{SweepReport, sweep_leftovers};
use afresh_store::{
    DriverLock, IoFault, Journal, JournalError, JournalReader, JournalRecord, LockError,
    LockHolder, write_atomically,
};

use crate::driver::clock::wall_ms;
use crate::journal_records::{self, RecordError};
use crate::layout::StateLayout;
use crate::reports::samples::collect_samples;
use state_marker::LostState;

/// How long a git process that outlived an earlier driver may continue before it is ended.
const ORPHAN_PATIENCE: Duration = Duration::from_secs(20);

/// A repository, and where afresh keeps its files for it.
#[derive(Debug, Clone)]
pub struct RepoContext {
    pub git: Repository,
    pub layout: StateLayout,
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Discover(#[from] DiscoverError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Git(#[from] CommandError),
    #[error(transparent)]
    Refs(#[from] RefError),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error(transparent)]
    Harvest(#[from] HarvestError),
    #[error("{0}")]
    StateLost(Box<LostState>),
    #[error("the repository has no commit yet, so there is nothing to start from")]
    Unborn,
    #[error("the state directory {} belongs to another repository, {owner}", state.display())]
    OtherRepository { state: PathBuf, owner: String },
    #[error("processes of an earlier run could not be ended; see {}", list(.0))]
    StillRunning(Vec<PathBuf>),
    #[error(transparent)]
    Fault(#[from] IoFault),
    #[error("{branch} is checked out in {place}; afresh moves that branch")]
    CheckedOut { branch: String, place: PathBuf },
    #[error("{branch} was moved to {foreign}, not by afresh, so nothing could land on it")]
    BranchMoved { branch: String, foreign: CommitId, tip: CommitId },
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

impl RepoContext {
    /// The repository around `directory`.
    pub fn find(
        program: &GitProgram,
        directory: &Path,
        state: Option<PathBuf>,
        cache: PathBuf,
    ) -> Result<Self, DiscoverError> {
        let repository = Repository::discover(program, directory)?;
        let layout = StateLayout::new(&repository, state, cache);
        Ok(Self { git: repository, layout })
    }

    /// Where the user works, or the repository itself if it has no checkout.
    pub fn directory(&self) -> &Path {
        self.git.root().unwrap_or_else(|| self.git.common_dir())
    }

    /// The records of the newest run that `wanted` accepts, read without the lock.
    pub fn find_run(
        &self,
        wanted: impl Fn(&Run) -> bool,
    ) -> Result<Option<RecordedRun>, OpenError> {
        self.check_owner()?;
        let Some(reader) = self.open_reader()? else { return Ok(None) };
        newest_run(reader.read_all()?, wanted)
    }

    /// Every run of the journal, oldest first; read without the lock.
    pub fn all_runs(&self) -> Result<Vec<RecordedRun>, OpenError> {
        self.check_owner()?;
        let Some(reader) = self.open_reader()? else { return Ok(Vec::new()) };
        let mut records = reader.read_all()?;
        let mut by_run: Vec<(String, Vec<JournalRecord>)> = Vec::new();
        if let Some(only) = records.first().map(|record| record.run.clone())
            && records.iter().all(|record| record.run == only)
        {
            by_run.push((only.clone(), take_run(&mut records, &only)));
        }
        for record in records {
            match by_run.iter_mut().find(|(run, _)| *run == record.run) {
                Some((_, records)) => records.push(record),
                None => by_run.push((record.run.clone(), vec![record])),
            }
        }
        let mut runs = Vec::new();
        for (_, records) in by_run {
            if let Some((run, last_at)) = journal_records::replay(&records)? {
                runs.push(RecordedRun { run, last_at, records });
            }
        }
        Ok(runs)
    }

    /// Finished tasks of every run that were estimated before they ran; read without the lock.
    pub fn task_samples(&self) -> Result<Vec<TaskSample>, OpenError> {
        self.check_owner()?;
        let Some(reader) = self.open_reader()? else { return Ok(Vec::new()) };
        Ok(collect_samples(&reader.read_all()?)?)
    }

    /// The journal for reading; none if there never was one, and an error if it is gone.
    fn open_reader(&self) -> Result<Option<JournalReader>, OpenError> {
        match Journal::open_read_only(&self.layout.state) {
            Ok(None) => self.check_state_exists().map(|()| None),
            Err(gone @ JournalError::DatabaseGone { .. }) => match self.describe_lost_state()? {
                Some(lost) => Err(OpenError::StateLost(Box::new(lost))),
                None => Err(gone.into()),
            },
            other => Ok(other?),
        }
    }

    /// The process that drives this repository now.
    pub fn holder(&self) -> Result<Option<LockHolder>, LockError> {
        DriverLock::holder(&self.layout.lock)
    }

    /// Takes the lock and opens the journal; ends what earlier drivers left running.
    pub fn lock(&self, holder: &LockHolder) -> Result<LockedRepo, OpenError> {
        let lock = DriverLock::acquire(&self.layout.lock, holder)?;
        self.check_owner()?;
        self.open_reader()?;
        self.open_locked(lock)
    }

    /// The same for a new run, which needs no earlier journal: if it is gone, a new one is begun.
    pub fn lock_for_new_run(&self, holder: &LockHolder) -> Result<LockedRepo, OpenError> {
        let lock = DriverLock::acquire(&self.layout.lock, holder)?;
        self.check_owner()?;
        Journal::set_aside_remains(&self.layout.state)?;
        self.open_locked(lock)
    }

    fn open_locked(&self, lock: DriverLock) -> Result<LockedRepo, OpenError> {
        let journal = Journal::open(&self.layout.state)?;
        self.note_owner()?;
        self.mark_state()?;
        let swept = self.end_leftovers()?;
        let repairs = dead_refs::repair(self)?;
        Ok(LockedRepo { context: self.clone(), journal, swept, repairs, _lock: lock })
    }

    /// Takes the lock for cleanup: no driver runs meanwhile, and nothing that is missing is created.
    pub fn lock_for_cleanup(&self, holder: &LockHolder) -> Result<DriverLock, OpenError> {
        let lock = DriverLock::acquire(&self.layout.lock, holder)?;
        self.check_owner()?;
        self.end_leftovers()?;
        dead_refs::repair(self)?;
        Ok(lock)
    }

    fn end_leftovers(&self) -> Result<SweepReport, OpenError> {
        let prefix = job_prefix(&self.git);
        let swept = sweep_leftovers(&self.layout.processes(), &prefix);
        self.git.end_stale_git(ORPHAN_PATIENCE)?;
        // A process that still runs may still write into a workspace that the next worker would get.
        if !swept.stubborn.is_empty() {
            return Err(OpenError::StillRunning(swept.stubborn));
        }
        Ok(swept)
    }
}

impl RepoContext {
    /// How the names of everything begin that afresh makes for this repository in directories that it shares.
    pub fn job_prefix(&self) -> String {
        job_prefix(&self.git)
    }

    /// The lock belongs to the repository, the journal to the state directory: a state directory outside of the
    /// repository must belong to one repository alone. One inside moves with it, and needs no note.
    fn owner_note(&self) -> Option<PathBuf> {
        let inside = self.git.root().is_some_and(|root| self.layout.state.starts_with(root));
        (!inside).then(|| self.layout.state.join("repository"))
    }

    fn own_name(&self) -> String {
        self.git.common_dir().to_string_lossy().into_owned()
    }

    fn check_owner(&self) -> Result<(), OpenError> {
        let owner = self.owner_note().and_then(|note| fs::read_to_string(note).ok());
        match owner {
            Some(owner) if owner != self.own_name() => {
                Err(OpenError::OtherRepository { state: self.layout.state.clone(), owner })
            }
            _ => Ok(()),
        }
    }

    fn note_owner(&self) -> Result<(), IoFault> {
        match self.owner_note() {
            Some(note) if !note.exists() => write_atomically(&note, self.own_name().as_bytes()),
            _ => Ok(()),
        }
    }
}

/// A run as recorded in its journal.
#[derive(Debug)]
pub struct RecordedRun {
    pub run: Run,
    pub last_at: Timestamp,
    pub records: Vec<JournalRecord>,
}

impl RecordedRun {
    /// Reads what was recorded since; returns whether there was anything new.
    pub fn catch_up(&mut self, repository: &RepoContext) -> Result<bool, OpenError> {
        let Some(reader) = Journal::open_read_only(&repository.layout.state)? else {
            return Ok(false);
        };
        let last = self.records.last().map_or(0, |record| record.seq);
        let fresh =
            reader.read_after(last)?.into_iter().filter(|r| r.run == self.run.id().as_str());
        let fresh: Vec<JournalRecord> = fresh.collect();
        for record in &fresh {
            journal_records::apply(&mut self.run, record.seq, &journal_records::to_event(record)?)?;
            self.last_at = self.last_at.max(Timestamp(record.at_ms));
        }
        let any = !fresh.is_empty();
        self.records.extend(fresh);
        Ok(any)
    }
}

/// The lock on the repository, until this is dropped.
#[derive(Debug)]
pub struct LockedRepo {
    pub context: RepoContext,
    pub journal: Journal,
    /// The sweep that ended what earlier drivers had left running.
    pub swept: SweepReport,
    /// What was repaired in the repository, for the user.
    pub repairs: Vec<String>,
    _lock: DriverLock,
}

/// A run that can be driven.
#[derive(Debug)]
pub struct OpenRun {
    pub repo: LockedRepo,
    pub run: Run,
    pub last_at: Timestamp,
    /// What was recorded before a reporter could see it.
    pub unreported: Vec<UnreportedEvent>,
}

/// An event on disk that no reporter has seen.
#[derive(Debug)]
pub struct UnreportedEvent {
    pub seq: u64,
    pub wall_ms: i64,
    pub event: Event,
}

impl LockedRepo {
    /// The newest run that `wanted` accepts.
    pub fn find_run(
        &self,
        wanted: impl Fn(&Run) -> bool,
    ) -> Result<Option<RecordedRun>, OpenError> {
        newest_run(self.journal.read_all()?, wanted)
    }

    /// Starts a new run of `plan` from the user's current commit, with these files added to it.
    pub fn start_run(
        mut self,
        plan: Plan,
        settings: Settings,
        files: &BTreeMap<String, Vec<u8>>,
    ) -> Result<OpenRun, OpenError> {
        let head = self.context.git.head()?.ok_or(OpenError::Unborn)?;
        let base = if files.is_empty() { head } else { self.add_files(&head, &plan, files)? };
        let id = self.new_run_id(&plan)?;
        let event = Event::RunStarted {
            run: id.clone(),
            branch: run_branch_name(id.as_str()),
            base,
            plan: Box::new(plan),
            settings: Box::new(settings),
        };
        let wall_ms = wall_ms();
        let record = journal_records::to_record(&id, 0, Timestamp::default(), wall_ms, &event);
        let seq = self.journal.append(&[record])?;
        let run = Run::start(&event).expect("this event starts a run");
        let unseen = vec![UnreportedEvent { seq, wall_ms, event }];
        Ok(OpenRun { repo: self, run, last_at: Timestamp::default(), unreported: unseen })
    }

    /// Starts a new run with what another one landed up to a commit; its branch exists when this returns.
    pub fn fork_run(mut self, of: &Run, fork: &RunFork) -> Result<Run, OpenError> {
        let id = self.new_run_id(of.plan())?;
        let started = Event::RunStarted {
            run: id.clone(),
            branch: run_branch_name(id.as_str()),
            base: of.base().clone(),
            plan: Box::new(of.plan().clone()),
            settings: Box::new(of.settings().clone()),
        };
        let mut run = Run::start(&started).expect("this event starts a run");
        let (at, wall_ms) = (Timestamp::default(), wall_ms());
        let mut records = vec![journal_records::to_record(&id, 0, at, wall_ms, &started)];
        for event in &fork.events {
            run.apply(event).expect("what landed in a run fits its plan");
            records.push(journal_records::to_record(&id, 0, at, wall_ms, event));
        }
        // All of it or nothing: a part of them would be another run.
        self.journal.append(&records)?;
        let mut open = self.open_run(run, at);
        open.keep_branch()?;
        Ok(open.run)
    }

    fn add_files(
        &self,
        onto: &CommitId,
        plan: &Plan,
        files: &BTreeMap<String, Vec<u8>>,
    ) -> Result<CommitId, OpenError> {
        let git = &self.context.git;
        let seconds = u64::try_from(wall_ms() / 1000).unwrap_or(0);
        let signature = CommitSignature { identity: git.identity()?, at_seconds: seconds };
        let message = format!("Start {}\n", plan.name);
        let overlay = FileOverlay { onto, files, message: &message, signature: &signature };
        Ok(git.commit_files(&overlay)?)
    }

    /// Continues a run of the journal.
    pub fn open_run(self, run: Run, last_at: Timestamp) -> OpenRun {
        OpenRun { repo: self, run, last_at, unreported: Vec::new() }
    }
}

/// The run of a state directory that was driven last, without a look at its repository.
pub fn find_last_run(state: &Path) -> Result<Option<Run>, OpenError> {
    let Some(reader) = Journal::open_read_only(state)? else { return Ok(None) };
    Ok(newest_run(reader.read_all()?, |_| true)?.map(|found| found.run))
}

/// The run that `wanted` accepts and that was driven last.
fn newest_run(
    mut records: Vec<JournalRecord>,
    wanted: impl Fn(&Run) -> bool,
) -> Result<Option<RecordedRun>, OpenError> {
    let newest_first: Vec<String> =
        last_drive::order_runs(&records).into_iter().map(str::to_owned).collect();
    for id in newest_first {
        let own = take_run(&mut records, &id);
        if let Some((run, last_at)) = journal_records::replay(&own)?
            && wanted(&run)
        {
            return Ok(Some(RecordedRun { run, last_at, records: own }));
        }
    }
    Ok(None)
}

/// The records of one run; moved and not copied, because a large run has a hundred thousand of them.
fn take_run(records: &mut Vec<JournalRecord>, run: &str) -> Vec<JournalRecord> {
    let all = std::mem::take(records);
    if all.iter().all(|record| record.run == run) {
        return all;
    }
    let (own, others) = all.into_iter().partition(|record| record.run == run);
    *records = others;
    own
}

/// Distinguishes this repository's jobs from those of others.
pub(crate) fn job_prefix(repository: &Repository) -> String {
    let print = blake3::hash(repository.common_dir().as_os_str().as_encoded_bytes()).to_hex();
    format!("{}-", &print[..12])
}

/// A pool of workspaces for the repository.
pub(crate) fn pool(repository: &RepoContext) -> Result<WorkspacePool, PoolError> {
    WorkspacePool::open(repository.git.clone(), &repository.layout.cache)
}
