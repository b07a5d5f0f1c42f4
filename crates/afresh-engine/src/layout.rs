//! Where afresh keeps its files.

use std::path::{Path, PathBuf};

use afresh_core::ids::{AttemptId, RunId};
use afresh_core::review::ReviewId;
use afresh_git::Repository;

/// The directories that afresh uses for one repository.
#[derive(Debug, Clone)]
pub struct StateLayout {
    /// Journal, transcripts, activity log.
    pub state: PathBuf,
    /// Workspaces, and the tools on the workers' PATH.
    pub cache: PathBuf,
    /// One driver per repository, whichever state directory it uses.
    pub lock: PathBuf,
}

impl StateLayout {
    /// `state` and `cache` are the user's settings (`AFRESH_STATE`, the cache directory).
    pub fn new(repository: &Repository, state: Option<PathBuf>, cache: PathBuf) -> Self {
        // A bare repository has no checkout to keep state in.
        let home = repository.root().unwrap_or_else(|| repository.common_dir());
        Self {
            state: state.unwrap_or_else(|| home.join(".afresh/state")),
            cache,
            lock: repository.common_dir().join("afresh.lock"),
        }
    }

    /// Everything about the attempts of a run, one directory each.
    pub fn attempts(&self, run: &RunId) -> PathBuf {
        self.state.join("attempts").join(run.as_str())
    }

    /// Prompt, bundle, output and result of one attempt.
    pub fn attempt(&self, run: &RunId, attempt: &AttemptId) -> PathBuf {
        self.attempts(run).join(attempt.to_string())
    }

    /// The same of a review of an attempt.
    pub fn review(&self, run: &RunId, review: &ReviewId) -> PathBuf {
        self.attempt(run, &review.attempt).join(format!("review-{}", review.number))
    }

    /// Bundles that a person or a script asked for, of a run or of a plan without one.
    pub fn bundles(&self, of: &str) -> PathBuf {
        self.state.join("bundles").join(of)
    }

    /// What the worker of an attempt may write besides its workspace: its mailbox and its result.
    pub fn worker(&self, run: &RunId, attempt: &AttemptId) -> PathBuf {
        self.attempt(run, attempt).join("worker")
    }

    /// Output of the checks of one attempt, or of the run as a whole.
    pub fn checks(&self, run: &RunId, attempt: Option<&AttemptId>) -> PathBuf {
        match attempt {
            Some(attempt) => self.attempt(run, attempt).join("checks"),
            None => self.attempts(run).join("final-checks"),
        }
    }

    /// Output of the checks before the work.
    pub(crate) fn probe_logs(&self, run: &RunId) -> PathBuf {
        self.attempts(run).join("probe")
    }

    /// What checks before the work have shown, of all repositories.
    pub fn probe_cache(&self) -> PathBuf {
        self.cache.join("probes")
    }

    /// What repositories are, by tree.
    pub fn discovery_cache(&self) -> PathBuf {
        self.cache.join("discoveries")
    }

    /// A file for each repository in which the user has runs.
    pub fn known_repositories(cache: &Path) -> PathBuf {
        cache.join("repositories")
    }

    /// Which supervisors are alive; read after a crash.
    pub fn processes(&self) -> PathBuf {
        self.state.join("processes")
    }

    pub fn stop_file(&self) -> PathBuf {
        self.state.join("STOP")
    }

    pub fn state_page(&self) -> PathBuf {
        self.state.join("STATE.md")
    }

    /// Files of a plan's own format that exist only because a run does.
    pub fn writeback(&self) -> PathBuf {
        self.state.join("writeback")
    }

    pub fn issues(&self) -> PathBuf {
        self.state.join("ISSUES.md")
    }

    pub fn activity_log(&self) -> PathBuf {
        self.state.join("activity.log")
    }

    /// Temporary files of one job.
    pub(crate) fn temp(&self, job: &str) -> PathBuf {
        self.cache.join("temp").join(job)
    }

    /// Where the sandbox of one job hands out its listeners.
    pub(crate) fn handoff_socket(&self, job: &str) -> PathBuf {
        self.cache.join("temp").join(format!("{job}.door"))
    }

    /// A directory that holds `afresh` and nothing else, for the workers' PATH.
    pub fn tools(&self) -> PathBuf {
        self.cache.join("bin")
    }
}

/// A path as text, for environments and command lines.
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
