//! Merging trees where nothing is in question: no file changed on both sides, and none is gone where
//! both sides changed something.
//!
//! Then there is no text to merge, and no file or directory that could have been renamed away from
//! under the other side's changes: git would come to the same tree. Everything else is git's to say.

use std::collections::BTreeMap;

use crate::git::repository::Repository;
use crate::objects::id::ObjectName;
use crate::objects::loose::Kind;
use crate::objects::tree::{Tree, TreeEntry, sort_key};
use crate::workspace::pool::PoolError;

/// The trees of a merge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sides {
    pub(crate) base: ObjectName,
    pub(crate) ours: ObjectName,
    pub(crate) theirs: ObjectName,
}

/// The merged tree, on the disk; `None` where git must say.
pub(crate) fn merge_plainly(
    repository: &Repository,
    sides: Sides,
) -> Result<Option<ObjectName>, PoolError> {
    let Sides { base, ours, theirs } = sides;
    match merge(repository, Some(base), ours, theirs)? {
        None => Ok(None),
        Some(Merged::As(id)) => Ok(Some(id)),
        Some(Merged::New { content, below }) => {
            for tree in below.iter().chain([&content]) {
                repository.write_object(Kind::Tree, tree)?;
            }
            Ok(Some(repository.name_object(Kind::Tree, &content)))
        }
    }
}

/// One merged directory.
enum Merged {
    /// As it is on one side.
    As(ObjectName),
    /// To be written, after those below it.
    New { content: Vec<u8>, below: Vec<Vec<u8>> },
}

#[derive(Default)]
struct Three {
    base: Option<TreeEntry>,
    ours: Option<TreeEntry>,
    theirs: Option<TreeEntry>,
}

fn merge(
    repository: &Repository,
    base: Option<ObjectName>,
    ours: ObjectName,
    theirs: ObjectName,
) -> Result<Option<Merged>, PoolError> {
    if ours == theirs || base == Some(theirs) {
        return Ok(Some(Merged::As(ours)));
    }
    if base == Some(ours) {
        return Ok(Some(Merged::As(theirs)));
    }
    let empty = Tree { entries: Vec::new(), is_canonical: true };
    let base = base.map_or(Ok(empty), |id| repository.read_tree(id))?;
    let (ours, theirs) = (repository.read_tree(ours)?, repository.read_tree(theirs)?);
    if !(base.is_canonical && ours.is_canonical && theirs.is_canonical) {
        return Ok(None);
    }
    let mut names: BTreeMap<Vec<u8>, Three> = BTreeMap::new();
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
    Ok(Some(Merged::New { content: Tree::render(&entries), below }))
}

fn merge_entry(
    repository: &Repository,
    three: Three,
    below: &mut Vec<Vec<u8>>,
) -> Result<Option<TreeEntry>, PoolError> {
    let Three { base, ours, theirs } = three;
    let (ours, theirs) = match (&base, ours, theirs) {
        (None, Some(added), None) | (None, None, Some(added)) => return Ok(Some(added)),
        (_, Some(ours), Some(theirs)) => (ours, theirs),
        // Gone on one side: it may be somewhere else now.
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
        Some(Merged::As(id)) => id,
        Some(Merged::New { content, below: deeper }) => {
            below.extend(deeper);
            let id = repository.name_object(Kind::Tree, &content);
            below.push(content);
            id
        }
    };
    Ok(Some(TreeEntry { id, ..ours }))
}
