//! Lists over all runs, made again only when they may have changed.
//!
//! They take the whole journal, and every open page asks for them every few seconds.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use afresh_app::error::AppError;
use afresh_app::logs::journal_marks::JournalMarks;
use afresh_engine::RepoContext;
use serde::{Serialize, Serializer};

/// Branches move and drivers end without a record in the journal.
const MAX_AGE: Duration = Duration::from_secs(5);

/// A list that answers share.
#[derive(Debug)]
pub(crate) struct SharedList<T>(Arc<Vec<T>>);

impl<T> Clone for SharedList<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Serialize> Serialize for SharedList<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The last list, and what it was made from.
pub(crate) struct ListCache<T>(Mutex<Option<CachedList<T>>>);

struct CachedList<T> {
    marks: JournalMarks,
    made_at: Instant,
    list: SharedList<T>,
}

impl<T> Default for ListCache<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> ListCache<T> {
    pub(crate) fn read(
        &self,
        repository: &RepoContext,
        make: impl FnOnce(&RepoContext) -> Result<Vec<T>, AppError>,
    ) -> Result<SharedList<T>, AppError> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let marks = JournalMarks::read(&repository.layout.state);
        if let Some(known) = &*cached
            && known.marks == marks
            && known.made_at.elapsed() < MAX_AGE
        {
            return Ok(known.list.clone());
        }
        let list = SharedList(Arc::new(make(repository)?));
        *cached = Some(CachedList { marks, made_at: Instant::now(), list: list.clone() });
        Ok(list)
    }
}
