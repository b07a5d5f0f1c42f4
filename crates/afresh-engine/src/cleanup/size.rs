//! How much room something takes on disk. Links are not followed, and count for themselves.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Blocks are counted in these, whatever the file system uses.
const BLOCK_BYTES: u64 = 512;

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CleanupSize {
    pub bytes: u64,
    /// Whether that is all: somebody who looks at everything has no time for millions of files.
    pub is_whole: bool,
}

pub(super) fn disk_usage(path: &Path) -> u64 {
    of_directory(path, u64::MAX).bytes
}

/// The room that a directory takes, looking at no more than so many files.
pub fn of_directory(path: &Path, most_files: u64) -> CleanupSize {
    let (mut bytes, mut files) = (0, 0);
    let mut open: Vec<PathBuf> = vec![path.to_owned()];
    while let Some(next) = open.pop() {
        if files >= most_files {
            return CleanupSize { bytes, is_whole: false };
        }
        files += 1;
        // What goes away while we look takes no room.
        let Ok(found) = next.symlink_metadata() else { continue };
        if found.is_dir() {
            bytes += found.blocks() * BLOCK_BYTES;
            let entries = fs::read_dir(&next).into_iter().flatten().flatten();
            open.extend(entries.map(|entry| entry.path()));
        } else {
            // Each of several names of a file counts for its part.
            bytes += found.blocks() * BLOCK_BYTES / found.nlink().max(1);
        }
    }
    CleanupSize { bytes, is_whole: true }
}
