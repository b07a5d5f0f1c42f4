//! Removing what afresh made and nobody needs any more: only what is merged or saved (BE-07, R16).
//!
//! First everything is looked at, and each thing is given a fate with a reason; then the fates are
//! carried out, workspaces first, so that what is in them is saved before anything else changes.
//! Looking changes nothing. A kill in the middle leaves less to do for the next time. The journal is
//! never touched.
//!
//! | module | idea |
//! | --- | --- |
//! | `thing` | one thing, its fate, and how it is removed |
//! | `workspaces` | slots, what is noted about them, temporary files of jobs |
//! | `refs`, `proof` | saved work and branches of runs; whether the user's branches hold them |
//! | `history` | transcripts, bundles, the registry of processes |
//! | `gone` | workspaces of repositories that are not there any more |
//! | `size` | how much room something takes |
//! | `apply` | removing it |

mod abandoned;
pub(crate) mod apply;
mod history;
pub(crate) mod item;
mod proof;
mod refs;
mod size;
mod workspaces;

use std::time::Duration;

use afresh_core::Run;
use afresh_core::run::DriveState;
use afresh_core::time::Timestamp;
use afresh_git::{CommandError, FileError, PoolError, RefError, WorkspacePool};

use crate::session::{OpenError, RepoContext};

pub use abandoned::{remove_gone, things_of_gone};
pub use apply::{CleanupOutcome, SavedWork};
pub use item::{CleanupItem, CleanupKind, Disposition};
pub use size::{CleanupSize, of_directory};

/// What somebody wants besides the usual.
#[derive(Debug, Clone, Default)]
pub struct CleanupOptions {
    /// Paths that stay warm between attempts, which are not saved.
    pub keep: Vec<String>,
    /// Give up workspaces that an unfinished run would go on in.
    pub unfinished: bool,
    /// Remove transcripts of finished runs that ended longer ago than this.
    pub older_than: Option<Duration>,
    /// Remove transcripts of finished runs, except those of so many newest runs.
    pub keep_runs: Option<usize>,
    /// Remove work that is in no branch: `RUN` or `RUN/ATTEMPT`.
    pub discard: Vec<String>,
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

/// A repository that is to be cleaned up. Nobody else may drive it meanwhile.
#[derive(Debug)]
pub struct Cleanup<'a> {
    place: &'a RepoContext,
    wishes: &'a CleanupOptions,
    /// None where no workspace was ever made.
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
        matches!(self.run.drive_state(Timestamp::default()), DriveState::Finished { .. })
    }

    /// Whether the journal says that this attempt is at work, or that its work is under way.
    fn is_underway(&self, attempt: &str) -> bool {
        self.run.tasks().any(|(_, state)| {
            state.attempt().is_some_and(|underway| underway.to_string() == attempt)
        })
    }
}

impl<'a> Cleanup<'a> {
    pub fn new(place: &'a RepoContext, wishes: &'a CleanupOptions) -> Result<Self, CleanupError> {
        let pool = WorkspacePool::find(place.repository.clone(), &place.layout.cache)?;
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

    /// Everything that there is, in the order in which it would go.
    pub fn collect_items(&self) -> Result<Vec<CleanupItem>, CleanupError> {
        let mut things = self.workspaces()?;
        things.extend(self.temporary());
        things.extend(self.refs()?);
        things.extend(self.history());
        Ok(things)
    }

    fn find_run(&self, run: &str) -> Option<&KnownRuns> {
        self.runs.iter().find(|known| known.id() == run)
    }
}
