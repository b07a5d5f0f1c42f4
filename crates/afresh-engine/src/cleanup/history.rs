//! The history of runs: transcripts, bundles, the registry of processes.
//!
//! Transcripts are the only record of what a worker said, so they are removed only if the user gives a maximum age
//! or number. Bundles that were made for inspection can be made again.

use std::fs;
use std::path::{Path, PathBuf};

use super::item::{CleanupItem, CleanupKind, CleanupTarget};
use super::{Cleanup, KnownRuns, size};

const DAY_MS: u128 = 24 * 3600 * 1000;

impl Cleanup<'_> {
    pub(super) fn history(&self) -> Vec<CleanupItem> {
        let mut things = self.transcripts();
        things.extend(self.bundles());
        things.extend(self.registry());
        things
    }

    fn transcripts(&self) -> Vec<CleanupItem> {
        let mut things = Vec::new();
        let (mut kept, mut kept_bytes) = (0, 0);
        for directory in directories(&self.place.layout.state.join("attempts")) {
            let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let bytes = size::disk_usage(&directory);
            let Some(why) = self.find_run(&name).and_then(|known| self.is_history(known)) else {
                (kept, kept_bytes) = (kept + 1, kept_bytes + bytes);
                continue;
            };
            let target = CleanupTarget::Paths(vec![directory]);
            things.push(
                CleanupItem::remove(CleanupKind::Transcripts, &name, why, target).of_size(bytes),
            );
        }
        if kept > 0 {
            let thing = CleanupItem::stays(
                CleanupKind::Transcripts,
                runs(kept),
                "they record what workers did",
            );
            let hint = "`afresh clean --older-than 30d` or `afresh clean --keep-runs 5` removes those of finished runs";
            things.push(thing.of_size(kept_bytes).hint(hint));
        }
        things
    }

    /// Why the transcripts of a run may be removed, if the user asked for that.
    fn is_history(&self, known: &KnownRuns) -> Option<String> {
        let wishes = self.wishes;
        if !known.is_finished() || (wishes.older_than.is_none() && wishes.keep_runs.is_none()) {
            return None;
        }
        let age_ms = u128::try_from(self.now_ms.saturating_sub(known.last_wall_ms)).unwrap_or(0);
        let is_old = wishes.older_than.is_none_or(|span| age_ms > span.as_millis());
        let newer = self.runs.iter().filter(|it| it.last_wall_ms > known.last_wall_ms).count();
        let is_beyond = wishes.keep_runs.is_none_or(|count| newer >= count);
        let days = age_ms / DAY_MS;
        (is_old && is_beyond).then(|| format!("the run ended {days} days ago"))
    }

    fn bundles(&self) -> Option<CleanupItem> {
        let of_runs = directories(&self.place.layout.state.join("bundles"));
        let bytes = of_runs.iter().map(|directory| size::disk_usage(directory)).sum();
        let name = format!("of {}", runs(of_runs.len()));
        let why = "they were made to be looked at, and can be made again";
        (!of_runs.is_empty()).then(|| {
            CleanupItem::remove(CleanupKind::Bundles, name, why, CleanupTarget::Paths(of_runs))
                .of_size(bytes)
        })
    }

    /// Empty entries wait for the next job of the same name; while no driver is running there is none.
    fn registry(&self) -> Option<CleanupItem> {
        let registry = self.place.layout.processes();
        let empty = |entry: &fs::DirEntry| {
            entry.metadata().is_ok_and(|found| found.is_file() && found.len() == 0)
        };
        let empty: Vec<PathBuf> =
            entries(&registry).into_iter().filter(empty).map(|entry| entry.path()).collect();
        let of = if empty.len() == 1 { "process" } else { "processes" };
        let name = format!("of {} ended {of}", empty.len());
        let why = "nothing of them is left";
        (!empty.is_empty()).then(|| {
            CleanupItem::remove(CleanupKind::Registry, name, why, CleanupTarget::Paths(empty))
        })
    }
}

fn runs(count: usize) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{count} runs") }
}

/// The subdirectories of a directory, without symbolic links.
fn directories(place: &Path) -> Vec<PathBuf> {
    let is_directory = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let found = entries(place).into_iter().filter(is_directory).map(|entry| entry.path());
    let mut found: Vec<PathBuf> = found.collect();
    found.sort();
    found
}

/// The entries of a directory; none if it is a symbolic link.
pub(super) fn entries(place: &Path) -> Vec<fs::DirEntry> {
    let is_real = place.symlink_metadata().is_ok_and(|found| found.is_dir());
    let listing = is_real.then(|| fs::read_dir(place)).and_then(Result::ok);
    listing.into_iter().flatten().flatten().collect()
}
