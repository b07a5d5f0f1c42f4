//! Read records from another terminal, touching nothing.
//!
//! A reader neither writes nor makes a writer wait, and it can outlive the driver or start before
//! it: it holds nothing open between two calls. Every call proves what it returns.

use std::path::Path;

use crate::journal::Record;
use crate::journal::error::JournalError;
use crate::journal::verify;
use crate::paths::Paths;

/// The journal of a state directory, for `status` and other views.
#[derive(Debug, Clone)]
pub struct JournalReader {
    paths: Paths,
}

impl JournalReader {
    pub(crate) fn open(dir: &Path) -> Result<Option<Self>, JournalError> {
        let paths = Paths::of(dir)?;
        // Reads only the end, but refuses what is newer, foreign or misses its head.
        let found = verify::records_after(&paths, u64::MAX, |(), _, _| ())?;
        Ok(found.map(|()| Self { paths }))
    }

    /// Every record, oldest first.
    pub fn read_all(&self) -> Result<Vec<Record>, JournalError> {
        self.after(0)
    }

    /// The records of one run.
    pub fn records_of(&self, run: &str) -> Result<Vec<Record>, JournalError> {
        let kept = verify::records_after(&self.paths, 0, |kept: &mut Vec<Record>, at, content| {
            if content.run == run {
                kept.push(Record::new(at.seq, content));
            }
        })?;
        Ok(kept.unwrap_or_default())
    }

    /// The records that follow record `seq`.
    pub fn after(&self, seq: u64) -> Result<Vec<Record>, JournalError> {
        let kept =
            verify::records_after(&self.paths, seq, |kept: &mut Vec<Record>, at, content| {
                kept.push(Record::new(at.seq, content));
            })?;
        Ok(kept.unwrap_or_default())
    }
}
