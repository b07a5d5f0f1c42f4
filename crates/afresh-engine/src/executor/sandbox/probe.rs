//! The sandbox in which `afresh doctor` starts an agent program: that of a worker, without a network.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use afresh_agents::Agent;
use afresh_sandbox::{SandboxNetwork, SandboxSpec, WrappedCommand};

use crate::execution_config::SandboxConfig;
use crate::executor::sandbox::home_tools::ToolSearch;
use crate::executor::sandbox::{WorkerPaths, give_home};

/// Everything that decides what a worker of this machine and repository may access.
#[derive(Debug)]
pub struct ProbeSandbox {
    pub config: SandboxConfig,
    /// Our own program.
    pub exe: PathBuf,
    /// The repository, and afresh's own files.
    pub hidden: Vec<PathBuf>,
    /// The environment of the agent.
    pub environment: BTreeMap<String, String>,
}

impl ProbeSandbox {
    /// How the agent is started in `directory`, which is the only one that it may write to.
    pub fn wrap(&self, agent: &Agent, directory: &Path) -> std::io::Result<WrappedCommand> {
        let variable = |name: &str| self.environment.get(name).cloned();
        let home = variable("HOME").map(PathBuf::from);
        let path = variable("PATH").unwrap_or_default();
        let search = ToolSearch { home: home.as_deref(), path: &path };
        let tools = search.on_path();
        let own = WorkerPaths::of_agent(agent, &search, &variable);
        let temp = directory.join("tmp");
        std::fs::create_dir_all(&temp)?;
        let readable = [vec![self.exe.clone()], tools.readable, own.readable].concat();
        let spec = SandboxSpec {
            writable: [vec![directory.to_owned()], own.writable].concat(),
            hidden: [self.hidden.clone(), tools.hidden].concat(),
            private: home.into_iter().filter(|path| path.parent().is_some()).collect(),
            readable: [readable, self.config.readable.clone()].concat(),
            temp: temp.clone(),
            network: SandboxNetwork::Off,
            handoff: None,
            sockets: self.config.sockets,
            limits: self.config.limits,
        };
        let mut wrapped = spec.wrap_command(&self.config.level, &self.exe, directory);
        give_home(&self.config.level, &spec, &mut wrapped)?;
        Ok(wrapped)
    }
}
