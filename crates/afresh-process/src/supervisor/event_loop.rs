//! The loop over one program: output, limits, the driver's wishes, deaths.
//!
//! It only finds out how the program ended, or that it has to; ending the tree is `supervisor`'s.

use std::fs::File;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use afresh_core::process::ProcessEnd;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::driver::job::{Limits, stop_signal_number};
use crate::driver::report::{Report, Rung, SpawnError};
use crate::leftovers::member_log::RollCall;
use crate::limits::monitor::Guard;
use crate::limits::tree_limits::Bounds;
use crate::output::pipes::Streams;
use crate::supervisor::protocol::{
    InitWish, Lines, News, Order, Peer, Reply, Spec, Status, Wish, send,
};
use crate::supervisor::reaper::Family;
use crate::supervisor::signals::{Deaths, somebody_hears};
use crate::supervisor::stage::Stage;

/// The driver is told of new output at most this often.
const NEWS_INTERVAL: Duration = Duration::from_millis(200);

/// By then every room is made.
const SETTLED: Duration = Duration::from_secs(2);
const ASK_AGAIN: Duration = Duration::from_millis(10);

/// The supervisor's line to the driver.
#[derive(Debug)]
pub(crate) struct Link {
    control: File,
    lines: Lines,
    news: File,
    told: u64,
    told_at: Instant,
    told_started: bool,
}

impl Link {
    pub(crate) fn new(control: File, lines: Lines, news: File) -> Self {
        Self { control, lines, news, told: 0, told_at: Instant::now(), told_started: false }
    }

    pub(crate) fn report(&mut self, report: Report) {
        // A driver that is gone needs no report.
        let _ = send(&mut self.news, &News::Report(Box::new(report)));
    }

    /// The first of two short lines on a pipe that holds many.
    fn tell_started(&mut self) {
        if !self.told_started {
            self.told_started = true;
            let _ = send(&mut self.news, &News::Started);
        }
    }

    /// Never waits: a driver that does not read must not hold up the limits.
    fn tell_seen(&mut self, bytes: u64) {
        if bytes == self.told || self.told_at.elapsed() < NEWS_INTERVAL {
            return;
        }
        self.told_at = Instant::now();
        let mut polled = [PollFd::new(self.news.as_fd(), PollFlags::POLLOUT)];
        let room = poll(&mut polled, PollTimeout::ZERO).is_ok()
            && polled[0].revents().is_some_and(|it| it.contains(PollFlags::POLLOUT));
        if room {
            self.told = bytes;
            let _ = send(&mut self.news, &News::Seen { bytes });
        }
    }
}

/// How the watch ended.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// This rung cannot hold the program; nothing was started.
    Unavailable(String),
    Failed(SpawnError),
    Ended(ProcessEnd),
}

impl Verdict {
    pub(crate) fn after(self, wall: Duration) -> (Self, Duration) {
        (self, wall)
    }
}

pub(crate) struct Watch<'a> {
    pub link: &'a mut Link,
    pub deaths: &'a Deaths,
    pub stage: &'a mut Stage,
    pub family: &'a mut Family,
    pub streams: &'a mut Streams,
    pub limits: &'a Limits,
    pub bounds: &'a Bounds,
    pub guard: &'a mut Guard,
    pub spec: Spec,
    pub rung: Rung,
    pub roll_call: Option<RollCall<'a>>,
}

/// A program that was asked to end, and why.
struct Stopping {
    why: ProcessEnd,
    kill_at: Instant,
    /// Whether it was told.
    is_asked: bool,
}

struct Times {
    started: Instant,
    last_output: Instant,
    /// It waits for the driver: its silence does not count.
    excused: bool,
    stopping: Option<Stopping>,
}

/// Who has something to say.
#[derive(Default)]
struct Ready {
    driver: bool,
    stage: bool,
    streams: Vec<usize>,
}

impl Watch<'_> {
    pub(crate) fn run(mut self) -> (Verdict, Duration) {
        let now = Instant::now();
        let mut times = Times { started: now, last_output: now, excused: false, stopping: None };
        loop {
            if let Some(verdict) = self.turn(&mut times) {
                let ended = match (verdict, times.stopping) {
                    // It ended because it was asked to, however it put it.
                    (Verdict::Ended(_), Some(stopping)) => Verdict::Ended(stopping.why),
                    (verdict, _) => verdict,
                };
                return ended.after(times.started.elapsed());
            }
        }
    }

    fn turn(&mut self, times: &mut Times) -> Option<Verdict> {
        let ready = self.wait(self.next_moment(times));
        self.deaths.forget();
        for index in ready.streams {
            if self.streams.pump(index) {
                times.last_output = Instant::now();
            }
        }
        self.link.tell_seen(self.streams.seen());
        if let Some(roll_call) = &mut self.roll_call {
            roll_call.call_if_due();
        }
        if ready.stage {
            self.stage.listen();
        }
        let over = self.hear_stage().or_else(|| self.notice_death());
        if over.is_none() && self.stage.is_silent_for_good() {
            self.link.tell_started();
        }
        over.or_else(|| ready.driver.then(|| self.hear_driver(times)).flatten())
            .or_else(|| self.enforce(times))
    }

    fn wait(&self, until: Option<Instant>) -> Ready {
        let mut polled = vec![PollFd::new(self.link.control.as_fd(), PollFlags::POLLIN)];
        let streams = self.streams.descriptors();
        polled.extend(streams.iter().map(|(_, it)| PollFd::new(*it, PollFlags::POLLIN)));
        let stage_at = polled.len();
        let stage = self.stage.descriptor();
        polled.extend(stage.map(|it| PollFd::new(it, PollFlags::POLLIN)));
        polled.extend(self.deaths.polled());
        if poll(&mut polled, timeout(until)).is_err() {
            return Ready::default();
        }
        let speaks = |index: usize| polled[index].any().unwrap_or(true);
        Ready {
            driver: speaks(0),
            stage: stage.is_some() && speaks(stage_at),
            streams: (0..streams.len())
                .filter(|at| speaks(at + 1))
                .map(|at| streams[at].0)
                .collect(),
        }
    }

    fn next_moment(&self, times: &Times) -> Option<Instant> {
        let untold = self.streams.seen() != self.link.told;
        let moments = [
            times.stopping.as_ref().map(|it| it.kill_at),
            times.stopping.as_ref().filter(|it| !it.is_asked).map(|_| Instant::now() + ASK_AGAIN),
            self.limits
                .wall
                .filter(|_| times.stopping.is_none())
                .and_then(|it| times.started.checked_add(it)),
            self.limits
                .silence
                .filter(|_| times.stopping.is_none() && !times.excused)
                .and_then(|it| times.last_output.checked_add(it)),
            untold.then(|| self.link.told_at + NEWS_INTERVAL),
            self.roll_call.as_ref().map(RollCall::due),
            self.guard.due(),
            Deaths::longest_wait().map(|it| Instant::now() + it),
        ];
        moments.into_iter().flatten().min()
    }

    fn hear_stage(&mut self) -> Option<Verdict> {
        while let Some(reply) = self.stage.next() {
            let verdict = self.answer(reply);
            if verdict.is_some() {
                return verdict;
            }
        }
        None
    }

    fn answer(&mut self, reply: Reply) -> Option<Verdict> {
        match reply {
            Reply::Inside => {
                self.stage.tell(&Order::Init(self.spec.clone()));
                None
            }
            Reply::Started => {
                self.link.tell_started();
                None
            }
            Reply::Unfenced => {
                self.guard.count_all(self.bounds);
                None
            }
            Reply::Unavailable(why) => Some(Verdict::Unavailable(why)),
            Reply::Failed(failure) => Some(Verdict::Failed(failure)),
            Reply::Ended(status) => Some(Verdict::Ended(ended(status))),
        }
    }

    /// A stage that ended may have said why; one that became the program said nothing.
    fn notice_death(&mut self) -> Option<Verdict> {
        self.family.reap();
        let status = self.family.status()?;
        while let Some(reply) = self.stage.last_words() {
            let verdict = self.answer(reply);
            if verdict.is_some() {
                return verdict;
            }
        }
        Some(Verdict::Ended(ended(status)))
    }

    fn hear_driver(&mut self, times: &mut Times) -> Option<Verdict> {
        if self.link.lines.fill(&mut self.link.control) == Peer::Closed {
            return Some(Verdict::Ended(ProcessEnd::Stopped));
        }
        while let Some(wish) = self.link.lines.next() {
            match wish {
                Wish::Stop { grace } => self.stop(times, ProcessEnd::Stopped, grace),
                Wish::Excuse(excused) => {
                    times.excused = excused;
                    times.last_output = Instant::now();
                }
                Wish::Kill => {
                    self.stop(times, ProcessEnd::Stopped, Duration::ZERO);
                    return Some(Verdict::Ended(ProcessEnd::Stopped));
                }
            }
        }
        None
    }

    fn enforce(&mut self, times: &mut Times) -> Option<Verdict> {
        // There is nothing to be polite about: it would only go on.
        if let Some(excess) = self.guard.look_if_due() {
            return Some(Verdict::Ended(ProcessEnd::OverLimit(excess)));
        }
        let now = Instant::now();
        self.ask(times);
        if let Some(stopping) = &times.stopping {
            return (now >= stopping.kill_at).then_some(Verdict::Ended(ProcessEnd::Stopped));
        }
        if self.limits.wall.is_some_and(|wall| now - times.started >= wall) {
            self.stop(times, ProcessEnd::TimedOut, self.limits.grace);
        }
        let silent_for = now - times.last_output;
        if !times.excused && self.limits.silence.is_some_and(|limit| silent_for >= limit) {
            self.stop(times, ProcessEnd::WentSilent, self.limits.grace);
        }
        None
    }

    /// The first reason counts; a later wish can only make it sooner.
    fn stop(&mut self, times: &mut Times, why: ProcessEnd, grace: Duration) {
        let now = Instant::now();
        // Before the program began there is nobody to be polite to, and nobody who could hear it.
        let grace = if self.link.told_started { grace } else { Duration::ZERO };
        // A grace beyond what the clock can hold is as good as a day.
        let kill_at = now.checked_add(grace).unwrap_or(now + Duration::from_secs(86_400));
        if let Some(stopping) = &mut times.stopping {
            stopping.kill_at = stopping.kill_at.min(kill_at);
        } else {
            times.stopping = Some(Stopping { why, kill_at, is_asked: false });
            self.ask(times);
        }
    }

    /// A signal that comes while a room is being made reaches those who make it, and not the program
    /// that they start a moment later. So it waits until there is somebody to hear it; it is sent once,
    /// because to some programs a second one means to drop everything.
    fn ask(&mut self, times: &mut Times) {
        let is_settled = self.spec.through.is_empty() || times.started.elapsed() >= SETTLED;
        if let Some(stopping) = &mut times.stopping
            && !stopping.is_asked
            && (is_settled || somebody_hears(stop_signal_number(self.limits.stop_signal)))
        {
            stopping.is_asked = true;
            self.terminate();
        }
    }

    fn terminate(&mut self) {
        if self.rung == Rung::Namespace {
            self.stage.tell(&InitWish::Terminate(self.limits.stop_signal));
            return;
        }
        let group = Pid::from_raw(self.family.main_pid());
        let _ = killpg(group, stop_signal_number(self.limits.stop_signal));
        let _ = killpg(group, Signal::SIGCONT);
    }
}

fn ended(status: Status) -> ProcessEnd {
    match status {
        Status::Exited(code) => ProcessEnd::Exited(code),
        Status::Signaled(signal) => ProcessEnd::Signaled(signal),
    }
}

/// Rounded up, so that the moment has passed when the wait is over.
fn timeout(until: Option<Instant>) -> PollTimeout {
    let Some(until) = until else { return PollTimeout::NONE };
    let millis = until.saturating_duration_since(Instant::now()).as_micros().div_ceil(1000);
    PollTimeout::try_from(millis).unwrap_or(PollTimeout::MAX)
}
