//! The files of the user's checkout, without what git ignores. Nothing is written, and no commit is needed.

use std::path::{Path, PathBuf};

use afresh_git::{GitProgram, Repository};
use afresh_planner::discovery::{RepositoryFile, RepositoryFiles};

use crate::text::files::read_bounded;

/// Larger files are not read.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;
/// The most files that are listed.
const MAX_FILES: usize = 200_000;

#[derive(Debug)]
pub struct CheckoutFiles {
    root: PathBuf,
    files: Vec<RepositoryFile>,
}

impl CheckoutFiles {
    /// Those around a directory; where there is no repository, those below it that could be in one.
    pub fn list(program: Option<&GitProgram>, directory: &Path) -> Self {
        let repository = program.and_then(|git| Repository::discover(git, directory).ok());
        let root = repository.as_ref().and_then(Repository::root).unwrap_or(directory).to_owned();
        let listed = repository.and_then(|repository| repository.checkout_files().ok());
        let paths = listed.unwrap_or_else(|| walk(&root));
        let file = |path: PathBuf| {
            let found = std::fs::symlink_metadata(root.join(&path)).ok()?;
            let path = path.to_str()?.to_owned();
            found.is_file().then_some(RepositoryFile { path, bytes: found.len() })
        };
        let mut files: Vec<RepositoryFile> =
            paths.into_iter().take(MAX_FILES).filter_map(file).collect();
        files.sort();
        Self { root, files }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }
}

impl RepositoryFiles for CheckoutFiles {
    fn files(&self) -> &[RepositoryFile] {
        &self.files
    }

    fn text(&self, path: &str) -> Option<String> {
        let bytes = read_bounded(&self.root.join(path), MAX_TEXT_BYTES).ok()?;
        String::from_utf8(bytes).ok()
    }
}

/// Directories that no repository would have in it.
const SKIPPED: &[&str] = &[".git", "node_modules", "target", ".venv", "__pycache__", ".afresh"];

fn walk(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(directory) = open.pop() {
        let Ok(entries) = std::fs::read_dir(root.join(&directory)) else { continue };
        for entry in entries.flatten() {
            let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else { continue };
            if kind.is_dir() && !SKIPPED.iter().any(|skipped| name == *skipped) {
                open.push(directory.join(&name));
            } else if kind.is_file() {
                found.push(directory.join(&name));
            }
            if found.len() >= MAX_FILES {
                return found;
            }
        }
    }
    found
}
