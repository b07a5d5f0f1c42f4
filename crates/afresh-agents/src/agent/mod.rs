//! An agent as the configuration names it, and what it takes to start one.

pub mod capabilities;
pub mod definition;
use afresh_core::process::StopSignal;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use afresh_core::plan::ModelTier;
use serde::{Deserialize, Serialize};

use crate::adapters::acp::{self, AcpAgent};
use crate::adapters::command;
use crate::adapters::program;
use crate::adapters::program::{AgentProgram, ProgramAgent};
use crate::adapters::scripted::{self, ScriptFile};
use crate::stream::event::StreamReader;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    pub name: String,
    pub kind: AgentKind,
    /// Variables that are handed over besides the built-in allow-list.
    pub env: Vec<String>,
}

/// The programs that we know how to talk to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentKind {
    /// Any program: its exit code, its change and passing checks are enough.
    Command { command: Vec<String>, prompt: PromptDelivery },
    /// Our own program, which does what a script says.
    Scripted { script: ScriptFile },
    /// A coding agent whose ways we know.
    Program(ProgramAgent),
    /// A program that speaks the Agent Client Protocol.
    Acp(AcpAgent),
}

/// How a program is given its prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptDelivery {
    Stdin,
    /// The prompt's path as the last argument.
    File,
    /// The prompt itself as the last argument.
    Arg,
}

/// What there is to know when one attempt is started.
#[derive(Debug, Clone, Copy)]
pub struct LaunchRequest<'a> {
    pub prompt: PromptFile<'a>,
    /// Our own program, for agents that are built in, and for the worker's tools.
    pub us: &'a Path,
    /// The size of model.
    pub tier: ModelTier,
    pub session: SessionRef<'a>,
    /// The attempt's own directory, for files that the program needs.
    pub directory: &'a Path,
    /// The variables that the program will see.
    pub variables: &'a BTreeMap<String, String>,
    /// Are we root? Some programs are careful then.
    pub is_root: bool,
}

/// The conversation that a worker has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionRef<'a> {
    /// A fresh one, with a name that nobody else has: a UUID.
    New(&'a str),
    /// One that was interrupted, by the program's own name for it.
    Resumed(&'a str),
}

/// A command line, what it finds in its environment, and where its standard input comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchCommand {
    pub argv: Vec<String>,
    /// Set besides the allowed variables; these win.
    pub env: Vec<(String, String)>,
    pub stdin: Option<PathBuf>,
    /// Files that must be there before it starts.
    pub files: Vec<LaunchFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchFile {
    pub path: PathBuf,
    pub text: String,
}

/// The prompt of an attempt: its text, and the file that holds it.
#[derive(Debug, Clone, Copy)]
pub struct PromptFile<'a> {
    pub text: &'a str,
    pub file: &'a Path,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    #[error(
        "the prompt has {bytes} bytes, and one argument can hold {limit}; use prompt = \"stdin\" or \"file\""
    )]
    PromptTooLong { bytes: usize, limit: usize },
    #[error("the path {0:?} is not UTF-8")]
    Path(PathBuf),
    #[error("{variable} is no JSON object that could be added to: {why}")]
    Variable { variable: &'static str, why: String },
}

impl Agent {
    pub fn launch(&self, order: &LaunchRequest<'_>) -> Result<LaunchCommand, LaunchError> {
        match &self.kind {
            AgentKind::Command { command, prompt: by } => {
                command::launch(command, *by, order.prompt)
            }
            AgentKind::Scripted { script } => scripted::launch(script, order.prompt, order.us),
            AgentKind::Program(agent) => program::launch(agent, order),
            AgentKind::Acp(agent) => acp::launch(agent, order),
        }
    }

    /// The program that must be there before a run starts; none where it is our own.
    pub fn program(&self) -> Option<&str> {
        self.command().and_then(<[String]>::first).map(String::as_str)
    }

    /// Reads what it reports while it works; none where its output is its answer and nothing else.
    pub fn reader(&self) -> Option<Box<dyn StreamReader>> {
        match &self.kind {
            AgentKind::Command { .. } => None,
            AgentKind::Scripted { .. } => Some(Box::new(scripted::stream::ScriptedReader)),
            AgentKind::Program(agent) => Some(agent.program.reader()),
            AgentKind::Acp(_) => Some(Box::<acp::AcpReader>::default()),
        }
    }

    /// The name of the model that a worker of this size gets; none where the program decides.
    pub fn model(&self, tier: ModelTier) -> Option<&str> {
        match &self.kind {
            AgentKind::Program(agent) => Some(agent.models.for_tier(tier)),
            AgentKind::Acp(agent) => agent.models.as_ref().map(|models| models.for_tier(tier)),
            AgentKind::Command { .. } | AgentKind::Scripted { .. } => None,
        }
    }

    /// Can its program take a conversation up again? Of those that speak a protocol, most can; one that
    /// cannot says so, and somebody fresh goes on.
    pub fn can_resume(&self) -> bool {
        matches!(self.kind, AgentKind::Program(_) | AgentKind::Acp(_))
    }

    /// Does its program tell the use of the whole conversation, of earlier processes too?
    pub fn tells_use_of_conversation(&self) -> bool {
        matches!(&self.kind, AgentKind::Program(agent) if agent.program == AgentProgram::Codex)
    }

    /// Every variable that its worker may see, besides the common ones.
    pub fn variables(&self) -> Vec<String> {
        let own: &[&str] = match &self.kind {
            AgentKind::Program(agent) => agent.program.variables(),
            AgentKind::Command { .. } | AgentKind::Scripted { .. } | AgentKind::Acp(_) => &[],
        };
        own.iter().map(|name| (*name).to_owned()).chain(self.env.iter().cloned()).collect()
    }

    /// What the program keeps for itself, and may write besides its workspace.
    pub fn places(
        &self,
        home: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<PathBuf> {
        match &self.kind {
            AgentKind::Program(agent) => agent.program.places(home, variable),
            AgentKind::Acp(agent) => {
                agent.behind().map(|program| program.places(home, variable)).unwrap_or_default()
            }
            AgentKind::Command { .. } | AgentKind::Scripted { .. } => Vec::new(),
        }
    }

    pub fn stop_signal(&self) -> StopSignal {
        match &self.kind {
            AgentKind::Program(ProgramAgent {
                program: AgentProgram::Claude | AgentProgram::Codex,
                ..
            }) => StopSignal::Interrupt,
            AgentKind::Program(_)
            | AgentKind::Command { .. }
            | AgentKind::Scripted { .. }
            | AgentKind::Acp(_) => StopSignal::Terminate,
        }
    }
}

/// A path as an argument.
pub(crate) fn path_text(path: &Path) -> Result<String, LaunchError> {
    path.to_str().map(str::to_owned).ok_or_else(|| LaunchError::Path(path.to_owned()))
}

/// Variables that every worker and every check may see.
pub const COMMON_VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "TERM",
    "TZ",
    "TMPDIR",
    "COLORTERM",
    "NO_COLOR",
];
