//! One job from its order to its report: the ladder of rungs, the end of the tree, the bookkeeping.
//!
//! What happens while the program runs is `watch`'s.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use afresh_core::process::ProcessEnd;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::containment::cgroup::Cgroup;
use crate::containment::contained::Held;
use crate::containment::proc_table::Identity;
use crate::driver::job::{Containment, Job};
use crate::driver::report::{Report, Rung, SpawnError, SpawnErrorKind};
use crate::leftovers::member_log::RollCall;
use crate::leftovers::registry::{Entry, Slot};
use crate::limits::cgroup_limits::Fence;
use crate::limits::monitor::Guard;
use crate::limits::tree_limits::Kept;
use crate::output::pipes::Streams;
use crate::supervisor::event_loop::{Link, Verdict, Watch};
use crate::supervisor::protocol::{Enter, Lines, Order, Spec};
use crate::supervisor::signals::Deaths;
use crate::supervisor::stage::Stage;

#[derive(Debug)]
pub(crate) struct Supervisor {
    job: Job,
    link: Link,
    deaths: Deaths,
    identity: Identity,
}

/// A program that is over, with its tree.
struct Over {
    ended: Result<ProcessEnd, SpawnError>,
    wall: Duration,
    left_behind: u32,
    unkillable: u32,
    kept: Kept,
}

impl Supervisor {
    pub(crate) fn new(job: Job, control: File, lines: Lines) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        nix::sys::prctl::set_child_subreaper(true)?;
        let news = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let link = Link::new(control, lines, news);
        Ok(Self { job, link, deaths: Deaths::new()?, identity: Identity::own() })
    }

    pub(crate) fn run(mut self) {
        let report = match self.prepare() {
            Ok((slot, streams)) => self.climb_down(&slot, streams),
            Err(error) => Report::bare(Err(error)),
        };
        self.link.report(report);
    }

    fn prepare(&self) -> Result<(Slot, Streams), SpawnError> {
        let other = |error: io::Error| SpawnError::new(SpawnErrorKind::Other, error.to_string());
        let slot = Slot::claim(&self.job.registry, &self.job.name).map_err(other)?;
        Ok((slot, Streams::create(&self.job).map_err(other)?))
    }

    /// Tries the rungs, strongest first, until one holds the program.
    fn climb_down(&mut self, slot: &Slot, mut streams: Streams) -> Report {
        let mut passed_over = Vec::new();
        let mut outcome = None;
        for rung in ladder(self.job.containment) {
            match self.try_rung(*rung, slot, &mut streams) {
                Ok(over) => {
                    outcome = Some((*rung, over));
                    break;
                }
                Err(why) => passed_over.push(format!("{rung:?}: {why}")),
            }
        }
        let (rung, over) = outcome.unwrap_or_else(|| (Rung::None, no_rung(&passed_over)));
        if over.unkillable == 0 {
            slot.release();
        }
        let totals = streams.finish();
        let (cpu_ms, max_rss_kb) = usage();
        let started = over.ended.is_ok();
        Report {
            ended: over.ended,
            wall_ms: u64::try_from(over.wall.as_millis()).unwrap_or(u64::MAX),
            cpu_ms,
            max_rss_kb,
            stdout_bytes: totals.stdout_bytes,
            stderr_bytes: totals.stderr_bytes,
            truncated: totals.truncated,
            output_error: totals.error,
            left_behind: over.left_behind,
            unkillable: over.unkillable,
            rung: if started { rung } else { Rung::None },
            passed_over,
            kept: over.kept,
        }
    }

    /// The error says why this rung cannot hold the program; then nothing was started.
    fn try_rung(&mut self, rung: Rung, slot: &Slot, streams: &mut Streams) -> Result<Over, String> {
        let cgroup = match rung {
            Rung::Cgroup => Some(Cgroup::make(&self.job.name)?),
            _ => None,
        };
        let fence = Fence::make(&self.job.name, &self.job.bounds, cgroup.as_ref());
        let started = streams.connect().and_then(Stage::start);
        let (stage, family) = match started {
            Ok(started) => started,
            Err(error) => {
                fence.remove(Instant::now());
                let _ = cgroup.map(|it| it.remove(Instant::now()));
                return Ok(failed(format!("cannot start a stage: {error}")));
            }
        };
        let guard = Guard::new(&self.job.bounds, fence);
        let mut held = Held { rung, cgroup, guard, stage, family };
        // Written before the program can begin: the stage still waits for its order.
        let entry = self.entry(&held, streams);
        let verdict = match slot.write(&entry) {
            Ok(()) => self.watch(&mut held, streams, RollCall::new(slot, entry)),
            Err(error) => {
                let message = format!("cannot record the process: {error}");
                Verdict::Failed(SpawnError::new(SpawnErrorKind::Other, message))
                    .after(Duration::ZERO)
            }
        };
        // Before the end: what kept the tree is gone with it.
        let kept = held.guard.kept();
        let (left_behind, unkillable) = held.end();
        match verdict.0 {
            Verdict::Unavailable(why) => Err(why),
            Verdict::Failed(failure) => {
                Ok(Over { ended: Err(failure), wall: verdict.1, left_behind: 0, unkillable, kept })
            }
            Verdict::Ended(ended) => Ok(Over {
                ended: Ok(because(ended, &kept)),
                wall: verdict.1,
                left_behind,
                unkillable,
                kept,
            }),
        }
    }

    fn watch(
        &mut self,
        held: &mut Held,
        streams: &mut Streams,
        roll_call: RollCall<'_>,
    ) -> (Verdict, Duration) {
        let supervisor = self.identity.pid;
        let spec = Spec { ceiling: held.guard.ceiling(), ..Spec::of(&self.job) };
        let fence = held.guard.fence().doors();
        let order = if held.rung == Rung::Namespace {
            Order::Unshare { supervisor, fence }
        } else {
            let cgroup = held.cgroup.as_ref().map(|it| it.path().to_owned());
            Order::Enter(Enter { supervisor, cgroup, fence, spec: spec.clone() })
        };
        held.stage.tell(&order);
        Watch {
            link: &mut self.link,
            deaths: &self.deaths,
            stage: &mut held.stage,
            family: &mut held.family,
            streams,
            limits: &self.job.limits,
            bounds: &self.job.bounds,
            guard: &mut held.guard,
            spec,
            rung: held.rung,
            // The kernel knows the members of a cgroup or a namespace.
            roll_call: (held.rung == Rung::Group).then_some(roll_call),
        }
        .run()
    }

    fn entry(&self, held: &Held, streams: &Streams) -> Entry {
        Entry {
            place: crate::leftovers::registry::Place::here(),
            supervisor: self.identity,
            program: Identity::of(held.family.main_pid()),
            rung: held.rung,
            cgroup: held.cgroup.as_ref().map(|it| it.path().to_owned()),
            fence: held.guard.fence().doors(),
            cwd: self.job.cwd.clone(),
            pipes: streams.pipe_inodes(),
            tree: Vec::new(),
        }
    }
}

fn ladder(containment: Containment) -> &'static [Rung] {
    match containment {
        Containment::Auto => &[Rung::Cgroup, Rung::Namespace, Rung::Group],
        Containment::Cgroup => &[Rung::Cgroup],
        Containment::Namespace => &[Rung::Namespace],
        Containment::Group => &[Rung::Group],
    }
}

/// A program that was refused something and ended badly ended for that.
fn because(ended: ProcessEnd, kept: &Kept) -> ProcessEnd {
    match (&ended, kept.refused.first()) {
        (ProcessEnd::Exited(1..) | ProcessEnd::Signaled(_), Some((bound, _))) => {
            ProcessEnd::OverLimit(*bound)
        }
        _ => ended,
    }
}

fn failed(message: String) -> Over {
    let ended = Err(SpawnError::new(SpawnErrorKind::Other, message));
    Over { ended, wall: Duration::ZERO, left_behind: 0, unkillable: 0, kept: Kept::default() }
}

fn no_rung(passed_over: &[String]) -> Over {
    let kind = SpawnErrorKind::NoContainment;
    let ended = Err(SpawnError::new(kind, passed_over.join("; ")));
    Over { ended, wall: Duration::ZERO, left_behind: 0, unkillable: 0, kept: Kept::default() }
}

/// Of all that were reaped, by us or by those we reaped.
fn usage() -> (Option<u64>, Option<u64>) {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return (None, None) };
    let cpu = usage.user_time().num_milliseconds() + usage.system_time().num_milliseconds();
    // Linux counts in kilobytes, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1024 } else { 1 };
    (u64::try_from(cpu).ok(), u64::try_from(usage.max_rss()).ok().map(|size| size / unit))
}
