//! The event loop over one program: output, limits, control messages, exits.
//!
//! It only finds out how the program ended, or that it must be ended; `run` ends the process tree.

use std::fs::File;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use afresh_core::process::{ProcessEnd, StopSignal};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::driver::job::{JobLimits, stop_signal_number};
use crate::driver::report::{ContainmentLevel, JobReport, SpawnError};
use crate::leftovers::member_log::MemberLog;
use crate::limits::monitor::LimitMonitor;
use crate::limits::tree_limits::TreeLimits;
use crate::output::pipes::OutputPipes;
use crate::supervisor::protocol::{
    ControlMessage, ExitState, LineReader, NamespaceCommand, PeerState, ProgramSpec, StageCommand,
    StageReply, StatusMessage, send,
};
use crate::supervisor::reaper::ChildReaper;
use crate::supervisor::signals::{ChildExits, is_handled_by_any_child};
use crate::supervisor::stage::StageProcess;

/// New output is reported to the driver at most this often.
const STATUS_INTERVAL: Duration = Duration::from_millis(200);

/// By then every sandbox is set up.
const SETTLE_TIME: Duration = Duration::from_secs(2);
const SIGNAL_RETRY: Duration = Duration::from_millis(10);

/// The supervisor's connection to the driver.
#[derive(Debug)]
pub(crate) struct DriverLink {
    control: File,
    lines: LineReader,
    status_pipe: File,
    reported_bytes: u64,
    reported_at: Instant,
    reported_started: bool,
}

impl DriverLink {
    pub(crate) fn new(control: File, lines: LineReader, status_pipe: File) -> Self {
        Self {
            control,
            lines,
            status_pipe,
            reported_bytes: 0,
            reported_at: Instant::now(),
            reported_started: false,
        }
    }

    pub(crate) fn report(&mut self, report: JobReport) {
        // If the driver is gone, no report is needed.
        let _ = send(&mut self.status_pipe, &StatusMessage::Report(Box::new(report)));
    }

    /// A short line, which always fits into the pipe.
    fn send_started(&mut self) {
        if !self.reported_started {
            self.reported_started = true;
            let _ = send(&mut self.status_pipe, &StatusMessage::Started);
        }
    }

    /// Never blocks: a driver that does not read must not delay the enforcement of limits.
    fn send_output_bytes(&mut self, bytes: u64) {
        if bytes == self.reported_bytes || self.reported_at.elapsed() < STATUS_INTERVAL {
            return;
        }
        self.reported_at = Instant::now();
        let mut polled = [PollFd::new(self.status_pipe.as_fd(), PollFlags::POLLOUT)];
        let is_writable = poll(&mut polled, PollTimeout::ZERO).is_ok()
            && polled[0].revents().is_some_and(|it| it.contains(PollFlags::POLLOUT));
        if is_writable {
            self.reported_bytes = bytes;
            let _ = send(&mut self.status_pipe, &StatusMessage::Output { bytes });
        }
    }
}

/// How the event loop ended.
#[derive(Debug)]
pub(crate) enum LoopOutcome {
    /// This containment cannot be used; nothing was started.
    Unavailable(String),
    Failed(SpawnError),
    Ended(ProcessEnd),
}

impl LoopOutcome {
    pub(crate) fn after(self, wall: Duration) -> (Self, Duration) {
        (self, wall)
    }
}

pub(crate) struct EventLoop<'a> {
    pub link: &'a mut DriverLink,
    pub deaths: &'a ChildExits,
    pub stage: &'a mut StageProcess,
    pub reaper: &'a mut ChildReaper,
    pub pipes: &'a mut OutputPipes,
    pub limits: &'a JobLimits,
    pub tree_limits: &'a TreeLimits,
    pub monitor: &'a mut LimitMonitor,
    pub spec: ProgramSpec,
    pub level: ContainmentLevel,
    pub member_log: Option<MemberLog<'a>>,
}

/// A program that was asked to stop, and why.
struct PendingStop {
    why: ProcessEnd,
    kill_at: Instant,
    /// Whether the stop signal was sent.
    is_asked: bool,
}

struct LoopDeadlines {
    started: Instant,
    last_output: Instant,
    /// The program waits for the driver: its silence does not count.
    silence_paused: bool,
    stopping: Option<PendingStop>,
}

/// The sources that are ready to be read.
#[derive(Default)]
struct ReadySources {
    driver: bool,
    stage: bool,
    pipes: Vec<usize>,
}

impl EventLoop<'_> {
    pub(crate) fn run(mut self) -> (LoopOutcome, Duration) {
        let now = Instant::now();
        let mut times =
            LoopDeadlines { started: now, last_output: now, silence_paused: false, stopping: None };
        loop {
            if let Some(verdict) = self.run_once(&mut times) {
                let ended = match (verdict, times.stopping) {
                    // It ended because it was asked to, whatever its exit status.
                    (LoopOutcome::Ended(_), Some(stopping)) => LoopOutcome::Ended(stopping.why),
                    (verdict, _) => verdict,
                };
                return ended.after(times.started.elapsed());
            }
        }
    }

    fn run_once(&mut self, times: &mut LoopDeadlines) -> Option<LoopOutcome> {
        let ready = self.wait(self.next_deadline(times));
        self.deaths.forget();
        for index in ready.pipes {
            if self.pipes.read_pipe(index) {
                times.last_output = Instant::now();
            }
        }
        self.link.send_output_bytes(self.pipes.byte_count());
        if let Some(member_log) = &mut self.member_log {
            member_log.record_if_due();
        }
        if ready.stage {
            self.stage.listen();
        }
        let over = self.read_stage().or_else(|| self.check_children());
        if over.is_none() && self.stage.is_closed() {
            self.link.send_started();
        }
        over.or_else(|| ready.driver.then(|| self.read_driver(times)).flatten())
            .or_else(|| self.enforce_limits(times))
    }

    fn wait(&self, until: Option<Instant>) -> ReadySources {
        let mut polled = vec![PollFd::new(self.link.control.as_fd(), PollFlags::POLLIN)];
        let pipes = self.pipes.descriptors();
        polled.extend(pipes.iter().map(|(_, it)| PollFd::new(*it, PollFlags::POLLIN)));
        let stage_at = polled.len();
        let stage = self.stage.descriptor();
        polled.extend(stage.map(|it| PollFd::new(it, PollFlags::POLLIN)));
        polled.extend(self.deaths.polled());
        if poll(&mut polled, timeout(until)).is_err() {
            return ReadySources::default();
        }
        let speaks = |index: usize| polled[index].any().unwrap_or(true);
        ReadySources {
            driver: speaks(0),
            stage: stage.is_some() && speaks(stage_at),
            pipes: (0..pipes.len()).filter(|at| speaks(at + 1)).map(|at| pipes[at].0).collect(),
        }
    }

    fn next_deadline(&self, times: &LoopDeadlines) -> Option<Instant> {
        let untold = self.pipes.byte_count() != self.link.reported_bytes;
        let moments = [
            times.stopping.as_ref().map(|it| it.kill_at),
            times
                .stopping
                .as_ref()
                .filter(|it| !it.is_asked)
                .map(|_| Instant::now() + SIGNAL_RETRY),
            self.limits
                .wall
                .filter(|_| times.stopping.is_none())
                .and_then(|it| times.started.checked_add(it)),
            self.limits
                .silence
                .filter(|_| times.stopping.is_none() && !times.silence_paused)
                .and_then(|it| times.last_output.checked_add(it)),
            untold.then(|| self.link.reported_at + STATUS_INTERVAL),
            self.member_log.as_ref().map(MemberLog::due),
            self.monitor.due(),
            ChildExits::longest_wait().map(|it| Instant::now() + it),
        ];
        moments.into_iter().flatten().min()
    }

    fn read_stage(&mut self) -> Option<LoopOutcome> {
        while let Some(reply) = self.stage.next_reply() {
            let verdict = self.handle_reply(reply);
            if verdict.is_some() {
                return verdict;
            }
        }
        None
    }

    fn handle_reply(&mut self, reply: StageReply) -> Option<LoopOutcome> {
        match reply {
            StageReply::Inside => {
                self.stage.send(&StageCommand::Init(self.spec.clone()));
                None
            }
            StageReply::Started => {
                self.link.send_started();
                None
            }
            StageReply::CgroupsUnavailable => {
                self.monitor.poll_all(self.tree_limits);
                None
            }
            StageReply::Unavailable(why) => Some(LoopOutcome::Unavailable(why)),
            StageReply::Failed(failure) => Some(LoopOutcome::Failed(failure)),
            StageReply::Ended(status) => Some(LoopOutcome::Ended(process_end(status))),
        }
    }

    /// A stage that exited may have sent a reason; one that became the program sent nothing.
    fn check_children(&mut self) -> Option<LoopOutcome> {
        self.reaper.reap();
        let status = self.reaper.status()?;
        while let Some(reply) = self.stage.read_final_reply() {
            let verdict = self.handle_reply(reply);
            if verdict.is_some() {
                return verdict;
            }
        }
        Some(LoopOutcome::Ended(process_end(status)))
    }

    fn read_driver(&mut self, times: &mut LoopDeadlines) -> Option<LoopOutcome> {
        if self.link.lines.fill(&mut self.link.control) == PeerState::Closed {
            return Some(LoopOutcome::Ended(ProcessEnd::Stopped));
        }
        while let Some(message) = self.link.lines.next() {
            match message {
                ControlMessage::Stop { grace } => self.stop(times, ProcessEnd::Stopped, grace),
                ControlMessage::PauseSilenceLimit(excused) => {
                    times.silence_paused = excused;
                    times.last_output = Instant::now();
                }
                ControlMessage::Kill => {
                    self.stop(times, ProcessEnd::Stopped, Duration::ZERO);
                    return Some(LoopOutcome::Ended(ProcessEnd::Stopped));
                }
            }
        }
        None
    }

    fn enforce_limits(&mut self, times: &mut LoopDeadlines) -> Option<LoopOutcome> {
        // No grace period: it would only use more.
        if let Some(excess) = self.monitor.check_if_due() {
            return Some(LoopOutcome::Ended(ProcessEnd::OverLimit(excess)));
        }
        let now = Instant::now();
        self.send_stop_signal(times);
        if let Some(stopping) = &times.stopping {
            return (now >= stopping.kill_at).then_some(LoopOutcome::Ended(ProcessEnd::Stopped));
        }
        if self.limits.wall.is_some_and(|wall| now - times.started >= wall) {
            self.stop(times, ProcessEnd::TimedOut, self.limits.grace);
        }
        let silent_for = now - times.last_output;
        if !times.silence_paused && self.limits.silence.is_some_and(|limit| silent_for >= limit) {
            self.stop(times, ProcessEnd::WentSilent, self.limits.grace);
        }
        None
    }

    /// The first reason counts; a later request can only shorten the grace period.
    fn stop(&mut self, times: &mut LoopDeadlines, why: ProcessEnd, grace: Duration) {
        let now = Instant::now();
        // Before the program started, no process could handle the stop signal.
        let is_asked = self.link.reported_started && self.limits.stop_signal != StopSignal::Kill;
        let grace = if is_asked { grace } else { Duration::ZERO };
        // A grace period beyond the range of the clock is limited to a day.
        let kill_at = now.checked_add(grace).unwrap_or(now + Duration::from_secs(86_400));
        if let Some(stopping) = &mut times.stopping {
            stopping.kill_at = stopping.kill_at.min(kill_at);
        } else {
            times.stopping = Some(PendingStop { why, kill_at, is_asked: false });
            self.send_stop_signal(times);
        }
    }

    /// A signal that arrives while a sandbox is being set up would reach the processes that set it
    /// up, not the program that they start a moment later. So it is delayed until a process can
    /// handle it. It is sent only once, because some programs abort at the second one.
    fn send_stop_signal(&mut self, times: &mut LoopDeadlines) {
        let is_settled = self.spec.through.is_empty() || times.started.elapsed() >= SETTLE_TIME;
        if let Some(stopping) = &mut times.stopping
            && !stopping.is_asked
            && (is_settled || is_handled_by_any_child(stop_signal_number(self.limits.stop_signal)))
        {
            stopping.is_asked = true;
            self.terminate();
        }
    }

    fn terminate(&mut self) {
        if self.level == ContainmentLevel::Namespace {
            self.stage.send(&NamespaceCommand::Terminate(self.limits.stop_signal));
            return;
        }
        let group = Pid::from_raw(self.reaper.main_pid());
        let _ = killpg(group, stop_signal_number(self.limits.stop_signal));
        let _ = killpg(group, Signal::SIGCONT);
    }
}

fn process_end(status: ExitState) -> ProcessEnd {
    match status {
        ExitState::Exited(code) => ProcessEnd::Exited(code),
        ExitState::Signaled(signal) => ProcessEnd::Signaled(signal),
    }
}

/// Rounded up, so that the time has passed when the wait is over.
fn timeout(until: Option<Instant>) -> PollTimeout {
    let Some(until) = until else { return PollTimeout::NONE };
    let millis = until.saturating_duration_since(Instant::now()).as_micros().div_ceil(1000);
    PollTimeout::try_from(millis).unwrap_or(PollTimeout::MAX)
}
