//! Removes what afresh made and a run no longer needs: only what is merged or saved (BE-07, R16).
//!
//! Cleanup first collects all items and decides for each whether it goes, with a reason; this changes nothing. Then
//! it removes items, workspaces first, so that their contents are saved before anything else changes. If cleanup is
//! killed, the next one continues with what is left. The journal is never touched.
//!
//! | module | idea |
//! | --- | --- |
//! | `item` | one item, its disposition, and how it is removed |
//! | `workspaces` | workspaces, records about them, temporary files of jobs |
//! | `refs`, `proof` | saved work and branches of runs; whether the user's branches contain them |
//! | `history` | transcripts, bundles, the registry of processes |
//! | `beside_runs` | copies of workspaces for people, messages of processes in the background |
//! | `abandoned` | workspaces of repositories that no longer exist |
//! | `size` | how much disk space an item uses |
//! | `apply` | removing items |

mod abandoned;
pub(crate) mod apply;
mod beside_runs;
mod history;
pub(crate) mod item;
mod proof;
mod refs;
mod size;
mod workspaces;

use std::time::Duration;

use afresh_core::Run;
use afresh_core::status::is_over;
use afresh_git::{CommandError, FileError, PoolError, RefError, WorkspacePool};

use crate::session::{OpenError, RepoContext};

pub use abandoned::{remove_gone, things_of_gone};
pub use apply::{CleanupOutcome, SavedWork};
pub use beside_runs::{copies_directory, messages_directory};
pub use item::{CleanupItem, CleanupKind, Disposition};
pub use size::{CleanupSize, of_directory};

/// What the user asks for beyond the default.
#[derive(Debug, Clone, Default)]
pub struct CleanupOptions {
    /// Paths that stay warm between attempts; they are not saved.
    pub keep: Vec<String>,
    /// Also remove workspaces in which an unfinished run would continue.
    pub unfinished: bool,
    /// Remove transcripts of finished runs that ended longer ago than this.
    pub older_than: Option<Duration>,
    /// Remove transcripts of finished runs, except those of this many newest runs.
    pub keep_runs: Option<usize>,
    /// Remove work that no branch contains: `RUN` or `RUN/ATTEMPT`.
    pub discard: Vec<String>,
    /// Remove the copies of workspaces that were made for a person.
    pub opened: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum CleanupError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error(transparent)]
    Refs(#[from] RefError),
    #[error(transparent)]
    Git(#[from] CommandError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("nothing is kept as {0:?}")]
    NothingToDiscard(String),
    #[error("run {0} is not finished, so its work is still needed")]
    StillNeeded(String),
}

/// A repository that is to be cleaned up. No driver may run in it meanwhile.
#[derive(Debug)]
pub struct Cleanup<'a> {
    place: &'a RepoContext,
    wishes: &'a CleanupOptions,
    /// None if no workspace was ever created.
    pool: Option<WorkspacePool>,
    /// Oldest first.
    runs: Vec<KnownRuns>,
    now_ms: i64,
}

/// A run of the journal.
#[derive(Debug)]
struct KnownRuns {
    run: Run,
    last_wall_ms: i64,
}

impl KnownRuns {
    fn id(&self) -> &str {
        self.run.id().as_str()
    }

    fn is_finished(&self) -> bool {
        is_over(&self.run)
    }

    /// Whether a person works in the workspace of this attempt.
    fn is_open_by_hand(&self, attempt: &str) -> bool {
        self.run.open_by_hand().any(|work| work.attempt.to_string() == attempt)
    }

    /// Whether, according to the journal, this attempt is running or its work is being merged.
    fn is_underway(&self, attempt: &str) -> bool {
        self.run.tasks().any(|(_, state)| {
            state.attempt().is_some_and(|underway| underway.to_string() == attempt)
        })
    }
}

impl<'a> Cleanup<'a> {
    pub fn new(place: &'a RepoContext, wishes: &'a CleanupOptions) -> Result<Self, CleanupError> {
        let pool = WorkspacePool::find(place.git.clone(), &place.layout.cache)?;
        let runs = place.all_runs()?;
        let runs = runs
            .into_iter()
            .map(|found| KnownRuns {
                last_wall_ms: found.records.last().map_or(0, |record| record.wall_ms),
                run: found.run,
            })
            .collect();
        Ok(Self { place, wishes, pool, runs, now_ms: crate::driver::clock::wall_ms() })
    }

    /// All items, in the order in which they would be removed.
    pub fn collect_items(&self) -> Result<Vec<CleanupItem>, CleanupError> {
        let mut things = self.workspaces()?;
        things.extend(self.temporary());
        things.extend(self.messages());
        things.extend(self.copies()?);
        things.extend(self.refs()?);
        things.extend(self.history());
        Ok(things)
    }

    fn find_run(&self, run: &str) -> Option<&KnownRuns> {
        self.runs.iter().find(|known| known.id() == run)
    }
}
