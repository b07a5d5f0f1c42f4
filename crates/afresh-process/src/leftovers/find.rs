//! Finding and ending a tree whose supervisor is dead.
//!
//! Its orphans have other parents now. They are known by the recorded cgroups, by the recorded
//! program and what is below it, by the last roll call, by the pipes they were given, and, last, by the directory that
//! they work in. Nobody older than the supervisor is touched, nor anybody of our own session.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use nix::unistd::getsid;

use crate::containment::cgroup::Cgroup;
use crate::containment::contained::END_PATIENCE;
use crate::containment::kill::{Ending, count, end_all};
use crate::containment::proc_table::{Identity, Process, Table};
use crate::leftovers::registry::{self, Entry};
use crate::limits::cgroup_limits::Fence;

/// Ends what the entry's supervisor left. Jobs of the same registry that still run are spared.
pub(crate) fn end(entry: &Entry, registry: &Path) -> Ending {
    let until = Instant::now() + END_PATIENCE;
    let cgroup = entry.cgroup.as_deref().and_then(Cgroup::recorded);
    let in_cgroup = cgroup.as_ref().map_or(0, |it| it.members().len());
    if let Some(cgroup) = &cgroup {
        cgroup.kill();
        cgroup.remove(until);
    }
    let fence = Fence::recorded(&entry.fence);
    let ending = end_all(|| find(entry, registry, &fence), until);
    for cgroup in &fence {
        cgroup.remove(if ending.left == 0 { until } else { Instant::now() });
    }
    Ending { killed: ending.killed + count(in_cgroup), ..ending }
}

fn find(entry: &Entry, registry: &Path, fence: &[Cgroup]) -> Vec<Identity> {
    let table = Table::read();
    let spared = spared(entry, registry, &table);
    let suspect = Suspect::new(entry, &table);
    let found = table.processes.iter().filter(|it| suspect.is(it));
    let mut heads: Vec<i32> = found.map(|it| it.pid).collect();
    // Nobody but its own was ever in these.
    heads.extend(fence.iter().flat_map(Cgroup::members));
    heads.retain(|pid| !spared.contains(pid));
    let mut living: BTreeSet<Identity> = table.living_below(&heads).into_iter().collect();
    let alive = heads.iter().filter_map(|pid| table.get(*pid)).filter(|it| it.is_alive());
    living.extend(alive.map(|it| it.identity()));
    living.into_iter().filter(|it| !spared.contains(&it.pid)).collect()
}

/// Ourselves, those we descend from, and the trees of other supervisors that live.
fn spared(entry: &Entry, registry: &Path, table: &Table) -> BTreeSet<i32> {
    let mut spared = table.lineage(Identity::own().pid);
    let others = registry::entries(registry, "").into_iter().filter_map(|(_, other)| other.ok());
    let others = others.filter(|it| it.place == entry.place && it.supervisor != entry.supervisor);
    for other in others.filter(|it| it.supervisor.is_alive()) {
        spared.insert(other.supervisor.pid);
        let tree = table.living_below(&[other.supervisor.pid]);
        spared.extend(tree.into_iter().map(|it| it.pid));
    }
    spared
}

struct Suspect<'a> {
    entry: &'a Entry,
    table: &'a Table,
    own_session: i32,
    pipes: Vec<PathBuf>,
    cwd: PathBuf,
}

impl<'a> Suspect<'a> {
    fn new(entry: &'a Entry, table: &'a Table) -> Self {
        let pipe = |inode: &u64| PathBuf::from(format!("pipe:[{inode}]"));
        Self {
            entry,
            table,
            own_session: getsid(None).map_or(0, nix::unistd::Pid::as_raw),
            pipes: entry.pipes.iter().map(pipe).collect(),
            // The kernel shows directories without links.
            cwd: fs::canonicalize(&entry.cwd).unwrap_or_else(|_| entry.cwd.clone()),
        }
    }

    fn is(&self, process: &Process) -> bool {
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

    fn holds_pipe(&self, process: &Process) -> bool {
        let listing = fs::read_dir(process.identity().proc_path("fd"));
        let open = listing.into_iter().flatten().flatten();
        let targets = open.filter_map(|entry| fs::read_link(entry.path()).ok());
        targets.into_iter().any(|target| self.pipes.contains(&target))
    }

    /// A person's shell or editor may be in that directory too. It has a terminal and a living
    /// parent, or a session from before; an orphan of ours does not.
    fn works_inside(&self, process: &Process) -> bool {
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
