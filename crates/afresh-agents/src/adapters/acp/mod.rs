//! Any program that speaks the Agent Client Protocol over its standard input and output.
//!
//! An attempt is our own program as the client (`afresh agent acp`), which starts the agent and
//! writes one line per message. Here is what is said, what of it matters, and how it is read; pipes and
//! processes are for the client.
//!
//! | module | idea |
//! | --- | --- |
//! | [`conversation`] | what the client says, and what it answers |
//! | [`offered`] | the modes and models that a session offers |
//! | [`line`](mod@line) | the lines that the client writes |
//! | `stream`, `tool` | those lines as events |
//! | `errors` | why a session came to nothing |
//!
//! Observed with opencode 1.18.33, Gemini CLI 0.61.0, claude-agent-acp 0.49.0 and codex-acp 0.16.0: all
//! speak version 1; two of them do not end when nobody talks to them any more; a client that offers to
//! read files gets in their way.

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

use crate::adapters::program::{AgentProgram, ModelNames};
use crate::agent::{LaunchCommand, LaunchError, LaunchRequest, SessionRef, path_text};

/// An agent of this kind as the configuration names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcpAgent {
    /// The program, with the arguments that make it speak the protocol.
    pub command: Vec<String>,
    /// None where the program decides.
    pub models: Option<ModelNames>,
}

impl AcpAgent {
    /// The program that it is, or speaks for, where we know that one: logins, settings and conversations
    /// are where that one keeps them.
    pub(crate) fn behind(&self) -> Option<AgentProgram> {
        let program = self.command.first()?.rsplit('/').next()?;
        match program {
            "claude-agent-acp" => Some(AgentProgram::Claude),
            "codex-acp" => Some(AgentProgram::Codex),
            word => AgentProgram::from_word(word),
        }
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
    let env = surroundings(order.is_root);
    Ok(LaunchCommand { argv, env, stdin: Some(order.prompt.file.to_owned()), files: Vec::new() })
}

/// What programs must hear that work with nobody there. Each one knows its own and no other.
fn surroundings(is_root: bool) -> Vec<(String, String)> {
    let mut told = vec![
        // Else it starts itself again, and signals go to the wrong one.
        ("GEMINI_CLI_NO_RELAUNCH", "true"),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        // Back-off is ours.
        ("CLAUDE_CODE_MAX_RETRIES", "1"),
    ];
    if is_root {
        // Else Claude's mode without questions is refused.
        told.push(("IS_SANDBOX", "1"));
    }
    told.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_behind_an_agent_is_known_by_its_name() {
        let behind =
            |program: &str| AcpAgent { command: vec![program.to_owned()], models: None }.behind();
        assert_eq!(behind("/x/bin/gemini"), Some(AgentProgram::Gemini));
        assert_eq!(behind("codex-acp"), Some(AgentProgram::Codex));
        assert_eq!(behind("claude-agent-acp"), Some(AgentProgram::Claude));
        assert_eq!(behind("another"), None);
    }
}
