//! Files as they were when they were read, to notice that they changed since (ST-07).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use afresh_agents::bundle::FileChecksum;

/// Files, each as it was when it was read.
#[derive(Debug, Clone, Default)]
pub struct FileStates {
    files: BTreeMap<PathBuf, FileState>,
}

/// What a change of a file changes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileState {
    modified: Option<SystemTime>,
    sha256: Option<String>,
}

impl FileState {
    fn read(path: &Path) -> Self {
        let modified = modified_at(path);
        let bytes = fs::read(path).ok();
        Self { modified, sha256: bytes.map(|bytes| FileChecksum::from_bytes("", &bytes).sha256) }
    }
}

fn modified_at(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|found| found.modified()).ok()
}

impl FileStates {
    /// The regular files among these paths, as they are now.
    pub fn read(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut states = Self::default();
        states.add(paths);
        states
    }

    /// Adds files; one that is known stays as it was.
    pub fn add(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        for path in paths.into_iter().filter(|path| path.is_file()) {
            let state = FileState::read(&path);
            self.files.entry(path).or_insert(state);
        }
    }

    /// The files whose contents changed since they were read, or since the last call. A file that is gone is no
    /// change: editors replace files, and a run continues with what it has read.
    pub fn take_changes(&mut self) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for (path, state) in &mut self.files {
            // Only a file with another time is read.
            if !path.exists() || modified_at(path) == state.modified {
                continue;
            }
            let before = std::mem::replace(state, FileState::read(path));
            if before.sha256 != state.sha256 {
                changed.push(path.clone());
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_content_is_a_change_and_another_time_alone_is_none() {
        let directory = tempfile::tempdir().expect("a directory");
        let (edited, touched) = (directory.path().join("edited"), directory.path().join("touched"));
        fs::write(&edited, "one").expect("written");
        fs::write(&touched, "one").expect("written");
        let mut states = FileStates::read([edited.clone(), touched.clone()]);
        let later = SystemTime::now() + std::time::Duration::from_secs(5);
        for (path, text) in [(&edited, "two"), (&touched, "one")] {
            fs::write(path, text).expect("written");
            fs::File::open(path).and_then(|file| file.set_modified(later)).expect("a time");
        }
        assert_eq!(states.take_changes(), [edited]);
        assert!(states.take_changes().is_empty());
    }
}
