//! Why a run did not land.

use std::path::PathBuf;

use crate::git::command::CommandError;
use crate::git::error::FileError;
use crate::workspace::pool::PoolError;

/// Why a run did not land. Nothing of the user's has changed, unless the message says so.
#[derive(Debug, thiserror::Error)]
pub enum LandError {
    #[error("the branch you are on has no commit yet")]
    Unborn,
    #[error("a {0} is in progress")]
    InProgress(&'static str),
    #[error("{branch} is also checked out in {}", worktree.display())]
    CheckedOut { branch: String, worktree: PathBuf },
    #[error("your branch and the run changed the same lines: {}", paths.join(", "))]
    Conflict { paths: Vec<String>, account: String },
    #[error("{} is held by another git process", lock.display())]
    Locked { lock: PathBuf },
    #[error("your branch moved meanwhile")]
    Moved,
    #[error(transparent)]
    Git(#[from] CommandError),
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<PoolError> for LandError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::File(error) => error.into(),
            PoolError::Git(error) => error.into(),
        }
    }
}

impl LandError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unborn => Some(String::from("switch to a branch that has commits")),
            Self::InProgress(_) => {
                Some(String::from("finish or abort it first; `git status` says how"))
            }
            Self::CheckedOut { .. } => Some(String::from("switch one of them to another branch")),
            Self::Locked { lock } => Some(format!(
                "wait for the other git process; if none is running, remove {}",
                lock.display()
            )),
            Self::Moved => Some(String::from("nothing has changed; try again")),
            Self::Conflict { .. } | Self::Git(_) | Self::File(_) => None,
        }
    }
}
