//! Runs one job from its command to its report: tries the levels of containment, ends the process
//! tree, keeps the registry.
//!
//! `event_loop` handles what happens while the program runs.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use afresh_core::process::ProcessEnd;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::containment::cgroup::Cgroup;
use crate::containment::contained::ContainedTree;
use crate::containment::proc_table::ProcessIdentity;
use crate::driver::job::{Containment, JobSpec};
use crate::driver::report::{ContainmentLevel, JobReport, SpawnError, SpawnErrorKind};
use crate::leftovers::member_log::MemberLog;
use crate::leftovers::registry::{RegistryEntry, RegistryFile};
use crate::limits::cgroup_limits::CgroupLimits;
use crate::limits::monitor::LimitMonitor;
use crate::limits::tree_limits::EnforcedLimits;
use crate::output::pipes::OutputPipes;
use crate::supervisor::event_loop::{DriverLink, EventLoop, LoopOutcome};
use crate::supervisor::protocol::{ExecCommand, LineReader, ProgramSpec, StageCommand};
use crate::supervisor::signals::ChildExits;
use crate::supervisor::stage::StageProcess;

#[derive(Debug)]
pub(crate) struct JobSupervisor {
    job: JobSpec,
    link: DriverLink,
    deaths: ChildExits,
    identity: ProcessIdentity,
}

/// A job whose process tree is gone.
struct FinishedJob {
    ended: Result<ProcessEnd, SpawnError>,
    wall: Duration,
    left_behind: u32,
    unkillable: u32,
    enforced: EnforcedLimits,
}

impl JobSupervisor {
    pub(crate) fn new(job: JobSpec, control: File, lines: LineReader) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        nix::sys::prctl::set_child_subreaper(true)?;
        let status = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let link = DriverLink::new(control, lines, status);
        Ok(Self { job, link, deaths: ChildExits::new()?, identity: ProcessIdentity::own() })
    }

    pub(crate) fn run(mut self) {
        let report = match self.prepare() {
            Ok((entry_file, pipes)) => self.try_levels(&entry_file, pipes),
            Err(error) => JobReport::without_measurements(Err(error)),
        };
        self.link.report(report);
    }

    fn prepare(&self) -> Result<(RegistryFile, OutputPipes), SpawnError> {
        let other = |error: io::Error| SpawnError::new(SpawnErrorKind::Other, error.to_string());
        let entry_file = RegistryFile::create(&self.job.registry, &self.job.name).map_err(other)?;
        Ok((entry_file, OutputPipes::create(&self.job).map_err(other)?))
    }

    /// Tries the levels of containment, strongest first, until one works.
    fn try_levels(&mut self, entry_file: &RegistryFile, mut pipes: OutputPipes) -> JobReport {
        let mut unavailable = Vec::new();
        let mut outcome = None;
        for level in levels_to_try(self.job.containment) {
            match self.try_level(*level, entry_file, &mut pipes) {
                Ok(over) => {
                    outcome = Some((*level, over));
                    break;
                }
                Err(why) => unavailable.push(format!("{level:?}: {why}")),
            }
        }
        let (level, over) =
            outcome.unwrap_or_else(|| (ContainmentLevel::None, no_level_available(&unavailable)));
        if over.unkillable == 0 {
            entry_file.release();
        }
        let totals = pipes.finish();
        let (cpu_ms, max_rss_kb) = resource_usage();
        let started = over.ended.is_ok();
        JobReport {
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
            containment: if started { level } else { ContainmentLevel::None },
            unavailable,
            enforced_limits: over.enforced,
        }
    }

    /// The error says why this level is not available; then nothing was started.
    fn try_level(
        &mut self,
        level: ContainmentLevel,
        entry_file: &RegistryFile,
        pipes: &mut OutputPipes,
    ) -> Result<FinishedJob, String> {
        let cgroup = match level {
            ContainmentLevel::Cgroup => Some(Cgroup::create(&self.job.name)?),
            _ => None,
        };
        let cgroup_limits =
            CgroupLimits::create(&self.job.name, &self.job.tree_limits, cgroup.as_ref());
        let started = pipes.connect().and_then(StageProcess::start);
        let (stage, reaper) = match started {
            Ok(started) => started,
            Err(error) => {
                cgroup_limits.remove(Instant::now());
                let _ = cgroup.map(|it| it.remove(Instant::now()));
                return Ok(failed_job(
                    SpawnErrorKind::Other,
                    format!("cannot start a stage: {error}"),
                ));
            }
        };
        let monitor = LimitMonitor::new(&self.job.tree_limits, cgroup_limits);
        let mut contained = ContainedTree { level, cgroup, monitor, stage, reaper };
        // Written before the program can start: the stage still waits for its command.
        let entry = self.registry_entry(&contained, pipes);
        let verdict = match entry_file.write(&entry) {
            Ok(()) => self.watch(&mut contained, pipes, MemberLog::new(entry_file, entry)),
            Err(error) => {
                let message = format!("cannot record the process: {error}");
                LoopOutcome::Failed(SpawnError::new(SpawnErrorKind::Other, message))
                    .after(Duration::ZERO)
            }
        };
        // Read before the tree is ended: the cgroups are removed with it.
        let enforced = contained.monitor.enforced_limits();
        let (left_behind, unkillable) = contained.end();
        match verdict.0 {
            LoopOutcome::Unavailable(why) => Err(why),
            LoopOutcome::Failed(failure) => Ok(FinishedJob {
                ended: Err(failure),
                wall: verdict.1,
                left_behind: 0,
                unkillable,
                enforced,
            }),
            LoopOutcome::Ended(ended) => Ok(FinishedJob {
                ended: Ok(attribute_end(ended, &enforced)),
                wall: verdict.1,
                left_behind,
                unkillable,
                enforced,
            }),
        }
    }

    fn watch(
        &mut self,
        contained: &mut ContainedTree,
        pipes: &mut OutputPipes,
        member_log: MemberLog<'_>,
    ) -> (LoopOutcome, Duration) {
        let supervisor = self.identity.pid;
        let spec = ProgramSpec {
            ceiling: contained.monitor.ceiling(),
            ..ProgramSpec::from_job(&self.job)
        };
        let cgroup_limits = contained.monitor.cgroup_limits().paths();
        let command = if contained.level == ContainmentLevel::Namespace {
            StageCommand::Unshare { supervisor, cgroup_limits }
        } else {
            let cgroup = contained.cgroup.as_ref().map(|it| it.path().to_owned());
            StageCommand::Enter(ExecCommand {
                supervisor,
                cgroup,
                cgroup_limits,
                spec: spec.clone(),
            })
        };
        contained.stage.send(&command);
        EventLoop {
            link: &mut self.link,
            deaths: &self.deaths,
            stage: &mut contained.stage,
            reaper: &mut contained.reaper,
            pipes,
            limits: &self.job.limits,
            tree_limits: &self.job.tree_limits,
            monitor: &mut contained.monitor,
            spec,
            level: contained.level,
            // The kernel knows the members of a cgroup or a namespace.
            member_log: (contained.level == ContainmentLevel::Group).then_some(member_log),
        }
        .run()
    }

    fn registry_entry(&self, contained: &ContainedTree, pipes: &OutputPipes) -> RegistryEntry {
        RegistryEntry {
            place: crate::leftovers::registry::BootContext::current(),
            supervisor: self.identity,
            program: ProcessIdentity::from_pid(contained.reaper.main_pid()),
            level: contained.level,
            cgroup: contained.cgroup.as_ref().map(|it| it.path().to_owned()),
            cgroup_limits: contained.monitor.cgroup_limits().paths(),
            cwd: self.job.cwd.clone(),
            pipes: pipes.pipe_inodes(),
            tree: Vec::new(),
        }
    }
}

fn levels_to_try(containment: Containment) -> &'static [ContainmentLevel] {
    match containment {
        Containment::Auto => {
            &[ContainmentLevel::Cgroup, ContainmentLevel::Namespace, ContainmentLevel::Group]
        }
        Containment::Cgroup => &[ContainmentLevel::Cgroup],
        Containment::Namespace => &[ContainmentLevel::Namespace],
        Containment::Group => &[ContainmentLevel::Group],
    }
}

/// A program that exceeded a limit and ended badly ended because of the limit.
fn attribute_end(ended: ProcessEnd, enforced: &EnforcedLimits) -> ProcessEnd {
    match (&ended, enforced.exceeded.first()) {
        (ProcessEnd::Exited(1..) | ProcessEnd::Signaled(_), Some((bound, _))) => {
            ProcessEnd::OverLimit(*bound)
        }
        _ => ended,
    }
}

fn failed_job(kind: SpawnErrorKind, message: String) -> FinishedJob {
    FinishedJob {
        ended: Err(SpawnError::new(kind, message)),
        wall: Duration::ZERO,
        left_behind: 0,
        unkillable: 0,
        enforced: EnforcedLimits::default(),
    }
}

fn no_level_available(unavailable: &[String]) -> FinishedJob {
    failed_job(SpawnErrorKind::NoContainment, unavailable.join("; "))
}

/// Of all processes that were reaped, by us or by those we reaped.
fn resource_usage() -> (Option<u64>, Option<u64>) {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return (None, None) };
    let cpu = usage.user_time().num_milliseconds() + usage.system_time().num_milliseconds();
    // Linux counts in kilobytes, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1024 } else { 1 };
    (u64::try_from(cpu).ok(), u64::try_from(usage.max_rss()).ok().map(|size| size / unit))
}
