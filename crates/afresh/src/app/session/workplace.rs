//! Where a command works: the directory, git, the repository, and afresh's own places.

use std::path::{Path, PathBuf};

use afresh_engine::RepoContext;
use afresh_git::Program;
use afresh_store::Holder;

use crate::app::environment;
use crate::app::error::Failure;
use crate::cli::Common;

/// The directory that paths are relative to.
pub(crate) fn directory(common: &Common) -> Result<PathBuf, Failure> {
    common.directory.canonicalize().map_err(|error| {
        Failure::usage("directory", format!("cannot work in {}", common.directory.display()))
            .cause(error.to_string())
    })
}

pub(crate) fn git() -> Result<Program, Failure> {
    Ok(Program::find(environment::surroundings())?)
}

pub(crate) fn cache() -> Result<PathBuf, Failure> {
    environment::cache().ok_or_else(|| {
        Failure::usage(
            "cache",
            "there is no cache directory: neither AFRESH_CACHE, XDG_CACHE_HOME nor HOME is set",
        )
    })
}

/// The repository around the directory.
pub(crate) fn find(common: &Common) -> Result<RepoContext, Failure> {
    around(&directory(common)?)
}

/// The repository around another directory.
pub(crate) fn around(directory: &Path) -> Result<RepoContext, Failure> {
    Ok(RepoContext::find(&git()?, directory, environment::state(), cache()?)?)
}

/// Who we are, for whoever meets our lock.
pub(crate) fn holder() -> Holder {
    let host = nix::unistd::gethostname().unwrap_or_default().to_string_lossy().into_owned();
    let command: Vec<String> = std::env::args().collect();
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Holder {
        pid: std::process::id(),
        host,
        command: command.join(" "),
        since_wall_ms: i64::try_from(now.as_millis()).unwrap_or(i64::MAX),
    }
}

/// The person in front of this terminal, for the journal.
pub(crate) fn person() -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::getuid()).ok().flatten();
    user.map_or_else(|| "somebody".to_owned(), |user| user.name)
}
