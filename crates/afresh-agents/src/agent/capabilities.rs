//! The capabilities of an agent, by its kind.

use serde::Serialize;

use crate::adapters::program::{AgentProgram, ProgramAgent};
use crate::agent::{Agent, AgentKind, PromptDelivery};

/// What `afresh agents list` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AgentCapabilities {
    /// How it gets its prompt: `stdin`, `file`, `argument`, `protocol`, or `none` for a script.
    pub prompt: &'static str,
    /// How it reports and asks: `mcp` by afresh's tools, `commands` by afresh's commands.
    pub tools: &'static str,
    /// Whether a hook makes it report a result before it stops.
    pub hooks: bool,
    /// Whether it reports usage, so that a budget can stop it.
    pub reports_use: bool,
    /// Whether the task's size chooses the model.
    pub chooses_model: bool,
}

impl Agent {
    /// Its kind, as in the configuration.
    pub fn kind_name(&self) -> &'static str {
        match &self.kind {
            AgentKind::Command { .. } => "command",
            AgentKind::Scripted { .. } => "scripted",
            AgentKind::Program(agent) => agent.program.name(),
            AgentKind::Acp(_) => "acp",
        }
    }

    /// The command line that starts it, unless it is built in.
    pub fn command(&self) -> Option<&[String]> {
        match &self.kind {
            AgentKind::Command { command, .. } => Some(command),
            AgentKind::Program(agent) => Some(&agent.command),
            AgentKind::Acp(agent) => Some(&agent.command),
            AgentKind::Scripted { .. } => None,
        }
    }

    /// Like `command`, mutable.
    pub fn command_mut(&mut self) -> Option<&mut Vec<String>> {
        match &mut self.kind {
            AgentKind::Command { command, .. } => Some(command),
            AgentKind::Program(agent) => Some(&mut agent.command),
            AgentKind::Acp(agent) => Some(&mut agent.command),
            AgentKind::Scripted { .. } => None,
        }
    }

    pub fn capabilities(&self) -> AgentCapabilities {
        let (prompt, tools) = match &self.kind {
            AgentKind::Command { prompt: PromptDelivery::Stdin, .. } => ("stdin", "commands"),
            AgentKind::Command { prompt: PromptDelivery::File, .. } => ("file", "commands"),
            AgentKind::Command { prompt: PromptDelivery::Arg, .. } => ("argument", "commands"),
            AgentKind::Scripted { .. } => ("none", "commands"),
            AgentKind::Program(_) => ("stdin", "mcp"),
            AgentKind::Acp(_) => ("protocol", "mcp"),
        };
        let is_claude = matches!(
            &self.kind,
            AgentKind::Program(ProgramAgent { program: AgentProgram::Claude, .. })
        );
        AgentCapabilities {
            prompt,
            tools,
            hooks: is_claude,
            reports_use: self.reader().is_some(),
            chooses_model: self.model(afresh_core::plan::ModelTier::Standard).is_some(),
        }
    }
}
