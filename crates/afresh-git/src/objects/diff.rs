//! What differs between two trees; only directories that differ are read.

use std::collections::BTreeMap;

use afresh_core::harvest::ChangeKind;

use crate::git::command::CommandError;
use crate::git::repository::Repository;
use crate::objects::change::{Mode, RawChange};
use crate::objects::id::ObjectName;
use crate::objects::tree::TreeEntry;

/// Where the entries of a tree come from.
pub(crate) trait Trees {
    fn entries(&mut self, id: ObjectName) -> Result<Vec<TreeEntry>, CommandError>;
}

impl Trees for &Repository {
    fn entries(&mut self, id: ObjectName) -> Result<Vec<TreeEntry>, CommandError> {
        Ok(self.read_tree(id)?.entries)
    }
}

/// All files that differ, in git's order.
pub(crate) fn compare(
    repository: &Repository,
    old: ObjectName,
    new: ObjectName,
    new_trees: &mut impl Trees,
) -> Result<Vec<RawChange>, CommandError> {
    let mut diff =
        Diff { repository, new_trees, zero: repository.format.zero(), found: Vec::new() };
    diff.directory(&[], Some(old), Some(new))?;
    Ok(diff.found)
}

struct Diff<'a, T> {
    repository: &'a Repository,
    new_trees: &'a mut T,
    zero: String,
    found: Vec<RawChange>,
}

impl<T: Trees> Diff<'_, T> {
    fn directory(
        &mut self,
        path: &[u8],
        old: Option<ObjectName>,
        new: Option<ObjectName>,
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
        let mode =
            |side: Option<&TreeEntry>| side.map_or(Mode::Absent, |e| Mode::from_bits(e.mode));
        let id =
            |side: Option<&TreeEntry>| side.map_or_else(|| self.zero.clone(), |e| e.id.to_string());
        let kind = match (old, new) {
            (None, _) => ChangeKind::Created,
            (_, None) => ChangeKind::Deleted,
            (Some(_), Some(_)) => ChangeKind::Modified,
        };
        let (old_mode, new_mode, old_id, new_id) = (mode(old), mode(new), id(old), id(new));
        self.found.push(RawChange { path, kind, old_mode, new_mode, old_id, new_id });
        Ok(())
    }
}
