//! How much disk space a directory uses. Symbolic links are not followed, and count only themselves.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The unit of `st_blocks`, whatever the file system's block size is.
const BLOCK_BYTES: u64 = 512;

/// A measured size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CleanupSize {
    pub bytes: u64,
    /// Whether everything was counted: counting stops early, because millions of files would take too long.
    pub is_whole: bool,
}

pub(super) fn disk_usage(path: &Path) -> u64 {
    of_directory(path, u64::MAX).bytes
}

/// Measures a directory, and stops after `most_files` files.
pub fn of_directory(path: &Path, most_files: u64) -> CleanupSize {
    let (mut bytes, mut files) = (0, 0);
    let mut open: Vec<PathBuf> = vec![path.to_owned()];
    while let Some(next) = open.pop() {
        if files >= most_files {
            return CleanupSize { bytes, is_whole: false };
        }
        files += 1;
        // A file that disappears while we measure uses no space.
        let Ok(found) = next.symlink_metadata() else { continue };
        if found.is_dir() {
            bytes += found.blocks() * BLOCK_BYTES;
            let entries = fs::read_dir(&next).into_iter().flatten().flatten();
            open.extend(entries.map(|entry| entry.path()));
        } else {
            // A file with several hard links counts in part for each.
            bytes += found.blocks() * BLOCK_BYTES / found.nlink().max(1);
        }
    }
    CleanupSize { bytes, is_whole: true }
}
