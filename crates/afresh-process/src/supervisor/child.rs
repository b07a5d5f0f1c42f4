//! The stage that becomes the program, on the rungs cgroup and group.
//!
//! It enters what will hold the program and then turns into it, so that there is no moment in which
//! the program runs outside.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::{Pid, getppid, setsid};

use crate::driver::report::{SpawnError, SpawnErrorKind};
use crate::limits::cgroup_limits::Doors;
use crate::supervisor::exec;
use crate::supervisor::protocol::{Enter, Reply, Spec, send};
use crate::supervisor::signals;

/// Does not return where the program starts.
pub(crate) fn run(order: &Enter, mut supervisor: File) {
    let reply = become_program(order, &mut supervisor);
    // If nobody listens any more, nobody needs the answer.
    let _ = send(&mut supervisor, &reply);
}

fn become_program(order: &Enter, supervisor: &mut File) -> Reply {
    if let Err(error) = die_with(order.supervisor) {
        return Reply::Failed(SpawnError::new(SpawnErrorKind::Other, error.to_string()));
    }
    if let Some(cgroup) = &order.cgroup
        && let Err(error) = crate::containment::cgroup::enter(cgroup)
    {
        return Reply::Unavailable(format!("cannot enter cgroup {}: {error}", cgroup.display()));
    }
    enter_fence(&order.fence, supervisor);
    match execute(order) {
        Ok(never) => match never {},
        Err(failure) => Reply::Failed(failure),
    }
}

fn execute(order: &Enter) -> Result<std::convert::Infallible, SpawnError> {
    let mut command = exec::command(&order.spec)?;
    let prepare = || -> io::Result<()> {
        setsid()?;
        signals::for_program(&order.spec)
    };
    prepare().map_err(|error| {
        let message = format!("cannot give the program a session of its own: {error}");
        SpawnError::new(SpawnErrorKind::Other, message)
    })?;
    volunteer_for_oom();
    lower_ceiling(&order.spec);
    let error = command.exec();
    Err(exec::explain(&command, &error))
}

/// Limits that cannot be entered are kept by counting.
pub(crate) fn enter_fence(fence: &Doors, supervisor: &mut File) {
    if fence.iter().any(|door| crate::containment::cgroup::enter(door).is_err()) {
        let _ = send(supervisor, &Reply::Unfenced);
    }
}

/// Where memory runs out, the program goes before those who watch it.
pub(crate) fn volunteer_for_oom() {
    // Somebody may have set a higher value already, and lowering may be forbidden: then it stays.
    let _ = std::fs::write(Path::new("/proc/self/oom_score_adj"), "500");
}

/// For whoever is only counted; who may not lower it has a lower one already.
pub(crate) fn lower_ceiling(spec: &Spec) {
    if let Some(ceiling) = spec.ceiling
        && let Ok((_, most)) = getrlimit(Resource::RLIMIT_NPROC)
    {
        let ceiling = ceiling.min(most);
        let _ = setrlimit(Resource::RLIMIT_NPROC, ceiling, ceiling);
    }
}

/// Has the kernel end this process when its parent ends.
pub(crate) fn die_with(parent: i32) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
    if getppid() == Pid::from_raw(parent) {
        Ok(())
    } else {
        Err(io::Error::other("the supervisor ended before the program began"))
    }
}
