//! What a program may access.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::bubblewrap;
use crate::exec_stage::{self, ExecStage};
use crate::level::SandboxLevel;
use crate::links::{PathLink, followed_links};
use crate::rlimits::ProcessRlimits;

/// Everything else may be read, and nothing else may be written.
///
/// If one path is inside another, the rule of the inner one applies to it. Missing paths are left
/// out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxSpec {
    /// Files and directories that may be written.
    pub writable: Vec<PathBuf>,
    /// Paths that are not visible.
    pub hidden: Vec<PathBuf>,
    /// Directories that are empty inside and writable, if the level supports that; what is written
    /// there is lost. On other levels they are hidden.
    pub private: Vec<PathBuf>,
    /// Paths inside of those that may be read nevertheless.
    pub readable: Vec<PathBuf>,
    /// An existing directory of its own for temporary files.
    pub temp: PathBuf,
    pub network: SandboxNetwork,
    /// Where the driver waits for the handoff; only for levels that give the sandbox its own
    /// network.
    #[serde(default)]
    pub handoff: Option<PathBuf>,
    /// Whether programs may use sockets of the file system. If the level cannot hide those of
    /// services (a desktop's bus, a terminal multiplexer, a container engine), they are ways out.
    #[serde(default)]
    pub sockets: bool,
    pub limits: ProcessRlimits,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SandboxNetwork {
    /// Only the program's own loopback, if the level has one.
    Off,
    /// Ports of this machine, with a proxy that decides which hosts may be reached.
    Ports(ProxyPorts),
    /// The machine's network.
    On,
}

/// Ports of the loopback, as programs inside see them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProxyPorts {
    /// The proxy, which programs find through the usual variables.
    pub proxy: u16,
    /// Services of this machine.
    pub local: Vec<u16>,
}

/// How a program is started inside a sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrappedCommand {
    /// The command line before the program and its arguments; empty without a sandbox. Signals that
    /// are sent to the whole process group are meant for the program: start this with all signals
    /// blocked; it starts the program with all of them unblocked.
    pub wrapper: Vec<String>,
    /// Set in addition to the program's own variables; these win.
    pub env: Vec<(String, String)>,
}

impl SandboxSpec {
    /// The command line that starts a program inside, in the directory `cwd`. `us` is the
    /// executable that has the hidden command [`CONFINE`](crate::CONFINE).
    pub fn wrap_command(&self, level: &SandboxLevel, us: &Path, cwd: &Path) -> WrappedCommand {
        // Under another name it might not be visible inside.
        let us = &us.canonicalize().unwrap_or_else(|_| us.to_owned());
        let (before, temp) = match level {
            SandboxLevel::Bubblewrap { program, .. } => {
                let mut before = bubblewrap::command(self, program, us, cwd);
                before.extend(exec_stage::command(us, &ExecStage::inside(self)));
                (before, "/tmp".to_owned())
            }
            SandboxLevel::Landlock { .. } => {
                (exec_stage::command(us, &ExecStage::Rules(self.clone())), path_text(&self.temp))
            }
            SandboxLevel::Off => return WrappedCommand::default(),
        };
        let mut env = vec![("TMPDIR".to_owned(), temp)];
        if let SandboxNetwork::Ports(ports) = &self.network {
            env.extend(ports.variables());
        }
        WrappedCommand { wrapper: before, env }
    }
}

/// Variables that name a proxy; some programs read only the lower-case ones.
const PROXY: &[&str] =
    &["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
/// Variables that say which hosts need no proxy.
const NO_PROXY: &[&str] = &["NO_PROXY", "no_proxy"];

impl ProxyPorts {
    /// The loopback is reached without the proxy: a program's own services, and local ports that
    /// are open to it.
    fn variables(&self) -> Vec<(String, String)> {
        let proxy = format!("http://127.0.0.1:{}", self.proxy);
        let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut variables: Vec<_> = PROXY.iter().map(|name| own(name, &proxy)).collect();
        variables.extend(NO_PROXY.iter().map(|name| own(name, "localhost,127.0.0.1,::1")));
        // Node uses no proxy without this.
        variables.push(own("NODE_USE_ENV_PROXY", "1"));
        variables
    }
}

pub(crate) fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The access to one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PathAccess {
    Hide,
    Empty,
    Read,
    Write,
}

impl SandboxSpec {
    /// All existing paths, outer ones before inner ones; if a path is named twice, the more
    /// permissive rule applies.
    pub(crate) fn path_rules(&self) -> Vec<(PathBuf, PathAccess)> {
        self.all_path_rules(&[])
    }

    /// The same with one more readable path.
    pub(crate) fn path_rules_with(&self, readable: &Path) -> Vec<(PathBuf, PathAccess)> {
        self.all_path_rules(&[readable.to_owned()])
    }

    fn all_path_rules(&self, readable: &[PathBuf]) -> Vec<(PathBuf, PathAccess)> {
        let all = [
            (self.hidden.as_slice(), PathAccess::Hide),
            (&self.private, PathAccess::Empty),
            (&self.readable, PathAccess::Read),
            (readable, PathAccess::Read),
            (&self.writable, PathAccess::Write),
        ];
        let mut rules: Vec<(PathBuf, PathAccess)> = all
            .into_iter()
            .flat_map(|(paths, access)| paths.iter().map(move |path| (path, access)))
            .filter_map(|(path, access)| Some((path.canonicalize().ok()?, access)))
            .collect();
        rules.sort_by(|(path, access), (other, other_way)| {
            let depth = |path: &Path| path.components().count();
            (depth(path), path, other_way).cmp(&(depth(other), other, access))
        });
        rules.dedup_by(|later, earlier| later.0 == earlier.0);
        // Every rule costs time at every start.
        let needed = |at: usize| match &rules[at] {
            (path, PathAccess::Read) => is_covered(&rules, path),
            (path, PathAccess::Hide) => parent_access(&rules, path) != Some(PathAccess::Hide),
            _ => true,
        };
        let needed: Vec<bool> = (0..rules.len()).map(needed).collect();
        let mut needed = needed.into_iter();
        rules.retain(|_| needed.next().unwrap_or(true));
        rules
    }
}

impl SandboxSpec {
    /// Links that lead to readable and writable paths, and that the sandbox would hide.
    pub(crate) fn hidden_links(&self, rules: &[(PathBuf, PathAccess)]) -> Vec<PathLink> {
        let paths = self.readable.iter().chain(&self.writable);
        let mut links: Vec<PathLink> = paths.flat_map(|path| followed_links(path)).collect();
        links.retain(|link| is_covered(rules, &link.at));
        links.sort();
        links.dedup_by(|later, earlier| later.at == earlier.at);
        links
    }
}

/// Directories that are private in every sandbox.
const PRIVATE_DIRECTORIES: &[&str] = &["/tmp", "/var/tmp", "/run"];

/// Whether it would be invisible without a rule of its own.
fn is_covered(rules: &[(PathBuf, PathAccess)], path: &Path) -> bool {
    match parent_access(rules, path) {
        Some(access) => matches!(access, PathAccess::Hide | PathAccess::Empty),
        None => PRIVATE_DIRECTORIES.iter().any(|own| path.starts_with(own)),
    }
}

/// The rule of the nearest directory above it.
fn parent_access(rules: &[(PathBuf, PathAccess)], path: &Path) -> Option<PathAccess> {
    let outer = rules.iter().rev().find(|(outer, _)| path != outer && path.starts_with(outer));
    outer.map(|(_, access)| *access)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outer_paths_come_first_and_the_more_permissive_rule_applies() {
        let home = tempfile::tempdir().expect("a directory");
        let home = home.path().canonicalize().expect("a path");
        let inner = home.join("a/b");
        std::fs::create_dir_all(&inner).expect("directories");
        let spec = SandboxSpec {
            writable: vec![inner.clone()],
            hidden: vec![inner.clone(), home.clone(), home.join("gone")],
            private: vec![],
            readable: vec![home.join("a")],
            temp: home.clone(),
            network: SandboxNetwork::Off,
            handoff: None,
            sockets: false,
            limits: ProcessRlimits::default(),
        };
        let expected = [
            (home.clone(), PathAccess::Hide),
            (home.join("a"), PathAccess::Read),
            (inner, PathAccess::Write),
        ];
        assert_eq!(spec.path_rules(), expected);
    }
}
