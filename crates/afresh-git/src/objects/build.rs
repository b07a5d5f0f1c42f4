//! The trees of one of our own index files, and what they change, in one walk.
//!
//! Every tree is named in memory; only those that the base does not have are written. A file that
//! the base does not have must be there as an object, whatever the index says: a tree that names a
//! missing file would damage the user's repository.

use std::collections::BTreeMap;

use crate::git::command::CommandError;
use crate::git::repository::Repository;
use crate::objects::change::{Mode, RawChange};
use crate::objects::diff::{Trees, compare};
use crate::objects::id::ObjectName;
use crate::objects::index::Index;
use crate::objects::loose::Kind;
use crate::objects::tree::{Tree, TreeEntry, sort_key};
use crate::workspace::pool::PoolError;

/// A tree that is on the disk, and how it differs from the base.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) tree: ObjectName,
    pub(crate) changes: Vec<RawChange>,
}

/// Writes the tree of `index`; `None` where git must do it.
pub(crate) fn build(
    repository: &Repository,
    index: &Index,
    base: ObjectName,
) -> Result<Option<Built>, PoolError> {
    let mut made = Made { repository, trees: BTreeMap::new(), visited: Vec::new() };
    let tree = made.directory(index.entries(), 0);
    let changes = compare(repository, base, tree, &mut made)?;
    for change in &changes {
        if matches!(change.new_mode, Mode::Absent | Mode::Gitlink) {
            continue;
        }
        // Git says better what is wrong.
        if repository.object_kind(&change.new_id)?.as_deref() != Some("blob") {
            return Ok(None);
        }
    }
    // What is below a directory is written before it.
    for id in made.visited.iter().rev() {
        if let Some(entries) = made.trees.get(id) {
            repository.write_object(Kind::Tree, &Tree::render(entries))?;
        }
    }
    Ok(Some(Built { tree, changes }))
}

/// The trees that the index describes.
struct Made<'a> {
    repository: &'a Repository,
    trees: BTreeMap<ObjectName, Vec<TreeEntry>>,
    /// Those that the base does not have, in the order of the walk.
    visited: Vec<ObjectName>,
}

impl Made<'_> {
    /// Names the directory that holds all of `files`, whose paths begin to differ at `start`.
    fn directory(
        &mut self,
        files: &[crate::objects::index::IndexEntry],
        start: usize,
    ) -> ObjectName {
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
                mode: Mode::Tree.bits(),
                id,
            });
            rest = &rest[count..];
        }
        entries.sort_by_cached_key(|entry| sort_key(&entry.name, entry.is_tree()));
        let id = self.repository.name_object(Kind::Tree, &Tree::render(&entries));
        self.trees.insert(id, entries);
        id
    }
}

impl Trees for Made<'_> {
    fn entries(&mut self, id: ObjectName) -> Result<Vec<TreeEntry>, CommandError> {
        self.visited.push(id);
        let found = self.trees.get(&id).cloned();
        found.map_or_else(|| self.repository.read_tree(id).map(|tree| tree.entries), Ok)
    }
}
