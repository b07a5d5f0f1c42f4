//! Everything of the user's that a run must leave byte-identical (R5): checkout, index, stash,
//! untracked files, current branch, configuration, hooks, and every ref that is not ours.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Path → content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoFingerprint(BTreeMap<String, String>);

/// What afresh may write in a user's repository.
const OURS: &[&str] = &[
    ".afresh/state",
    ".git/objects",
    ".git/refs/heads/afresh",
    ".git/refs/afresh",
    ".git/refs/notes/afresh",
    ".git/logs",
    ".git/afresh.lock",
    ".git/packed-refs",
];

impl RepoFingerprint {
    pub fn read(root: &Path) -> Self {
        let mut found = BTreeMap::new();
        collect(root, root, &mut found);
        Self(found)
    }

    /// Fails the test with the differences.
    #[track_caller]
    pub fn expect_same_as(&self, before: &Self) {
        let paths: std::collections::BTreeSet<&String> =
            self.0.keys().chain(before.0.keys()).collect();
        let changed: Vec<&String> =
            paths.into_iter().filter(|path| self.0.get(*path) != before.0.get(*path)).collect();
        assert!(changed.is_empty(), "R5: changed in the user's checkout: {changed:?}");
    }
}

fn collect(root: &Path, directory: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(directory).expect("a readable directory").flatten() {
        let path = entry.path();
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
        if OURS.contains(&name.as_str()) {
            continue;
        }
        let metadata = fs::symlink_metadata(&path).expect("metadata");
        let mode = metadata.mode();
        if metadata.is_symlink() {
            let target = fs::read_link(&path).expect("a link");
            found.insert(name, format!("{mode:o} -> {}", target.display()));
        } else if metadata.is_dir() {
            // Git makes the directory of our notes; other notes in it are the user's.
            if name != ".git/refs/notes" {
                found.insert(format!("{name}/"), format!("{mode:o}"));
            }
            collect(root, &path, found);
        } else {
            let bytes = fs::read(&path).unwrap_or_default();
            // The modification time counts too: a file rewritten with the same bytes was touched.
            let text = String::from_utf8_lossy(&bytes).into_owned();
            found.insert(
                name,
                format!("{mode:o} {}.{} {text}", metadata.mtime(), metadata.mtime_nsec()),
            );
        }
    }
}
