//! The files of a commit for the planner, read through git: one listing with sizes, and one batch with the texts that
//! discovery needs. Bounded, and no link is followed.

use std::collections::BTreeMap;

use afresh_core::ids::CommitId;
use afresh_git::{BulkLimits, EntryMode, Repository};
use afresh_planner::discovery::{MAX_TEXT_BYTES, RepositoryFile, RepositoryFiles, choose_texts};

use crate::error::AppError;

/// The most files that are listed; the rest is left out.
const MAX_FILES: usize = 500_000;
/// All texts together.
const MAX_TOTAL_BYTES: usize = 64 * 1024 * 1024;

/// The files of a commit, or of one directory of it.
#[derive(Debug)]
pub struct CommitFiles {
    git: Repository,
    files: Vec<RepositoryFile>,
    /// Blobs by path.
    ids: BTreeMap<String, String>,
    /// The texts that discovery needs, by path.
    read: BTreeMap<String, String>,
}

impl CommitFiles {
    /// Those below `directory`, which is relative to the root and empty for the root itself. Paths start there.
    pub fn list(git: &Repository, commit: &CommitId, directory: &str) -> Result<Self, AppError> {
        let mut ids = BTreeMap::new();
        let mut files = Vec::new();
        for measured in
            git.measure_files(commit).map_err(AppError::git)?.into_iter().take(MAX_FILES)
        {
            let is_file = matches!(measured.file.mode, EntryMode::File | EntryMode::Executable);
            let Some(path) = path_below(&measured.file.path, directory).filter(|_| is_file) else {
                continue;
            };
            files.push(RepositoryFile { path: path.to_owned(), bytes: measured.bytes });
            ids.insert(path.to_owned(), measured.file.id);
        }
        files.sort();
        let wanted = choose_texts(&files);
        let blobs: Vec<&str> =
            wanted.iter().filter_map(|path| ids.get(path)).map(String::as_str).collect();
        let contents = git.read_blobs(&blobs, limits()).map_err(AppError::git)?;
        let read = wanted.iter().filter_map(|path| {
            let bytes = contents.get(ids.get(path)?)?;
            Some((path.clone(), decode(bytes.clone())?))
        });
        let read = read.collect();
        Ok(Self { git: git.clone(), files, ids, read })
    }
}

impl RepositoryFiles for CommitFiles {
    fn files(&self) -> &[RepositoryFile] {
        &self.files
    }

    fn text(&self, path: &str) -> Option<String> {
        if let Some(text) = self.read.get(path) {
            return Some(text.clone());
        }
        let id = self.ids.get(path)?;
        let mut found = self.git.read_blobs(&[id], limits()).ok()?;
        decode(found.remove(id)?)
    }
}

/// One directory of other files; paths start there.
#[derive(Debug)]
pub(super) struct DirectoryFiles<'a, F> {
    whole: &'a F,
    directory: &'a str,
    files: Vec<RepositoryFile>,
}

impl<'a, F: RepositoryFiles> DirectoryFiles<'a, F> {
    pub(super) fn new(whole: &'a F, directory: &'a str) -> Self {
        let below = whole.files().iter().filter_map(|file| {
            let path = path_below(&file.path, directory)?.to_owned();
            Some(RepositoryFile { path, bytes: file.bytes })
        });
        Self { whole, directory, files: below.collect() }
    }
}

impl<F: RepositoryFiles> RepositoryFiles for DirectoryFiles<'_, F> {
    fn files(&self) -> &[RepositoryFile] {
        &self.files
    }

    fn text(&self, path: &str) -> Option<String> {
        if self.directory.is_empty() {
            return self.whole.text(path);
        }
        self.whole.text(&format!("{}/{path}", self.directory))
    }
}

fn limits() -> BulkLimits {
    let blob_bytes = usize::try_from(MAX_TEXT_BYTES).unwrap_or(usize::MAX);
    BulkLimits { blob_bytes, total_bytes: MAX_TOTAL_BYTES }
}

/// The path from `directory`, if it is below it.
fn path_below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    if directory.is_empty() {
        return Some(path);
    }
    path.strip_prefix(directory)?.strip_prefix('/')
}

/// The text, unless it is binary.
fn decode(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}
