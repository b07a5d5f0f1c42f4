//! Any program that speaks the Agent Client Protocol over its standard input and output.
//!
//! The attempt's process is afresh as the client (`afresh agent acp`), which starts the agent and writes
//! one line per message. This module is the protocol; pipes and processes are handled by the client.
//! `docs/design/acp.md` says why it has its own types.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`conversation`] | the requests and responses of the client |
//! | [`offered`] | the modes and models that a session offers |
//! | [`line`](mod@line) | the lines that the client writes |
//! | `stream`, `tool` | those lines as events |
//! | `errors` | classes of error responses |
//!
//! Observed with opencode 1.18.33, Gemini CLI 0.61.0, claude-agent-acp 0.49.0 and codex-acp 0.16.0: all
//! use version 1; two of them do not exit when their standard input is closed; offering to read files
//! disturbs them.

pub mod conversation;
mod errors;
pub mod line;
pub mod offered;
mod stream;
mod tool;

use serde::{Deserialize, Serialize};

pub use conversation::{AcpConversation, ClientAction, SessionEnd, SessionParams};
pub use line::{AgentLine, ClientLine};
pub(crate) use stream::AcpReader;

use crate::adapters::codex;
use crate::adapters::opencode::request_log;
use crate::adapters::program::{AgentProgram, ModelNames};
use crate::agent::{LaunchCommand, LaunchError, LaunchRequest, SessionRef, path_text};

/// An ACP agent of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcpAgent {
    /// The program with its arguments.
    pub command: Vec<String>,
    /// `None` if the program decides.
    pub models: Option<ModelNames>,
}

impl AcpAgent {
    /// The known program that it is or adapts, whose login, settings and conversations it uses.
    pub(crate) fn behind(&self) -> Option<AgentProgram> {
        // `env NAME=VALUE gemini --acp`, `node …/claude-agent-acp/dist/index.js`
        let words = self.command.iter().filter(|word| !word.starts_with('-'));
        let mut parts = words.flat_map(|word| word.rsplit('/'));
        parts.find_map(|part| match part {
            "claude-agent-acp" => Some(AgentProgram::Claude),
            "codex-acp" => Some(AgentProgram::Codex),
            word => AgentProgram::from_name(word),
        })
    }
}

pub(crate) fn launch(
    agent: &AcpAgent,
    order: &LaunchRequest<'_>,
) -> Result<LaunchCommand, LaunchError> {
    let mut argv = vec![path_text(order.us)?, "agent".to_owned(), "acp".to_owned()];
    if let Some(models) = &agent.models {
        argv.extend(["--model".to_owned(), models.for_tier(order.tier).to_owned()]);
    }
    if let SessionRef::Resumed(id) = order.session {
        argv.extend(["--session".to_owned(), id.to_owned()]);
    }
    argv.push("--".to_owned());
    argv.extend(agent.command.iter().cloned());
    if agent.behind() == Some(AgentProgram::Codex) {
        argv.extend(codex::PLAIN_SHELL.map(str::to_owned));
    }
    let (mut env, mut files) = (surroundings(order.is_root), Vec::new());
    if agent.behind() == Some(AgentProgram::Opencode) {
        request_log::add_module(order, &mut env, &mut files)?;
    }
    Ok(LaunchCommand { argv, env, stdin: Some(order.prompt.file.to_owned()), files })
}

/// Environment variables for unattended use. Each program knows its own and ignores the others.
fn surroundings(is_root: bool) -> Vec<(String, String)> {
    let mut variables = vec![
        // Without it, it restarts itself, and signals reach the wrong process.
        ("GEMINI_CLI_NO_RELAUNCH", "true"),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        // afresh does the backoff.
        ("CLAUDE_CODE_MAX_RETRIES", "1"),
    ];
    if is_root {
        // Without it, Claude refuses to skip permissions.
        variables.push(("IS_SANDBOX", "1"));
    }
    variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_behind_an_agent_is_found_by_name() {
        let behind =
            |program: &str| AcpAgent { command: vec![program.to_owned()], models: None }.behind();
        assert_eq!(behind("/x/bin/gemini"), Some(AgentProgram::Gemini));
        assert_eq!(behind("codex-acp"), Some(AgentProgram::Codex));
        assert_eq!(behind("claude-agent-acp"), Some(AgentProgram::Claude));
        assert_eq!(behind("another"), None);
        let words = ["node", "/x/claude-agent-acp/dist/index.js"].map(str::to_owned);
        let agent = AcpAgent { command: words.to_vec(), models: None };
        assert_eq!(agent.behind(), Some(AgentProgram::Claude));
    }
}
