//! The environment variables that git may see.
//!
//! Nothing here reads the environment: the caller passes it in.

use std::ffi::{OsStr, OsString};

/// Variables that decide which configuration is the user's.
const USER_VARIABLES: [&str; 11] = [
    "HOME",
    "PATH",
    "XDG_CONFIG_HOME",
    "USER",
    "LOGNAME",
    "SUDO_UID",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/// The part of an environment that git is given.
#[derive(Debug, Clone, Default)]
pub struct GitEnv {
    variables: Vec<(OsString, OsString)>,
}

impl GitEnv {
    /// Keeps what git needs of `variables` (usually `std::env::vars_os()`) and drops the rest.
    pub fn from_vars(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let wanted = |name: &OsStr| USER_VARIABLES.iter().any(|own| name == OsStr::new(own));
        Self { variables: variables.into_iter().filter(|(name, _)| wanted(name)).collect() }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        let found = self.variables.iter().find(|(key, _)| key == OsStr::new(name));
        found.map(|(_, value)| value.as_os_str())
    }

    pub(crate) fn user_variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}
