//! What is running, written down for whoever comes after a crash.
//!
//! One small file per job, there from before its program begins until its tree is gone. Deciding
//! what to do about a leftover is `sweep`'s.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::report::Rung;
use crate::table::Identity;
use crate::traces;

/// What is needed to find a tree again without its supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub place: Place,
    pub supervisor: Identity,
    pub program: Identity,
    pub rung: Rung,
    pub cgroup: Option<PathBuf>,
    pub cwd: PathBuf,
    /// Inodes of the pipes that the program was given.
    pub pipes: Vec<u64>,
    /// Who else was seen in the tree, as far as that is needed.
    pub tree: Vec<Identity>,
}

/// Where pids mean something: one boot, one PID namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub boot: String,
    pub pid_namespace: String,
}

impl Place {
    pub(crate) fn here() -> Self {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let pid_namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        Self {
            boot: boot.trim().to_owned(),
            pid_namespace: pid_namespace.to_string_lossy().into_owned(),
        }
    }
}

impl Entry {
    pub(crate) fn load(path: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(path)?)?)
    }
}

/// The entry of one job, by name.
#[derive(Debug)]
pub(crate) struct Slot {
    path: PathBuf,
    draft: PathBuf,
}

impl Slot {
    pub(crate) fn named(registry: &Path, name: &str) -> Self {
        Self {
            path: registry.join(format!("{name}.json")),
            draft: registry.join(format!(".{name}.json")),
        }
    }

    /// Takes the slot. What an earlier user of it left is ended first; one that still lives keeps it.
    pub(crate) fn claim(registry: &Path, name: &str) -> io::Result<Self> {
        fs::create_dir_all(registry)?;
        let slot = Self::named(registry, name);
        if let Ok(earlier) = Entry::load(&slot.path) {
            if earlier.place == Place::here() && earlier.supervisor.is_alive() {
                let pid = earlier.supervisor.pid;
                return Err(io::Error::other(format!(
                    "a job named {name} still runs under process {pid}: wait for it, or sweep"
                )));
            }
            traces::end(&earlier, registry);
        }
        Ok(slot)
    }

    pub(crate) fn load(&self) -> io::Result<Entry> {
        Entry::load(&self.path)
    }

    /// Whole or not at all. Not synced: what it describes does not survive a power cut either.
    pub(crate) fn write(&self, entry: &Entry) -> io::Result<()> {
        fs::write(&self.draft, serde_json::to_vec(entry)?)?;
        fs::rename(&self.draft, &self.path)
    }

    pub(crate) fn release(&self) {
        // A leftover entry of a tree that is gone costs the next sweep a look, no more.
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(&self.draft);
    }
}

/// The entries whose names begin with `prefix`.
pub(crate) fn entries(registry: &Path, prefix: &str) -> Vec<(PathBuf, io::Result<Entry>)> {
    let listing = fs::read_dir(registry).into_iter().flatten().flatten();
    let named = listing.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let whole = name.strip_suffix(".json").is_some() && !name.starts_with('.');
        (whole && name.starts_with(prefix)).then(|| entry.path())
    });
    named.map(|path| (path.clone(), Entry::load(&path))).collect()
}
