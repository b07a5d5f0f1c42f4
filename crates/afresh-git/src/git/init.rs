//! Making a first commit.

use std::path::Path;

use crate::git::command::GitCommand;
use crate::git::discover::DiscoverError;
use crate::git::error::FileContext;
use crate::git::identity::CommitSignature;
use crate::git::program::GitProgram;
use crate::git::repository::{Repository, parse_id};
use crate::objects::commit::NewCommit;

impl Repository {
    /// Makes sure that `directory` is in a repository with at least an empty root commit.
    ///
    /// Existing files stay untracked, and an existing repository is left as it is. The user is the
    /// author of the commit, at `at_seconds`.
    pub fn init(
        program: &GitProgram,
        directory: &Path,
        at_seconds: u64,
    ) -> Result<Self, DiscoverError> {
        let repository = match Self::discover(program, directory) {
            Err(DiscoverError::NotARepository { .. }) => Self::create(program, directory)?,
            other => other?,
        };
        if repository.head()?.is_none() {
            repository.begin_history(at_seconds)?;
        }
        Ok(repository)
    }

    /// As the user would: with the user's default branch and template.
    fn create(program: &GitProgram, directory: &Path) -> Result<Self, DiscoverError> {
        let directory = directory.canonicalize().context("open", directory)?;
        let call = GitCommand::as_user(program, "make a repository").directory(&directory);
        call.args(["init", "--quiet"]).run_checked()?;
        Self::discover(program, &directory)
    }

    fn begin_history(&self, at_seconds: u64) -> Result<(), DiscoverError> {
        let answer = self.git("make an empty tree").args(["mktree", "-z"]).run_checked()?;
        let tree = parse_id(answer.line()?, |detail| answer.unexpected(detail))?;
        let signature = CommitSignature { identity: self.identity()?, at_seconds };
        let root = self.commit(&NewCommit {
            tree: &tree,
            parents: &[],
            message: "Start the history\n",
            signature: &signature,
        })?;
        self.publish(&root)?;
        let mut call = self.git("begin the branch").env("GIT_DIR", &self.git_dir);
        for (name, value) in signature.variables() {
            call = call.env(name, value);
        }
        // With the zero id as the expected value, a commit that was made meanwhile is not replaced.
        let zero = self.format.zero();
        call.args(["update-ref", "-m", "afresh: start", "HEAD", root.as_str(), &zero])
            .run_checked()?;
        Ok(())
    }
}
