//! Merges trees if no file changed on both sides, and none was removed in a directory that both
//! sides changed.
//!
//! Then there is no text to merge, and no file or directory that could have been renamed away from
//! the other side's changes: git would produce the same tree. Everything else is left to git.

use std::collections::BTreeMap;

use crate::git::repository::Repository;
use crate::objects::id::ObjectId;
use crate::objects::loose::ObjectKind;
use crate::objects::tree::{TreeEntry, TreeObject, sort_key};
use crate::workspace::pool::PoolError;

/// The trees of a merge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MergeSides {
    pub(crate) base: ObjectId,
    pub(crate) ours: ObjectId,
    pub(crate) theirs: ObjectId,
}

/// The merged tree, on disk; `None` if git must merge.
pub(crate) fn merge_without_git(
    repository: &Repository,
    sides: MergeSides,
) -> Result<Option<ObjectId>, PoolError> {
    let MergeSides { base, ours, theirs } = sides;
    match merge(repository, Some(base), ours, theirs)? {
        None => Ok(None),
        Some(MergedEntry::As(id)) => Ok(Some(id)),
        Some(MergedEntry::New { content, below }) => {
            for tree in below.iter().chain([&content]) {
                repository.write_object(ObjectKind::Tree, tree)?;
            }
            Ok(Some(repository.hash_object(ObjectKind::Tree, &content)))
        }
    }
}

/// One merged directory.
enum MergedEntry {
    /// The same as on one side.
    As(ObjectId),
    /// To be written after its subdirectories.
    New { content: Vec<u8>, below: Vec<Vec<u8>> },
}

#[derive(Default)]
struct EntryVersions {
    base: Option<TreeEntry>,
    ours: Option<TreeEntry>,
    theirs: Option<TreeEntry>,
}

fn merge(
    repository: &Repository,
    base: Option<ObjectId>,
    ours: ObjectId,
    theirs: ObjectId,
) -> Result<Option<MergedEntry>, PoolError> {
    if ours == theirs || base == Some(theirs) {
        return Ok(Some(MergedEntry::As(ours)));
    }
    if base == Some(ours) {
        return Ok(Some(MergedEntry::As(theirs)));
    }
    let empty = TreeObject { entries: Vec::new(), is_canonical: true };
    let base = base.map_or(Ok(empty), |id| repository.read_tree(id))?;
    let (ours, theirs) = (repository.read_tree(ours)?, repository.read_tree(theirs)?);
    if !(base.is_canonical && ours.is_canonical && theirs.is_canonical) {
        return Ok(None);
    }
    let mut names: BTreeMap<Vec<u8>, EntryVersions> = BTreeMap::new();
    for entry in base.entries {
        let name = entry.name.clone();
        names.entry(name).or_default().base = Some(entry);
    }
    for entry in ours.entries {
        let name = entry.name.clone();
        names.entry(name).or_default().ours = Some(entry);
    }
    for entry in theirs.entries {
        let name = entry.name.clone();
        names.entry(name).or_default().theirs = Some(entry);
    }
    let mut entries = Vec::new();
    let mut below = Vec::new();
    for three in names.into_values() {
        let Some(entry) = merge_entry(repository, three, &mut below)? else { return Ok(None) };
        entries.push(entry);
    }
    entries.sort_by_cached_key(|entry| sort_key(&entry.name, entry.is_tree()));
    Ok(Some(MergedEntry::New { content: TreeObject::render(&entries), below }))
}

fn merge_entry(
    repository: &Repository,
    three: EntryVersions,
    below: &mut Vec<Vec<u8>>,
) -> Result<Option<TreeEntry>, PoolError> {
    let EntryVersions { base, ours, theirs } = three;
    let (ours, theirs) = match (&base, ours, theirs) {
        (None, Some(added), None) | (None, None, Some(added)) => return Ok(Some(added)),
        (_, Some(ours), Some(theirs)) => (ours, theirs),
        // Removed on one side: it may have been renamed.
        _ => return Ok(None),
    };
    if ours == theirs || base.as_ref() == Some(&theirs) {
        return Ok(Some(ours));
    }
    if base.as_ref() == Some(&ours) {
        return Ok(Some(theirs));
    }
    let are_trees = ours.is_tree() && theirs.is_tree();
    if !are_trees || base.as_ref().is_some_and(|base| !base.is_tree()) {
        return Ok(None);
    }
    let base = base.map(|base| base.id);
    let id = match merge(repository, base, ours.id, theirs.id)? {
        None => return Ok(None),
        Some(MergedEntry::As(id)) => id,
        Some(MergedEntry::New { content, below: deeper }) => {
            below.extend(deeper);
            let id = repository.hash_object(ObjectKind::Tree, &content);
            below.push(content);
            id
        }
    };
    Ok(Some(TreeEntry { id, ..ours }))
}
