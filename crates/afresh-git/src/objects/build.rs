//! Builds the trees of one of our own index files, and finds what they change, in one walk.
//!
//! Every tree is hashed in memory; only those that the base does not have are written. A blob that
//! the base does not have must exist, whatever the index says: a tree that names a missing blob
//! would damage the user's repository.

use std::collections::BTreeMap;

use crate::git::command::CommandError;
use crate::git::repository::Repository;
use crate::objects::diff::change::{EntryMode, RawTreeChange};
use crate::objects::diff::{TreeSource, diff_trees};
use crate::objects::id::ObjectId;
use crate::objects::index::IndexFile;
use crate::objects::loose::ObjectKind;
use crate::objects::tree::{TreeEntry, TreeObject, sort_key};
use crate::workspace::pool::PoolError;

/// A tree that is on disk, and how it differs from the base.
#[derive(Debug)]
pub(crate) struct BuiltTree {
    pub(crate) tree: ObjectId,
    pub(crate) changes: Vec<RawTreeChange>,
}

/// Writes the tree of `index`; `None` if git must do it.
pub(crate) fn build_tree(
    repository: &Repository,
    index: &IndexFile,
    base: ObjectId,
) -> Result<Option<BuiltTree>, PoolError> {
    let mut made = IndexTreeBuilder { repository, trees: BTreeMap::new(), visited: Vec::new() };
    let tree = made.directory(index.entries(), 0);
    let changes = diff_trees(repository, base, tree, &mut made)?;
    for change in &changes {
        if matches!(change.new_mode, EntryMode::Absent | EntryMode::Gitlink) {
            continue;
        }
        // Git reports better what is wrong.
        if repository.object_kind(&change.new_id)?.as_deref() != Some("blob") {
            return Ok(None);
        }
    }
    // Subdirectories are written before the directory that names them.
    for id in made.visited.iter().rev() {
        if let Some(entries) = made.trees.get(id) {
            repository.write_object(ObjectKind::Tree, &TreeObject::render(entries))?;
        }
    }
    Ok(Some(BuiltTree { tree, changes }))
}

/// The trees that the index describes.
struct IndexTreeBuilder<'a> {
    repository: &'a Repository,
    trees: BTreeMap<ObjectId, Vec<TreeEntry>>,
    /// Those that the base does not have, in the order of the walk.
    visited: Vec<ObjectId>,
}

impl IndexTreeBuilder<'_> {
    /// Builds the directory that holds all of `files`, whose paths begin to differ at `start`.
    fn directory(&mut self, files: &[crate::objects::index::IndexEntry], start: usize) -> ObjectId {
        let mut entries = Vec::new();
        let mut rest = files;
        while let Some(first) = rest.first() {
            let path = &first.path[start..];
            let slash = path.iter().position(|byte| *byte == b'/');
            let Some(length) = slash else {
                let (name, mode) = (path.to_owned(), first.mode.bits());
                entries.push(TreeEntry { name, mode, id: first.id });
                rest = &rest[1..];
                continue;
            };
            let prefix = &first.path[..=start + length];
            let count = rest.iter().take_while(|file| file.path.starts_with(prefix)).count();
            let id = self.directory(&rest[..count], start + length + 1);
            entries.push(TreeEntry {
                name: path[..length].to_owned(),
                mode: EntryMode::Tree.bits(),
                id,
            });
            rest = &rest[count..];
        }
        entries.sort_by_cached_key(|entry| sort_key(&entry.name, entry.is_tree()));
        let id = self.repository.hash_object(ObjectKind::Tree, &TreeObject::render(&entries));
        self.trees.insert(id, entries);
        id
    }
}

impl TreeSource for IndexTreeBuilder<'_> {
    fn entries(&mut self, id: ObjectId) -> Result<Vec<TreeEntry>, CommandError> {
        self.visited.push(id);
        let found = self.trees.get(&id).cloned();
        found.map_or_else(|| self.repository.read_tree(id).map(|tree| tree.entries), Ok)
    }
}
