//! Finds and kills the process tree of a dead supervisor.
//!
//! Its orphans have other parents now. They are recognised by the recorded cgroups, by the recorded
//! program and what is below it, by the last member log, by the pipes they were given, and, last,
//! by the directory that they work in. Processes older than the supervisor, and those of our own
//! session, are never touched.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use nix::unistd::getsid;

use crate::containment::cgroup::Cgroup;
use crate::containment::contained::KILL_TIMEOUT;
use crate::containment::kill::{KillOutcome, kill_all, saturating_count};
use crate::containment::proc_table::{ProcessIdentity, ProcessInfo, ProcessTable};
use crate::leftovers::registry::{self, RegistryEntry};
use crate::limits::cgroup_limits::CgroupLimits;

/// Kills what the entry's supervisor left. Running jobs of the same registry are spared.
pub(crate) fn end_leftovers(entry: &RegistryEntry, registry: &Path) -> KillOutcome {
    let until = Instant::now() + KILL_TIMEOUT;
    let cgroup = entry.cgroup.as_deref().and_then(Cgroup::from_record);
    let in_cgroup = cgroup.as_ref().map_or(0, |it| it.members().len());
    if let Some(cgroup) = &cgroup {
        cgroup.kill();
        cgroup.remove(until);
    }
    let cgroup_limits = CgroupLimits::from_paths(&entry.cgroup_limits);
    let ending = kill_all(|| find_leftovers(entry, registry, &cgroup_limits), until);
    for cgroup in &cgroup_limits {
        cgroup.remove(if ending.left == 0 { until } else { Instant::now() });
    }
    KillOutcome { killed: ending.killed + saturating_count(in_cgroup), ..ending }
}

fn find_leftovers(
    entry: &RegistryEntry,
    registry: &Path,
    cgroup_limits: &[Cgroup],
) -> Vec<ProcessIdentity> {
    let table = ProcessTable::read();
    let protected = protected_pids(entry, registry, &table);
    let suspect = LeftoverFilter::new(entry, &table);
    let found = table.processes.iter().filter(|it| suspect.matches(it));
    let mut heads: Vec<i32> = found.map(|it| it.pid).collect();
    // Only its own processes were ever in these cgroups.
    heads.extend(cgroup_limits.iter().flat_map(Cgroup::members));
    heads.retain(|pid| !protected.contains(pid));
    let mut living: BTreeSet<ProcessIdentity> = table.living_below(&heads).into_iter().collect();
    let alive = heads.iter().filter_map(|pid| table.get(*pid)).filter(|it| it.is_alive());
    living.extend(alive.map(|it| it.identity()));
    living.into_iter().filter(|it| !protected.contains(&it.pid)).collect()
}

/// Ourselves, our ancestors, and the process trees of other living supervisors.
fn protected_pids(entry: &RegistryEntry, registry: &Path, table: &ProcessTable) -> BTreeSet<i32> {
    let mut protected = table.lineage(ProcessIdentity::own().pid);
    let others =
        registry::list_entries(registry, "").into_iter().filter_map(|(_, other)| other.ok());
    let others = others.filter(|it| it.place == entry.place && it.supervisor != entry.supervisor);
    for other in others.filter(|it| it.supervisor.is_alive()) {
        protected.insert(other.supervisor.pid);
        let tree = table.living_below(&[other.supervisor.pid]);
        protected.extend(tree.into_iter().map(|it| it.pid));
    }
    protected
}

struct LeftoverFilter<'a> {
    entry: &'a RegistryEntry,
    table: &'a ProcessTable,
    own_session: i32,
    pipes: Vec<PathBuf>,
    cwd: PathBuf,
}

impl<'a> LeftoverFilter<'a> {
    fn new(entry: &'a RegistryEntry, table: &'a ProcessTable) -> Self {
        let pipe = |inode: &u64| PathBuf::from(format!("pipe:[{inode}]"));
        Self {
            entry,
            table,
            own_session: getsid(None).map_or(0, nix::unistd::Pid::as_raw),
            pipes: entry.pipes.iter().map(pipe).collect(),
            // The kernel shows directories without symlinks.
            cwd: fs::canonicalize(&entry.cwd).unwrap_or_else(|_| entry.cwd.clone()),
        }
    }

    fn matches(&self, process: &ProcessInfo) -> bool {
        if !process.is_alive() || process.start < self.entry.supervisor.start {
            return false;
        }
        let identity = process.identity();
        if identity == self.entry.program || self.entry.tree.contains(&identity) {
            return true;
        }
        process.session != self.own_session
            && (self.holds_pipe(process) || self.works_inside(process))
    }

    fn holds_pipe(&self, process: &ProcessInfo) -> bool {
        let listing = fs::read_dir(process.identity().proc_path("fd"));
        let open = listing.into_iter().flatten().flatten();
        let targets = open.filter_map(|entry| fs::read_link(entry.path()).ok());
        targets.into_iter().any(|target| self.pipes.contains(&target))
    }

    /// A person's shell or editor may be in that directory too. It has a terminal and a living
    /// parent, or an older session; an orphan of ours does not.
    fn works_inside(&self, process: &ProcessInfo) -> bool {
        let inside = fs::read_link(process.identity().proc_path("cwd"))
            .is_ok_and(|cwd| cwd.starts_with(&self.cwd));
        inside
            && (process.parent == 1 || process.terminal == 0)
            && self
                .table
                .get(process.session)
                .is_none_or(|leader| leader.start >= self.entry.supervisor.start)
    }
}
