//! The coding agents that afresh knows, and what they have in common.
//!
//! Command line, settings, output and errors of each are in its own module.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use afresh_core::plan::ModelTier;

use crate::adapters::claude;
use crate::adapters::codex;
use crate::adapters::gemini;
use crate::adapters::opencode;
use crate::agent::{LaunchCommand, LaunchError, LaunchRequest};
use crate::stream::event::StreamReader;

/// A coding agent of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramAgent {
    pub program: AgentProgram,
    /// The program, and arguments before ours.
    pub command: Vec<String>,
    /// The user's arguments, after ours.
    pub args: Vec<String>,
    pub models: ModelNames,
    /// Its tools, by the program's names; `None` for the default set.
    #[serde(default)]
    pub tools: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentProgram {
    Claude,
    Codex,
    Gemini,
    Opencode,
}

/// The model of each size, by the program's names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelNames {
    pub small: String,
    pub standard: String,
    pub large: String,
}

impl ModelNames {
    pub fn for_tier(&self, tier: ModelTier) -> &str {
        match tier {
            ModelTier::Small => &self.small,
            ModelTier::Standard => &self.standard,
            ModelTier::Large => &self.large,
        }
    }

    /// One model for every size.
    pub fn all(name: &str) -> Self {
        Self { small: name.to_owned(), standard: name.to_owned(), large: name.to_owned() }
    }
}

impl AgentProgram {
    pub const ALL: &'static [Self] = &[Self::Claude, Self::Codex, Self::Gemini, Self::Opencode];

    /// Its name in the configuration, which is also that of the program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }

    pub fn from_name(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|program| program.name() == word)
    }

    /// Its default models.
    pub fn default_models(self) -> ModelNames {
        let [small, standard, large] = match self {
            Self::Claude => claude::MODELS,
            Self::Codex => codex::MODELS,
            Self::Gemini => gemini::MODELS,
            Self::Opencode => opencode::MODELS,
        }
        .map(str::to_owned);
        ModelNames { small, standard, large }
    }

    /// Environment variables that it needs to reach its model.
    pub fn variables(self) -> &'static [&'static str] {
        match self {
            Self::Claude => claude::VARIABLES,
            Self::Codex => codex::VARIABLES,
            Self::Gemini => gemini::VARIABLES,
            Self::Opencode => opencode::VARIABLES,
        }
    }

    /// Its own files below the home directory: login, settings, conversations.
    fn home_files(self) -> &'static [&'static str] {
        match self {
            Self::Claude => claude::KEEPS,
            Self::Codex => codex::KEEPS,
            Self::Gemini => gemini::KEEPS,
            Self::Opencode => opencode::KEEPS,
        }
    }

    /// The paths of those files: below `home`, or by an environment variable.
    pub(crate) fn home_paths(
        self,
        home: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<PathBuf> {
        let moved = match self {
            Self::Claude => variable("CLAUDE_CONFIG_DIR"),
            Self::Codex => variable("CODEX_HOME"),
            Self::Gemini | Self::Opencode => None,
        };
        let below =
            home.into_iter().flat_map(|home| self.home_files().iter().map(|it| home.join(it)));
        moved.map(PathBuf::from).into_iter().chain(below).collect()
    }

    pub(crate) fn reader(self) -> Box<dyn StreamReader> {
        match self {
            Self::Claude => Box::<claude::ClaudeReader>::default(),
            Self::Codex => Box::<codex::CodexReader>::default(),
            Self::Gemini => Box::<gemini::GeminiReader>::default(),
            Self::Opencode => Box::<opencode::OpencodeReader>::default(),
        }
    }

    /// The agent with default settings.
    pub fn default_agent(self) -> ProgramAgent {
        ProgramAgent {
            program: self,
            command: vec![self.name().to_owned()],
            args: Vec::new(),
            models: self.default_models(),
            tools: None,
        }
    }
}

pub(crate) fn launch(
    agent: &ProgramAgent,
    order: &LaunchRequest<'_>,
) -> Result<LaunchCommand, LaunchError> {
    match agent.program {
        AgentProgram::Claude => claude::launch(agent, order),
        AgentProgram::Codex => codex::launch(agent, order),
        AgentProgram::Gemini => gemini::launch(agent, order),
        AgentProgram::Opencode => opencode::launch(agent, order),
    }
}
