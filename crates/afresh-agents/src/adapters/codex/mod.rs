//! Codex.
//!
//! Observed with 0.166.0: it reads its standard input whenever that is a pipe or a file, so the
//! prompt comes that way; its errors have no status, only sentences of its own; where its model cannot
//! be reached it waits for ever, whatever its retries are set to.

mod errors;
mod stream;

pub(crate) use stream::CodexReader;

use crate::adapters::program::ProgramAgent;
use crate::agent::{LaunchCommand, LaunchError, LaunchRequest, SessionRef, path_text};

/// What it keeps below the home directory.
pub(crate) const KEEPS: &[&str] = &[".codex"];

pub(crate) const MODELS: [&str; 3] = ["gpt-5-mini", "gpt-5.5", "gpt-5.5"];

/// Its model by key and by login, and where the login is renewed.
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

/// What else it would ask the network for: newer versions, plugins, where to send its measurements.
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
    let mut set = |key: &str, value: &str| {
        argv.extend(["-c".to_owned(), format!("{key}={value}")]);
    };
    set("mcp_servers.afresh.command", &toml_text(&path_text(order.us)?));
    set("mcp_servers.afresh.args", r#"["mcp", "--attempt"]"#);
    set("mcp_servers.afresh.env", &own_variables(order));
    // Without it a server that cannot start is passed over in silence.
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

/// It starts tool servers with an environment of its own.
fn own_variables(order: &LaunchRequest<'_>) -> String {
    let own = order.variables.iter().filter(|(name, _)| name.starts_with("AFRESH_"));
    let pairs: Vec<String> =
        own.map(|(name, value)| format!("{name} = {}", toml_text(value))).collect();
    format!("{{{}}}", pairs.join(", "))
}

/// A text of TOML; a JSON text is one.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
