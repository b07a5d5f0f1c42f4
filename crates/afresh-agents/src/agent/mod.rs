//! An agent of the configuration, and how it is started.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`capabilities`] | what can be done with an agent |
//! | [`definition`] | roles, by files that a task names |

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
    /// Environment variables that are passed in addition to the built-in allowlist.
    pub env: Vec<String>,
}

/// The kinds of agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentKind {
    /// Any command: exit code, changes and checks decide; a result is optional.
    Command { command: Vec<String>, prompt: PromptDelivery },
    /// The built-in agent that follows a script.
    Scripted { script: ScriptFile },
    /// A coding agent that afresh knows.
    Program(ProgramAgent),
    /// A program that speaks the Agent Client Protocol.
    Acp(AcpAgent),
}

/// How a program gets its prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptDelivery {
    Stdin,
    /// The prompt's path as the last argument.
    File,
    /// The prompt itself as the last argument.
    Arg,
}

/// Everything that is needed to start an attempt.
#[derive(Debug, Clone, Copy)]
pub struct LaunchRequest<'a> {
    pub prompt: PromptFile<'a>,
    /// The path of afresh, for built-in agents and for the worker's tools.
    pub us: &'a Path,
    /// The size of the model.
    pub tier: ModelTier,
    pub session: SessionRef<'a>,
    /// The attempt's directory, for files that the program needs.
    pub directory: &'a Path,
    /// The same for a program that ignores files below a directory that all users may write to.
    pub trusted_directory: &'a Path,
    /// The environment variables of the program.
    pub variables: &'a BTreeMap<String, String>,
    /// Whether afresh runs as root, which some programs refuse.
    pub is_root: bool,
}

/// The conversation of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionRef<'a> {
    /// A new one, with a UUID.
    New(&'a str),
    /// An interrupted one, by the program's id for it.
    Resumed(&'a str),
}

/// Whether the usage that a resumed process reports includes that of earlier processes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EarlierUsage {
    Included,
    /// Depends on the version and on how the earlier process ended.
    Sometimes,
    #[default]
    Excluded,
}

/// A command line with its environment and standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchCommand {
    pub argv: Vec<String>,
    /// Set in addition to the allowed variables, which they override.
    pub env: Vec<(String, String)>,
    pub stdin: Option<PathBuf>,
    /// Files that must exist before it starts.
    pub files: Vec<LaunchFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchFile {
    pub path: PathBuf,
    pub text: String,
}

/// The prompt of an attempt: its text and its file.
#[derive(Debug, Clone, Copy)]
pub struct PromptFile<'a> {
    pub text: &'a str,
    pub file: &'a Path,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    #[error(
        "the prompt has {bytes} bytes, but an argument can have at most {limit}; use prompt = \"stdin\" or \"file\""
    )]
    PromptTooLong { bytes: usize, limit: usize },
    #[error("the path {0:?} is not UTF-8")]
    Path(PathBuf),
    #[error("cannot extend {variable}: it is not a JSON object: {why}")]
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

    /// The program that must be installed before a run starts, unless it is built in.
    pub fn program(&self) -> Option<&str> {
        self.command().and_then(<[String]>::first).map(String::as_str)
    }

    /// The reader of its output, unless that is plain text.
    pub fn reader(&self) -> Option<Box<dyn StreamReader>> {
        match &self.kind {
            AgentKind::Command { .. } => None,
            AgentKind::Scripted { .. } => Some(Box::new(scripted::stream::ScriptedReader)),
            AgentKind::Program(agent) => Some(agent.program.reader()),
            AgentKind::Acp(_) => Some(Box::<acp::AcpReader>::default()),
        }
    }

    /// The name of the model of this size, unless the program decides.
    pub fn model(&self, tier: ModelTier) -> Option<&str> {
        match &self.kind {
            AgentKind::Program(agent) => Some(agent.models.for_tier(tier)),
            AgentKind::Acp(agent) => agent.models.as_ref().map(|models| models.for_tier(tier)),
            AgentKind::Command { .. } | AgentKind::Scripted { .. } => None,
        }
    }

    /// Whether its program can resume a conversation. Most ACP agents can; one that cannot reports it,
    /// and a new worker continues.
    pub fn can_resume(&self) -> bool {
        matches!(self.kind, AgentKind::Program(_) | AgentKind::Acp(_))
    }

    /// Whether its program's reports include the usage of earlier processes of the conversation.
    pub fn earlier_usage(&self) -> EarlierUsage {
        match &self.kind {
            AgentKind::Program(agent) => match agent.program {
                AgentProgram::Codex => EarlierUsage::Included,
                AgentProgram::Claude => EarlierUsage::Sometimes,
                AgentProgram::Gemini | AgentProgram::Opencode => EarlierUsage::Excluded,
            },
            AgentKind::Acp(_) | AgentKind::Command { .. } | AgentKind::Scripted { .. } => {
                EarlierUsage::Excluded
            }
        }
    }

    /// Whether its usage may be known only when an attempt ends: it speaks the protocol, and keeps no record that is
    /// known.
    pub fn reports_late(&self) -> bool {
        matches!(&self.kind, AgentKind::Acp(agent) if agent.behind().is_none())
    }

    /// The variables that its worker may see, in addition to the common ones.
    pub fn variables(&self) -> Vec<String> {
        let own: &[&str] = match &self.kind {
            AgentKind::Program(agent) => agent.program.variables(),
            AgentKind::Command { .. } | AgentKind::Scripted { .. } | AgentKind::Acp(_) => &[],
        };
        own.iter().map(|name| (*name).to_owned()).chain(self.env.iter().cloned()).collect()
    }

    /// The program's own files, which it may write in addition to its workspace.
    pub fn home_paths(
        &self,
        home: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<PathBuf> {
        match &self.kind {
            AgentKind::Program(agent) => agent.program.home_paths(home, variable),
            AgentKind::Acp(agent) => {
                agent.behind().map(|program| program.home_paths(home, variable)).unwrap_or_default()
            }
            AgentKind::Command { .. } | AgentKind::Scripted { .. } => Vec::new(),
        }
    }

    /// The directories among those files. A program that was never started has none yet, and would lose its
    /// conversations inside a sandbox.
    pub fn home_directories(
        &self,
        home: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<PathBuf> {
        let paths = self.home_paths(home, variable).into_iter();
        paths.filter(|path| path.extension().is_none()).collect()
    }

    pub fn stop_signal(&self) -> StopSignal {
        match &self.kind {
            AgentKind::Program(ProgramAgent {
                program: AgentProgram::Claude | AgentProgram::Codex,
                ..
            }) => StopSignal::Interrupt,
            // It makes more requests while it is asked to stop, and its conversation is on disk anyway.
            AgentKind::Program(ProgramAgent { program: AgentProgram::Opencode, .. }) => {
                StopSignal::Kill
            }
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

/// The variables that every worker and every check may see.
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
