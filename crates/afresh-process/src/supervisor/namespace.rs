//! The stages of containment by PID namespace: one that makes the namespace, and its first process.
//!
//! When the first process of a PID namespace exits, the kernel kills all others in it. The
//! namespace is made by a separate process, so that a failure half-way does not leave the
//! supervisor in a broken user namespace.

#[cfg(target_os = "linux")]
pub(crate) use linux::{first_process, make};
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::{first_process, make};

#[cfg(not(target_os = "linux"))]
mod portable {
    use std::fs::File;

    use crate::limits::cgroup_limits::CgroupPaths;
    use crate::supervisor::protocol::{LineReader, ProgramSpec, StageReply, send};

    pub(crate) fn make(_supervisor_pid: i32, _fence: &Doors, mut supervisor: File) {
        let _ = send(&mut supervisor, &Reply::Unavailable("this system has no namespaces".into()));
    }

    pub(crate) fn first_process(_spec: &Spec, supervisor: File, _lines: Lines) {
        make(0, &Doors::new(), supervisor);
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsFd;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use nix::mount::{MsFlags, mount};
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use nix::sched::{CloneFlags, unshare};
    use nix::sys::signal::{Signal, kill, killpg};
    use nix::unistd::{Pid, getegid, geteuid, setsid};

    use crate::driver::job::stop_signal_number;
    use crate::driver::report::{SpawnError, SpawnErrorKind};
    use crate::limits::cgroup_limits::CgroupPaths;
    use crate::supervisor::child::{die_with, enter_cgroups, lower_ceiling, volunteer_for_oom};
    use crate::supervisor::exec;
    use crate::supervisor::main::own_executable;
    use crate::supervisor::protocol::{
        ExitState, LineReader, NamespaceCommand, PeerState, ProgramSpec, StageReply, send,
    };
    use crate::supervisor::reaper::{ChildReaper, ReapState, exit_state};
    use crate::supervisor::signals::{self, ChildExits};
    use afresh_core::process::StopSignal;

    /// The environment variable that names the mapping which the first process must undo.
    const MAPPED: &str = "AFRESH_MAPPED";
    const END_TIMEOUT: Duration = Duration::from_secs(2);

    /// Makes the namespace, starts its first process, and waits for it.
    pub(crate) fn make(supervisor_pid: i32, cgroup_limits: &CgroupPaths, mut supervisor: File) {
        enter_cgroups(cgroup_limits, &mut supervisor);
        let mut first = match die_with(supervisor_pid).and_then(|()| start_first(&supervisor)) {
            Ok(first) => first,
            Err(error) => {
                let _ = send(&mut supervisor, &StageReply::Unavailable(error.to_string()));
                return;
            }
        };
        let _ = send(&mut supervisor, &StageReply::Inside);
        if let Ok(status) = first.wait()
            && let ExitState::Signaled(signal) = exit_state(status)
        {
            let _ = send(&mut supervisor, &StageReply::Ended(ExitState::Signaled(signal)));
        }
    }

    fn start_first(supervisor: &File) -> io::Result<Child> {
        let mapped = unshare_pids()?;
        let mut command = Command::new(own_executable()?);
        command.arg(crate::HIDDEN_COMMAND).env_clear();
        if let Some((user, group)) = mapped {
            command.env(MAPPED, format!("{user} {group}"));
        }
        command.stdin(Stdio::from(supervisor.try_clone()?)).spawn()
    }

    /// Directly if we may; else through a user namespace in which we are root for a moment.
    fn unshare_pids() -> io::Result<Option<(u32, u32)>> {
        let Err(direct) = unshare(CloneFlags::CLONE_NEWPID) else { return Ok(None) };
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWPID).map_err(|error| {
            io::Error::other(format!("PID namespace: {direct}; with a user namespace: {error}"))
        })?;
        map_ids(&format!("0 {user} 1"), &format!("0 {group} 1"))?;
        Ok(Some((user, group)))
    }

    fn map_ids(users: &str, groups: &str) -> io::Result<()> {
        let refused = |error: io::Error| {
            io::Error::other(format!("user namespaces are restricted here: {error}"))
        };
        fs::write("/proc/self/setgroups", "deny").map_err(refused)?;
        fs::write("/proc/self/uid_map", users).map_err(refused)?;
        fs::write("/proc/self/gid_map", groups).map_err(refused)
    }

    /// Process 1 of the namespace: starts the program, reaps, and ends everything by exiting.
    pub(crate) fn first_process(spec: &ProgramSpec, mut supervisor: File, lines: LineReader) {
        let started =
            settle(spec).map_err(|error| other(&error)).and_then(|()| start_program(spec));
        let reaper = match started {
            Ok(program) => ChildReaper::new(program),
            Err(failure) => {
                let _ = send(&mut supervisor, &StageReply::Failed(failure));
                return;
            }
        };
        let _ = send(&mut supervisor, &StageReply::Started);
        // Without these, exits could not be noticed; returning ends the program too.
        let (Ok(()), Ok(deaths)) = (signals::block_all_signals(), ChildExits::new()) else {
            return;
        };
        NamespaceInit { reaper, supervisor, lines, deaths, told: false }.run();
    }

    fn other(error: &io::Error) -> SpawnError {
        SpawnError::new(SpawnErrorKind::Other, format!("cannot set up the namespace: {error}"))
    }

    fn settle(spec: &ProgramSpec) -> io::Result<()> {
        mount_own_proc();
        if let Some((user, group)) = mapping() {
            unshare(CloneFlags::CLONE_NEWUSER)?;
            map_ids(&format!("{user} 0 1"), &format!("{group} 0 1"))?;
        }
        nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
        setsid()?;
        volunteer_for_oom();
        lower_ceiling(spec);
        Ok(())
    }

    fn mapping() -> Option<(u32, u32)> {
        let value = std::env::var(MAPPED).ok()?;
        let (user, group) = value.split_once(' ')?;
        Some((user.parse().ok()?, group.parse().ok()?))
    }

    /// If this fails (a container with a masked `/proc`), the outer one still serves `/proc/self`,
    /// which is what programs need most.
    fn mount_own_proc() {
        let none = None::<&str>;
        let slave = MsFlags::MS_REC | MsFlags::MS_SLAVE;
        let plain = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        let _ = unshare(CloneFlags::CLONE_NEWNS)
            .and_then(|()| mount(none, "/", none, slave, none))
            .and_then(|()| mount(Some("proc"), "/proc", Some("proc"), plain, none));
    }

    fn start_program(spec: &ProgramSpec) -> Result<Child, SpawnError> {
        let mut command = exec::build_command(spec)?;
        signals::restore_for_program(spec).map_err(|error| other(&error))?;
        command.process_group(0).spawn().map_err(|error| exec::explain_exec_error(&command, &error))
    }

    struct NamespaceInit {
        reaper: ChildReaper,
        supervisor: File,
        lines: LineReader,
        deaths: ChildExits,
        told: bool,
    }

    impl NamespaceInit {
        fn run(mut self) {
            loop {
                self.reaper.reap();
                self.send_end();
                if self.wait() == PeerState::Closed {
                    return;
                }
                while let Some(message) = self.lines.next() {
                    match message {
                        NamespaceCommand::Terminate(by) => self.terminate(by),
                        NamespaceCommand::End => return self.end(),
                    }
                }
            }
        }

        fn send_end(&mut self) {
            if let Some(status) = self.reaper.status()
                && !self.told
            {
                self.told = true;
                let _ = send(&mut self.supervisor, &StageReply::Ended(status));
            }
        }

        /// Waits until a child exits or the supervisor sends a message.
        fn wait(&mut self) -> PeerState {
            let mut polled = vec![PollFd::new(self.supervisor.as_fd(), PollFlags::POLLIN)];
            polled.extend(self.deaths.polled());
            let _ = poll(&mut polled, PollTimeout::NONE);
            let speaks = polled[0].any().unwrap_or(true);
            self.deaths.forget();
            if speaks { self.lines.fill(&mut self.supervisor) } else { PeerState::Open }
        }

        fn terminate(&self, by: StopSignal) {
            let group = Pid::from_raw(self.reaper.main_pid());
            // The group may be gone already.
            let _ = killpg(group, stop_signal_number(by));
            let _ = killpg(group, Signal::SIGCONT);
        }

        /// Kills and reaps all, so that their CPU time is counted, and then exits.
        fn end(&mut self) {
            let until = Instant::now() + END_TIMEOUT;
            while Instant::now() < until {
                let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
                if self.reaper.reap() == ReapState::None {
                    return;
                }
                let _ = poll(&mut self.deaths.polled(), PollTimeout::from(20u8));
                self.deaths.forget();
            }
        }
    }
}
