//! Noticing that the journal may have changed, without reading it.

use std::path::Path;
use std::time::SystemTime;

/// Size and time of the journal's files when they were last looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JournalMarks(Vec<Option<(u64, SystemTime)>>);

impl JournalMarks {
    /// Two calls of the file system.
    pub fn read(state: &Path) -> Self {
        let mark = |name: &str| {
            let found = std::fs::metadata(state.join(name)).ok()?;
            Some((found.len(), found.modified().ok()?))
        };
        Self(["journal.sqlite", "journal.sqlite-wal"].map(mark).into())
    }
}
