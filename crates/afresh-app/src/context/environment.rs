//! Every environment variable that afresh reads, and no others.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `AFRESH_STATE` | the state directory, instead of `.afresh/state` |
//! | `AFRESH_CACHE` | the cache directory with the workspaces, instead of the user's cache directory |
//! | `AFRESH_CONTAINMENT` | `auto`, `cgroup`, `namespace` or `group`: how processes are contained |
//! | `AFRESH_SANDBOX` | `auto`, `required`, `bubblewrap`, `landlock` or `off`: the sandbox of workers and checks |
//! | `AFRESH_AGENT_NETWORK` | `listed`, `open` or `off`: network access of workers |
//! | `AFRESH_SANDBOX_HOSTS` | comma-separated hosts that are added to allowlists |
//! | `AFRESH_SANDBOX_READ`, `AFRESH_SANDBOX_WRITE` | colon-separated paths that the sandbox opens |
//! | `AFRESH_SANDBOX_SOCKETS` | `1`: sockets of the file system may be used inside Landlock |
//! | `AFRESH_RESULT` | in an attempt: its result file; its mailbox is next to it |
//! | `AFRESH_TASK`, `AFRESH_ATTEMPT`, `AFRESH_BUNDLE` | in an attempt: the attempt, and its bundle |
//! | `AFRESH_COMPLETE` | set by a shell that asks for completions |
//! | `XDG_CACHE_HOME`, `HOME` | where the user's cache directory is, and what the user prefers |
//! | `CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `XDG_CONFIG_HOME` | where agent programs keep what belongs to the user |
//! | `TMPDIR` | where `afresh demo` creates its scratch repository |
//! | `NO_COLOR` | no colours |
//! | `TERM` | which escape codes draw attention |
//! | `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY` | the upstream proxy of allowed connections; see `afresh_proxy` |
//! | `GNUPGHOME`, `SSH_AUTH_SOCK`, `XDG_RUNTIME_DIR` | handed to the program that signs receipts; see `afresh_notes::signing` |
//! | `PATH` and what git needs | handed to git; see `afresh_git::GitEnv` |
//! | variables with secret names | their values are redacted; see `afresh_secrets` |
//! | the allowlist | handed to workers and checks; see `afresh_agents::agent::COMMON_VARIABLES` |

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use afresh_git::GitEnv;
use afresh_process::Containment;
use afresh_secrets::is_secret_variable;

use crate::config::policy::sandbox;

/// Variables, arguments and executable of this process, read once by the binary.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    /// The command line, for the holder of the lock.
    pub arguments: Vec<String>,
    /// Our own program, which supervisors and tools of workers start again.
    pub executable: PathBuf,
}

/// The attempt that this process runs in.
#[derive(Debug)]
pub struct AttemptEnvironment {
    pub task: String,
    pub number: u32,
    pub bundle: Option<PathBuf>,
}

impl Environment {
    pub fn new(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        arguments: Vec<String>,
        executable: PathBuf,
    ) -> Self {
        Self { variables: variables.into_iter().collect(), arguments, executable }
    }

    fn raw(&self, name: &str) -> Option<&OsString> {
        self.variables.get(std::ffi::OsStr::new(name)).filter(|value| !value.is_empty())
    }

    /// A variable that is set, not empty and UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.raw(name)?.to_str()
    }

    /// The directory in a variable.
    pub(crate) fn directory(&self, name: &str) -> Option<PathBuf> {
        std::path::absolute(PathBuf::from(self.raw(name)?)).ok()
    }

    pub fn no_color(&self) -> bool {
        self.raw("NO_COLOR").is_some()
    }

    /// The values of all variables whose names say that they are secret.
    pub fn secrets(&self) -> Vec<String> {
        self.named_secrets().into_iter().map(|(_, value)| value).collect()
    }

    /// The same with the names of the variables.
    pub fn named_secrets(&self) -> Vec<(String, String)> {
        self.all().into_iter().filter(|(name, _)| is_secret_variable(name)).collect()
    }

    pub fn state_directory(&self) -> Option<PathBuf> {
        self.directory("AFRESH_STATE")
    }

    /// The same with another cache directory, and without a state directory outside of the repository.
    #[must_use]
    pub fn with_cache(&self, cache: &Path) -> Self {
        let mut moved = self.clone();
        moved.variables.insert("AFRESH_CACHE".into(), cache.as_os_str().to_owned());
        moved.variables.remove(std::ffi::OsStr::new("AFRESH_STATE"));
        moved
    }

    pub fn home_directory(&self) -> Option<PathBuf> {
        self.directory("HOME")
    }

    /// Outside the repository, because tools that walk upwards break on nested checkouts.
    pub fn cache_directory(&self) -> Option<PathBuf> {
        match self.cache_variable()? {
            name @ "AFRESH_CACHE" => self.directory(name),
            name @ "HOME" => self.directory(name).map(|home| home.join(".cache/afresh")),
            name => self.directory(name).map(|path| path.join("afresh")),
        }
    }

    /// The variable that sets the cache directory.
    pub fn cache_variable(&self) -> Option<&'static str> {
        let names = ["AFRESH_CACHE", "XDG_CACHE_HOME", "HOME"];
        // The XDG specification says to ignore a relative path.
        let counts = |name: &&str| {
            self.raw(name)
                .is_some_and(|value| *name != "XDG_CACHE_HOME" || Path::new(value).is_absolute())
        };
        names.into_iter().find(counts)
    }

    /// The result file of the attempt that this process runs in.
    pub fn result_file(&self) -> Option<PathBuf> {
        self.directory("AFRESH_RESULT")
    }

    /// The directory of the attempt that this process runs in.
    pub fn attempt_directory(&self) -> Option<PathBuf> {
        self.result_file()?.parent().map(PathBuf::from)
    }

    pub fn attempt(&self) -> Option<AttemptEnvironment> {
        let task = self.text("AFRESH_TASK")?.to_owned();
        let number = self.text("AFRESH_ATTEMPT")?.parse().ok()?;
        Some(AttemptEnvironment { task, number, bundle: self.directory("AFRESH_BUNDLE") })
    }

    /// The variables that describe an attempt, for tools that an agent starts with an environment of
    /// its own.
    pub fn attempt_variables(&self) -> BTreeMap<String, String> {
        self.all().into_iter().filter(|(name, _)| name.starts_with("AFRESH_")).collect()
    }

    pub fn containment(&self) -> Option<Containment> {
        match self.text("AFRESH_CONTAINMENT")? {
            "auto" => Some(Containment::Auto),
            "cgroup" => Some(Containment::Cgroup),
            "namespace" => Some(Containment::Namespace),
            "group" => Some(Containment::Group),
            _ => None,
        }
    }

    /// The containment as it was written, where it is one that exists.
    pub fn containment_word(&self) -> Option<&str> {
        self.containment().and_then(|_| self.text("AFRESH_CONTAINMENT"))
    }

    pub fn sandbox(&self) -> Option<&str> {
        self.text("AFRESH_SANDBOX")
    }

    pub fn agent_network(&self) -> Option<&str> {
        self.text("AFRESH_AGENT_NETWORK")
    }

    /// The hosts that the user adds to every allowlist, as they were written.
    pub fn sandbox_hosts(&self) -> Option<&str> {
        self.text("AFRESH_SANDBOX_HOSTS")
    }

    /// Whether programs inside Landlock may use sockets of the file system.
    pub fn sandbox_sockets(&self) -> bool {
        self.text("AFRESH_SANDBOX_SOCKETS") == Some("1")
    }

    /// The paths in a variable.
    pub fn paths(&self, name: &str) -> Vec<PathBuf> {
        sandbox::split(self.text(name).unwrap_or_default(), self.directory("HOME").as_deref())
    }

    /// The PATH, in which programs are searched.
    pub fn search_path(&self) -> OsString {
        self.raw("PATH").cloned().unwrap_or_default()
    }

    /// What git may see.
    pub fn git_environment(&self) -> GitEnv {
        GitEnv::from_vars(self.variables.clone())
    }

    /// All variables, from which allowlists choose; one that is not UTF-8 is never handed on. Of the PATH, only the
    /// directories that are not UTF-8 are left out.
    pub fn all(&self) -> BTreeMap<String, String> {
        let text = |(name, value): (&OsString, &OsString)| {
            let name = name.to_str()?.to_owned();
            let value = match value.to_str() {
                Some(text) => text.to_owned(),
                None if name == "PATH" => readable_directories(value),
                None => return None,
            };
            Some((name, value))
        };
        self.variables.iter().filter_map(text).collect()
    }
}

fn readable_directories(path: &OsStr) -> String {
    let directories = std::env::split_paths(path);
    let texts: Vec<String> =
        directories.filter_map(|directory| Some(directory.to_str()?.to_owned())).collect();
    texts.join(":")
}
