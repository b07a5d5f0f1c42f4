//! The child process that becomes the program, for containment by cgroup or process group.
//!
//! It enters its cgroups and then calls exec, so that the program never runs outside of them.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::{Pid, getppid, setsid};

use crate::driver::report::{SpawnError, SpawnErrorKind};
use crate::limits::cgroup_limits::CgroupPaths;
use crate::supervisor::exec;
use crate::supervisor::protocol::{ExecCommand, ProgramSpec, StageReply, send};
use crate::supervisor::signals;

/// Does not return if the program starts.
pub(crate) fn run(request: &ExecCommand, mut supervisor: File) {
    let reply = become_program(request, &mut supervisor);
    // If the supervisor is gone, the answer is not needed.
    let _ = send(&mut supervisor, &reply);
}

fn become_program(request: &ExecCommand, supervisor: &mut File) -> StageReply {
    if let Err(error) = die_with(request.supervisor) {
        return StageReply::Failed(SpawnError::new(SpawnErrorKind::Other, error.to_string()));
    }
    if let Some(cgroup) = &request.cgroup
        && let Err(error) = crate::containment::cgroup::enter(cgroup)
    {
        return StageReply::Unavailable(format!(
            "cannot enter cgroup {}: {error}",
            cgroup.display()
        ));
    }
    enter_cgroups(&request.cgroup_limits, supervisor);
    match execute(request) {
        Ok(never) => match never {},
        Err(failure) => StageReply::Failed(failure),
    }
}

fn execute(request: &ExecCommand) -> Result<std::convert::Infallible, SpawnError> {
    let mut command = exec::build_command(&request.spec)?;
    let prepare = || -> io::Result<()> {
        setsid()?;
        signals::restore_for_program(&request.spec)
    };
    prepare().map_err(|error| {
        let message = format!("cannot start a new session for the program: {error}");
        SpawnError::new(SpawnErrorKind::Other, message)
    })?;
    volunteer_for_oom();
    lower_ceiling(&request.spec);
    let error = command.exec();
    Err(exec::explain_exec_error(&command, &error))
}

/// Limits whose cgroups cannot be entered are polled.
pub(crate) fn enter_cgroups(cgroup_limits: &CgroupPaths, supervisor: &mut File) {
    if cgroup_limits.iter().any(|door| crate::containment::cgroup::enter(door).is_err()) {
        let _ = send(supervisor, &StageReply::CgroupsUnavailable);
    }
}

/// If memory runs out, the program is killed before the processes that supervise it.
pub(crate) fn volunteer_for_oom() {
    // The value may be higher already, and lowering it may be forbidden: then it stays.
    let _ = std::fs::write(Path::new("/proc/self/oom_score_adj"), "500");
}

/// For trees that are only polled. If it cannot be lowered, it is lower already.
pub(crate) fn lower_ceiling(spec: &ProgramSpec) {
    if let Some(ceiling) = spec.ceiling
        && let Ok((_, most)) = getrlimit(Resource::RLIMIT_NPROC)
    {
        let ceiling = ceiling.min(most);
        let _ = setrlimit(Resource::RLIMIT_NPROC, ceiling, ceiling);
    }
}

/// Makes the kernel kill this process when its parent dies.
pub(crate) fn die_with(parent: i32) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
    if getppid() == Pid::from_raw(parent) {
        Ok(())
    } else {
        Err(io::Error::other("the supervisor exited before the program started"))
    }
}
