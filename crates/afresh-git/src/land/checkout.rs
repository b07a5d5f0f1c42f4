//! The user's checkout: running git on it, and moving its files and index to a commit.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use afresh_core::ids::CommitId;

use super::{LandError, TIMEOUT};
use crate::git::command::{CommandError, GitCommand, GitOutput};
use crate::git::error::FileContext;
use crate::git::identity::CommitSignature;
use crate::git::program::GitProgram;
use crate::git::repository::Repository;
use crate::objects::diff::change::RawTreeChange;
use crate::refs::parse_lock_path;

/// A filter of the user's that hangs must not block us forever.
const LONGEST: Duration = Duration::from_secs(15 * 60);
const PAUSE: Duration = Duration::from_millis(50);

/// The checkout that the user is in.
#[derive(Debug)]
pub(super) struct UserCheckout {
    program: GitProgram,
    pub(super) git_dir: PathBuf,
    root: PathBuf,
}

impl UserCheckout {
    /// None in a bare repository.
    pub(super) fn find(
        repository: &Repository,
        directory: &Path,
    ) -> Result<Option<Self>, LandError> {
        let call =
            GitCommand::as_user(&repository.program, "find your checkout").directory(directory);
        let answer = call.args(["rev-parse", "--is-inside-work-tree", "--show-toplevel"]).run()?;
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let Some(root) = text.strip_prefix("true\n").map(|root| root.trim_end_matches('\n')) else {
            return if repository.is_bare() { Ok(None) } else { Err(answer.failure().into()) };
        };
        let root = Path::new(root);
        let root = root.canonicalize().context("open", root)?;
        let (program, git_dir) = (repository.program.clone(), repository.git_dir.clone());
        Ok(Some(Self { program, git_dir, root }))
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// A command on the checkout, with the user's own configuration.
    pub(super) fn git(&self, doing: impl Into<String>) -> GitCommand {
        GitCommand::as_user(&self.program, doing)
            .setting("submodule.recurse", "false".as_ref())
            .directory(&self.root)
            .env("GIT_DIR", &self.git_dir)
            .env("GIT_WORK_TREE", &self.root)
            .limit(LONGEST)
    }

    /// Moves branch, index and files to a descendant commit; other uncommitted changes stay.
    pub(super) fn fast_forward(
        &self,
        changes: &[RawTreeChange],
        to: &CommitId,
        signature: &CommitSignature,
    ) -> Result<(), LandError> {
        // Files that an interrupted landing has written already only need their index entries.
        let done = self.done_already(changes)?;
        if !done.is_empty() {
            retry_while_locked(|| {
                let call = self.git("update the index for files that exist already");
                call.args(["update-index", "-z", "--index-info"]).stdin(done.clone()).run()
            })?;
        }
        retry_while_locked(|| {
            let mut call = self
                .git("update your files")
                .env("GIT_REFLOG_ACTION", "afresh land")
                // The user's settings for manual merges do not apply here.
                .setting("merge.autostash", "false".as_ref())
                .setting("core.fsync", "committed,reference".as_ref());
            for (name, value) in signature.variables() {
                call = call.env(name, value);
            }
            let options = ["--quiet", "--ff-only", "--no-squash", "--no-stat", "--no-autostash"];
            let strict = ["--no-overwrite-ignore", "--no-verify-signatures"];
            call.args(["merge"]).args(options).args(strict).args([to.as_str()]).run()
        })
    }
}

/// Retries while another git process holds the index.
fn retry_while_locked(call: impl Fn() -> Result<GitOutput, CommandError>) -> Result<(), LandError> {
    let until = Instant::now() + TIMEOUT;
    loop {
        let answer = call()?;
        if answer.status.success() {
            return Ok(());
        }
        match parse_lock_path(&answer.complaint()) {
            None => return Err(answer.failure().into()),
            Some(lock) if Instant::now() >= until => return Err(LandError::Locked { lock }),
            Some(_) => thread::sleep(PAUSE),
        }
    }
}
