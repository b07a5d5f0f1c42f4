//! Reads records from another process, without changing anything.
//!
//! A reader neither writes nor makes a writer wait, and it can outlive the driver or start before
//! it: it holds nothing open between two calls. Every call verifies what it returns.

use std::path::Path;

use crate::journal::JournalRecord;
use crate::journal::error::JournalError;
use crate::journal::verify;
use crate::paths::StatePaths;

/// The journal of a state directory, for `status` and other views.
#[derive(Debug, Clone)]
pub struct JournalReader {
    paths: StatePaths,
}

impl JournalReader {
    pub(crate) fn open(dir: &Path) -> Result<Option<Self>, JournalError> {
        let paths = StatePaths::new(dir)?;
        // Reads only the end, but rejects what is newer, foreign or misses its head.
        let found = verify::records_after(&paths, u64::MAX, |(), _, _| ())?;
        Ok(found.map(|()| Self { paths }))
    }

    /// Every record, oldest first.
    pub fn read_all(&self) -> Result<Vec<JournalRecord>, JournalError> {
        self.read_after(0)
    }

    /// The records of one run.
    pub fn read_run(&self, run: &str) -> Result<Vec<JournalRecord>, JournalError> {
        let kept =
            verify::records_after(&self.paths, 0, |kept: &mut Vec<JournalRecord>, at, content| {
                if content.run == run {
                    kept.push(JournalRecord::new(at.seq, content));
                }
            })?;
        Ok(kept.unwrap_or_default())
    }

    /// The records that follow record `seq`.
    pub fn read_after(&self, seq: u64) -> Result<Vec<JournalRecord>, JournalError> {
        let kept = verify::records_after(
            &self.paths,
            seq,
            |kept: &mut Vec<JournalRecord>, at, content| {
                kept.push(JournalRecord::new(at.seq, content));
            },
        )?;
        Ok(kept.unwrap_or_default())
    }
}
