//! Where the note of a commit is in a tree of notes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::git::command::CommandError;
use crate::git::repository::Repository;
use crate::objects::id::ObjectId;
use crate::objects::tree::TreeEntry;

/// How many digits of an id name a directory.
pub(super) const DIRECTORY_DIGITS: usize = 2;

/// The entries of one directory by name.
pub(super) type NotesDirectory = BTreeMap<Vec<u8>, TreeEntry>;

/// The directories from the root of the notes to the note of one commit.
#[derive(Debug)]
pub(super) struct NotePath {
    /// The commit's id in hexadecimal.
    id: String,
    /// The root first; each is named by the next two digits in the one before.
    pub(super) directories: Vec<Arc<NotesDirectory>>,
}

impl NotePath {
    /// The name that a note has in the directory at this depth.
    pub(super) fn leaf_name(&self, depth: usize) -> &[u8] {
        &self.id.as_bytes()[depth * DIRECTORY_DIGITS..]
    }

    /// The name of the directory below the one at this depth.
    pub(super) fn directory_name(&self, depth: usize) -> &[u8] {
        &self.leaf_name(depth)[..DIRECTORY_DIGITS]
    }

    /// Whether a note can have a directory below this depth: a digit must be left for its name.
    pub(super) fn can_go_below(&self, depth: usize) -> bool {
        self.leaf_name(depth).len() > DIRECTORY_DIGITS
    }

    /// Depth and blob of each note of the commit; programs that split differently may have left several.
    pub(super) fn leaves(&self) -> Vec<(usize, ObjectId)> {
        let depths = self.directories.iter().enumerate();
        let found = depths.filter_map(|(depth, directory)| {
            let entry = directory.get(self.leaf_name(depth))?;
            entry.is_file().then_some((depth, entry.id))
        });
        found.collect()
    }
}

/// Directories that were read already; the notes of neighbours share them.
#[derive(Debug, Default)]
pub(super) struct DirectoryCache(BTreeMap<ObjectId, Arc<NotesDirectory>>);

impl DirectoryCache {
    /// Follows the id of a commit from the root on.
    pub(super) fn find(
        &mut self,
        repository: &Repository,
        root: ObjectId,
        id: &str,
    ) -> Result<NotePath, CommandError> {
        let mut path =
            NotePath { id: id.to_owned(), directories: vec![self.read(repository, root)?] };
        loop {
            let depth = path.directories.len() - 1;
            let below = path.directories[depth].get(path.directory_name(depth));
            let Some(below) = below.filter(|it| it.is_tree() && path.can_go_below(depth)) else {
                return Ok(path);
            };
            let directory = self.read(repository, below.id)?;
            path.directories.push(directory);
        }
    }

    fn read(
        &mut self,
        repository: &Repository,
        id: ObjectId,
    ) -> Result<Arc<NotesDirectory>, CommandError> {
        if let Some(known) = self.0.get(&id) {
            return Ok(Arc::clone(known));
        }
        let tree = repository.read_tree(id)?;
        let count = tree.entries.len();
        let entries = tree.entries.into_iter().map(|entry| (entry.name.clone(), entry));
        let directory = Arc::new(entries.collect::<NotesDirectory>());
        // It could not be written again as it is.
        if !tree.is_canonical || directory.len() != count {
            return Err(CommandError::Unexpected {
                doing: "read notes".to_owned(),
                verb: "cat-file".to_owned(),
                detail: format!("git itself would not write the tree {id} like this"),
            });
        }
        self.0.insert(id, Arc::clone(&directory));
        Ok(directory)
    }
}
