//! Finding the repository that a directory belongs to.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::git::command::{CommandError, GitCommand, GitOutput};
use crate::git::error::{FileContext, FileError};
use crate::git::program::GitProgram;
use crate::git::repository::{ObjectFormat, Repository};
use crate::objects::cat_file::ObjectReader;
use crate::staging::pinned_pack::PinnedPacks;
use crate::workspace::pool::PoolError;

/// Why a directory has no usable repository.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    #[error(transparent)]
    Directory(#[from] FileError),
    #[error("cannot open a repository: {} is not inside one", directory.display())]
    NotARepository { directory: PathBuf },
    #[error("cannot open the repository of {}: git does not trust it: {complaint}", directory.display())]
    Unsafe { directory: PathBuf, complaint: String },
    #[error("cannot use the repository {}: its path contains a line break", directory.display())]
    LineBreak { directory: PathBuf },
    #[error(transparent)]
    Git(#[from] CommandError),
}

impl DiscoverError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Directory(_) => Some(String::from("name an existing directory with -C")),
            Self::NotARepository { .. } => Some(String::from(
                "name one with -C DIR; or make one: `git init`, or `afresh run --init-git PLAN`",
            )),
            Self::Unsafe { directory, .. } => Some(format!(
                "if you trust it: git config --global --add safe.directory {}",
                directory.display()
            )),
            Self::LineBreak { .. } => Some(String::from("move the repository")),
            Self::Git(_) => None,
        }
    }
}

impl From<PoolError> for DiscoverError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::File(error) => error.into(),
            PoolError::Git(error) => error.into(),
        }
    }
}

impl Repository {
    /// Opens the repository that `directory` belongs to, as the user's own git would find it.
    pub fn discover(program: &GitProgram, directory: &Path) -> Result<Self, DiscoverError> {
        let directory = directory.canonicalize().context("open", directory)?;
        let call = GitCommand::as_user(program, "find the repository").directory(&directory);
        let questions =
            ["--is-bare-repository", "--show-object-format", "--git-common-dir", "--git-dir"];
        let answer = call.args(["rev-parse", "--path-format=absolute"]).args(questions).run()?;
        if !answer.status.success() {
            return Err(refused(directory, answer));
        }
        let lines: Vec<&[u8]> =
            answer.stdout.strip_suffix(b"\n").unwrap_or_default().split(|b| *b == b'\n').collect();
        let [bare, format, common, git] = lines[..] else {
            return Err(DiscoverError::LineBreak { directory });
        };
        let format = if format == b"sha256" { ObjectFormat::Sha256 } else { ObjectFormat::Sha1 };
        let (common_dir, git_dir) = (resolve(common)?, resolve(git)?);
        let (program, fail_fast_on_locks) = (program.clone(), Arc::default());
        let mut found = Self {
            program,
            common_dir,
            git_dir,
            root: None,
            format,
            fail_fast_on_locks,
            taken_over: Arc::default(),
            reader: ObjectReader::default(),
            pins: PinnedPacks::default(),
        };
        found.root = found.find_root(&directory, bare == b"true")?;
        Ok(found)
    }

    /// The root of the main worktree.
    fn find_root(&self, directory: &Path, bare: bool) -> Result<Option<PathBuf>, DiscoverError> {
        // Called from the main worktree, git knows best; it may live away from its `.git`.
        if self.git_dir == self.common_dir {
            if bare {
                return Ok(None);
            }
            let call = GitCommand::as_user(&self.program, "find the worktree").directory(directory);
            let answer = call.args(["rev-parse", "--show-toplevel"]).run()?;
            if answer.status.success() {
                let path = answer.stdout.strip_suffix(b"\n").unwrap_or_default();
                return Ok(Some(resolve(path)?));
            }
        }
        // A linked worktree of a bare repository has no main worktree beside it.
        let bare = self.git("see whether the repository is bare");
        let bare = bare.args(["config", "--type=bool", "--get", "core.bare"]).run()?;
        if bare.stdout.starts_with(b"true") {
            return Ok(None);
        }
        Ok(self.worktrees()?.into_iter().next().map(|main| main.path))
    }
}

fn resolve(path: &[u8]) -> Result<PathBuf, FileError> {
    let path = Path::new(std::ffi::OsStr::from_bytes(path));
    path.canonicalize().context("open", path)
}

/// Git explains itself only in its messages; the locale that we set keeps them stable.
fn refused(directory: PathBuf, answer: GitOutput) -> DiscoverError {
    let complaint = answer.complaint();
    let distrusts = ["dubious ownership", "unsafe repository", "cannot use bare repository"];
    if distrusts.iter().any(|words| complaint.contains(words)) {
        DiscoverError::Unsafe { directory, complaint }
    } else if complaint.contains("not a git repository") {
        DiscoverError::NotARepository { directory }
    } else {
        DiscoverError::Git(answer.failure())
    }
}
