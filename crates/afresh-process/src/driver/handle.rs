//! The driver's side of one job.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use thiserror::Error;

use crate::containment::proc_table::ProcessIdentity;
use crate::driver::job::{JobProblem, JobSpec};
use crate::driver::lost;
use crate::driver::report::JobReport;
use crate::supervisor::protocol::{
    ControlMessage, LineReader, PeerState, StageCommand, StatusMessage, send,
};

/// A supervisor that does not answer within this time after it should have is hung or stopped.
const SUPERVISOR_TIMEOUT: Duration = Duration::from_secs(4);

/// Why a job could not be handed to a supervisor. Nothing of it runs.
#[derive(Debug, Error)]
pub enum StartError {
    #[error("cannot run job {name}: {}", join_problems(.problems))]
    Job { name: String, problems: Vec<JobProblem> },
    #[error("cannot start the supervisor {exe} of job {name}: {source}")]
    Spawn { name: String, exe: PathBuf, source: io::Error },
    #[error(
        "the supervisor of job {name} exited before it accepted the job: {source}; is {exe} complete?"
    )]
    HandOver { name: String, exe: PathBuf, source: io::Error },
}

fn join_problems(problems: &[JobProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// A job under its supervisor. If it is dropped without [`RunningJob::wait`], it is killed and
/// waited for.
#[derive(Debug)]
pub struct RunningJob {
    name: String,
    registry: PathBuf,
    supervisor: Child,
    identity: ProcessIdentity,
    status: ChildStdout,
    lines: LineReader,
    woken: UnixStream,
    control: Arc<ControlChannel>,
    seen: Arc<AtomicU64>,
    /// The report, if it arrived before `wait` was called.
    early: Option<JobReport>,
    report: Option<JobReport>,
}

/// Stops a job from another thread.
#[derive(Debug, Clone)]
pub struct JobStopper(Arc<ControlChannel>);

/// Bytes of output so far; at most a fraction of a second old while a thread waits for the job.
#[derive(Debug, Clone)]
pub struct OutputCounter(Arc<AtomicU64>);

impl OutputCounter {
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
struct ControlChannel {
    state: Mutex<ControlState>,
    wake: UnixStream,
}

#[derive(Debug)]
struct ControlState {
    /// None once the supervisor has reported or is lost: then no control message can be sent.
    pipe: Option<ChildStdin>,
    supervisor: ProcessIdentity,
    /// By when the supervisor must have reported.
    deadline: Option<Instant>,
}

impl RunningJob {
    /// Starts `exe` with [`crate::HIDDEN_COMMAND`] and sends it the job.
    pub fn start(exe: &Path, job: &JobSpec) -> Result<Self, StartError> {
        let name = job.name.clone();
        let problems = job.problems();
        if !problems.is_empty() {
            return Err(StartError::Job { name, problems });
        }
        let spawn = |source| StartError::Spawn { name: name.clone(), exe: exe.into(), source };
        let (woken, wake) = waker().map_err(spawn)?;
        let mut supervisor = Command::new(exe)
            .arg(crate::HIDDEN_COMMAND)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // The driver handles a Ctrl-C in the terminal.
            .process_group(0)
            .spawn()
            .map_err(spawn)?;
        let identity = ProcessIdentity::from_pid(supervisor.id().cast_signed());
        let mut pipe = supervisor.stdin.take().expect("its standard input is piped");
        let status = supervisor.stdout.take().expect("its standard output is piped");
        if let Err(source) = send(&mut pipe, &StageCommand::Supervise(Box::new(job.clone()))) {
            drop(pipe);
            // It has no job, so it holds nothing; a hung one must not block us.
            let _ = supervisor.kill();
            let _ = supervisor.wait();
            return Err(StartError::HandOver { name, exe: exe.into(), source });
        }
        let deadline = job.limits.wall.and_then(|wall| {
            Instant::now()
                .checked_add(wall)?
                .checked_add(job.limits.grace)?
                .checked_add(2 * SUPERVISOR_TIMEOUT)
        });
        let state = ControlState { pipe: Some(pipe), supervisor: identity, deadline };
        Ok(Self {
            name,
            registry: job.registry.clone(),
            supervisor,
            identity,
            status,
            lines: LineReader::default(),
            woken,
            control: Arc::new(ControlChannel { state: Mutex::new(state), wake }),
            seen: Arc::default(),
            early: None,
            report: None,
        })
    }

    /// Waits until the whole process tree is gone. Later calls return the same report again.
    pub fn wait(&mut self) -> JobReport {
        self.wait_watching(|| {})
    }

    /// The same; `on_output` is called when there is more output in the files, a few times a second
    /// at most.
    pub fn wait_watching(&mut self, on_output: impl FnMut()) -> JobReport {
        if let Some(report) = &self.report {
            return report.clone();
        }
        let report = match self.await_report(on_output) {
            Some(report) => self.acknowledge_report(report),
            None => self.clean_up(),
        };
        self.seen.store(report.stdout_bytes + report.stderr_bytes, Ordering::Relaxed);
        self.report = Some(report.clone());
        report
    }

    pub fn stopper(&self) -> JobStopper {
        JobStopper(Arc::clone(&self.control))
    }

    pub fn output_counter(&self) -> OutputCounter {
        OutputCounter(Arc::clone(&self.seen))
    }

    /// The process to look for in a list of processes.
    pub fn supervisor_pid(&self) -> u32 {
        self.supervisor.id()
    }

    /// Waits until the program itself runs, or is known not to start.
    pub fn has_started(&mut self) -> bool {
        if self.report.is_none() && self.early.is_none() {
            match self.next_status() {
                // A program that writes has started.
                Some(StatusMessage::Started | StatusMessage::Output { .. }) => return true,
                Some(StatusMessage::Report(report)) => self.early = Some(*report),
                None => return false,
            }
        }
        let report = self.report.as_ref().or(self.early.as_ref());
        report.is_some_and(|report| report.ended.is_ok())
    }

    /// None if the supervisor died or does not answer.
    fn await_report(&mut self, mut on_output: impl FnMut()) -> Option<JobReport> {
        if let Some(report) = self.early.take() {
            return Some(report);
        }
        // There may be output from before this call.
        on_output();
        loop {
            match self.next_status()? {
                StatusMessage::Report(report) => return Some(*report),
                StatusMessage::Output { .. } => on_output(),
                StatusMessage::Started => {}
            }
        }
    }

    /// The supervisor's next message; none if it is lost.
    fn next_status(&mut self) -> Option<StatusMessage> {
        let mut closed = false;
        loop {
            if let Some(status) = self.lines.next() {
                if let StatusMessage::Output { bytes } = &status {
                    self.seen.store(*bytes, Ordering::Relaxed);
                }
                return Some(status);
            }
            let deadline = self.control.lock().deadline;
            if closed || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return None;
            }
            closed = self.listen(deadline) == PeerState::Closed;
        }
    }

    fn listen(&mut self, deadline: Option<Instant>) -> PeerState {
        let timeout = deadline.map_or(PollTimeout::NONE, |deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            PollTimeout::try_from(left.as_millis() + 1).unwrap_or(PollTimeout::MAX)
        });
        let mut polled = [
            PollFd::new(self.status.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.woken.as_fd(), PollFlags::POLLIN),
        ];
        if poll(&mut polled, timeout).is_err() {
            return PeerState::Open;
        }
        let [status, woken] = polled.map(|it| it.any().unwrap_or(true));
        if woken {
            // It only signals that the deadline has changed.
            let _ = io::Read::read(&mut self.woken, &mut [0; 64]);
        }
        if status { self.lines.fill(&mut self.status) } else { PeerState::Open }
    }

    /// Its work is done, so it exits by itself; if it hangs, it is not needed.
    fn acknowledge_report(&mut self, report: JobReport) -> JobReport {
        self.control.lock().pipe = None;
        let until = Instant::now() + SUPERVISOR_TIMEOUT;
        while matches!(self.supervisor.try_wait(), Ok(None)) {
            if Instant::now() >= until {
                let _ = self.supervisor.kill();
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        report
    }

    fn clean_up(&mut self) -> JobReport {
        // If it only hangs, its process tree is ended while it still holds it.
        if matches!(self.supervisor.try_wait(), Ok(None)) {
            crate::leftovers::sweep::end_supervisor(self.identity);
            let _ = self.supervisor.kill();
        }
        self.control.lock().pipe = None;
        let _ = self.supervisor.wait();
        lost::end_lost_job(&self.registry, &self.name, self.identity)
    }
}

impl Drop for RunningJob {
    fn drop(&mut self) {
        self.stopper().kill();
        self.wait();
    }
}

/// Whether a program that prints nothing for too long is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SilenceLimit {
    Applies,
    /// The program is waiting for us.
    Paused,
}

impl JobStopper {
    /// Asks the program to stop, and kills its process tree after `grace`.
    pub fn stop(&self, grace: Duration) {
        self.0.send_control(&ControlMessage::Stop { grace }, grace);
    }

    /// Tells the supervisor whether the program's silence counts.
    pub fn set_silence_limit(&self, limit: SilenceLimit) {
        let mut state = self.0.lock();
        if let Some(pipe) = &mut state.pipe {
            // If the supervisor is gone, the waiting thread notices.
            let _ = send(pipe, &ControlMessage::PauseSilenceLimit(limit == SilenceLimit::Paused));
        }
    }

    /// Kills the process tree now.
    pub fn kill(&self) {
        self.0.send_control(&ControlMessage::Kill, Duration::ZERO);
    }
}

impl ControlChannel {
    fn lock(&self) -> MutexGuard<'_, ControlState> {
        // The state is consistent between any two statements that change it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send_control(&self, message: &ControlMessage, grace: Duration) {
        let mut state = self.lock();
        let supervisor = state.supervisor;
        let Some(pipe) = &mut state.pipe else { return };
        // A program may have stopped its own supervisor.
        supervisor.signal(Signal::SIGCONT);
        // If the supervisor is gone, the waiting thread notices.
        let _ = send(pipe, message);
        let by =
            Instant::now().checked_add(grace).and_then(|it| it.checked_add(SUPERVISOR_TIMEOUT));
        state.deadline = match (state.deadline, by) {
            (Some(earlier), Some(by)) => Some(earlier.min(by)),
            (earlier, by) => earlier.or(by),
        };
        drop(state);
        let _ = io::Write::write(&mut &self.wake, &[0]);
    }
}

fn waker() -> io::Result<(UnixStream, UnixStream)> {
    let (woken, wake) = UnixStream::pair()?;
    woken.set_nonblocking(true)?;
    wake.set_nonblocking(true)?;
    Ok((woken, wake))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopper_can_be_sent_to_other_threads() {
        fn shared<T: Send + Sync + Clone + 'static>() {}
        shared::<JobStopper>();
        shared::<OutputCounter>();
    }
}
