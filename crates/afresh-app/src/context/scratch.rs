//! Scratch directories of the demo. One that failed is kept for a day, so that it can be inspected; a killed one could
//! not be removed. A later demo removes both. Directories without the marker are the user's, and stay.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The beginning of the name of a scratch directory.
pub const SCRATCH_PREFIX: &str = "afresh-demo-";
const MARKER: &str = ".afresh-scratch";
const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// Marks a directory that a later demo may remove.
pub fn mark(directory: &Path) -> std::io::Result<()> {
    fs::write(directory.join(MARKER), "afresh removes this directory a day later\n")
}

/// Removes the marked directories of demos that ended long ago.
pub fn remove_outdated(under: &Path, now: SystemTime) {
    for entry in fs::read_dir(under).into_iter().flatten().flatten() {
        let is_scratch = entry.file_name().to_string_lossy().starts_with(SCRATCH_PREFIX);
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_scratch && is_directory && is_outdated(&entry.path(), now) {
            // What cannot be removed now is tried again by the next demo.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A clock that was set back makes nothing older.
fn is_outdated(directory: &Path, now: SystemTime) -> bool {
    let marked = fs::symlink_metadata(directory.join(MARKER)).ok();
    let marked = marked.filter(fs::Metadata::is_file).and_then(|found| found.modified().ok());
    marked.is_some_and(|at| now.duration_since(at).is_ok_and(|age| age >= KEPT_FOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_directories_of_earlier_days_are_removed() {
        let under = tempfile::tempdir().expect("a directory");
        let make = |name: &str| {
            let directory = under.path().join(name);
            fs::create_dir_all(directory.join("todo")).expect("a directory");
            directory
        };
        let (failed, kept) = (make("afresh-demo-1-0"), make("afresh-demo-2-0"));
        let other = make("mine");
        mark(&failed).expect("a marker");
        mark(&other).expect("a marker");
        remove_outdated(under.path(), SystemTime::now() + Duration::from_secs(60));
        assert!(failed.exists(), "today's is kept");
        remove_outdated(under.path(), SystemTime::now() + 2 * KEPT_FOR);
        assert!(!failed.exists() && kept.exists() && other.exists());
    }
}
