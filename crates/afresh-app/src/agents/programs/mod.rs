//! The programs of agents on this machine: where they are, and whether they can be used.
//!
//! What is on the PATH counts first; what `afresh agents install` put into the cache is found where
//! nothing is.
//!
//! | module | idea |
//! | --- | --- |
//! | [`installed`] | what is in the cache |
//! | [`install`] | putting it there |
//! | [`native`] | the program behind a wrapper |
//! | [`look`] | starting one, only to see whether it can be used |
//! | [`version`] | versions, and the one that afresh is tested with |
//! | [`login`] | whether it seems to have a key or a login |

pub mod install;
mod installed;
mod login;
pub mod look;
mod native;
pub mod version;

use afresh_agents::Agent;
use afresh_agents::adapters::versions;
use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::agents::which;
use crate::environment::Environment;

/// Where a program is, or why it cannot be started.
pub fn find(program: &str, environment: &Environment) -> Result<PathBuf, &'static str> {
    let found = which::find(program, &environment.search_path());
    let found = found.or_else(|why| installed::find(program, environment).ok_or(why));
    found.map(|found| native::behind(&found).unwrap_or(found))
}

/// Agents whose program is not on the PATH, but in the cache, or is a wrapper around another one, are
/// started by its path.
pub fn resolve(agents: &mut BTreeMap<String, Agent>, environment: &Environment) {
    let path = environment.search_path();
    for agent in agents.values_mut() {
        let Some(program) = agent.command_mut().and_then(|command| command.first_mut()) else {
            continue;
        };
        let by_name = !program.contains('/') && versions::find_pin(program).is_some();
        let found = if by_name { find(program, environment).ok() } else { None };
        // Whoever is on the PATH under this name keeps it.
        let found = found.filter(|found| which::find(program, &path).as_ref() != Ok(found));
        if let Some(found) = found.as_deref().and_then(std::path::Path::to_str) {
            found.clone_into(program);
        }
    }
}

/// What to do about a program that is not there.
pub fn remedy(agent: &str, program: &str) -> String {
    let check = format!("check `command` under [agents.{agent}] in the configuration");
    match versions::find_pin(program) {
        Some(pin) => format!("`afresh agents install {}` installs it; or {check}", pin.program),
        None => check,
    }
}
