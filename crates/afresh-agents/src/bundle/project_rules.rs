//! The project's rules for agents: `CLAUDE.md`, `AGENTS.md`, `GEMINI.md`.
//!
//! Each program reads one of them by itself, or none. The others get the best one in their prompt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::adapters::program::AgentProgram;
use crate::agent::{Agent, AgentKind};
use crate::bundle::briefing::ProjectDocument;
use crate::bundle::spec_section::cut_at_line;

/// The files that count, at the top of the project.
pub const RULES_FILES: &[&str] = &["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
/// How much of one a prompt contains, in bytes.
pub const MAX_RULES_BYTES: usize = 8 * 1024;

/// A rules file, as a prompt contains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ProjectRules")]
pub struct RulesExcerpt {
    pub file: String,
    pub text: String,
    /// Whether the text is cut.
    pub cut: bool,
}

impl Agent {
    /// The rules file for its prompt; none if the program reads one of the files by itself.
    pub fn project_rules(&self, files: &[ProjectDocument]) -> Option<RulesExcerpt> {
        let (reads, prefers) = self.rules_files();
        if files.iter().any(|file| reads.contains(&file.path.as_str())) {
            return None;
        }
        let order = prefers.iter().chain(RULES_FILES);
        let found = order.into_iter().find_map(|name| files.iter().find(|file| file.path == *name));
        found.map(|file| {
            let (text, cut) = cut_at_line(&file.text, MAX_RULES_BYTES);
            RulesExcerpt { file: file.path.clone(), text: text.to_owned(), cut }
        })
    }

    /// Which files its program reads by itself as we start it, and which one is meant for it.
    fn rules_files(&self) -> (&'static [&'static str], &'static [&'static str]) {
        match &self.kind {
            AgentKind::Program(agent) => match agent.program {
                // It reads none without the settings of the repository, whose hooks must not run.
                AgentProgram::Claude => (&[], &["CLAUDE.md"]),
                AgentProgram::Codex => (&["AGENTS.md"], &[]),
                AgentProgram::Gemini => (&["GEMINI.md"], &[]),
                AgentProgram::Opencode => (&["AGENTS.md", "CLAUDE.md"], &[]),
            },
            AgentKind::Acp(agent) => match agent.behind() {
                Some(AgentProgram::Claude) => (&["CLAUDE.md"], &[]),
                Some(AgentProgram::Gemini) => (&["GEMINI.md"], &[]),
                Some(AgentProgram::Codex) => (&["AGENTS.md"], &[]),
                Some(AgentProgram::Opencode) => (&["AGENTS.md", "CLAUDE.md"], &[]),
                None => (&[], &[]),
            },
            AgentKind::Command { .. } | AgentKind::Scripted { .. } => (&[], &[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(program: Option<AgentProgram>, names: &[&str]) -> Option<String> {
        let kind = match program {
            Some(program) => AgentKind::Program(program.default_agent()),
            None => AgentKind::Command {
                command: vec!["x".to_owned()],
                prompt: crate::agent::PromptDelivery::Stdin,
            },
        };
        let agent = Agent { name: "a".to_owned(), kind, env: vec![] };
        let file =
            |name: &&str| ProjectDocument { path: (*name).to_owned(), text: "rule\n".into() };
        let files: Vec<ProjectDocument> = names.iter().map(file).collect();
        agent.project_rules(&files).map(|rules| rules.file)
    }

    /// PR-02: every agent gets rules, from its own file or in its prompt, and none gets them twice.
    #[test]
    fn every_agent_gets_the_rules_once() {
        let all = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
        assert_eq!(given(Some(AgentProgram::Claude), &all).as_deref(), Some("CLAUDE.md"));
        assert_eq!(given(Some(AgentProgram::Claude), &["AGENTS.md"]).as_deref(), Some("AGENTS.md"));
        assert_eq!(given(Some(AgentProgram::Codex), &all), None);
        assert_eq!(given(Some(AgentProgram::Codex), &["CLAUDE.md"]).as_deref(), Some("CLAUDE.md"));
        assert_eq!(given(Some(AgentProgram::Gemini), &all), None);
        assert_eq!(given(Some(AgentProgram::Gemini), &["AGENTS.md"]).as_deref(), Some("AGENTS.md"));
        assert_eq!(given(Some(AgentProgram::Opencode), &["CLAUDE.md"]), None);
        assert_eq!(given(None, &all).as_deref(), Some("AGENTS.md"));
        assert_eq!(given(None, &[]), None);
    }
}
