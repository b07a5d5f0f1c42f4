//! What a program may touch.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::bubblewrap;
use crate::exec_stage::{self, Last};
use crate::level::Level;
use crate::rlimits::Limits;

/// Everything else may be read, and nothing else may be written.
///
/// Of two paths of which one is inside the other, the inner one counts for itself. Paths that are
/// not there are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// Files and directories that may be written.
    pub writable: Vec<PathBuf>,
    /// What is not even seen.
    pub hidden: Vec<PathBuf>,
    /// Directories that are empty inside and may be written where the level can do that; what is
    /// written vanishes. Elsewhere they are hidden.
    pub private: Vec<PathBuf>,
    /// Inside of that, what may be read nevertheless.
    pub readable: Vec<PathBuf>,
    /// A directory of its own, which is there: for temporary files.
    pub temp: PathBuf,
    pub network: Network,
    /// Where somebody outside waits for what the room hands out, which is a matter of levels that
    /// give it a network of its own.
    #[serde(default)]
    pub outside: Option<PathBuf>,
    /// Whether programs may use sockets of the file system. Where the level cannot hide those of
    /// services (a desktop's bus, a terminal multiplexer, a container engine), they are ways out.
    #[serde(default)]
    pub sockets: bool,
    pub limits: Limits,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Network {
    /// Nothing but the program's own loopback, where the level has one.
    Off,
    /// Ports of this machine, behind which somebody judges who may be reached.
    Ports(Ports),
    /// As the machine has it.
    On,
}

/// Ports of the loopback, as programs inside see them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ports {
    /// A proxy, of which programs are told by the usual variables.
    pub proxy: u16,
    /// Services of this machine.
    pub local: Vec<u16>,
}

/// How a program is started inside a room.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Enclosed {
    /// What stands before the program and its arguments; nothing where nothing holds it. Signals
    /// that are sent to the whole group are meant for the program: this is to be started with them
    /// blocked, and starts the program with all of them open.
    pub before: Vec<String>,
    /// Set besides what the program is given anyway; these win.
    pub env: Vec<(String, String)>,
}

impl Room {
    /// The command line that starts a program inside, in the directory `cwd`. `us` is the program
    /// whose hidden command [`CONFINE`](crate::CONFINE) is.
    pub fn enclose(&self, level: &Level, us: &Path, cwd: &Path) -> Enclosed {
        // By another name it might not be seen inside.
        let us = &us.canonicalize().unwrap_or_else(|_| us.to_owned());
        let (before, temp) = match level {
            Level::Bubblewrap { program, .. } => {
                let mut before = bubblewrap::command(self, program, us, cwd);
                before.extend(exec_stage::command(us, &Last::inside(self)));
                (before, "/tmp".to_owned())
            }
            Level::Landlock { .. } => {
                (exec_stage::command(us, &Last::Rules(self.clone())), text(&self.temp))
            }
            Level::Off => return Enclosed::default(),
        };
        let mut env = vec![("TMPDIR".to_owned(), temp)];
        if let Network::Ports(ports) = &self.network {
            env.extend(ports.variables());
        }
        Enclosed { before, env }
    }
}

/// Variables that name a proxy; programs read some of them in lower case alone.
const PROXY: &[&str] =
    &["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
/// Variables that say where none is needed.
const NO_PROXY: &[&str] = &["NO_PROXY", "no_proxy"];

impl Ports {
    /// What is on the loopback is reached without a proxy: a program's own services, and those ports
    /// of the machine that are open to it.
    fn variables(&self) -> Vec<(String, String)> {
        let proxy = format!("http://127.0.0.1:{}", self.proxy);
        let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut variables: Vec<_> = PROXY.iter().map(|name| own(name, &proxy)).collect();
        variables.extend(NO_PROXY.iter().map(|name| own(name, "localhost,127.0.0.1,::1")));
        // Node asks no proxy unless it is told to.
        variables.push(own("NODE_USE_ENV_PROXY", "1"));
        variables
    }
}

pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What may be done with one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    Hide,
    Empty,
    Read,
    Write,
}

impl Room {
    /// Every path that is there, outer ones before inner ones; the freer way counts where one path
    /// is named twice.
    pub(crate) fn ways(&self) -> Vec<(PathBuf, Way)> {
        self.all_ways(&[])
    }

    /// The same with another path that may be read.
    pub(crate) fn ways_with(&self, readable: &Path) -> Vec<(PathBuf, Way)> {
        self.all_ways(&[readable.to_owned()])
    }

    fn all_ways(&self, readable: &[PathBuf]) -> Vec<(PathBuf, Way)> {
        let all = [
            (self.hidden.as_slice(), Way::Hide),
            (&self.private, Way::Empty),
            (&self.readable, Way::Read),
            (readable, Way::Read),
            (&self.writable, Way::Write),
        ];
        let mut ways: Vec<(PathBuf, Way)> = all
            .into_iter()
            .flat_map(|(paths, way)| paths.iter().map(move |path| (path, way)))
            .filter_map(|(path, way)| Some((path.canonicalize().ok()?, way)))
            .collect();
        ways.sort_by(|(path, way), (other, other_way)| {
            let depth = |path: &Path| path.components().count();
            (depth(path), path, other_way).cmp(&(depth(other), other, way))
        });
        ways.dedup_by(|later, earlier| later.0 == earlier.0);
        // Every rule costs time at every start.
        let needed = |at: usize| match &ways[at] {
            (path, Way::Read) => is_covered(&ways, path),
            (path, Way::Hide) => outer_way(&ways, path) != Some(Way::Hide),
            _ => true,
        };
        let needed: Vec<bool> = (0..ways.len()).map(needed).collect();
        let mut needed = needed.into_iter();
        ways.retain(|_| needed.next().unwrap_or(true));
        ways
    }
}

/// Places that are of the program's own, whatever the room says.
const OWN: &[&str] = &["/tmp", "/var/tmp", "/run"];

/// Would it not be seen without a word about it?
fn is_covered(ways: &[(PathBuf, Way)], path: &Path) -> bool {
    match outer_way(ways, path) {
        Some(way) => matches!(way, Way::Hide | Way::Empty),
        None => OWN.iter().any(|own| path.starts_with(own)),
    }
}

/// What is said about the nearest place around it.
fn outer_way(ways: &[(PathBuf, Way)], path: &Path) -> Option<Way> {
    let outer = ways.iter().rev().find(|(outer, _)| path != outer && path.starts_with(outer));
    outer.map(|(_, way)| *way)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outer_paths_come_first_and_the_freer_way_counts() {
        let home = tempfile::tempdir().expect("a directory");
        let home = home.path().canonicalize().expect("a path");
        let inner = home.join("a/b");
        std::fs::create_dir_all(&inner).expect("directories");
        let room = Room {
            writable: vec![inner.clone()],
            hidden: vec![inner.clone(), home.clone(), home.join("gone")],
            private: vec![],
            readable: vec![home.join("a")],
            temp: home.clone(),
            network: Network::Off,
            outside: None,
            sockets: false,
            limits: Limits::default(),
        };
        let expected =
            [(home.clone(), Way::Hide), (home.join("a"), Way::Read), (inner, Way::Write)];
        assert_eq!(room.ways(), expected);
    }
}
