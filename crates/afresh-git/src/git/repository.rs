//! The user's repository: where it is, its worktrees, who the user is.
//!
//! Finding it is in `discover`, moving refs in `refs`, reading commits in `objects::read`.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use afresh_core::ids::CommitId;

use crate::git::command::{CommandError, GitCommand};
use crate::git::identity::CommitIdentity;
use crate::git::program::GitProgram;
use crate::objects::cat_file::ObjectReader;
use crate::refs::names::branch_name;
use crate::staging::pinned_pack::PinnedPacks;

/// The hash function of a repository's object ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFormat {
    Sha1,
    Sha256,
}

impl ObjectFormat {
    pub(crate) fn id_bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// The id that stands for "no object".
    pub(crate) fn zero(self) -> String {
        "0".repeat(self.id_bytes() * 2)
    }

    /// The tree without entries, which git has without storing it.
    pub(crate) fn empty_tree(self) -> &'static str {
        match self {
            Self::Sha1 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            Self::Sha256 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        }
    }
}

/// A checkout that belongs to the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    pub path: PathBuf,
    /// The full name of the ref that is checked out; `None` when detached or bare.
    pub branch: Option<String>,
}

/// The user's repository.
#[derive(Debug, Clone)]
pub struct Repository {
    pub(crate) program: GitProgram,
    pub(crate) common_dir: PathBuf,
    /// Differs from the common directory in a linked worktree.
    pub(crate) git_dir: PathBuf,
    pub(crate) root: Option<PathBuf>,
    pub(crate) format: ObjectFormat,
    /// While set, locks of other programs are not waited for. Shared by all clones.
    pub(crate) fail_fast_on_locks: Arc<AtomicBool>,
    /// Since when no git process of an earlier driver is alive. Shared by all clones.
    pub(crate) taken_over: Arc<OnceLock<SystemTime>>,
    pub(crate) reader: ObjectReader,
    pub(crate) pins: PinnedPacks,
}

impl Repository {
    /// The directory that all worktrees share; it identifies the repository.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The root of the main worktree, even when called from a linked one; `None` if bare.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    pub fn is_bare(&self) -> bool {
        self.root.is_none()
    }

    pub fn object_format(&self) -> ObjectFormat {
        self.format
    }

    pub fn program(&self) -> &GitProgram {
        &self.program
    }

    /// What is checked out in the current worktree; `None` before the first commit.
    pub fn head(&self) -> Result<Option<CommitId>, CommandError> {
        let call = self.git("read HEAD").env("GIT_DIR", &self.git_dir);
        let answer = call.args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).run()?;
        if answer.code() == Some(1) {
            return Ok(None);
        }
        let answer = answer.success()?;
        Ok(Some(parse_id(answer.line()?, |detail| answer.unexpected(detail))?))
    }

    /// The branch of the current worktree, without `refs/heads/`; `None` if detached.
    pub fn branch(&self) -> Result<Option<String>, CommandError> {
        let call = self.git("read the current branch").env("GIT_DIR", &self.git_dir);
        let answer = call.args(["symbolic-ref", "--quiet", "HEAD"]).run()?;
        if answer.code() == Some(1) {
            return Ok(None);
        }
        let answer = answer.success()?;
        Ok(branch_name(answer.line()?).map(str::to_owned))
    }

    /// All checkouts, the main one first: a branch that is checked out must not move under it.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, CommandError> {
        let call = self.git("list the worktrees");
        let answer = call.args(["worktree", "list", "--porcelain", "-z"]).run_checked()?;
        let mut worktrees: Vec<Worktree> = Vec::new();
        for field in answer.fields() {
            let text = String::from_utf8_lossy(field);
            if let Some(path) = text.strip_prefix("worktree ") {
                let path = PathBuf::from(path);
                // With a git directory that is named, git cannot tell where the main worktree is.
                let is_main = path == self.common_dir;
                let path = self.root.clone().filter(|_| is_main).unwrap_or(path);
                worktrees.push(Worktree { path, branch: None });
            } else if let (Some(branch), Some(last)) =
                (text.strip_prefix("branch "), worktrees.last_mut())
            {
                last.branch = Some(branch.to_owned());
            }
        }
        Ok(worktrees)
    }

    /// The user's configured identity; `afresh` where none is configured.
    pub fn identity(&self) -> Result<CommitIdentity, CommandError> {
        let call =
            GitCommand::as_user(&self.program, "read who the user is").directory(&self.git_dir);
        let call = call.env("GIT_DIR", &self.git_dir);
        let answer = call.args(["config", "-z", "--get-regexp", "^user\\.(name|email)$"]).run()?;
        // Exit 1: neither is set.
        let answer = if answer.code() == Some(1) { answer } else { answer.success()? };
        let (mut name, mut email) = (String::new(), String::new());
        for field in answer.fields() {
            let text = String::from_utf8_lossy(field);
            // The last value wins, as in git itself.
            match text.split_once('\n') {
                Some(("user.name", value)) => value.clone_into(&mut name),
                Some(("user.email", value)) => value.clone_into(&mut email),
                _ => {}
            }
        }
        Ok(CommitIdentity::new(&name, &email))
    }

    /// Whether the user's checkout may leave out files of its commit.
    pub fn is_sparse_checkout(&self) -> bool {
        self.git_dir.join("info/sparse-checkout").exists()
    }

    /// Whether the user's clone leaves objects with its remote until they are needed.
    pub fn is_partial_clone(&self) -> Result<bool, CommandError> {
        let call = self.git("see whether the clone is partial");
        let pattern = "^(extensions\\.partialclone|remote\\..*\\.promisor)$";
        let answer = call.args(["config", "--get-regexp", pattern]).run()?;
        Ok(answer.status.success())
    }

    /// A command on the user's repository itself: for refs and for reading objects, never for
    /// trees.
    pub(crate) fn git(&self, doing: impl Into<String>) -> GitCommand {
        self.mark_as_ours(GitCommand::scrubbed(&self.program, doing))
            .env("GIT_DIR", &self.common_dir)
            .directory(&self.common_dir)
    }

    pub(crate) fn objects(&self) -> PathBuf {
        self.common_dir.join("objects")
    }

    /// The list of cut-off commits, if the user's clone is shallow.
    pub(crate) fn shallow(&self) -> Option<PathBuf> {
        let list = self.common_dir.join("shallow");
        list.is_file().then_some(list)
    }
}

/// A commit or tree id that git printed.
pub(crate) fn parse_id<T: std::str::FromStr>(
    text: &str,
    unexpected: impl FnOnce(String) -> CommandError,
) -> Result<T, CommandError> {
    text.trim().parse().map_err(|_| unexpected(format!("not an object id: {text:?}")))
}
