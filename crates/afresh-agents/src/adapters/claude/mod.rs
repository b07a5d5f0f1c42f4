//! Claude Code.
//!
//! Observed with 2.1.197: it refuses to skip permissions as root unless `IS_SANDBOX` is set; options with
//! several values consume a prompt that follows them, so the prompt is passed by standard input; its own
//! retries take three minutes unless they are limited; hooks of `--settings` run although no source of
//! settings is read.

mod errors;
pub(crate) mod stream;

pub(crate) use errors::class_by_name;
pub(crate) use stream::ClaudeReader;

use serde_json::json;

use crate::adapters::program::ProgramAgent;
use crate::agent::{LaunchCommand, LaunchError, LaunchRequest, SessionRef, path_text};

/// Its files below the home directory.
pub(crate) const KEEPS: &[&str] = &[".claude", ".claude.json"];

pub(crate) const MODELS: [&str; 3] = ["haiku", "sonnet", "opus"];

/// Variables that it needs to reach its model: key, login, gateway, cloud.
/// The hosts of its model and its login.
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

/// The tools that a worker needs; every other tool costs tokens in every request.
const TOOLS: &str = "Bash,Read,Write,Edit";

/// Its own retries; afresh decides about waiting and retrying.
const RETRIES: &str = "1";

/// The hook takes a few milliseconds.
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
        // Hooks and permissions of the repository must not apply.
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

/// It finds a conversation only in its original directory.
fn session(session: SessionRef<'_>) -> (&'static str, String) {
    match session {
        SessionRef::New(id) => ("--session-id", id.to_owned()),
        SessionRef::Resumed(id) => ("--resume", id.to_owned()),
    }
}

/// Hooks that run before it stops, so that it reports a result, and after each tool call, so that it
/// gets messages while it works.
fn hooks(order: &LaunchRequest<'_>) -> Result<String, LaunchError> {
    let us = shell_word(&path_text(order.us)?);
    let hook = |moment: &str| {
        let command = format!("{us} hook {moment}");
        json!([{"hooks": [{"type": "command", "command": command, "timeout": HOOK_SECONDS}]}])
    };
    Ok(json!({"hooks": {"Stop": hook("stop"), "PostToolUse": hook("tool")}}).to_string())
}

/// A quoted word for the shell that runs the hooks.
fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
