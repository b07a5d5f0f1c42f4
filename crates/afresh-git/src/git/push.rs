//! Pushing to a remote of the user's, with the user's own configuration and credentials.
//!
//! Only `afresh land --pr` does this. Nothing is asked on a terminal, and the user's hooks do not run.

use std::collections::BTreeMap;
use std::time::Duration;

use afresh_core::ids::CommitId;

use crate::git::command::{CommandError, GitCommand};
use crate::git::repository::Repository;
use crate::refs::names::branch_ref;

/// Larger repositories than this takes are pushed by hand.
const PUSH_LIMIT: Duration = Duration::from_secs(600);
const LIST_LIMIT: Duration = Duration::from_secs(60);

/// Variables with which git finds programs and keys; any other `GIT_` variable could mean another repository.
const GIT_VARIABLES: &[&str] = &[
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_SSL_NO_VERIFY",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];

/// A remote of the user's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitRemote {
    pub name: String,
    /// Where it is pushed to; it may hold a password.
    pub url: String,
}

/// What a remote has, as far as a push needs to know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteRefs {
    /// The branch that its HEAD names.
    pub default_branch: Option<String>,
    /// The branches that were asked for and exist.
    pub branches: BTreeMap<String, CommitId>,
}

/// One ref of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushedRef {
    pub commit: CommitId,
    /// The full name on the remote.
    pub target: String,
    /// The commit that it may replace without being a descendant of it.
    pub replaces: Option<CommitId>,
}

/// Access to a remote, with the environment of the user.
#[derive(Debug, Clone, Copy)]
pub struct RemoteAccess<'a> {
    pub repository: &'a Repository,
    pub environment: &'a BTreeMap<String, String>,
}

impl Repository {
    /// The remotes of the configuration, by name.
    pub fn remotes(&self) -> Result<Vec<GitRemote>, CommandError> {
        let call = GitCommand::as_user(&self.program, "list your remotes");
        let call = call.directory(&self.git_dir).env("GIT_DIR", &self.git_dir);
        let pattern = "^remote\\..*\\.(push)?url$";
        let answer = call.args(["config", "-z", "--get-regexp", pattern]).run()?;
        let answer = if answer.code() == Some(1) { answer } else { answer.success()? };
        let mut remotes: BTreeMap<String, (String, bool)> = BTreeMap::new();
        for field in answer.fields() {
            let text = String::from_utf8_lossy(field).into_owned();
            let Some((key, url)) = text.split_once('\n') else { continue };
            let Some(key) = key.strip_prefix("remote.") else { continue };
            if let Some(name) = key.strip_suffix(".pushurl") {
                remotes.insert(name.to_owned(), (url.to_owned(), true));
            } else if let Some(name) = key.strip_suffix(".url") {
                let known = remotes.entry(name.to_owned()).or_insert((url.to_owned(), false));
                if !known.1 {
                    url.clone_into(&mut known.0);
                }
            }
        }
        let remote = |(name, (url, _))| GitRemote { name, url };
        Ok(remotes.into_iter().map(remote).filter(|it| !it.name.starts_with('-')).collect())
    }

    /// Whether git accepts this as the name of a branch.
    pub fn is_branch_name(&self, name: &str) -> Result<bool, CommandError> {
        if name.is_empty() || name.starts_with('-') || name == "HEAD" {
            return Ok(false);
        }
        let call = self.git("check the name of a branch");
        Ok(call.args(["check-ref-format", &branch_ref(name)]).run()?.status.success())
    }
}

impl RemoteAccess<'_> {
    /// Asks a remote for its default branch, and which of these branches it has.
    pub fn list(&self, remote: &str, branches: &[&str]) -> Result<RemoteRefs, CommandError> {
        let call = self.git(format!("ask {remote} for its branches")).limit(LIST_LIMIT);
        let names = branches.iter().map(|name| branch_ref(name));
        let wanted: Vec<String> = std::iter::once("HEAD".to_owned()).chain(names).collect();
        let answer = call.args(["ls-remote", "--symref", remote]).args(&wanted).run_checked()?;
        let mut found = RemoteRefs::default();
        for line in String::from_utf8_lossy(&answer.stdout).lines() {
            let Some((value, name)) = line.split_once('\t') else { continue };
            let branch_of = |name: &str| name.strip_prefix("refs/heads/").map(str::to_owned);
            if name == "HEAD" {
                if let Some(target) = value.strip_prefix("ref: ") {
                    found.default_branch = branch_of(target);
                }
            } else if let (Some(branch), Ok(commit)) = (branch_of(name), value.parse()) {
                // `ls-remote` matches the ends of names.
                if branches.contains(&branch.as_str()) {
                    found.branches.insert(branch, commit);
                }
            }
        }
        Ok(found)
    }

    /// Pushes one ref. Without `replaces`, the remote's ref may only move forward.
    pub fn push(&self, remote: &str, pushed: &PushedRef) -> Result<(), CommandError> {
        let PushedRef { commit, target, replaces } = pushed;
        let call = self.git(format!("push to {remote}")).limit(PUSH_LIMIT);
        let lease = replaces.as_ref().map(|old| format!("--force-with-lease={target}:{old}"));
        let call = call.args(["push", "--quiet", "--porcelain", "--no-verify"]).args(lease);
        // Signed pushes and the like are for what the user pushes.
        let call = call.args(["--no-signed", "--no-follow-tags", "--recurse-submodules=no"]);
        call.args([remote.to_owned(), format!("{commit}:{target}")]).run_checked().map(drop)
    }

    fn git(&self, doing: String) -> GitCommand {
        let repository = self.repository;
        let mut call = GitCommand::as_user(&repository.program, doing);
        for (name, value) in self.environment {
            if !name.starts_with("GIT_") || GIT_VARIABLES.contains(&name.as_str()) {
                call = call.env(name, value);
            }
        }
        // Nothing may wait for an answer.
        let call = call.env("LC_ALL", "C").env("LANG", "C").env("GIT_TERMINAL_PROMPT", "0");
        // The address of a remote may be a path that is relative to the checkout.
        let place = repository.root.as_deref().unwrap_or(&repository.common_dir);
        call.directory(place).env("GIT_DIR", &repository.common_dir)
    }
}
