//! Installed programs in the cache: `agents/PROGRAM-VERSION`, and a link `agents/PROGRAM` to the one in use.

use afresh_agents::adapters::versions;
use std::path::{Path, PathBuf};

use crate::agents::which;
use crate::context::environment::Environment;

/// Their directory; none without a cache directory.
pub(super) fn directory(environment: &Environment) -> Option<PathBuf> {
    environment.cache_directory().map(|cache| cache.join("agents"))
}

/// The installed program of this name.
pub(super) fn find(program: &str, environment: &Environment) -> Option<PathBuf> {
    let pin = versions::find_pin(program).filter(|pin| pin.program == program)?;
    let place = bin(&directory(environment)?.join(pin.program), pin.program);
    which::find(place.to_str()?, std::ffi::OsStr::new("")).ok()
}

/// The program inside an installation by npm.
pub(super) fn bin(installation: &Path, program: &str) -> PathBuf {
    installation.join("node_modules/.bin").join(program)
}
