//! Where the user's git would push, and whether the clone is complete.

use std::collections::BTreeSet;
use std::fs;

use afresh_core::ids::CommitId;

use crate::git::command::{CommandError, GitCommand};
use crate::git::repository::{Repository, parse_id};

impl Repository {
    /// The remote that `git push` would use for a branch; none if there is no remote, or no obvious one.
    pub fn push_remote(&self, branch: Option<&str>) -> Result<Option<String>, CommandError> {
        let call = GitCommand::as_user(&self.program, "find where you push");
        let call = call.directory(&self.git_dir).env("GIT_DIR", &self.git_dir);
        let pattern = "^(remote\\..*\\.url|remote\\.pushdefault|branch\\..*\\.(push)?remote)$";
        let answer = call.args(["config", "-z", "--get-regexp", pattern]).run()?;
        let answer = if answer.code() == Some(1) { answer } else { answer.success()? };
        let settings: Vec<(String, String)> = answer
            .fields()
            .filter_map(|field| {
                let text = String::from_utf8_lossy(field).into_owned();
                text.split_once('\n').map(|(name, value)| (name.to_owned(), value.to_owned()))
            })
            .collect();
        let value = |wanted: &str| {
            let found = settings.iter().rev().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.clone())
        };
        let remotes: BTreeSet<&str> = settings
            .iter()
            .filter_map(|(name, _)| name.strip_prefix("remote.")?.strip_suffix(".url"))
            .collect();
        let of_branch =
            |kind: &str| branch.and_then(|name| value(&format!("branch.{name}.{kind}")));
        let chosen = of_branch("pushremote")
            .or_else(|| value("remote.pushdefault"))
            .or_else(|| of_branch("remote"))
            .or_else(|| remotes.get("origin").map(|&name| name.to_owned()))
            .or_else(|| {
                (remotes.len() == 1).then(|| remotes.first().map(|&name| name.to_owned()))?
            });
        Ok(chosen.filter(|name| remotes.contains(name.as_str())))
    }

    /// The commit that a name of the user's stands for, such as `HEAD~2` or `main`; none if there is none.
    pub fn resolve_commit(&self, name: &str) -> Result<Option<CommitId>, CommandError> {
        let call = self.git(format!("find {name}")).env("GIT_DIR", &self.git_dir);
        let verb = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
        let answer = call.args(verb).args([format!("{name}^{{commit}}")]).run()?;
        if !answer.status.success() {
            return Ok(None);
        }
        Ok(Some(parse_id(answer.line()?, |detail| answer.unexpected(detail))?))
    }

    /// Commits whose parents a shallow clone left out.
    pub fn shallow_boundary(&self) -> BTreeSet<CommitId> {
        let Some(list) = self.shallow() else { return BTreeSet::new() };
        let text = fs::read_to_string(list).unwrap_or_default();
        text.lines().filter_map(|line| line.trim().parse().ok()).collect()
    }
}
