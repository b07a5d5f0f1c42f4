//! Checks: on a clean checkout in a workspace that no worker can write to, with a time limit and their own process
//! tree.

mod cache;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use afresh_core::Input;
use afresh_core::check::{CheckEnd, CheckOutcome, CheckPhase, CheckResult};
use afresh_core::effect::{CheckOn, CheckRequest};
use afresh_core::ids::{CommitId, TreeId, WorkspaceSlot};
use afresh_core::input::CheckReport;
use afresh_core::plan::Check;
use afresh_core::printable;
use afresh_git::{PrepareTarget, WorkspaceId};
use afresh_process::{JobLimits, JobSpec, ProcessEnd, RunningJob, StopSignal};

use crate::executor::ExecutorContext;
use crate::executor::cancel::CancelHandle;
use crate::executor::causes::describe;
use crate::executor::denials;
use crate::executor::sandbox::SandboxSubject;
use crate::executor::setup::SetupOutcome;
use crate::worker_files::open_plain;
use cache::CheckCache;

/// How many bytes of one check's output are kept on disk.
const OUTPUT_BYTES: u64 = 8 * 1024 * 1024;
/// How many bytes of its end go to the journal and to the next worker.
const TAIL_BYTES: usize = 4_000;
const GRACE: Duration = Duration::from_secs(2);

/// Hands out workspaces for checks, and ends what runs in them.
#[derive(Debug)]
pub(crate) struct CheckSlots {
    state: Mutex<SlotQueue>,
    freed: Condvar,
    pub(crate) passes: CheckCache,
}

#[derive(Debug)]
struct SlotQueue {
    free: BTreeSet<u16>,
    running: Vec<CancelHandle>,
    /// Counts how often all checks were stopped; older tickets are void.
    round: u64,
}

/// The right to run checks, until all checks are stopped the next time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckTicket(u64);

impl CheckSlots {
    pub(crate) fn new(slots: u16) -> Self {
        let desk = SlotQueue { free: (1..=slots.max(1)).collect(), running: Vec::new(), round: 0 };
        Self { state: Mutex::new(desk), freed: Condvar::new(), passes: CheckCache::default() }
    }

    pub(crate) fn ticket(&self) -> CheckTicket {
        CheckTicket(self.lock().round)
    }

    pub(crate) fn stop_all(&self, grace: Duration) {
        let mut desk = self.lock();
        desk.round += 1;
        for handle in &desk.running {
            handle.stop(grace);
        }
        self.freed.notify_all();
    }

    fn is_void(&self, ticket: CheckTicket) -> bool {
        self.lock().round != ticket.0
    }

    /// Waits for a workspace; none if the checks were stopped meanwhile.
    fn acquire(&self, ticket: CheckTicket) -> Option<(WorkspaceSlot, CancelHandle)> {
        let mut desk = self.lock();
        loop {
            if desk.round != ticket.0 {
                return None;
            }
            if let Some(slot) = desk.free.pop_first() {
                let handle = CancelHandle::default();
                desk.running.push(handle.clone());
                return Some((WorkspaceSlot(slot), handle));
            }
            desk = self.freed.wait(desk).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn give_back(&self, slot: WorkspaceSlot, handle: &CancelHandle) {
        let mut desk = self.lock();
        desk.free.insert(slot.0);
        desk.running.retain(|other| !other.is_same(handle));
        self.freed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, SlotQueue> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs one round of checks and reports it.
pub(crate) fn carry_out(
    shared: &ExecutorContext,
    request: &CheckRequest,
    head: &CommitId,
    ticket: CheckTicket,
) -> Input {
    let tree = match &request.on {
        CheckOn::Tree(tree) => Ok(tree.clone()),
        CheckOn::Commit(commit) => shared.pool.repository().commit_tree(commit),
    };
    let (tree, checked) = match tree {
        Ok(tree) => {
            let checked = CheckRound { shared, request, tree: &tree, head, ticket }.run();
            (tree, checked)
        }
        // The core uses the tree only if the checks could run.
        Err(error) => (no_tree(), CheckOutcome::Impossible(describe(&error))),
    };
    let (attempt, phase) = (request.attempt.clone(), request.phase);
    Input::Checked(CheckReport { attempt, phase, tree, checked })
}

fn no_tree() -> TreeId {
    TreeId::new("0".repeat(40)).expect("forty digits are an object id")
}

struct CheckRound<'a> {
    shared: &'a ExecutorContext,
    request: &'a CheckRequest,
    tree: &'a TreeId,
    head: &'a CommitId,
    ticket: CheckTicket,
}

impl CheckRound<'_> {
    fn run(&self) -> CheckOutcome {
        let mut results = Vec::new();
        let mut slot = None;
        for (number, check) in self.request.checks.iter().enumerate() {
            if let Some(seen) = self.shared.check_slots.passes.find(self.tree, &check.command) {
                results.push(seen);
                continue;
            }
            if slot.is_none() {
                match self.enter() {
                    Ok(Some(entered)) => slot = Some(entered),
                    Ok(None) => return CheckOutcome::Stopped,
                    Err(why) => return CheckOutcome::Impossible(why),
                }
            }
            let here = slot.as_ref().expect("a slot was just entered");
            match here.run(self, number, check) {
                Ok(Some(result)) => {
                    let failed = !result.passed();
                    self.shared.check_slots.passes.note(self.tree, &result);
                    results.push(result);
                    // Red and final checks must all be known; otherwise the first failure decides.
                    if failed && !matches!(self.request.phase, CheckPhase::Red | CheckPhase::Final)
                    {
                        break;
                    }
                }
                Ok(None) => return CheckOutcome::Stopped,
                Err(why) => return CheckOutcome::Impossible(why),
            }
        }
        CheckOutcome::Ran(results)
    }

    /// Takes a workspace and checks out the tree; none if the checks were stopped meanwhile.
    fn enter(&self) -> Result<Option<OccupiedSlot<'_>>, String> {
        let Some((slot, handle)) = self.shared.check_slots.acquire(self.ticket) else {
            return Ok(None);
        };
        let entered = OccupiedSlot { shared: self.shared, slot, handle };
        let target = PrepareTarget::Tree { tree: self.tree, head: self.head };
        let place = WorkspaceId::Check(slot);
        self.shared
            .pool
            .prepare(place, target, &self.shared.config.keep)
            .map_err(|error| describe(&error))?;
        match self.shared.set_up(place, &entered.handle).map_err(|failed| failed.to_string())? {
            SetupOutcome::Ready => Ok(Some(entered)),
            SetupOutcome::Stopped => Ok(None),
        }
    }
}

/// A workspace that is ours until this is dropped.
struct OccupiedSlot<'a> {
    shared: &'a ExecutorContext,
    slot: WorkspaceSlot,
    handle: CancelHandle,
}

impl Drop for OccupiedSlot<'_> {
    fn drop(&mut self) {
        self.shared.check_slots.give_back(self.slot, &self.handle);
    }
}

impl OccupiedSlot<'_> {
    /// Runs one command; none if it was stopped.
    fn run(
        &self,
        round: &CheckRound<'_>,
        number: usize,
        check: &Check,
    ) -> Result<Option<CheckResult>, String> {
        let rules = &self.shared.config;
        let attempt = round.request.attempt.as_ref();
        let log = self.log_file(round, number)?;
        let mut own = vec![("AFRESH_RUN", self.shared.run.to_string())];
        if let Some(attempt) = attempt {
            own.push(("AFRESH_TASK", attempt.task.to_string()));
        }
        let job = JobSpec {
            name: format!("{}check-{}", self.shared.job_prefix, self.slot),
            argv: vec!["/bin/sh".to_owned(), "-c".to_owned(), check.command.clone()],
            wrapper: vec![],
            cwd: self.shared.pool.tree(WorkspaceId::Check(self.slot)),
            env: self.shared.environment(&rules.workers.check_env, &own).into_iter().collect(),
            stdin: None,
            stdout: log.clone(),
            stderr: log.clone(),
            secrets: rules.workers.secrets(),
            limits: JobLimits {
                wall: Some(rules.check_timeout),
                silence: None,
                output_bytes: OUTPUT_BYTES,
                grace: GRACE,
                stop_signal: StopSignal::Terminate,
            },
            tree_limits: rules.bounds.clone(),
            containment: rules.containment,
            registry: self.shared.layout.processes(),
        };
        let (job, room) = self.shared.enclosed(job, &SandboxSubject::Check)?;
        let mut running = RunningJob::start(&rules.exe, &job).map_err(|error| error.to_string())?;
        self.handle.attach(running.stopper());
        let report = running.wait();
        let end = match report.ended {
            // The result of a check that we stopped means nothing.
            _ if self.shared.check_slots.is_void(round.ticket) => return Ok(None),
            Err(error) => CheckEnd::NotStarted(error.message),
            Ok(ProcessEnd::Stopped) => return Ok(None),
            Ok(ProcessEnd::Exited(code)) => CheckEnd::Exited(code),
            Ok(ProcessEnd::Signaled(signal)) => CheckEnd::Signaled(signal),
            Ok(ProcessEnd::TimedOut | ProcessEnd::WentSilent) => CheckEnd::TimedOut,
            Ok(ProcessEnd::OverLimit(limit)) => CheckEnd::OverLimit(limit),
            Ok(ProcessEnd::SupervisorLost | ProcessEnd::Lost) => {
                return Err("the supervisor of a check was killed".to_owned());
            }
        };
        let output_tail = tail_of(&log);
        let denied = denials::of_program(
            self.shared,
            &report.enforced_limits,
            room.as_ref(),
            &[&output_tail],
        );
        let left = denials::of_left_behind(report.left_behind);
        let limit_ms = u64::try_from(rules.check_timeout.as_millis()).unwrap_or(u64::MAX);
        Ok(Some(CheckResult {
            name: check.name.clone(),
            command: check.command.clone(),
            time_limit_ms: (end == CheckEnd::TimedOut).then_some(limit_ms),
            end,
            duration_ms: report.wall_ms,
            output_digest: digest(&log),
            refusals: denied.into_iter().chain(left).collect(),
            output_tail,
            reused: false,
        }))
    }

    fn log_file(&self, round: &CheckRound<'_>, number: usize) -> Result<PathBuf, String> {
        let CheckRequest { attempt, phase, .. } = round.request;
        let directory = self.shared.layout.checks(&self.shared.run, attempt.as_ref());
        // The worker may have put a link there that leads elsewhere, or a pipe that blocks us.
        if !fs::symlink_metadata(&directory).is_ok_and(|found| found.is_dir()) {
            let _ = fs::remove_file(&directory);
        }
        fs::create_dir_all(&directory)
            .map_err(|e| format!("cannot make {}: {e}", directory.display()))?;
        let phase = match phase {
            // A task has several steps, and each may be retried.
            CheckPhase::Step => format!("step-{}", &round.tree.as_str()[..10]),
            phase => format!("{phase:?}").to_lowercase(),
        };
        let log = directory.join(format!("{phase}-{}.log", number + 1));
        let _ = fs::remove_file(&log);
        Ok(log)
    }
}

fn digest(log: &Path) -> String {
    let mut hash = blake3::Hasher::new();
    if let Ok(file) = open_plain(log) {
        let _ = hash.update_reader(file);
    }
    hash.finalize().to_hex().to_string()
}

/// The end of an output, printable: no control characters except line breaks.
pub(crate) fn tail_of(log: &Path) -> String {
    use std::io::{Read, Seek, SeekFrom};
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = open_plain(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES as u64)))?;
        let mut bytes = Vec::new();
        file.take(TAIL_BYTES as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let text = String::from_utf8_lossy(&read().unwrap_or_default()).into_owned();
    printable::lines(&text)
}
