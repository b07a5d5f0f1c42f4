//! Agents for a new configuration: known programs, and any command line of the user's.

use std::path::{Path, PathBuf};

use afresh_agents::{AgentKind, AgentProgram, ProgramAgent, PromptDelivery};
use afresh_core::plan::nearest;

use crate::agents::programs;
use crate::agents::programs::inspect::real_program;
use crate::context::environment::Environment;

/// An agent, under the name that it gets in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundAgent {
    pub name: String,
    pub kind: AgentKind,
}

impl FoundAgent {
    /// What people should know about it.
    pub fn remark(&self) -> &'static str {
        match &self.kind {
            AgentKind::Program(ProgramAgent { program, .. }) => may_do(*program),
            AgentKind::Acp(_) => {
                "speaks the Agent Client Protocol; its permission requests are granted"
            }
            AgentKind::Command { .. } | AgentKind::Scripted { .. } => {
                "gets its prompt on standard input"
            }
        }
    }
}

/// What each program may do without asking.
fn may_do(program: AgentProgram) -> &'static str {
    match program {
        AgentProgram::Claude => {
            "runs commands and edits files without asking; no other tools than afresh's"
        }
        AgentProgram::Codex => {
            "runs commands and edits files without asking, outside its own sandbox"
        }
        AgentProgram::Gemini => "runs commands and edits files without asking (its mode yolo)",
        AgentProgram::Opencode => "runs commands and edits files without asking",
    }
}

/// The names of known programs.
pub fn names() -> impl Iterator<Item = &'static str> {
    AgentProgram::ALL.iter().map(|program| program.name())
}

/// The agent of this name; any other text is a command line of the user's. None for an empty text.
pub fn named(text: &str) -> Option<FoundAgent> {
    if let Some(program) = AgentProgram::from_name(text) {
        return Some(FoundAgent {
            name: text.to_owned(),
            kind: AgentKind::Program(program.default_agent()),
        });
    }
    let command: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let name = plain_name(command.first()?);
    Some(FoundAgent { name, kind: AgentKind::Command { command, prompt: PromptDelivery::Stdin } })
}

/// Why the command of an agent cannot be started here, if so; perhaps its name has a slip.
pub fn describe_missing(
    agent: &FoundAgent,
    root: &Path,
    environment: &Environment,
) -> Option<String> {
    let AgentKind::Command { command, .. } = &agent.kind else { return None };
    let program = real_program(command);
    let is_relative = program.contains('/') && !program.starts_with('/');
    let place = if is_relative { root.join(program) } else { PathBuf::from(program) };
    let why = programs::find(&place.to_string_lossy(), environment).err()?;
    let near = nearest(program, names()).map(|near| format!("; did you mean {near}?"));
    Some(format!("`{program}` {why}{}", near.unwrap_or_default()))
}

/// The last part of a path, as a key that needs no quotes.
fn plain_name(program: &str) -> String {
    let last = program.rsplit('/').next().unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let name: String = last.chars().map(plain).collect();
    if name.is_empty() { "mine".to_owned() } else { name }
}
