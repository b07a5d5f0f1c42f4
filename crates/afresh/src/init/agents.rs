//! The agent programs that we know how to start without anybody to answer them.
//!
//! Each gets its prompt on standard input and may edit files and run commands in its workspace;
//! what it needs to reach its model is handed on by name.

/// A program and how it is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownAgent {
    pub(crate) name: String,
    pub(crate) command: Vec<String>,
    pub(crate) env: Vec<String>,
    /// What people should know about it.
    pub(crate) remark: &'static str,
}

struct Known {
    name: &'static str,
    command: &'static [&'static str],
    env: &'static [&'static str],
    remark: &'static str,
}

const KNOWN: &[Known] = &[
    Known {
        name: "claude",
        command: &[
            "claude",
            "-p",
            "--permission-mode",
            "dontAsk",
            "--allowedTools",
            "Bash,Read,Write,Edit,Glob,Grep",
        ],
        env: &["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN"],
        remark: "may use these tools without asking, and no others",
    },
    Known {
        name: "codex",
        command: &["codex", "exec", "--sandbox", "workspace-write", "-"],
        env: &["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME"],
        remark: "writes in its workspace alone, by codex's own sandbox",
    },
    Known {
        name: "gemini",
        command: &[
            "env",
            "GEMINI_CLI_NO_RELAUNCH=true",
            "GEMINI_CLI_TRUST_WORKSPACE=true",
            "gemini",
            "--approval-mode",
            "yolo",
        ],
        env: &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
        remark: "without yolo it has no tools to write with when nobody is there to ask",
    },
    Known {
        name: "opencode",
        command: &["opencode", "run", "--auto"],
        env: &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENCODE_CONFIG_CONTENT"],
        remark: "--auto accepts what it would ask for",
    },
];

/// The names of those that we know.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|known| known.name)
}

/// The agent of this name; any other word or command line is a program of the user's. None where
/// nothing is said.
pub(crate) fn named(text: &str) -> Option<KnownAgent> {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    if let Some(known) = KNOWN.iter().find(|known| known.name == text) {
        return Some(KnownAgent {
            name: known.name.to_owned(),
            command: owned(known.command),
            env: owned(known.env),
            remark: known.remark,
        });
    }
    let command: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let name = plain_name(command.first()?);
    Some(KnownAgent { name, command, env: Vec::new(), remark: "gets its prompt on standard input" })
}

/// The last part of a path, as a key that needs no quotes.
fn plain_name(program: &str) -> String {
    let last = program.rsplit('/').next().unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let name: String = last.chars().map(plain).collect();
    if name.is_empty() { "mine".to_owned() } else { name }
}
