//! Which files a run changed, all its tasks together.

use std::collections::BTreeMap;

use afresh_core::Event;
use afresh_core::check::Receipt;
use afresh_core::harvest::ChangeKind;
use afresh_core::ids::AttemptId;
use serde::Serialize;

/// Between the commit that the run started from and its last one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Files {
    pub created: Vec<String>,
    pub modified: Vec<String>,
    pub deleted: Vec<String>,
}

/// The changes, while the events go by.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Receipts of work that is about to land.
    intended: BTreeMap<AttemptId, Receipt>,
    landed: BTreeMap<String, ChangeKind>,
}

impl Changes {
    pub(super) fn see(&mut self, event: &Event) {
        match event {
            Event::LandIntended { attempt, receipt, .. } => {
                self.intended.insert(attempt.clone(), receipt.clone());
            }
            Event::Merged { attempt, .. } => {
                if let Some(receipt) = self.intended.remove(attempt) {
                    self.land(&receipt);
                }
            }
            _ => {}
        }
    }

    fn land(&mut self, receipt: &Receipt) {
        let kinds = [
            (&receipt.created, ChangeKind::Created),
            (&receipt.modified, ChangeKind::Modified),
            (&receipt.deleted, ChangeKind::Deleted),
        ];
        for (paths, kind) in kinds {
            for path in paths {
                let before = self.landed.remove(path);
                if let Some(sum) = together(before, kind) {
                    self.landed.insert(path.clone(), sum);
                }
            }
        }
    }

    pub(super) fn settled(self) -> Files {
        let mut files = Files::default();
        for (path, kind) in self.landed {
            match kind {
                ChangeKind::Created => files.created.push(path),
                ChangeKind::Modified => files.modified.push(path),
                ChangeKind::Deleted => files.deleted.push(path),
            }
        }
        files
    }
}

/// What two changes of one path amount to; none if the second takes the first back.
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

    /// EX-10: files are told as created, modified and deleted by the run, not by its last task.
    #[test]
    fn ex_10_two_changes_of_a_file_are_told_as_one() {
        use ChangeKind::{Created, Deleted, Modified};
        assert_eq!(together(None, Modified), Some(Modified));
        assert_eq!(together(Some(Created), Modified), Some(Created));
        assert_eq!(together(Some(Created), Deleted), None);
        assert_eq!(together(Some(Modified), Deleted), Some(Deleted));
        assert_eq!(together(Some(Deleted), Created), Some(Modified));
    }
}
