//! The strongest rung: a cgroup of its own, which the kernel ends as one (cgroup v2).
//!
//! Only membership is used; limits of memory or processes are left to whoever made our cgroup.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

const PREFIX: &str = "afresh-";
const NAP: Duration = Duration::from_millis(2);

/// A cgroup that we made.
#[derive(Debug)]
pub(crate) struct Cgroup {
    path: PathBuf,
}

impl Cgroup {
    /// Makes one below our own. The error says why this machine does not offer it.
    pub(crate) fn make(name: &str) -> Result<Self, String> {
        let parent = own_directory()?;
        let pid = std::process::id();
        // A number more, because another container may use the same pid in the same hierarchy.
        for number in 0..100 {
            let path = parent.join(format!("{PREFIX}{name}.{pid}.{number}"));
            match fs::create_dir(&path) {
                Ok(()) => return Self { path }.checked(),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    // Goes only if nobody is in it.
                    let _ = fs::remove_dir(&path);
                }
                Err(error) => return Err(format!("cannot make {}: {error}", path.display())),
            }
        }
        Err(format!("{} is full of cgroups of this name", parent.display()))
    }

    /// One that an earlier supervisor recorded. Anything that does not look like ours is refused.
    pub(crate) fn recorded(path: &Path) -> Option<Self> {
        let ours = path.file_name()?.to_str()?.starts_with(PREFIX);
        (ours && path.join("cgroup.procs").exists()).then(|| Self { path: path.to_owned() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Ends everybody in it, at once and with no way to fork out of it.
    pub(crate) fn kill(&self) {
        // If this fails, the next step finds the processes one by one.
        let _ = fs::write(self.path.join("cgroup.kill"), "1");
    }

    /// Those in it, by pid.
    pub(crate) fn members(&self) -> Vec<i32> {
        let mut pids = Vec::new();
        for directory in directories_below(&self.path) {
            let text = fs::read_to_string(directory.join("cgroup.procs")).unwrap_or_default();
            pids.extend(text.lines().filter_map(|line| line.parse::<i32>().ok()));
        }
        pids
    }

    /// Removes it when the last process has left it; says whether it did.
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

fn own_directory() -> Result<PathBuf, String> {
    let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let mounts = read("/proc/self/mountinfo")?;
    let own = read("/proc/self/cgroup")?;
    let own = own.lines().find_map(|line| line.strip_prefix("0::"));
    let own = own.ok_or("this process is in no cgroup v2")?;
    locate(&mounts, own).ok_or_else(|| "no cgroup v2 is mounted here".into())
}

/// Where our own cgroup is seen in the file system. Containers mount a part of the hierarchy.
fn locate(mounts: &str, own: &str) -> Option<PathBuf> {
    let (root, point) = mounts.lines().find_map(|line| {
        let (mount, kind) = line.split_once(" - ")?;
        let mut fields = mount.split(' ').skip(3);
        let found = (fields.next()?, fields.next()?);
        (kind.split(' ').next()? == "cgroup2").then_some(found)
    })?;
    let inside = Path::new(own).strip_prefix(root).unwrap_or(Path::new(own));
    let inside = inside.strip_prefix("/").unwrap_or(inside);
    Some(Path::new(&unescape(point)).join(inside))
}

/// Mount points are written with octal escapes for blanks.
fn unescape(point: &str) -> String {
    point.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_cgroup_is_found_wherever_the_hierarchy_is_mounted() {
        let hybrid = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                      41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        assert_eq!(locate(hybrid, "/").unwrap(), Path::new("/sys/fs/cgroup/unified"));
        let unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
        let scope = "/user.slice/session-1.scope";
        let there = Path::new("/sys/fs/cgroup/user.slice/session-1.scope");
        assert_eq!(locate(unified, scope).unwrap(), there);
        let part = "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
        assert_eq!(locate(part, "/docker/abc/x").unwrap(), Path::new("/sys/fs/cgroup/x"));
        assert_eq!(locate("1 2 0:3 / / rw - ext4 /dev/sda rw\n", "/"), None);
    }

    #[test]
    fn a_recorded_path_that_is_not_ours_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        assert!(Cgroup::recorded(directory.path()).is_none());
        assert!(Cgroup::recorded(Path::new("/sys/fs/cgroup")).is_none());
    }
}
