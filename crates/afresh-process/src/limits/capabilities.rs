//! What this machine can enforce, and how much memory we may use.

use std::fs;
use std::path::Path;

use nix::unistd::{AccessFlags, access};

use crate::containment::cgroup_mounts::CgroupMounts;
use crate::limits::cgroup_limits::controller;
use crate::limits::delegate::lists_controller;
use crate::limits::tree_limits::{EnforcedLimits, LimitEnforcer, TreeLimits};

/// What would enforce these limits. No cgroup is made to find out: a kill meanwhile would leave it
/// behind.
pub fn detect_enforcers(tree_limits: &TreeLimits) -> EnforcedLimits {
    let places = CgroupMounts::read();
    let mut enforced = EnforcedLimits::default();
    for bound in tree_limits.cgroup_limits() {
        let kernel =
            places.as_ref().ok().and_then(|places| cgroup_enforcer(places, controller(bound.of)?));
        enforced.set_enforcer(bound.of, kernel.unwrap_or(LimitEnforcer::Polled));
    }
    enforced
}

fn cgroup_enforcer(places: &CgroupMounts, controller: &str) -> Option<LimitEnforcer> {
    let may_make = |parent: &Path| access(parent, AccessFlags::W_OK).is_ok();
    if let Ok(own) = places.unified()
        && may_make(&own)
        && lists_controller(&own.join("cgroup.subtree_control"), controller)
    {
        return Some(LimitEnforcer::CgroupV2);
    }
    let parent = places.controller_mount(controller)?;
    may_make(&parent).then_some(LimitEnforcer::CgroupV1)
}

/// How much memory we may use ourselves, with all that we start, if there is a limit.
pub fn own_memory_limit() -> Option<u64> {
    let places = CgroupMounts::read().ok()?;
    let version_1 = places.controller_mount("memory").and_then(|own| {
        let text = fs::read_to_string(own.join("memory.stat")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("hierarchical_memory_limit "))?;
        line.trim().parse().ok()
    });
    let version_2 = places.unified().ok().and_then(|own| smallest_above(&own));
    // Version 1 represents "none" by a number that no machine has.
    let limits = version_1.into_iter().chain(version_2).filter(|limit| *limit < 1 << 60);
    limits.min()
}

/// A limit applies to everything below it.
fn smallest_above(own: &Path) -> Option<u64> {
    let limit = |directory: &Path| {
        fs::read_to_string(directory.join("memory.max")).ok()?.trim().parse().ok()
    };
    own.ancestors().filter_map(limit).min()
}

impl LimitEnforcer {
    /// Whether the kernel enforces it.
    pub fn is_kernel(self) -> bool {
        matches!(self, Self::CgroupV2 | Self::CgroupV1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_limit_above_counts() {
        let top = tempfile::tempdir().unwrap();
        let own = top.path().join("a/b");
        fs::create_dir_all(&own).unwrap();
        assert_eq!(smallest_above(&own), None);
        fs::write(own.join("memory.max"), "max\n").unwrap();
        fs::write(top.path().join("a/memory.max"), "4096\n").unwrap();
        fs::write(top.path().join("memory.max"), "8192\n").unwrap();
        assert_eq!(smallest_above(&own), Some(4096));
    }
}
