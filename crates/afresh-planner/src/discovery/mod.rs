//! What a repository is, before any agent is asked (PL-03).

use std::collections::BTreeMap;

/// A file of the repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepositoryFile {
    /// From the root, with `/` between components.
    pub path: String,
    pub bytes: u64,
}

/// The files of a repository, without what it ignores. The caller bounds the sizes.
pub trait RepositoryFiles {
    /// Sorted by path.
    fn files(&self) -> &[RepositoryFile];

    /// The text of a file; none if it is missing, too large or not text.
    fn text(&self, path: &str) -> Option<String>;

    fn bytes_of(&self, path: &str) -> Option<u64> {
        let files = self.files();
        let at = files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        Some(files[at].bytes)
    }
}

/// Files in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles {
    files: Vec<RepositoryFile>,
    texts: BTreeMap<String, String>,
}

impl MemoryFiles {
    pub fn new<P: Into<String>, T: Into<String>>(files: impl IntoIterator<Item = (P, T)>) -> Self {
        let texts: BTreeMap<String, String> =
            files.into_iter().map(|(path, text)| (path.into(), text.into())).collect();
        let listed = texts.iter().map(|(path, text)| RepositoryFile {
            path: path.clone(),
            bytes: u64::try_from(text.len()).unwrap_or(u64::MAX),
        });
        Self { files: listed.collect(), texts }
    }
}

impl RepositoryFiles for MemoryFiles {
    fn files(&self) -> &[RepositoryFile] {
        &self.files
    }

    fn text(&self, path: &str) -> Option<String> {
        self.texts.get(path).cloned()
    }
}
