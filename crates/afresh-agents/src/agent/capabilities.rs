//! What can be done with an agent, by its kind.

use serde::Serialize;

use crate::adapters::program::{Program, ProgramAgent};
use crate::agent::{Agent, Kind, PromptBy};

/// For people who choose one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Abilities {
    /// How it is given its prompt: `stdin`, `file`, `argument`, `protocol`, or `none` where it follows a
    /// script.
    pub prompt: &'static str,
    /// How it reports and asks: `mcp` by tools of ours, `commands` by commands of ours.
    pub tools: &'static str,
    /// A hook of ours sends it back where it would stop without an answer.
    pub hooks: bool,
    /// It tells what it uses, so that a budget can stop it.
    pub reports_use: bool,
    /// A task's size decides the model that it gets.
    pub chooses_model: bool,
}

impl Agent {
    /// The configuration's word for what it is.
    pub fn kind_word(&self) -> &'static str {
        match &self.kind {
            Kind::Command { .. } => "command",
            Kind::Scripted { .. } => "scripted",
            Kind::Program(agent) => agent.program.word(),
            Kind::Acp(_) => "acp",
        }
    }

    /// The command line that starts it; none where it is our own.
    pub fn command(&self) -> Option<&[String]> {
        match &self.kind {
            Kind::Command { command, .. } => Some(command),
            Kind::Program(agent) => Some(&agent.command),
            Kind::Acp(agent) => Some(&agent.command),
            Kind::Scripted { .. } => None,
        }
    }

    /// The same, to be changed.
    pub fn command_mut(&mut self) -> Option<&mut Vec<String>> {
        match &mut self.kind {
            Kind::Command { command, .. } => Some(command),
            Kind::Program(agent) => Some(&mut agent.command),
            Kind::Acp(agent) => Some(&mut agent.command),
            Kind::Scripted { .. } => None,
        }
    }

    pub fn abilities(&self) -> Abilities {
        let (prompt, tools) = match &self.kind {
            Kind::Command { prompt: PromptBy::Stdin, .. } => ("stdin", "commands"),
            Kind::Command { prompt: PromptBy::File, .. } => ("file", "commands"),
            Kind::Command { prompt: PromptBy::Arg, .. } => ("argument", "commands"),
            Kind::Scripted { .. } => ("none", "commands"),
            Kind::Program(_) => ("stdin", "mcp"),
            Kind::Acp(_) => ("protocol", "mcp"),
        };
        let is_claude =
            matches!(&self.kind, Kind::Program(ProgramAgent { program: Program::Claude, .. }));
        Abilities {
            prompt,
            tools,
            hooks: is_claude,
            reports_use: self.reader().is_some(),
            chooses_model: self.model(afresh_core::plan::ModelTier::Standard).is_some(),
        }
    }
}
