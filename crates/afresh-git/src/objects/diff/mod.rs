//! The difference of two trees; only directories that differ are read.

pub(crate) mod change;
pub(crate) mod patch_text;

use std::collections::BTreeMap;

use afresh_core::harvest::ChangeKind;

use crate::git::command::CommandError;
use crate::git::repository::Repository;
use crate::objects::diff::change::{EntryMode, RawTreeChange};
use crate::objects::id::ObjectId;
use crate::objects::tree::TreeEntry;

/// Where the entries of a tree come from.
pub(crate) trait TreeSource {
    fn entries(&mut self, id: ObjectId) -> Result<Vec<TreeEntry>, CommandError>;
}

impl TreeSource for &Repository {
    fn entries(&mut self, id: ObjectId) -> Result<Vec<TreeEntry>, CommandError> {
        Ok(self.read_tree(id)?.entries)
    }
}

/// All files that differ, in git's order.
pub(crate) fn diff_trees(
    repository: &Repository,
    old: ObjectId,
    new: ObjectId,
    new_trees: &mut impl TreeSource,
) -> Result<Vec<RawTreeChange>, CommandError> {
    let mut diff =
        TreeDiff { repository, new_trees, zero: repository.format.zero(), found: Vec::new() };
    diff.directory(&[], Some(old), Some(new))?;
    Ok(diff.found)
}

struct TreeDiff<'a, T> {
    repository: &'a Repository,
    new_trees: &'a mut T,
    zero: String,
    found: Vec<RawTreeChange>,
}

impl<T: TreeSource> TreeDiff<'_, T> {
    fn directory(
        &mut self,
        path: &[u8],
        old: Option<ObjectId>,
        new: Option<ObjectId>,
    ) -> Result<(), CommandError> {
        if old == new {
            return Ok(());
        }
        let before =
            old.map_or(Ok(Vec::new()), |id| self.repository.read_tree(id).map(|t| t.entries))?;
        let after = new.map_or(Ok(Vec::new()), |id| self.new_trees.entries(id))?;
        // A file and a directory of one name are two entries, as in git.
        let mut pairs: BTreeMap<Vec<u8>, (Option<TreeEntry>, Option<TreeEntry>)> = BTreeMap::new();
        for entry in before {
            let key = entry.key();
            pairs.entry(key).or_default().0 = Some(entry);
        }
        for entry in after {
            let key = entry.key();
            pairs.entry(key).or_default().1 = Some(entry);
        }
        for (old, new) in pairs.into_values() {
            self.entry(path, old.as_ref(), new.as_ref())?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        parent: &[u8],
        old: Option<&TreeEntry>,
        new: Option<&TreeEntry>,
    ) -> Result<(), CommandError> {
        let Some(either) = old.or(new).filter(|_| old != new) else { return Ok(()) };
        let mut path = parent.to_owned();
        path.extend(&either.name);
        if either.is_tree() {
            path.push(b'/');
            let (old, new) = (old.map(|e| e.id), new.map(|e| e.id));
            return self.directory(&path, old, new);
        }
        let mode = |side: Option<&TreeEntry>| {
            side.map_or(EntryMode::Absent, |e| EntryMode::from_bits(e.mode))
        };
        let id =
            |side: Option<&TreeEntry>| side.map_or_else(|| self.zero.clone(), |e| e.id.to_string());
        let kind = match (old, new) {
            (None, _) => ChangeKind::Created,
            (_, None) => ChangeKind::Deleted,
            (Some(_), Some(_)) => ChangeKind::Modified,
        };
        let (old_mode, new_mode, old_id, new_id) = (mode(old), mode(new), id(old), id(new));
        self.found.push(RawTreeChange { path, kind, old_mode, new_mode, old_id, new_id });
        Ok(())
    }
}
