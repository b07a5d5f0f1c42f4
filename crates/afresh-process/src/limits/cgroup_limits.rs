//! Limits of a whole process tree that the kernel enforces: cgroups with controllers for memory and
//! processes.
//!
//! Version 2 if the tree's own cgroup has these controllers, else version 1 if its hierarchies are
//! mounted. Limits that neither can enforce are polled (`poll`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use afresh_core::process::{LimitExceeded, LimitedResource};

use crate::containment::cgroup::Cgroup;
use crate::containment::cgroup_mounts::CgroupMounts;
use crate::limits::tree_limits::{LimitEnforcer, LimitMethod, TreeLimits};

/// The controllers that limits need.
pub const CONTROLLERS: [&str; 2] = ["memory", "pids"];

/// Version 2 counts how often a tree was out of memory by its own limit; version 1 only how often
/// it was killed for lack of memory, whatever the cause.
const KILLS_IN_VERSION_1: &str = "oom_kill";

/// Cgroups that hold limits, to be entered before the program starts.
pub(crate) type CgroupPaths = Vec<PathBuf>;

/// The limits of one tree; cgroups of version 1 are made for it alone.
#[derive(Debug, Default)]
pub(crate) struct CgroupLimits {
    made: Vec<Cgroup>,
    rails: Vec<CgroupLimit>,
}

/// One limit that the kernel enforces.
#[derive(Debug)]
struct CgroupLimit {
    bound: LimitExceeded,
    enforcer: LimitEnforcer,
    /// The file in which the kernel counts how often the limit was exceeded, and the word for it.
    events: PathBuf,
    word: &'static str,
}

impl CgroupLimits {
    /// Sets all limits that can be set. `level` is the cgroup of version 2 that contains the tree.
    pub(crate) fn create(name: &str, tree_limits: &TreeLimits, level: Option<&Cgroup>) -> Self {
        let mut cgroup_limits = Self::default();
        if tree_limits.method == LimitMethod::Polling {
            return cgroup_limits;
        }
        let mut places = None;
        for bound in tree_limits.cgroup_limits() {
            if let Some(level) = level
                && let Some(rail) = set_v2_limit(level.path(), bound)
            {
                cgroup_limits.rails.push(rail);
                continue;
            }
            let places = places.get_or_insert_with(CgroupMounts::read);
            if let Ok(places) = places
                && let Some(controller) = controller(bound.of)
                && let Some(parent) = places.controller_mount(controller)
            {
                cgroup_limits.add_v1_limit(&parent, name, bound);
            }
        }
        cgroup_limits
    }

    /// Cgroups that an earlier supervisor recorded.
    pub(crate) fn from_paths(cgroup_paths: &CgroupPaths) -> Vec<Cgroup> {
        cgroup_paths.iter().filter_map(|door| Cgroup::from_record(door)).collect()
    }

    /// The cgroups that the program must enter, besides the one that contains it.
    pub(crate) fn paths(&self) -> CgroupPaths {
        self.made.iter().map(|it| it.path().to_owned()).collect()
    }

    pub(crate) fn enforcer(&self, of: LimitedResource) -> Option<LimitEnforcer> {
        self.rails.iter().find(|rail| rail.bound.of == of).map(|rail| rail.enforcer)
    }

    /// The limits that were exceeded, and how often.
    pub(crate) fn exceeded(&self) -> Vec<(LimitExceeded, u64)> {
        let times = |rail: &CgroupLimit| (rail.bound, rail.exceeded_count());
        self.rails.iter().map(times).filter(|(_, times)| *times > 0).collect()
    }

    /// Call it when the tree is gone.
    pub(crate) fn remove(&self, until: Instant) {
        for cgroup in &self.made {
            // One that cannot be removed is empty, and the next sweep tries again.
            cgroup.remove(until);
        }
    }

    fn add_v1_limit(&mut self, parent: &Path, name: &str, bound: LimitExceeded) {
        let Ok(cgroup) = Cgroup::create_in(parent, name) else { return };
        let path = cgroup.path();
        let (set, events, word) = match bound.of {
            LimitedResource::Memory => {
                let set = write(path, "memory.limit_in_bytes", bound.limit);
                // Only some kernels limit swap; without it, swapped memory does not count.
                let _ = write(path, "memory.memsw.limit_in_bytes", bound.limit);
                (set, "memory.oom_control", KILLS_IN_VERSION_1)
            }
            LimitedResource::Processes => {
                (write(path, "pids.max", bound.limit), "pids.events", "max")
            }
            LimitedResource::Disk | LimitedResource::FreeDisk => return,
        };
        if set.is_err() {
            cgroup.remove(Instant::now());
            return;
        }
        let events = path.join(events);
        self.rails.push(CgroupLimit { bound, enforcer: LimitEnforcer::CgroupV1, events, word });
        self.made.push(cgroup);
    }
}

/// The controller for a resource.
pub(crate) fn controller(of: LimitedResource) -> Option<&'static str> {
    match of {
        LimitedResource::Memory => Some(CONTROLLERS[0]),
        LimitedResource::Processes => Some(CONTROLLERS[1]),
        LimitedResource::Disk | LimitedResource::FreeDisk => None,
    }
}

/// None if the controller was not delegated to us.
fn set_v2_limit(level: &Path, bound: LimitExceeded) -> Option<CgroupLimit> {
    let (file, events, word) = match bound.of {
        LimitedResource::Memory => ("memory.max", "memory.events", "oom"),
        LimitedResource::Processes => ("pids.max", "pids.events", "max"),
        LimitedResource::Disk | LimitedResource::FreeDisk => return None,
    };
    if !level.join(file).exists() {
        let message = format!("+{}", controller(bound.of)?);
        // Fails if our parent cgroup holds processes, which is usual.
        fs::write(level.parent()?.join("cgroup.subtree_control"), message).ok()?;
    }
    write(level, file, bound.limit).ok()?;
    if bound.of == LimitedResource::Memory {
        // Both only make the kill come sooner and hit the whole tree.
        let _ = write(level, "memory.swap.max", 0);
        let _ = write(level, "memory.oom.group", 1);
    }
    Some(CgroupLimit { bound, enforcer: LimitEnforcer::CgroupV2, events: level.join(events), word })
}

fn write(directory: &Path, file: &str, value: u64) -> io::Result<()> {
    // Never created: a cgroup has its files from the start.
    fs::OpenOptions::new()
        .write(true)
        .open(directory.join(file))
        .and_then(|mut file| io::Write::write_all(&mut file, value.to_string().as_bytes()))
}

impl CgroupLimit {
    fn exceeded_count(&self) -> u64 {
        // The whole machine may have run out of memory while this tree was below its limit.
        let most = fs::read_to_string(self.events.with_file_name("memory.max_usage_in_bytes"));
        let was_near = || most.is_ok_and(|most| is_near(most.trim(), self.bound.limit));
        let is_own = self.word != KILLS_IN_VERSION_1 || was_near();
        if is_own { read_event_count(&self.events, self.word) } else { 0 }
    }
}

/// The kernel counts in batches, so the last bytes below a limit may not be counted.
fn is_near(most: &str, limit: u64) -> bool {
    most.parse::<u64>().is_ok_and(|most| most >= limit / 16 * 15)
}

fn read_event_count(events: &Path, word: &str) -> u64 {
    let text = fs::read_to_string(events).unwrap_or_default();
    let number = |line: &str| line.strip_prefix(word)?.strip_prefix(' ')?.trim().parse().ok();
    text.lines().find_map(number).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMORY: LimitExceeded = LimitExceeded { of: LimitedResource::Memory, limit: 1 << 20 };

    /// F16: if the controllers of version 2 are delegated, its files hold the limits.
    #[test]
    fn version_2_enforces_limits_with_delegated_controllers() {
        let parent = tempfile::tempdir().unwrap();
        let level = parent.path().join("rung");
        fs::create_dir(&level).unwrap();
        assert!(set_v2_limit(&level, MEMORY).is_none(), "no such controller here");
        for file in ["memory.max", "memory.swap.max", "memory.oom.group"] {
            fs::write(level.join(file), "").unwrap();
        }
        fs::write(level.join("memory.events"), "oom 3\noom_kill 2\noom_group_kill 1\n").unwrap();
        let rail = set_v2_limit(&level, MEMORY).unwrap();
        let read = |file: &str| fs::read_to_string(level.join(file)).unwrap();
        assert_eq!(read("memory.max"), "1048576");
        assert_eq!((read("memory.swap.max"), read("memory.oom.group")), ("0".into(), "1".into()));
        let cgroup_limits = CgroupLimits { made: vec![], rails: vec![rail] };
        assert_eq!(cgroup_limits.exceeded(), [(MEMORY, 3)]);
        assert_eq!(cgroup_limits.enforcer(LimitedResource::Memory), Some(LimitEnforcer::CgroupV2));
    }

    /// F16: if the machine ran out of memory, no tree is reported as over its own limit.
    #[test]
    fn running_out_of_memory_elsewhere_is_not_the_trees_limit() {
        let cgroup = tempfile::tempdir().unwrap();
        let events = cgroup.path().join("memory.oom_control");
        fs::write(&events, "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n").unwrap();
        let (bound, enforcer) = (MEMORY, LimitEnforcer::CgroupV1);
        let rail = CgroupLimit { bound, enforcer, events, word: KILLS_IN_VERSION_1 };
        fs::write(cgroup.path().join("memory.max_usage_in_bytes"), "500000\n").unwrap();
        assert_eq!(rail.exceeded_count(), 0);
        fs::write(cgroup.path().join("memory.max_usage_in_bytes"), "1048000\n").unwrap();
        assert_eq!(rail.exceeded_count(), 1);
    }
}
