//! Finds our own cgroup in the file system, in each hierarchy.

use std::fs;
use std::path::{Path, PathBuf};

/// The part of our own cgroup that we moved to, if we did.
pub(crate) const ASIDE: &str = "afresh-aside";

/// What the kernel says about mounts and about our own cgroups.
#[derive(Debug)]
pub(crate) struct CgroupMounts {
    mounts: String,
    own: String,
}

impl CgroupMounts {
    pub(crate) fn read() -> Result<Self, String> {
        let read =
            |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
        Ok(Self { mounts: read("/proc/self/mountinfo")?, own: read("/proc/self/cgroup")? })
    }

    /// The one hierarchy of version 2.
    pub(crate) fn unified(&self) -> Result<PathBuf, String> {
        let own = self.own.lines().find_map(|line| line.strip_prefix("0::"));
        let own = own.ok_or("this process is in no cgroup v2")?;
        // A process that moved aside still owns the whole cgroup.
        let own = own.strip_suffix(ASIDE).unwrap_or(own);
        locate(&self.mounts, own, |kind, _| kind == "cgroup2")
            .ok_or_else(|| "no cgroup v2 is mounted here".into())
    }

    /// The hierarchy of version 1 that has this controller.
    pub(crate) fn controller_mount(&self, controller: &str) -> Option<PathBuf> {
        let listed = |list: &str| list.split(',').any(|word| word == controller);
        let own = self.own.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            listed(controllers).then_some(path)
        })?;
        locate(&self.mounts, own, |kind, options| kind == "cgroup" && listed(options))
    }
}

/// Containers mount a part of a hierarchy. `is_it` is given the type of a mount and its options.
fn locate(mounts: &str, own: &str, is_it: impl Fn(&str, &str) -> bool) -> Option<PathBuf> {
    let (root, point) = mounts.lines().find_map(|line| {
        let (mount, kind) = line.split_once(" - ")?;
        let mut fields = mount.split(' ').skip(3);
        let found = (fields.next()?, fields.next()?);
        let mut kind = kind.split(' ');
        is_it(kind.next()?, kind.next_back().unwrap_or_default()).then_some(found)
    })?;
    let inside = Path::new(own).strip_prefix(root).unwrap_or(Path::new(own));
    let inside = inside.strip_prefix("/").unwrap_or(inside);
    Some(Path::new(&unescape(point)).join(inside))
}

/// Mount points contain octal escapes for blanks.
fn unescape(point: &str) -> String {
    point.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unified(mounts: &str, own: &str) -> Option<PathBuf> {
        CgroupMounts { mounts: mounts.into(), own: format!("0::{own}\n") }.unified().ok()
    }

    #[test]
    fn our_cgroup_is_found_wherever_the_hierarchy_is_mounted() {
        let hybrid = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                      41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        assert_eq!(unified(hybrid, "/").unwrap(), Path::new("/sys/fs/cgroup/unified"));
        let whole = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
        let scope = "/user.slice/session-1.scope";
        let expected = Path::new("/sys/fs/cgroup/user.slice/session-1.scope");
        assert_eq!(unified(whole, scope).unwrap(), expected);
        let part = "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
        assert_eq!(unified(part, "/docker/abc/x").unwrap(), Path::new("/sys/fs/cgroup/x"));
        let aside = format!("{scope}/{ASIDE}");
        assert_eq!(unified(whole, &aside).unwrap(), expected);
        assert_eq!(unified("1 2 0:3 / / rw - ext4 /dev/sda rw\n", "/"), None);
    }

    #[test]
    fn a_controller_of_version_1_is_found_in_its_own_hierarchy() {
        let mounts = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
                      39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n";
        let own = "8:pids:/job/7\n1:cpu,cpuacct:/\n0::/x\n";
        let found = CgroupMounts { mounts: mounts.into(), own: own.into() };
        assert_eq!(found.controller_mount("pids").unwrap(), Path::new("/sys/fs/cgroup/pids/job/7"));
        assert_eq!(
            found.controller_mount("cpuacct").unwrap(),
            Path::new("/sys/fs/cgroup/cpu,cpuacct")
        );
        assert_eq!(found.controller_mount("memory"), None);
    }
}
