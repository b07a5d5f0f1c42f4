//! Finds the git program and checks its version.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::git::command::{CommandError, GitCommand};
use crate::git::env::GitEnv;

/// The first version with `merge-tree --write-tree` and `cat-file -z`.
const OLDEST: GitVersion = GitVersion { major: 2, minor: 38 };
/// The first version that lets a caller name the merge base.
const NAMED_MERGE_BASE: GitVersion = GitVersion { major: 2, minor: 40 };
/// The first version that can read attributes from a source other than the tree.
const ATTRIBUTE_SOURCE: GitVersion = GitVersion { major: 2, minor: 41 };

/// A version of git: major and minor number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitVersion {
    pub major: u32,
    pub minor: u32,
}

impl fmt::Display for GitVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Why no git can be used.
#[derive(Debug, thiserror::Error)]
pub enum GitProgramError {
    #[error("cannot find git on the PATH")]
    Missing,
    #[error("cannot use {}: it is git {found}; at least {OLDEST} is required", path.display())]
    TooOld { path: PathBuf, found: GitVersion },
    #[error("cannot use {}: its version is not recognised: {output_text:?}", path.display())]
    Unrecognised { path: PathBuf, output_text: String },
    #[error("cannot ask git for its version")]
    Unusable(#[from] CommandError),
}

impl GitProgramError {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Missing => format!("install git {OLDEST} or newer, or add it to PATH"),
            Self::TooOld { .. } => {
                format!("install git {OLDEST} or newer and put it first in PATH")
            }
            Self::Unrecognised { .. } | Self::Unusable(_) => {
                String::from("run `git --version`; a wrapper must pass on git's own output")
            }
        }
    }
}

/// The git program, found and checked once.
#[derive(Debug, Clone)]
pub struct GitProgram {
    path: PathBuf,
    version: GitVersion,
    env: GitEnv,
}

impl GitProgram {
    /// Searches the PATH for git and checks its version.
    pub fn find(env: GitEnv) -> Result<Self, GitProgramError> {
        let path = find_on_path(&env).ok_or(GitProgramError::Missing)?;
        let unchecked = Self { path, version: OLDEST, env };
        let answer = GitCommand::scrubbed(&unchecked, "ask for its version")
            .args(["--version"])
            .run_checked()?;
        // A wrapper may print more than the version line.
        let output_text = String::from_utf8_lossy(&answer.stdout);
        let Some(found) = output_text.lines().find_map(parse_version) else {
            let output_text = output_text.chars().take(200).collect();
            return Err(GitProgramError::Unrecognised { path: unchecked.path, output_text });
        };
        if found < OLDEST {
            return Err(GitProgramError::TooOld { path: unchecked.path, found });
        }
        Ok(Self { version: found, ..unchecked })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn version(&self) -> GitVersion {
        self.version
    }

    pub(crate) fn git_env(&self) -> &GitEnv {
        &self.env
    }

    pub(crate) fn can_name_the_merge_base(&self) -> bool {
        self.version >= NAMED_MERGE_BASE
    }

    pub(crate) fn can_ignore_attributes(&self) -> bool {
        self.version >= ATTRIBUTE_SOURCE
    }
}

fn find_on_path(env: &GitEnv) -> Option<PathBuf> {
    let directories = std::env::split_paths(env.get("PATH")?);
    // A relative entry would mean a different program in every directory.
    let candidates = directories.filter(|d| d.is_absolute()).map(|d| d.join("git"));
    candidates.into_iter().find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Reads `git version 2.39.5 (Apple Git-154)`.
fn parse_version(line: &str) -> Option<GitVersion> {
    let mut numbers = line.trim().strip_prefix("git version ")?.split(['.', ' ', '-']);
    let major = numbers.next()?.parse().ok()?;
    let minor = numbers.next()?.parse().ok()?;
    Some(GitVersion { major, minor })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_all_distributions_are_read() {
        let read = |line| parse_version(line).map(|v| (v.major, v.minor));
        assert_eq!(read("git version 2.47.3"), Some((2, 47)));
        assert_eq!(read("git version 2.39.5 (Apple Git-154)"), Some((2, 39)));
        assert_eq!(read("git version 2.45.1.windows.1"), Some((2, 45)));
        assert_eq!(read("git version 3.0-rc1"), Some((3, 0)));
        assert_eq!(read("hub version 2.14"), None);
        assert_eq!(read("warning: wrapper"), None);
    }
}
