//! The pool of workspaces for attempts and checks, outside the user's repository.
//!
//! ```text
//! <cache>/<key of the repository>/repository   the path of that repository
//! <cache>/<key of the repository>/shadow.git   the git directory that afresh's own git calls use
//! <cache>/<key of the repository>/work-1/      a workspace for workers
//! <cache>/<key of the repository>/check-1/     a workspace for checks
//! ```
//! The caller decides which workspace is used for what, and never uses one twice at a time.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use afresh_core::ids::WorkspaceSlot;

use crate::git::command::{CommandError, GitCommand};
use crate::git::error::{FileContext, FileError};
use crate::git::identity::CommitIdentity;
use crate::git::repository::Repository;
use crate::workspace::lock::WorkspaceLocks;
use crate::workspace::shadow;
use crate::workspace::slot::WorkspaceDir;

/// Enough to distinguish all repositories of one user.
const KEY_HEX_DIGITS: usize = 16;

/// Why an operation on the pool failed.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Git(#[from] CommandError),
}

impl PoolError {
    /// Full disk or exhausted quota: the run can pause and continue later.
    pub fn is_out_of_space(&self) -> bool {
        match self {
            Self::File(error) => error.is_out_of_space(),
            Self::Git(error) => error.is_out_of_space(),
        }
    }
}

/// A workspace of one of the two kinds; its path never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkspaceId {
    Work(WorkspaceSlot),
    Check(WorkspaceSlot),
}

impl WorkspaceId {
    /// The workspace with this name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (kind, number) = name.split_once('-')?;
        let slot = WorkspaceSlot(number.parse().ok()?);
        let id = match kind {
            "work" => Self::Work(slot),
            "check" => Self::Check(slot),
            _ => return None,
        };
        (id.to_string() == name).then_some(id)
    }
}

impl fmt::Display for WorkspaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Work(slot) => write!(f, "work-{slot}"),
            Self::Check(slot) => write!(f, "check-{slot}"),
        }
    }
}

/// The workspaces of one repository.
#[derive(Debug)]
pub struct WorkspacePool {
    pub(crate) repository: Repository,
    pub(crate) identity: CommitIdentity,
    directory: PathBuf,
    /// Two threads must not write the shadow at the same time.
    shadow: Mutex<()>,
    pub(crate) locks: WorkspaceLocks,
}

impl WorkspacePool {
    /// Opens the repository's pool below the directory `cache`, and creates it if it is missing.
    pub fn open(repository: Repository, cache: &Path) -> Result<Self, PoolError> {
        let directory = cache.join(repository_key(repository.common_dir()));
        check_no_link(&directory)?;
        fs::create_dir_all(&directory).context("make", &directory)?;
        record_repository(&directory, repository.common_dir())?;
        Self::at(repository, &directory)
    }

    /// The repository's pool, if it exists; creates nothing.
    pub fn find(repository: Repository, cache: &Path) -> Result<Option<Self>, PoolError> {
        let directory = cache.join(repository_key(repository.common_dir()));
        check_no_link(&directory)?;
        if !directory.exists() {
            return Ok(None);
        }
        Self::at(repository, &directory).map(Some)
    }

    fn at(repository: Repository, directory: &Path) -> Result<Self, PoolError> {
        let directory = directory.canonicalize().context("open", directory)?;
        let identity = repository.identity()?;
        Ok(Self {
            repository,
            identity,
            directory,
            shadow: Mutex::new(()),
            locks: WorkspaceLocks::default(),
        })
    }

    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// The author of the workers' commits, unless they configure another.
    pub fn identity(&self) -> &CommitIdentity {
        &self.identity
    }

    /// The directory of the pool.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The checkout of a workspace; a worker's working directory.
    pub fn tree(&self, id: WorkspaceId) -> PathBuf {
        self.workspace_dir(id).tree()
    }

    /// A file of the caller's that says what was set up in the workspace; removed with it.
    pub fn setup_marker(&self, id: WorkspaceId) -> PathBuf {
        self.workspace_dir(id).setup_marker()
    }

    /// Removes a workspace with everything in it, kept paths too.
    pub fn discard(&self, id: WorkspaceId) -> Result<(), PoolError> {
        let _guard = self.locks.lock_preempting(id);
        Ok(self.workspace_dir(id).discard()?)
    }

    pub(crate) fn workspace_dir(&self, id: WorkspaceId) -> WorkspaceDir {
        WorkspaceDir { path: self.directory.join(id.to_string()) }
    }

    /// A command with the shadow git directory, without a checkout. It reads the user's objects and
    /// stages new ones.
    pub(crate) fn shadow_git(&self, doing: impl Into<String>) -> Result<GitCommand, FileError> {
        let shadow = self.directory.join("shadow.git");
        {
            let _one = self.shadow.lock().unwrap_or_else(PoisonError::into_inner);
            // The user may have emptied the cache during the run.
            shadow::ensure(&shadow, self.repository.format)?;
        }
        let call = GitCommand::scrubbed(&self.repository.program, doing);
        let call = self.repository.mark_as_ours(call).env("GIT_DIR", &shadow).directory(&shadow);
        let mut call = self.repository.stage_objects_of(call)?;
        if let Some(list) = self.repository.shallow() {
            call = call.env("GIT_SHALLOW_FILE", list);
        }
        Ok(call)
    }

    /// The same, on a workspace's checkout and one of its index files.
    pub(crate) fn tree_git(
        &self,
        doing: impl Into<String>,
        workspace: &WorkspaceDir,
        index: &Path,
    ) -> Result<GitCommand, FileError> {
        let tree = workspace.tree();
        let call = self.shadow_git(doing)?;
        Ok(call.env("GIT_WORK_TREE", &tree).env("GIT_INDEX_FILE", index).directory(&tree))
    }
}

/// The name of a repository's directory in the cache.
pub(crate) fn repository_key(common_dir: &Path) -> String {
    let hash = blake3::hash(common_dir.as_os_str().as_bytes()).to_hex();
    hash[..KEY_HEX_DIGITS].to_owned()
}

/// Workspaces are emptied; through a link, that would delete files elsewhere.
fn check_no_link(directory: &Path) -> Result<(), FileError> {
    match directory.symlink_metadata() {
        Ok(found) if !found.is_dir() => {
            let odd = io::Error::other("it is not a real directory; move it away");
            Err(odd).context("use", directory)
        }
        _ => Ok(()),
    }
}

/// The file that holds the repository's path, by which a pool is recognised when its repository is
/// gone.
pub(crate) fn repository_note(directory: &Path) -> PathBuf {
    directory.join("repository")
}

fn record_repository(directory: &Path, common_dir: &Path) -> Result<(), FileError> {
    let note = repository_note(directory);
    if note.symlink_metadata().is_ok() {
        return Ok(());
    }
    fs::write(&note, common_dir.as_os_str().as_bytes()).context("write", &note)
}
