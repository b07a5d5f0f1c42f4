//! Which files a run changed, all its tasks together.

use std::collections::BTreeMap;

use afresh_core::check::Receipt;
use afresh_core::harvest::ChangeKind;
use schemars::JsonSchema;
use serde::Serialize;

/// Between the commit that the run started from and its last one.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct FilesReport {
    pub created: Vec<String>,
    pub modified: Vec<String>,
    pub deleted: Vec<String>,
}

impl FilesReport {
    /// The combined changes of these receipts, in the order in which they landed.
    pub(super) fn from_receipts<'r>(receipts: impl Iterator<Item = &'r Receipt>) -> Self {
        let mut changed: BTreeMap<&str, ChangeKind> = BTreeMap::new();
        for (path, kind) in receipts.flat_map(changes) {
            let before = changed.remove(path);
            if let Some(sum) = together(before, kind) {
                changed.insert(path, sum);
            }
        }
        let mut files = Self::default();
        for (path, kind) in changed {
            match kind {
                ChangeKind::Created => files.created.push(path.to_owned()),
                ChangeKind::Modified => files.modified.push(path.to_owned()),
                ChangeKind::Deleted => files.deleted.push(path.to_owned()),
            }
        }
        files
    }
}

fn changes(receipt: &Receipt) -> impl Iterator<Item = (&str, ChangeKind)> {
    let kinds = [
        (&receipt.created, ChangeKind::Created),
        (&receipt.modified, ChangeKind::Modified),
        (&receipt.deleted, ChangeKind::Deleted),
    ];
    kinds.into_iter().flat_map(|(paths, kind)| paths.iter().map(move |path| (path.as_str(), kind)))
}

/// The combination of two changes of one path; none if the second reverts the first.
fn together(before: Option<ChangeKind>, now: ChangeKind) -> Option<ChangeKind> {
    match (before, now) {
        (Some(ChangeKind::Created), ChangeKind::Deleted) => None,
        (Some(ChangeKind::Created), _) => Some(ChangeKind::Created),
        (Some(ChangeKind::Deleted), ChangeKind::Created) => Some(ChangeKind::Modified),
        (_, now) => Some(now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EX-10: files are reported as created, modified and deleted by the run, not by its last task.
    #[test]
    fn two_changes_of_a_file_are_reported_as_one() {
        use ChangeKind::{Created, Deleted, Modified};
        assert_eq!(together(None, Modified), Some(Modified));
        assert_eq!(together(Some(Created), Modified), Some(Created));
        assert_eq!(together(Some(Created), Deleted), None);
        assert_eq!(together(Some(Modified), Deleted), Some(Deleted));
        assert_eq!(together(Some(Deleted), Created), Some(Modified));
    }
}
