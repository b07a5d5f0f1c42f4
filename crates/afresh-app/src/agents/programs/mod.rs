//! Agent programs on this machine: where they are, and whether they work.
//!
//! The PATH is searched first, then the cache of `afresh agents install`.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`install`] | installing programs into the cache |
//! | `installed` | installed programs |
//! | `login` | whether a program seems to have a key or a login |
//! | [`inspect`] | starting a program to inspect it |
//! | `native` | the program behind a wrapper script |
//! | [`version`] | versions, compared to the tested one |

pub mod inspect;
pub mod install;
mod installed;
mod login;
mod native;
pub mod version;

use afresh_agents::Agent;
use afresh_agents::adapters::versions;
use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::agents::which;
use crate::context::environment::Environment;

/// The path of a program, or why it cannot be started.
pub fn find(program: &str, environment: &Environment) -> Result<PathBuf, &'static str> {
    let found = which::find(program, &environment.search_path());
    let found = found.or_else(|why| installed::find(program, environment).ok_or(why));
    found.map(|found| native::behind(&found).unwrap_or(found))
}

/// Replaces programs by their paths, where they are in the cache or behind a wrapper script.
pub fn resolve(agents: &mut BTreeMap<String, Agent>, environment: &Environment) {
    let path = environment.search_path();
    for agent in agents.values_mut() {
        let Some(program) = agent.command_mut().and_then(|command| command.first_mut()) else {
            continue;
        };
        let by_name = !program.contains('/') && versions::find_pin(program).is_some();
        let found = if by_name { find(program, environment).ok() } else { None };
        // A program on the PATH keeps its name.
        let found = found.filter(|found| which::find(program, &path).as_ref() != Ok(found));
        if let Some(found) = found.as_deref().and_then(std::path::Path::to_str) {
            found.clone_into(program);
        }
    }
}

/// A hint for a missing program.
pub fn remedy(agent: &str, program: &str) -> String {
    let check = format!("check `command` under [agents.{agent}] in the configuration");
    match versions::find_pin(program) {
        Some(pin) => format!("`afresh agents install {}` installs it; or {check}", pin.program),
        None => check,
    }
}
