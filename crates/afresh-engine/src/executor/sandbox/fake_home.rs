//! A separate home directory for a program whose sandbox cannot mount an empty one over the user's: links to the
//! paths that it may access there, and nothing else.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Creates it at `place`, with links to those of `paths` that exist below `home`.
pub(crate) fn make(place: &Path, home: &Path, paths: &[PathBuf]) -> io::Result<()> {
    fs::create_dir_all(place)?;
    let mut inside: Vec<&Path> = paths
        .iter()
        .filter(|path| path.exists())
        .filter_map(|path| path.strip_prefix(home).ok())
        .collect();
    inside.retain(|path| path.components().next().is_some());
    inside.sort();
    let mut linked: Vec<&Path> = Vec::new();
    for path in inside {
        // A path inside a linked directory is already reachable.
        if linked.iter().any(|outer| path.starts_with(outer)) {
            continue;
        }
        let at = place.join(path);
        if let Some(parent) = at.parent() {
            fs::create_dir_all(parent)?;
        }
        symlink(home.join(path), at)?;
        linked.push(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stand_in_has_what_may_be_touched_and_nothing_else() {
        let directory = tempfile::tempdir().expect("a directory");
        let (home, root) = (directory.path().join("home"), directory.path().join("stand-in"));
        for path in [".tool/bin", ".local/share/agent", ".ssh"] {
            fs::create_dir_all(home.join(path)).expect("directories");
        }
        let paths = [".tool/bin", ".tool", ".local/share/agent", ".gone"].map(|it| home.join(it));
        make(&root, &home, &paths).expect("made");
        assert!(root.join(".tool/bin").is_dir() && root.join(".local/share/agent").is_dir());
        assert!(!root.join(".ssh").exists() && !root.join(".gone").exists());
        fs::write(root.join("new"), "").expect("its own");
        assert!(!home.join("new").exists());
    }
}
