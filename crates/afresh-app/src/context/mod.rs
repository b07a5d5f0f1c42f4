//! Where a command works: its directory, its configuration file, its environment.

pub mod environment;
pub mod scratch;

use std::path::{Path, PathBuf};

use afresh_engine::RepoContext;
use afresh_git::GitProgram;
use afresh_store::LockHolder;

use crate::context::environment::Environment;
use crate::error::AppError;
use crate::text::files::read_bounded;

/// More than any file of preferences.
const MAX_PREFERENCES: usize = 64 * 1024;

/// What every operation needs to know about how afresh was started.
#[derive(Debug, Clone)]
pub struct AppContext {
    /// The directory that paths are relative to, as it was given.
    pub directory: PathBuf,
    /// The configuration file to use instead of `.afresh/config.toml`.
    pub config_file: Option<PathBuf>,
    pub environment: Environment,
}

impl AppContext {
    /// The directory that paths are relative to, absolute and without links.
    pub fn directory(&self) -> Result<PathBuf, AppError> {
        self.directory.canonicalize().map_err(|error| {
            AppError::usage("directory", format!("cannot work in {}", self.directory.display()))
                .cause(error.to_string())
                .hint("-C names an existing directory")
        })
    }

    pub fn git(&self) -> Result<GitProgram, AppError> {
        Ok(GitProgram::find(self.environment.git_environment())?)
    }

    pub fn cache_directory(&self) -> Result<PathBuf, AppError> {
        self.environment.cache_directory().ok_or_else(|| {
            AppError::usage(
                "cache",
                "there is no cache directory: neither AFRESH_CACHE, XDG_CACHE_HOME nor HOME is set",
            )
            .hint("set HOME, or AFRESH_CACHE to a directory of your choice")
        })
    }

    /// The repository around the directory.
    pub fn repository(&self) -> Result<RepoContext, AppError> {
        self.repository_around(&self.directory()?)
    }

    /// The repository around another directory.
    pub fn repository_around(&self, directory: &Path) -> Result<RepoContext, AppError> {
        let state = self.environment.state_directory();
        Ok(RepoContext::find(&self.git()?, directory, state, self.cache_directory()?)?)
    }

    /// What the user tells every agent to do, if there is such a file (PL-07).
    pub fn user_preferences(&self) -> Option<String> {
        let file = self.environment.home_directory()?.join(".claude/CLAUDE.md");
        let text = String::from_utf8(read_bounded(&file, MAX_PREFERENCES).ok()?).ok()?;
        (!text.trim().is_empty()).then_some(text)
    }

    /// The same in another directory, with a cache of its own and the usual state directory.
    #[must_use]
    pub fn moved_to(&self, directory: &Path, cache: &Path) -> Self {
        let environment = self.environment.with_cache(cache);
        Self { directory: directory.to_owned(), config_file: None, environment }
    }

    /// This process, for others that find its lock.
    pub fn lock_holder(&self) -> LockHolder {
        let host = nix::unistd::gethostname().unwrap_or_default().to_string_lossy().into_owned();
        let now =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        LockHolder {
            pid: std::process::id(),
            host,
            command: self.environment.arguments.join(" "),
            since_wall_ms: i64::try_from(now.as_millis()).unwrap_or(i64::MAX),
        }
    }
}

/// The user's login name, for the journal.
pub fn user_name() -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::getuid()).ok().flatten();
    user.map_or_else(|| "unknown user".to_owned(), |user| user.name)
}
