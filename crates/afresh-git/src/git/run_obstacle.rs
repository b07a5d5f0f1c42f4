//! What makes a run impossible in a repository, found before anything is started.

use std::fmt;
use std::path::PathBuf;

use afresh_core::ids::CommitId;
use nix::unistd::{AccessFlags, access};

use crate::git::repository::Repository;
use crate::refs::RefError;
use crate::refs::names::{OWN_REFS, RUN_BRANCHES, RUN_TIPS, SALVAGE_REFS, display_name};

/// Why no run can work in this repository as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunObstacle {
    /// A ref whose name is a directory of ours: git cannot have both.
    RefInTheWay { name: String },
    /// A partial clone that has not fetched all files of the commit.
    MissingObjects { commit: CommitId, count: usize, is_sparse: bool },
    /// Programs are given paths as text.
    PathNotUtf8 { path: PathBuf },
    /// New objects could not be stored.
    ReadOnly { directory: PathBuf },
}

impl fmt::Display for RunObstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RefInTheWay { name } => {
                let (kind, name) = match display_name(name) {
                    short if short == name => ("ref", name.as_str()),
                    short => ("branch", short),
                };
                write!(
                    f,
                    "the {kind} {name} is in the way: afresh keeps its own refs below that name"
                )
            }
            Self::PathNotUtf8 { path } => {
                write!(f, "the path of the repository is not UTF-8: {}", path.display())
            }
            Self::ReadOnly { directory } => {
                write!(f, "new objects cannot be stored: {} is not writable", directory.display())
            }
            Self::MissingObjects { commit, count, .. } => write!(
                f,
                "this is a partial clone, and {count} objects of commit {} have not been fetched",
                &commit.as_str()[..10]
            ),
        }
    }
}

impl RunObstacle {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::RefInTheWay { name } => match display_name(name) {
                short if short == name => {
                    format!(
                        "give it another name: `git update-ref refs/other {name}`, then `git update-ref -d {name}`"
                    )
                }
                short => format!("rename it: `git branch -m {short} OTHER-NAME`"),
            },
            Self::PathNotUtf8 { .. } => "move the repository to a path that is UTF-8".to_owned(),
            Self::ReadOnly { .. } => "check its owner, mode and file system".to_owned(),
            Self::MissingObjects { is_sparse: true, .. } => {
                "fetch them: `git sparse-checkout disable`, or `git fetch --refetch --no-filter`"
                    .to_owned()
            }
            Self::MissingObjects { is_sparse: false, .. } => {
                "fetch them: `git fetch --refetch --no-filter`".to_owned()
            }
        }
    }
}

impl Repository {
    /// What makes a run from `commit` impossible; none if nothing does.
    pub fn find_run_obstacle(&self, commit: &CommitId) -> Result<Option<RunObstacle>, RefError> {
        for directory in [RUN_BRANCHES, OWN_REFS, RUN_TIPS, SALVAGE_REFS] {
            let name = directory.trim_end_matches('/');
            if self.list_refs(name)?.contains_key(name) {
                return Ok(Some(RunObstacle::RefInTheWay { name: name.to_owned() }));
            }
        }
        let paths = [Some(self.common_dir()), self.root()];
        if let Some(path) = paths.into_iter().flatten().find(|path| path.to_str().is_none()) {
            return Ok(Some(RunObstacle::PathNotUtf8 { path: path.to_owned() }));
        }
        for directory in [self.objects(), self.objects().join("pack")] {
            if directory.is_dir() && access(&directory, AccessFlags::W_OK).is_err() {
                return Ok(Some(RunObstacle::ReadOnly { directory }));
            }
        }
        if !self.is_partial_clone()? {
            return Ok(None);
        }
        let call = self.git(format!("look for missing objects of {commit}"));
        let options = ["rev-list", "--objects", "--no-walk", "--missing=print", commit.as_str()];
        let answer = call.args(options).run_checked()?;
        let text = String::from_utf8_lossy(&answer.stdout);
        let count = text.lines().filter(|line| line.starts_with('?')).count();
        if count == 0 {
            return Ok(None);
        }
        let is_sparse = self.is_sparse_checkout();
        Ok(Some(RunObstacle::MissingObjects { commit: commit.clone(), count, is_sparse }))
    }
}
