//! The registry of running jobs, for cleaning up after a crash.
//!
//! One small file per name. It holds one line from before the job's program starts until its
//! process tree is gone; then it is empty, ready for the next job of that name. Files are not
//! removed, because deleting and creating the same ones again and again is slow on ext4. `sweep`
//! decides what to do about leftovers.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::containment::proc_table::ProcessIdentity;
use crate::driver::report::ContainmentLevel;
use crate::leftovers::find;
use crate::limits::cgroup_limits::CgroupPaths;

/// What is needed to find a process tree without its supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RegistryEntry {
    pub place: BootContext,
    pub supervisor: ProcessIdentity,
    pub program: ProcessIdentity,
    #[serde(rename = "rung")]
    pub level: ContainmentLevel,
    pub cgroup: Option<PathBuf>,
    /// Further cgroups, which only hold limits.
    #[serde(default, rename = "fence")]
    pub cgroup_limits: CgroupPaths,
    pub cwd: PathBuf,
    /// Inodes of the pipes that the program was given.
    pub pipes: Vec<u64>,
    /// Other processes of the tree, from the member log.
    pub tree: Vec<ProcessIdentity>,
}

/// Where pids are valid: one boot, one PID namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BootContext {
    pub boot: String,
    pub pid_namespace: String,
}

impl BootContext {
    pub(crate) fn current() -> Self {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let pid_namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        Self {
            boot: boot.trim().to_owned(),
            pid_namespace: pid_namespace.to_string_lossy().into_owned(),
        }
    }
}

impl RegistryEntry {
    /// Reads the first line: what follows it is the rest of an older, longer entry.
    pub(crate) fn load(path: &Path) -> io::Result<Self> {
        let bytes = fs::read(path)?;
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(serde_json::from_slice(line)?)
    }
}

/// The registry file of one job, by name.
#[derive(Debug)]
pub(crate) struct RegistryFile {
    path: PathBuf,
}

impl RegistryFile {
    pub(crate) fn new(registry: &Path, name: &str) -> Self {
        Self { path: registry.join(format!("{name}.json")) }
    }

    /// Takes the file for a new job. Leftovers of its earlier job are ended first; a job that still
    /// runs keeps it.
    pub(crate) fn create(registry: &Path, name: &str) -> io::Result<Self> {
        fs::create_dir_all(registry)?;
        let entry_file = Self::new(registry, name);
        if let Ok(earlier) = RegistryEntry::load(&entry_file.path) {
            if earlier.place == BootContext::current() && earlier.supervisor.is_alive() {
                let pid = earlier.supervisor.pid;
                return Err(io::Error::other(format!(
                    "a job named {name} still runs under process {pid}: wait for it, or sweep"
                )));
            }
            find::end_leftovers(&earlier, registry);
        }
        Ok(entry_file)
    }

    pub(crate) fn load(&self) -> io::Result<RegistryEntry> {
        RegistryEntry::load(&self.path)
    }

    /// Written in one call, so that a kill leaves the old line or the new one. Not synced: the
    /// processes do not survive a power cut either.
    pub(crate) fn write(&self, entry: &RegistryEntry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let file = File::options().create(true).truncate(false).write(true).open(&self.path)?;
        file.write_all_at(&line, 0)
    }

    pub(crate) fn release(&self) {
        // A leftover entry of a tree that is gone costs the next sweep a look, no more.
        if let Ok(file) = File::options().write(true).open(&self.path) {
            let _ = file.set_len(0);
        }
    }
}

/// The entries in use whose names begin with `prefix`.
pub(crate) fn list_entries(
    registry: &Path,
    prefix: &str,
) -> Vec<(PathBuf, io::Result<RegistryEntry>)> {
    let listing = fs::read_dir(registry).into_iter().flatten().flatten();
    let named = listing.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let whole = name.strip_suffix(".json").is_some() && !name.starts_with('.');
        let path = entry.path();
        (whole && is_used(&path) && name.starts_with(prefix)).then_some(path)
    });
    named.map(|path| (path.clone(), RegistryEntry::load(&path))).collect()
}

/// Whether the file describes a job; an empty one does not.
pub(crate) fn is_used(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.len() > 0)
}
