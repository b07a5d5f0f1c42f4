//! A configuration that is committed, but not in the checkout: without it, the defaults would be used silently.

use afresh_engine::RepoContext;

use crate::config::Config;
use crate::error::AppError;
use crate::notice::Notice;

const FILE: &str = ".afresh/config.toml";

/// Refuses a sparse checkout without the configuration; where a person deleted it, that is only said.
pub(in crate::session) fn check(
    repository: &RepoContext,
    config: &Config,
) -> Result<Option<Notice>, AppError> {
    if !is_left_out(repository, config) {
        return Ok(None);
    }
    let message = format!("{FILE} is in HEAD, but not in this checkout");
    if !repository.git.is_sparse_checkout() {
        return Ok(Some(Notice::note(format!("{message}; using the defaults"))));
    }
    Err(AppError::usage("config", format!("{message}, which is sparse")).hint(
        "`git sparse-checkout add .afresh` brings it back; `--config FILE` names another one",
    ))
}

/// Whether the current commit has a configuration that was not found.
pub fn is_left_out(repository: &RepoContext, config: &Config) -> bool {
    let git = &repository.git;
    // A bare repository has no checkout.
    if config.is_from_file() || git.is_bare() {
        return false;
    }
    // A commit that cannot be read is reported elsewhere.
    let head = git.head().ok().flatten();
    head.is_some_and(|head| git.show_file(&head, FILE).is_ok_and(|found| found.is_some()))
}
