//! The agents that a configuration can be written for: the programs whose ways we know, and any
//! command line of the user's.

use afresh_agents::{Kind, Program, ProgramAgent, PromptBy};

/// An agent, under the name that it gets in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundAgent {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

impl FoundAgent {
    /// What people should know about it.
    pub(crate) fn remark(&self) -> &'static str {
        match &self.kind {
            Kind::Program(ProgramAgent { program, .. }) => may_do(*program),
            Kind::Acp(_) => "speaks the Agent Client Protocol; what it asks for is allowed",
            Kind::Command { .. } | Kind::Scripted { .. } => "gets its prompt on standard input",
        }
    }
}

/// What each program may do without being asked: nobody is there to ask.
fn may_do(program: Program) -> &'static str {
    match program {
        Program::Claude => "runs commands and edits files without asking; no other tools but ours",
        Program::Codex => "runs commands and edits files without asking, outside its own sandbox",
        Program::Gemini => "runs commands and edits files without asking (its mode yolo)",
        Program::Opencode => "runs commands and edits files without asking",
    }
}

/// The names of those that we know.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    Program::ALL.iter().map(|program| program.word())
}

/// The agent of this name; any other word or command line is a program of the user's. None where
/// nothing is said.
pub(crate) fn named(text: &str) -> Option<FoundAgent> {
    if let Some(program) = Program::from_word(text) {
        return Some(FoundAgent { name: text.to_owned(), kind: Kind::Program(program.agent()) });
    }
    let command: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let name = plain_name(command.first()?);
    Some(FoundAgent { name, kind: Kind::Command { command, prompt: PromptBy::Stdin } })
}

/// The last part of a path, as a key that needs no quotes.
fn plain_name(program: &str) -> String {
    let last = program.rsplit('/').next().unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let name: String = last.chars().map(plain).collect();
    if name.is_empty() { "mine".to_owned() } else { name }
}
