//! Noticing that the journal may have changed, without reading it.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// A commit changes the files before readers can see it: the disk is synced in between.
const SETTLING: Duration = Duration::from_secs(2);
/// For a disk that takes longer than that.
const LONGEST_TRUST: Duration = Duration::from_secs(5);

/// Size and time of the journal's files when they were last looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// Says when a journal that is followed has to be read again.
#[derive(Debug)]
pub struct JournalWatch {
    marks: JournalMarks,
    changed_at: Instant,
    read_at: Instant,
}

impl JournalWatch {
    /// Of a journal that is about to be read.
    pub fn start(state: &Path) -> Self {
        let now = Instant::now();
        Self { marks: JournalMarks::read(state), changed_at: now, read_at: now }
    }

    /// Whether a reader may see more than the last time. The caller reads if so.
    pub fn is_due(&mut self, state: &Path) -> bool {
        self.is_due_at(JournalMarks::read(state), Instant::now())
    }

    fn is_due_at(&mut self, marks: JournalMarks, now: Instant) -> bool {
        if marks != self.marks {
            self.marks = marks;
            self.changed_at = now;
        }
        let is_due =
            now - self.changed_at < SETTLING || now.duration_since(self.read_at) >= LONGEST_TRUST;
        if is_due {
            self.read_at = now;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(size: u64) -> JournalMarks {
        JournalMarks(vec![Some((size, SystemTime::UNIX_EPOCH))])
    }

    /// HU-06: a record whose commit was not finished when its bytes were noticed is read later, though no file changes
    /// any more.
    #[test]
    fn a_change_is_read_until_it_has_settled() {
        let start = Instant::now();
        let mut watch = JournalWatch { marks: marks(1), changed_at: start, read_at: start };
        let at = |millis| start + Duration::from_millis(millis);
        assert!(watch.is_due_at(marks(1), at(100)), "it was opened just now");
        assert!(!watch.is_due_at(marks(1), at(2_100)));
        assert!(watch.is_due_at(marks(2), at(2_200)), "it has changed");
        assert!(watch.is_due_at(marks(2), at(2_300)), "the commit may not have been finished");
        assert!(!watch.is_due_at(marks(2), at(4_300)), "it has settled");
        assert!(!watch.is_due_at(marks(2), at(7_200)));
        assert!(watch.is_due_at(marks(2), at(7_300)), "a slow disk is waited for");
        assert!(!watch.is_due_at(marks(2), at(7_400)));
    }
}
