//! Claude Code.
//!
//! Observed with 2.1.197: it refuses to skip permissions as root unless it is told that it is in a
//! sandbox; flags with several values swallow a prompt that follows them, so the prompt comes by
//! standard input; its own retries take three minutes unless they are turned down; hooks of
//! `--settings` are run although no source of settings is read.

mod errors;
mod stream;

pub(crate) use errors::by_word;
pub(crate) use stream::ClaudeReader;

use serde_json::json;

use crate::adapters::program::ProgramAgent;
use crate::agent::{LaunchCommand, LaunchError, LaunchRequest, SessionRef, path_text};

/// What it keeps below the home directory.
pub(crate) const KEEPS: &[&str] = &[".claude", ".claude.json"];

pub(crate) const MODELS: [&str; 3] = ["haiku", "sonnet", "opus"];

/// What it needs to reach its model: a key, a login, a gateway, a cloud.
/// Its model, and where its login is renewed.
pub(crate) const HOSTS: &[&str] =
    &["api.anthropic.com", "claude.ai", "platform.claude.com", "console.anthropic.com"];

pub(crate) const VARIABLES: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
];

/// All that a worker needs; every further tool is paid for with every request.
const TOOLS: &str = "Bash,Read,Write,Edit";

/// Its own retries: who waits and who goes on is our decision.
const RETRIES: &str = "1";

/// It takes a few milliseconds.
const HOOK_SECONDS: u32 = 30;

pub(crate) fn launch(
    agent: &ProgramAgent,
    order: &LaunchRequest<'_>,
) -> Result<LaunchCommand, LaunchError> {
    let mut argv = agent.command.clone();
    let tools = json!({"mcpServers": {"afresh": {
        "command": path_text(order.us)?, "args": ["mcp", "--attempt"],
    }}});
    let fixed = [
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--permission-mode",
        "bypassPermissions",
        // Hooks and permissions of the repository are not ours to run.
        "--setting-sources",
        "",
        "--strict-mcp-config",
    ];
    argv.extend(fixed.map(str::to_owned));
    let given = [
        ("--model", agent.models.for_tier(order.tier).to_owned()),
        session(order.session),
        ("--tools", agent.tools.as_ref().map_or_else(|| TOOLS.to_owned(), |tools| tools.join(","))),
        ("--mcp-config", tools.to_string()),
        ("--settings", hooks(order)?),
    ];
    argv.extend(given.into_iter().flat_map(|(flag, value)| [flag.to_owned(), value]));
    argv.extend(agent.args.iter().cloned());
    let mut env = vec![
        ("CLAUDE_CODE_MAX_RETRIES", RETRIES),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
    ];
    if order.is_root {
        env.push(("IS_SANDBOX", "1"));
    }
    let env = env.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Ok(LaunchCommand { argv, env, stdin: Some(order.prompt.file.to_owned()), files: Vec::new() })
}

/// It finds a conversation again only in the directory where it was.
fn session(session: SessionRef<'_>) -> (&'static str, String) {
    match session {
        SessionRef::New(id) => ("--session-id", id.to_owned()),
        SessionRef::Resumed(id) => ("--resume", id.to_owned()),
    }
}

/// It asks us before it stops, so that it does not stop without an answer, and after each use of a
/// tool, so that it hears what we have to tell it meanwhile.
fn hooks(order: &LaunchRequest<'_>) -> Result<String, LaunchError> {
    let us = shell_word(&path_text(order.us)?);
    let hook = |moment: &str| {
        let command = format!("{us} hook {moment}");
        json!([{"hooks": [{"type": "command", "command": command, "timeout": HOOK_SECONDS}]}])
    };
    Ok(json!({"hooks": {"Stop": hook("stop"), "PostToolUse": hook("tool")}}).to_string())
}

/// One word for the shell that it starts hooks with.
fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
