//! Ends the process tree of a supervisor that was killed.

use std::path::Path;
use std::time::Instant;

use afresh_core::process::ProcessEnd;
use nix::errno::Errno;
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, getsid};

use crate::containment::contained::KILL_TIMEOUT;
use crate::containment::kill::{KillOutcome, kill_all};
use crate::containment::proc_table::{ProcessIdentity, ProcessInfo, ProcessTable};
use crate::driver::report::JobReport;
use crate::leftovers::find;
use crate::leftovers::registry::RegistryFile;

/// Makes this process adopt the orphans of a dead supervisor, so that [`reap_strays`] finds them.
/// The driver calls it once; without it, orphans go to init and are found by their traces.
pub fn become_subreaper() -> Result<(), Errno> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true)?;
    Ok(())
}

/// Kills and reaps the orphans that this process adopted, and returns how many there were.
///
/// They are its children with another session: every program starts in a session of its own, and no
/// process can return to ours. So a driver must not start other children in a new session.
pub fn reap_strays() -> u32 {
    end_strays().killed
}

fn end_strays() -> KillOutcome {
    let own = Pid::this().as_raw();
    let session = getsid(None).map_or(0, Pid::as_raw);
    let find = || {
        let table = ProcessTable::read();
        let children = table.processes.iter().filter(|it| it.parent == own);
        let strays = children.filter(|it| it.session != session && it.session != 0);
        let (alive, dead): (Vec<ProcessInfo>, Vec<ProcessInfo>) =
            strays.copied().partition(|it| it.is_alive());
        for stray in dead {
            // Another thread may have reaped it first.
            let _ = waitpid(Pid::from_raw(stray.pid), Some(WaitPidFlag::WNOHANG));
        }
        let heads: Vec<i32> = alive.iter().map(|it| it.pid).collect();
        let mut found = table.living_below(&heads);
        found.extend(alive.into_iter().map(ProcessInfo::identity));
        found
    };
    kill_all(find, Instant::now() + KILL_TIMEOUT)
}

/// Cleans up after a supervisor that is dead and reaped.
pub(crate) fn end_lost_job(registry: &Path, name: &str, supervisor: ProcessIdentity) -> JobReport {
    let entry_file = RegistryFile::new(registry, name);
    let mut report = JobReport::without_measurements(Ok(ProcessEnd::SupervisorLost));
    // Without an entry of this very supervisor, no program had started.
    if let Ok(entry) = entry_file.load()
        && entry.supervisor == supervisor
    {
        let traces = find::end_leftovers(&entry, registry);
        let strays = end_strays();
        report.containment = entry.level;
        report.left_behind = traces.killed + strays.killed;
        report.unkillable = traces.left + strays.left;
        if report.unkillable == 0 {
            entry_file.release();
        }
    }
    report
}
