//! The files that a worker starts with: in its workspace, or in a commit as long as it has no workspace.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use afresh_core::ids::CommitId;
use afresh_git::{CommandError, Repository, parse_path_text};

use crate::layout::text;
use crate::worker_files::open_below;

/// Longer files are not inlined: they are not text meant for reading.
const MAX_READ_BYTES: usize = 1024 * 1024;

pub trait SourceTree {
    /// The directory that the worker works in; empty if it does not exist yet.
    fn directory(&self) -> String;

    fn has(&self, path: &str) -> bool;

    /// The content of a file, if it is text.
    fn text(&self, path: &str) -> Option<String>;
}

/// A workspace that is ready for its worker.
#[derive(Debug, Clone, Copy)]
pub struct WorkspaceTree<'a>(pub &'a Path);

impl SourceTree for WorkspaceTree<'_> {
    fn directory(&self) -> String {
        text(self.0)
    }

    fn has(&self, path: &str) -> bool {
        std::fs::symlink_metadata(self.0.join(parse_path_text(path))).is_ok()
    }

    fn text(&self, path: &str) -> Option<String> {
        let mut bytes = Vec::new();
        let file = open_below(self.0, path).ok()?;
        file.take(MAX_READ_BYTES as u64 + 1).read_to_end(&mut bytes).ok()?;
        readable(bytes)
    }
}

/// A commit that a workspace would be created from.
#[derive(Debug)]
pub struct CommitTree<'a> {
    repository: &'a Repository,
    commit: CommitId,
    paths: BTreeSet<String>,
}

impl<'a> CommitTree<'a> {
    pub fn new(repository: &'a Repository, commit: CommitId) -> Result<Self, CommandError> {
        let files = repository.list_files(&commit)?;
        let paths = files.into_iter().map(|file| file.path).collect();
        Ok(Self { repository, commit, paths })
    }
}

impl SourceTree for CommitTree<'_> {
    fn directory(&self) -> String {
        String::new()
    }

    fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    fn text(&self, path: &str) -> Option<String> {
        readable(self.repository.show_file(&self.commit, path).ok()??)
    }
}

/// No files: nothing has landed that a worker could build on.
#[derive(Debug, Clone, Copy)]
pub struct EmptyTree;

impl SourceTree for EmptyTree {
    fn directory(&self) -> String {
        String::new()
    }

    fn has(&self, _path: &str) -> bool {
        false
    }

    fn text(&self, _path: &str) -> Option<String> {
        None
    }
}

fn readable(bytes: Vec<u8>) -> Option<String> {
    if bytes.len() > MAX_READ_BYTES {
        return None;
    }
    String::from_utf8(bytes).ok()
}
