//! What this machine offers for bounds, and how much of it there is for us.

use std::fs;
use std::path::Path;

use nix::unistd::{AccessFlags, access};

use crate::containment::cgroup_mounts::Hierarchies;
use crate::limits::cgroup_limits::controller;
use crate::limits::delegate::lists;
use crate::limits::tree_limits::{Bounds, Keeper, Kept};

/// Who would keep a tree within these bounds. Nothing is made: whoever is killed while it tries leaves
/// what it made.
pub fn keepers(bounds: &Bounds) -> Kept {
    let places = Hierarchies::read();
    let mut kept = Kept::default();
    for bound in bounds.of_tree() {
        let kernel = places.as_ref().ok().and_then(|places| kernel(places, controller(bound.of)?));
        kept.note(bound.of, kernel.unwrap_or(Keeper::Counted));
    }
    kept
}

fn kernel(places: &Hierarchies, controller: &str) -> Option<Keeper> {
    let may_make = |parent: &Path| access(parent, AccessFlags::W_OK).is_ok();
    if let Ok(own) = places.unified()
        && may_make(&own)
        && lists(&own.join("cgroup.subtree_control"), controller)
    {
        return Some(Keeper::CgroupV2);
    }
    let parent = places.of_controller(controller)?;
    may_make(&parent).then_some(Keeper::CgroupV1)
}

/// How much memory we may use ourselves, with all that we start, where somebody has set a limit.
pub fn own_memory_limit() -> Option<u64> {
    let places = Hierarchies::read().ok()?;
    let version_1 = places.of_controller("memory").and_then(|own| {
        let text = fs::read_to_string(own.join("memory.stat")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("hierarchical_memory_limit "))?;
        line.trim().parse().ok()
    });
    let version_2 = places.unified().ok().and_then(|own| smallest_above(&own));
    // Version 1 says "none" by a number that no machine has.
    let limits = version_1.into_iter().chain(version_2).filter(|limit| *limit < 1 << 60);
    limits.min()
}

/// A limit holds for everything below it.
fn smallest_above(own: &Path) -> Option<u64> {
    let limit = |directory: &Path| {
        fs::read_to_string(directory.join("memory.max")).ok()?.trim().parse().ok()
    };
    own.ancestors().filter_map(limit).min()
}

impl Keeper {
    /// Does the kernel do it?
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
