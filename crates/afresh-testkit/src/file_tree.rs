//! The files below a directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Every file below a directory, in order. Links are listed and not followed; what vanishes meanwhile is left out.
pub fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                _ => found.push(entry.path()),
            }
        }
    }
    found.sort();
    found
}

/// Every file below a directory with its content.
pub fn contents_below(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let content = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap_or_default();
        (path, bytes)
    };
    files_below(directory).into_iter().map(content).collect()
}
