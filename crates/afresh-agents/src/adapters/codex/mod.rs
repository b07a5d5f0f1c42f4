//! Codex.
//!
//! Observed with 0.166.0: it reads its standard input whenever that is a pipe or a file, so the prompt is
//! passed that way; its errors have no status, only sentences; if its model cannot be reached it waits
//! forever, whatever its retry settings are.

mod errors;
pub(crate) mod stream;

pub(crate) use stream::CodexReader;

use crate::adapters::program::ProgramAgent;
use crate::agent::{LaunchCommand, LaunchError, LaunchRequest, SessionRef, path_text};

/// Its files below the home directory.
pub(crate) const KEEPS: &[&str] = &[".codex"];

pub(crate) const MODELS: [&str; 3] = ["gpt-5-mini", "gpt-5.5", "gpt-5.5"];

/// The hosts of its model, by key and by login, and of its login.
pub(crate) const HOSTS: &[&str] = &["api.openai.com", "chatgpt.com", "auth.openai.com"];

pub(crate) const VARIABLES: &[&str] = &[
    "CODEX_API_KEY",
    "CODEX_HOME",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
];

/// Makes it run commands in a shell that keeps the worker's PATH: a login shell of many systems sets another one,
/// without `afresh` and without the user's tools.
pub(crate) const PLAIN_SHELL: [&str; 2] = ["-c", "allow_login_shell=false"];

/// Options that turn off other network use: updates, plugins, telemetry.
const QUIET: &[(&str, &str)] = &[
    ("check_for_update_on_startup", "false"),
    ("analytics.enabled", "false"),
    ("otel.metrics_exporter", "\"none\""),
    ("features.plugins", "false"),
];

pub(crate) fn launch(
    agent: &ProgramAgent,
    order: &LaunchRequest<'_>,
) -> Result<LaunchCommand, LaunchError> {
    let mut argv = agent.command.clone();
    argv.push("exec".to_owned());
    if let SessionRef::Resumed(_) = order.session {
        argv.push("resume".to_owned());
    }
    argv.extend(["--json", "--dangerously-bypass-approvals-and-sandbox"].map(str::to_owned));
    argv.extend(["-m".to_owned(), agent.models.for_tier(order.tier).to_owned()]);
    argv.extend(PLAIN_SHELL.map(str::to_owned));
    let mut set = |key: &str, value: &str| {
        argv.extend(["-c".to_owned(), format!("{key}={value}")]);
    };
    set("mcp_servers.afresh.command", &toml_text(&path_text(order.us)?));
    set("mcp_servers.afresh.args", r#"["mcp", "--attempt"]"#);
    set("mcp_servers.afresh.env", &own_variables(order));
    // Without it, a server that cannot start is ignored silently.
    set("mcp_servers.afresh.required", "true");
    for (key, value) in QUIET {
        set(key, value);
    }
    argv.extend(agent.args.iter().cloned());
    if let SessionRef::Resumed(id) = order.session {
        argv.push(id.to_owned());
    }
    argv.push("-".to_owned());
    Ok(LaunchCommand {
        argv,
        stdin: Some(order.prompt.file.to_owned()),
        ..LaunchCommand::default()
    })
}

/// Variables for its tool servers, which it starts with an environment of its own.
fn own_variables(order: &LaunchRequest<'_>) -> String {
    let own = order.variables.iter().filter(|(name, _)| name.starts_with("AFRESH_"));
    let pairs: Vec<String> =
        own.map(|(name, value)| format!("{name} = {}", toml_text(value))).collect();
    format!("{{{}}}", pairs.join(", "))
}

/// A TOML string, which a JSON string is.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
