//! What a worker has around it: its way to report, its network, its home directory, its time.

use std::collections::BTreeSet;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::adapters::program::AgentProgram;
use crate::agent::{Agent, AgentKind};

/// How a worker reports its result. Each kind of agent is told one way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Reports")]
pub enum ReportChannel {
    /// A block in its output, and commands for everything else.
    #[default]
    Commands,
    /// afresh's tools.
    Tools,
    /// afresh's tools, which the program may hide from its model until that searches for them.
    HiddenTools,
    /// The same; a program that offers none has the command.
    ToolsOrCommand,
}

impl Agent {
    pub fn report_channel(&self) -> ReportChannel {
        match &self.kind {
            AgentKind::Command { .. } | AgentKind::Scripted { .. } => ReportChannel::Commands,
            AgentKind::Program(agent) if agent.program == AgentProgram::Codex => {
                ReportChannel::HiddenTools
            }
            AgentKind::Program(_) => ReportChannel::Tools,
            AgentKind::Acp(_) => ReportChannel::ToolsOrCommand,
        }
    }
}

/// What the workers of a run have around them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkerSurroundings {
    pub sandbox: SandboxedWorker,
    /// Agents whose workers reach only the hosts of an allowlist.
    pub listed_network: BTreeSet<String>,
    /// The time of an attempt.
    pub time_limit: Option<Duration>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SandboxedWorker {
    Yes,
    #[default]
    No,
}

impl WorkerSurroundings {
    /// One line for each, as far as it differs from what a program expects.
    pub fn describe(&self, agent: &str) -> Vec<String> {
        let mut lines = Vec::new();
        if self.sandbox == SandboxedWorker::Yes {
            lines.push(
                "Your home directory and /tmp are private; everything else outside is read-only or hidden."
                    .to_owned(),
            );
        }
        if self.listed_network.contains(agent) {
            lines.push("Network: only your model and package registries.".to_owned());
        }
        if let Some(limit) = self.time_limit {
            lines.push(format!("You have {} minutes.", limit.as_secs().div_ceil(60)));
        }
        lines
    }
}
