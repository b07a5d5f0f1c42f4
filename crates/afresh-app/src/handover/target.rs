//! Where a pull request comes from and where it goes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use afresh_core::Run;
use afresh_core::ids::CommitId;
use afresh_git::ref_names::salvage_prefix;
use afresh_git::{GitRemote, RemoteAccess, RemoteRefs, Repository};

use super::forge::Forge;
use crate::error::AppError;

/// What the user may say about a pull request; each has a default.
#[derive(Debug, Clone, Default)]
pub struct HandoverOptions {
    /// The remote; by default the one that `git push` would use.
    pub remote: Option<String>,
    /// The branch on the remote; by default that of the run.
    pub branch: Option<String>,
    /// The branch to merge into; by default the one that is checked out, or the remote's default.
    pub base: Option<String>,
    pub is_draft: bool,
    /// Whether a run that is not finished is handed over too.
    pub is_partial: bool,
}

impl HandoverOptions {
    /// The command that asks for the same again.
    pub fn command(&self, run: &str) -> String {
        let mut command = format!("afresh land {run} --pr");
        let named =
            [("remote", &self.remote), ("branch", &self.branch), ("base", &self.base)].into_iter();
        for (option, name) in named.filter_map(|(option, name)| Some((option, name.as_deref()?))) {
            let _ = write!(command, " --{option} {}", shell_word(name));
        }
        for (option, is_given) in [("draft", self.is_draft), ("partial", self.is_partial)] {
            if is_given {
                let _ = write!(command, " --{option}");
            }
        }
        command
    }
}

/// Everything that was decided before anything is pushed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoverTarget {
    pub remote: GitRemote,
    pub forge: Forge,
    pub branch: String,
    pub base: String,
    /// The commit that the remote's branch has, if it exists.
    pub remote_commit: Option<CommitId>,
    /// An earlier state of this run, which the push replaces: the run was rewound.
    pub replaces: Option<CommitId>,
}

impl HandoverTarget {
    /// Whether the remote has this state of the run already.
    pub fn is_pushed(&self, tip: &CommitId) -> bool {
        self.remote_commit.as_ref() == Some(tip)
    }

    /// `OWNER/NAME` with the host, as the forge's programs take it.
    pub fn repository(&self) -> Option<String> {
        parse_repository(&self.remote.url)
    }

    /// The host of that repository.
    pub fn host(&self) -> Option<String> {
        let repository = self.repository()?;
        repository.strip_prefix("https://")?.split('/').next().map(str::to_owned)
    }

    /// What pushes by hand what we would push.
    pub fn push_command(&self, tip: &CommitId, notes: Option<&str>) -> String {
        let (remote, branch) = (shell_word(&self.remote.name), shell_word(&self.branch));
        let notes = notes.map(|notes| format!(" {notes}")).unwrap_or_default();
        format!("git push {remote} {tip}:refs/heads/{branch}{notes}")
    }
}

/// Decides on remote, branch and base; asks the remote, and changes nothing.
pub fn find_target(
    access: RemoteAccess<'_>,
    run: &Run,
    options: &HandoverOptions,
) -> Result<HandoverTarget, AppError> {
    let repository = access.repository;
    let current = repository.branch().map_err(AppError::git)?;
    let remote = choose_remote(repository, options.remote.as_deref(), current.as_deref())?;
    let branch = options.branch.clone().unwrap_or_else(|| run.branch().to_owned());
    for name in std::iter::once(&branch).chain(&options.base) {
        if !repository.is_branch_name(name).map_err(AppError::git)? {
            let shown: String = name.chars().take(100).collect();
            return Err(AppError::usage("branch", format!("{shown:?} is no name of a branch"))
                .hint("use letters, digits, `-`, `_`, `.` and `/`"));
        }
    }
    let own = current.as_deref().filter(|name| !name.starts_with("afresh/"));
    let asked: Vec<&str> =
        [Some(branch.as_str()), own, options.base.as_deref()].into_iter().flatten().collect();
    let refs =
        access.list(&remote.name, &asked).map_err(|error| unreachable_remote(&remote, &error))?;
    let base = choose_base(options.base.as_deref(), own, &refs, &remote.name)?;
    if base == branch {
        return Err(AppError::usage("branch", format!("{branch} would be merged into itself"))
            .hint(
                "name another branch with `--branch NAME`, or another base with `--base BRANCH`",
            ));
    }
    let remote_commit = refs.branches.get(&branch).cloned();
    let replaces = match &remote_commit {
        Some(there) => find_replaced(repository, run, there, &branch, &remote.name)?,
        None => None,
    };
    let forge = Forge::from_url(&remote.url);
    Ok(HandoverTarget { remote, forge, branch, base, remote_commit, replaces })
}

fn choose_remote(
    repository: &Repository,
    named: Option<&str>,
    branch: Option<&str>,
) -> Result<GitRemote, AppError> {
    let remotes = repository.remotes().map_err(AppError::git)?;
    let known: BTreeMap<&str, &GitRemote> =
        remotes.iter().map(|remote| (remote.name.as_str(), remote)).collect();
    let names = || known.keys().copied().collect::<Vec<&str>>().join(", ");
    if let Some(named) = named {
        return known.get(named).map(|&remote| remote.clone()).ok_or_else(|| {
            let failure = AppError::usage("remote", format!("there is no remote {named:?}"));
            if known.is_empty() {
                failure.hint("`git remote add NAME URL` adds one")
            } else {
                failure.hint(format!("the remotes are {}", names()))
            }
        });
    }
    let usual = repository.push_remote(branch).map_err(AppError::git)?;
    let chosen = usual.and_then(|name| known.get(name.as_str()).map(|&remote| remote.clone()));
    chosen.ok_or_else(|| {
        if known.is_empty() {
            return AppError::usage("remote", "this repository has no remote to push to")
                .hint("`git remote add origin URL` adds one; `afresh land` lands the run here");
        }
        AppError::usage("remote", "it is not clear which remote to push to")
            .hint(format!("name one with `--remote NAME`: {}", names()))
    })
}

fn choose_base(
    named: Option<&str>,
    current: Option<&str>,
    refs: &RemoteRefs,
    remote: &str,
) -> Result<String, AppError> {
    if let Some(named) = named {
        if refs.branches.contains_key(named) {
            return Ok(named.to_owned());
        }
        return Err(AppError::usage("base", format!("{remote} has no branch {named}"))
            .hint("`--base` names a branch of the remote"));
    }
    let usual = current.filter(|name| refs.branches.contains_key(*name));
    usual.map(str::to_owned).or_else(|| refs.default_branch.clone()).ok_or_else(|| {
        AppError::usage("base", format!("{remote} has no branch to merge into"))
            .hint("push your branch first, or name another one with `--base BRANCH`")
    })
}

/// Whether the remote's branch is an earlier state of this run that the push must replace. Commits of others are never
/// replaced.
fn find_replaced(
    repository: &Repository,
    run: &Run,
    there: &CommitId,
    branch: &str,
    remote: &str,
) -> Result<Option<CommitId>, AppError> {
    let refused = || {
        AppError::incomplete("remote-branch", format!("{branch} on {remote} has other commits"))
            .cause(format!(
                "it is at {}, which is not a state of run {}",
                &there.as_str()[..10],
                run.id()
            ))
            .hint("nothing was pushed; name another branch with `--branch NAME`")
    };
    if !repository.exists(there).map_err(AppError::git)? {
        return Err(refused());
    }
    if repository.is_ancestor(there, run.tip()).map_err(AppError::git)? {
        return Ok(None);
    }
    // A rewind keeps the old tip. A trailer alone proves nothing: whoever amends a commit keeps it.
    let kept = repository.list_refs(&salvage_prefix(run.id().as_str())).map_err(AppError::git)?;
    for earlier in kept.values() {
        if repository.is_ancestor(there, earlier).map_err(AppError::git)? {
            return Ok(Some(there.clone()));
        }
    }
    Err(refused())
}

fn unreachable_remote(remote: &GitRemote, error: &afresh_git::CommandError) -> AppError {
    AppError::incomplete("remote", format!("cannot reach the remote {}", remote.name))
        .cause(error.to_string())
        .hint(format!("nothing was pushed; try `git ls-remote {}`", shell_word(&remote.name)))
}

/// `OWNER/NAME` of an address on a known kind of host; none for a path.
fn parse_repository(url: &str) -> Option<String> {
    let (host, path) = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?,
        // `git@host:owner/name.git`; a path has no colon before its first slash.
        None => url.split_once(':').filter(|(host, _)| !host.contains('/'))?,
    };
    let host = host.rsplit('@').next()?.split(':').next()?;
    let path = path.trim_matches('/').strip_suffix(".git").unwrap_or(path.trim_matches('/'));
    let is_plain = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
    };
    (host.contains('.') && is_plain(host) && is_plain(path) && path.contains('/'))
        .then(|| format!("https://{host}/{path}"))
}

/// One word for a shell: names of branches may contain anything.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/-+@".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BE-09: the repository follows from the remote's address, without its credentials.
    #[test]
    fn a_repository_is_read_from_an_address() {
        for (url, repository) in [
            ("git@github.com:me/app.git", Some("https://github.com/me/app")),
            ("https://me:secret@github.com/me/app", Some("https://github.com/me/app")),
            (
                "ssh://git@gitlab.example.org:2222/group/sub/app.git",
                Some("https://gitlab.example.org/group/sub/app"),
            ),
            ("../remote.git", None),
            ("/srv/git/app.git", None),
            ("file:///srv/git/app.git", None),
            ("https://github.com/only", None),
            ("host:a b/c", None),
        ] {
            assert_eq!(parse_repository(url).as_deref(), repository, "{url}");
        }
    }

    #[test]
    fn a_base_is_a_branch_of_the_remote() {
        let commit: CommitId = "1".repeat(40).parse().expect("an id");
        let refs = RemoteRefs {
            default_branch: Some("trunk".to_owned()),
            branches: [("main".to_owned(), commit)].into(),
        };
        let choose = |named, current| choose_base(named, current, &refs, "origin").ok();
        assert_eq!(choose(None, Some("main")).as_deref(), Some("main"));
        assert_eq!(choose(None, Some("mine")).as_deref(), Some("trunk"));
        assert_eq!(choose(Some("main"), Some("mine")).as_deref(), Some("main"));
        assert_eq!(choose(Some("gone"), Some("main")), None);
    }
}
