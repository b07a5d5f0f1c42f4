//! Cgroups made by afresh: the strongest containment, which the kernel kills as one (version 2),
//! and a place for limits (either version).
//!
//! `cgroup_limits` decides about the limits.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::containment::cgroup_mounts::CgroupMounts;

const PREFIX: &str = "afresh-";
const NAP: Duration = Duration::from_millis(2);

/// A cgroup that afresh made.
#[derive(Debug)]
pub(crate) struct Cgroup {
    path: PathBuf,
}

impl Cgroup {
    /// Makes a cgroup of version 2 below our own. The error says why this machine does not offer
    /// it.
    pub(crate) fn create(name: &str) -> Result<Self, String> {
        Self::create_in(&CgroupMounts::read()?.unified()?, name)?.checked()
    }

    /// Makes a cgroup of either version.
    pub(crate) fn create_in(parent: &Path, name: &str) -> Result<Self, String> {
        let pid = std::process::id();
        // The number is needed because another container may use the same pid in the same
        // hierarchy.
        for number in 0..100 {
            let path = parent.join(format!("{PREFIX}{name}.{pid}.{number}"));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    // Succeeds only if the cgroup is empty.
                    let _ = fs::remove_dir(&path);
                }
                Err(error) => return Err(format!("cannot make {}: {error}", path.display())),
            }
        }
        Err(format!("{} has too many cgroups of this name", parent.display()))
    }

    /// A cgroup that an earlier supervisor recorded. A path that does not look like ours is
    /// rejected.
    pub(crate) fn from_record(path: &Path) -> Option<Self> {
        let ours = path.file_name()?.to_str()?.starts_with(PREFIX);
        (ours && path.join("cgroup.procs").exists()).then(|| Self { path: path.to_owned() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Kills all its processes at once, without a chance to fork out of it (version 2 only).
    pub(crate) fn kill(&self) {
        // If this fails, the next step finds the processes one by one.
        let _ = fs::write(self.path.join("cgroup.kill"), "1");
    }

    /// The pids of its processes.
    pub(crate) fn members(&self) -> Vec<i32> {
        let mut pids = Vec::new();
        for directory in directories_below(&self.path) {
            let text = fs::read_to_string(directory.join("cgroup.procs")).unwrap_or_default();
            pids.extend(text.lines().filter_map(|line| line.parse::<i32>().ok()));
        }
        pids
    }

    /// Removes it once the last process has left it; returns whether it did.
    pub(crate) fn remove(&self, until: Instant) -> bool {
        loop {
            for directory in directories_below(&self.path).iter().rev() {
                // Busy until the last of its processes is really gone.
                let _ = fs::remove_dir(directory);
            }
            if !self.path.exists() {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            sleep(NAP);
        }
    }

    fn checked(self) -> Result<Self, String> {
        if self.path.join("cgroup.kill").exists() {
            return Ok(self);
        }
        let _ = fs::remove_dir(&self.path);
        Err("this kernel has no cgroup.kill (it came with Linux 5.14)".into())
    }
}

/// Moves the calling process in.
pub(crate) fn enter(path: &Path) -> io::Result<()> {
    fs::write(path.join("cgroup.procs"), "0")
}

/// Removes empty cgroups of supervisors that were killed after they had made one and before they
/// had recorded it.
pub(crate) fn remove_empty_cgroups(name_prefix: &str) {
    let Ok(places) = CgroupMounts::read() else { return };
    let of_limits = crate::limits::cgroup_limits::CONTROLLERS
        .iter()
        .filter_map(|it| places.controller_mount(it));
    for parent in places.unified().into_iter().chain(of_limits) {
        let listing = fs::read_dir(parent).into_iter().flatten().flatten();
        for entry in listing {
            let name = entry.file_name();
            let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
            if rest.is_some_and(|rest| rest.starts_with(name_prefix)) {
                let _ = fs::remove_dir(entry.path());
            }
        }
    }
}

/// Parents before children.
fn directories_below(path: &Path) -> Vec<PathBuf> {
    let mut found = vec![path.to_owned()];
    let mut next = 0;
    while let Some(directory) = found.get(next) {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let directories = entries.filter(|entry| entry.file_type().is_ok_and(|it| it.is_dir()));
        let paths: Vec<PathBuf> = directories.map(|entry| entry.path()).collect();
        found.extend(paths);
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_path_that_is_not_ours_is_rejected() {
        let directory = tempfile::tempdir().unwrap();
        assert!(Cgroup::from_record(directory.path()).is_none());
        assert!(Cgroup::from_record(Path::new("/sys/fs/cgroup")).is_none());
    }
}
