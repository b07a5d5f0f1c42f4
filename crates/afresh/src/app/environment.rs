//! Every environment variable that afresh reads, and no others.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `AFRESH_STATE` | the state directory, instead of `.afresh/state` |
//! | `AFRESH_CACHE` | the cache directory with the workspaces, instead of the user's cache directory |
//! | `AFRESH_CONTAINMENT` | `auto`, `cgroup`, `namespace` or `group`: how processes are held |
//! | `AFRESH_SANDBOX` | `auto`, `required`, `bubblewrap`, `landlock` or `off`: what holds workers and checks |
//! | `AFRESH_AGENT_NETWORK` | `listed`, `open` or `off`: whom workers reach on the network |
//! | `AFRESH_SANDBOX_HOSTS` | hosts, with `,` between them, that workers reach besides |
//! | `AFRESH_SANDBOX_READ`, `AFRESH_SANDBOX_WRITE` | paths, with `:` between them, that are open besides |
//! | `AFRESH_SANDBOX_SOCKETS` | `1`: sockets of the file system may be used inside Landlock |
//! | `AFRESH_RESULT` | in an attempt: its result file, beside which its mailbox is |
//! | `AFRESH_TASK`, `AFRESH_ATTEMPT`, `AFRESH_BUNDLE` | in an attempt: which one it is, and what it was given |
//! | `AFRESH_COMPLETE` | a shell asks what could come next; see `crate::terminal::completion` |
//! | `XDG_CACHE_HOME`, `HOME` | where the user's cache directory is |
//! | `TMPDIR` | where `afresh demo` makes its scratch repository |
//! | `NO_COLOR` | no colours |
//! | `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY` | the way out of what workers are let through; see `afresh_proxy` |
//! | `PATH` and what git needs | handed to git; see `afresh_git::Surroundings` |
//! | variables whose names say that they are secret | to redact their values; see `afresh_secrets` |
//! | the allow-list | handed to workers and checks; see `afresh_agents::agent::COMMON_VARIABLES` |

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use afresh_git::Surroundings;
use afresh_process::Containment;
use afresh_secrets::is_secret_variable;

pub(crate) fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// The values of all variables whose names say that they are secret.
pub(crate) fn secrets() -> Vec<String> {
    named_secrets().into_iter().map(|(_, value)| value).collect()
}

/// The same with the names of the variables.
pub(crate) fn named_secrets() -> Vec<(String, String)> {
    all().into_iter().filter(|(name, _)| is_secret_variable(name)).collect()
}

pub(crate) fn state() -> Option<PathBuf> {
    directory("AFRESH_STATE")
}

/// Outside the repository, because tools that walk upwards break on nested checkouts.
pub(crate) fn cache() -> Option<PathBuf> {
    match cache_variable()? {
        name @ "AFRESH_CACHE" => directory(name),
        name @ "HOME" => directory(name).map(|home| home.join(".cache/afresh")),
        name => directory(name).map(|path| path.join("afresh")),
    }
}

/// The variable that says where the cache directory is.
pub(crate) fn cache_variable() -> Option<&'static str> {
    let absolute = |name: &str| {
        std::env::var_os(name).is_some_and(|value| std::path::Path::new(&value).is_absolute())
    };
    let names = ["AFRESH_CACHE", "XDG_CACHE_HOME", "HOME"];
    names
        .into_iter()
        .find(|name| directory(name).is_some() && (*name != "XDG_CACHE_HOME" || absolute(name)))
}

/// Where the files of the attempt are that we are called from.
pub(crate) fn attempt_directory() -> Option<PathBuf> {
    result_file()?.parent().map(PathBuf::from)
}

/// The result file of the attempt that we are called from.
pub(crate) fn result_file() -> Option<PathBuf> {
    directory("AFRESH_RESULT")
}

/// The attempt that we are called from, and what it was given.
#[derive(Debug)]
pub(crate) struct InAttempt {
    pub(crate) task: String,
    pub(crate) number: u32,
    pub(crate) bundle: Option<PathBuf>,
}

pub(crate) fn attempt() -> Option<InAttempt> {
    let task = std::env::var("AFRESH_TASK").ok().filter(|task| !task.is_empty())?;
    let number = std::env::var("AFRESH_ATTEMPT").ok()?.parse().ok()?;
    Some(InAttempt { task, number, bundle: directory("AFRESH_BUNDLE") })
}

/// What a worker and its tools find out about themselves, for tools that are started by somebody else.
pub(crate) fn of_attempt() -> BTreeMap<String, String> {
    all().into_iter().filter(|(name, _)| name.starts_with("AFRESH_")).collect()
}

fn directory(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
    std::path::absolute(PathBuf::from(value)).ok()
}

/// The wish as it was written.
pub(crate) fn containment_word() -> Option<String> {
    containment().and_then(|_| std::env::var("AFRESH_CONTAINMENT").ok())
}

pub(crate) fn containment() -> Option<Containment> {
    match std::env::var("AFRESH_CONTAINMENT").ok()?.as_str() {
        "auto" => Some(Containment::Auto),
        "cgroup" => Some(Containment::Cgroup),
        "namespace" => Some(Containment::Namespace),
        "group" => Some(Containment::Group),
        _ => None,
    }
}

/// What a person says about the sandbox.
pub(crate) fn sandbox() -> Option<String> {
    std::env::var("AFRESH_SANDBOX").ok().filter(|word| !word.is_empty())
}

/// What a person says about the network of agents.
pub(crate) fn agent_network() -> Option<String> {
    std::env::var("AFRESH_AGENT_NETWORK").ok().filter(|word| !word.is_empty())
}

/// The hosts that a person opens to workers, as they wrote them.
pub(crate) fn hosts() -> Option<String> {
    std::env::var("AFRESH_SANDBOX_HOSTS").ok().filter(|hosts| !hosts.is_empty())
}

/// Whether a person lets programs inside Landlock use sockets of the file system.
pub(crate) fn sandbox_sockets() -> bool {
    std::env::var("AFRESH_SANDBOX_SOCKETS").is_ok_and(|value| value == "1")
}

/// The paths that a variable names.
pub(crate) fn paths(name: &str) -> Vec<PathBuf> {
    crate::app::policy::sandbox::split(
        &std::env::var(name).unwrap_or_default(),
        directory("HOME").as_deref(),
    )
}

/// Where programs are looked for.
pub(crate) fn path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

pub(crate) fn surroundings() -> Surroundings {
    Surroundings::from_vars(std::env::vars_os())
}

/// Our whole environment, from which allow-lists choose; what is not UTF-8 is never handed on.
pub(crate) fn all() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}
