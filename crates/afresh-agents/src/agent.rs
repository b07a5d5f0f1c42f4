//! An agent as the configuration names it, and what it takes to start one.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::command;
use crate::event::StreamReader;
use crate::scripted::{self, ScriptFile};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    pub name: String,
    pub kind: Kind,
    /// Variables that are handed over besides the built-in allow-list.
    pub env: Vec<String>,
}

/// The programs that we know how to talk to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Any program: its exit code, its change and passing checks are enough.
    Command { command: Vec<String>, prompt: PromptBy },
    /// Our own program, which does what a script says.
    Scripted { script: ScriptFile },
}

/// How a program is given its prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptBy {
    Stdin,
    /// The prompt's path as the last argument.
    File,
    /// The prompt itself as the last argument.
    Arg,
}

/// A command line and where its standard input comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub argv: Vec<String>,
    pub stdin: Option<PathBuf>,
    /// Files that must be there before it starts.
    pub files: Vec<NewFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    pub path: PathBuf,
    pub text: String,
}

/// The prompt of an attempt: its text, and the file that holds it.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
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
}

impl Agent {
    /// `us` is our own program, for agents that are built in.
    pub fn launch(&self, prompt: Prompt<'_>, us: &Path) -> Result<Launch, LaunchError> {
        match &self.kind {
            Kind::Command { command, prompt: by } => command::launch(command, *by, prompt),
            Kind::Scripted { script } => scripted::launch(script, prompt, us),
        }
    }

    /// The program that must be there before a run starts; none where it is our own.
    pub fn program(&self) -> Option<&str> {
        match &self.kind {
            Kind::Command { command, .. } => command.first().map(String::as_str),
            Kind::Scripted { .. } => None,
        }
    }

    /// Reads what it reports while it works; none where its output is its answer and nothing else.
    pub fn reader(&self) -> Option<Box<dyn StreamReader>> {
        match &self.kind {
            Kind::Command { .. } => None,
            Kind::Scripted { .. } => Some(Box::new(scripted::stream::Reader)),
        }
    }
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
