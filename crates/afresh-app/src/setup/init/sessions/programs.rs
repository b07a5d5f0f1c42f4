//! What each program needs for a session with afresh, and where.

use std::path::{Path, PathBuf};

use super::EntryEdit;
use super::instructions::{COMMANDS, SessionCommand};
use super::json_entry::JsonEntry;
use super::owned_file::OwnedFile;
use super::toml_entry::TomlEntry;
use crate::context::environment::Environment;

/// An agent program in which people work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionProgram {
    Claude,
    Codex,
    Gemini,
    Opencode,
}

/// For whom it is installed.
#[derive(Debug, Clone)]
pub enum InstallScope {
    /// Everyone who works in this checkout.
    Project(PathBuf),
    /// This user, in every project.
    User(UserDirectories),
}

/// Where programs keep what belongs to a user.
#[derive(Debug, Clone)]
pub struct UserDirectories {
    pub home: PathBuf,
    claude: Option<PathBuf>,
    codex: Option<PathBuf>,
    config: Option<PathBuf>,
}

impl UserDirectories {
    /// None without a home directory.
    pub fn find(environment: &Environment) -> Option<Self> {
        Some(Self {
            home: environment.home_directory()?,
            claude: environment.directory("CLAUDE_CONFIG_DIR"),
            codex: environment.directory("CODEX_HOME"),
            config: environment.directory("XDG_CONFIG_HOME"),
        })
    }
}

/// A file that a program needs.
#[derive(Debug)]
pub(super) struct NeededFile {
    /// The directory that it belongs to, whose links are the user's own.
    pub(super) root: PathBuf,
    /// From the root.
    pub(super) path: PathBuf,
    pub(super) content: NeededContent,
}

#[derive(Debug)]
pub(super) enum NeededContent {
    Json(JsonEntry),
    Toml(TomlEntry),
    Owned(OwnedFile),
}

impl NeededContent {
    pub(super) fn install(&self, text: Option<&str>) -> EntryEdit {
        match self {
            Self::Json(entry) => entry.install(text),
            Self::Toml(entry) => entry.install(text),
            Self::Owned(file) => file.install(text),
        }
    }

    pub(super) fn remove(&self, text: Option<&str>) -> EntryEdit {
        match self {
            Self::Json(entry) => entry.remove(text),
            Self::Toml(entry) => entry.remove(text),
            Self::Owned(_) => OwnedFile::remove(text),
        }
    }
}

/// Codex hands on nothing but a few variables; a run that is started by its session needs the keys of its agents.
const CODEX_LINES: &str = r#"command = "afresh"
args = ["mcp"]
env_vars = [
    "AFRESH_ATTEMPT", "AFRESH_CACHE", "AFRESH_SANDBOX", "AFRESH_STATE", "XDG_CACHE_HOME",
    "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "CODEX_API_KEY", "CODEX_HOME", "GEMINI_API_KEY",
    "GOOGLE_API_KEY", "OPENAI_API_KEY",
]"#;

impl SessionProgram {
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode];

    /// As its command line is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }

    /// What a person types in it.
    pub fn invocations(self) -> &'static str {
        match self {
            Self::Claude | Self::Gemini => {
                "/afresh:plan, /afresh:run, /afresh:status, /afresh:answer"
            }
            Self::Codex => "$afresh-plan, $afresh-run, $afresh-status, $afresh-answer",
            Self::Opencode => "/afresh/plan, /afresh/run, /afresh/status, /afresh/answer",
        }
    }

    pub(super) fn files(self, scope: &InstallScope) -> Vec<NeededFile> {
        let entry = self.entry();
        let (root, path) = self.config_file(scope);
        let config = NeededFile { root, path, content: entry };
        let (root, directory) = self.command_directory(scope);
        let commands = COMMANDS.iter().map(|command| {
            let (name, file) = self.command(command);
            NeededFile {
                root: root.clone(),
                path: directory.join(name),
                content: NeededContent::Owned(file),
            }
        });
        std::iter::once(config).chain(commands).collect()
    }

    fn entry(self) -> NeededContent {
        let json = |section, text, first| {
            NeededContent::Json(JsonEntry { section, name: "afresh", text, first })
        };
        match self {
            Self::Claude | Self::Gemini => {
                json("mcpServers", r#"{"command": "afresh", "args": ["mcp"]}"#, None)
            }
            Self::Codex => NeededContent::Toml(TomlEntry {
                section: "mcp_servers",
                name: "afresh",
                lines: CODEX_LINES,
            }),
            // It gives up after a few seconds otherwise, and `wait` takes longer.
            Self::Opencode => json(
                "mcp",
                r#"{"type": "local", "command": ["afresh", "mcp"], "timeout": 60000}"#,
                Some(("$schema", "https://opencode.ai/config.json")),
            ),
        }
    }

    fn config_file(self, scope: &InstallScope) -> (PathBuf, PathBuf) {
        match (self, scope) {
            (Self::Claude, InstallScope::Project(root)) => (root.clone(), ".mcp.json".into()),
            (Self::Codex, InstallScope::Project(root)) => {
                (root.clone(), ".codex/config.toml".into())
            }
            (Self::Gemini, InstallScope::Project(root)) => {
                (root.clone(), ".gemini/settings.json".into())
            }
            (Self::Opencode, InstallScope::Project(root)) => {
                (root.clone(), opencode_config(root).into())
            }
            (Self::Claude, InstallScope::User(user)) => match &user.claude {
                Some(directory) => (directory.clone(), ".claude.json".into()),
                None => (user.home.clone(), ".claude.json".into()),
            },
            (Self::Codex, InstallScope::User(user)) => match &user.codex {
                Some(directory) => (directory.clone(), "config.toml".into()),
                None => (user.home.clone(), ".codex/config.toml".into()),
            },
            (Self::Gemini, InstallScope::User(user)) => {
                (user.home.clone(), ".gemini/settings.json".into())
            }
            (Self::Opencode, InstallScope::User(user)) => {
                let (root, directory) = user.opencode();
                let file = opencode_config(&root.join(&directory));
                (root, directory.join(file))
            }
        }
    }

    fn command_directory(self, scope: &InstallScope) -> (PathBuf, PathBuf) {
        match (self, scope) {
            (Self::Claude, InstallScope::User(UserDirectories { claude: Some(directory), .. })) => {
                (directory.clone(), "commands/afresh".into())
            }
            (Self::Opencode, InstallScope::User(user)) => {
                let (root, directory) = user.opencode();
                (root, directory.join("commands/afresh"))
            }
            (
                program,
                InstallScope::Project(root)
                | InstallScope::User(UserDirectories { home: root, .. }),
            ) => {
                let directory = match program {
                    Self::Claude => ".claude/commands/afresh",
                    Self::Codex => ".agents/skills",
                    Self::Gemini => ".gemini/commands/afresh",
                    Self::Opencode => ".opencode/commands/afresh",
                };
                (root.clone(), directory.into())
            }
        }
    }

    /// The path of a command's file, and the file.
    fn command(self, command: &SessionCommand) -> (PathBuf, OwnedFile) {
        let name = command.name;
        match self {
            Self::Claude => (format!("{name}.md").into(), command.markdown(true)),
            Self::Codex => (format!("afresh-{name}/SKILL.md").into(), command.skill()),
            Self::Gemini => (format!("{name}.toml").into(), command.toml()),
            Self::Opencode => (format!("{name}.md").into(), command.markdown(false)),
        }
    }
}

impl UserDirectories {
    fn opencode(&self) -> (PathBuf, PathBuf) {
        match &self.config {
            Some(config) => (config.clone(), "opencode".into()),
            None => (self.home.clone(), ".config/opencode".into()),
        }
    }
}

/// Both names are read; a second file beside the user's would be a surprise.
fn opencode_config(directory: &Path) -> &'static str {
    let has_comments = directory.join("opencode.jsonc").exists();
    if has_comments && !directory.join("opencode.json").exists() {
        "opencode.jsonc"
    } else {
        "opencode.json"
    }
}
