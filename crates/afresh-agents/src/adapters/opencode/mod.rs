//! opencode.
//!
//! Observed with 1.18.33: its whole configuration fits into a variable; it stores the usage of a request when its
//! tools have ended, so a module of ours records it earlier (`request_log`); it ignores interrupts, retries silently
//! for a minute, and loops forever once its conversation no longer fits the context.

pub(crate) mod request_log;
mod stream;

pub(crate) use stream::OpencodeReader;

use serde_json::{Value, json};

use crate::adapters::program::ProgramAgent;
use crate::agent::{LaunchCommand, LaunchError, LaunchRequest, SessionRef, path_text};

/// Its files below the home directory.
pub(crate) const KEEPS: &[&str] =
    &[".local/share/opencode", ".local/state/opencode", ".config/opencode", ".cache/opencode"];

pub(crate) const MODELS: [&str; 3] =
    ["anthropic/claude-haiku-4-5", "anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-5"];

const CONFIG: &str = "OPENCODE_CONFIG_CONTENT";

/// The hosts of its list of models, of the providers whose keys it gets, and of their packages.
pub(crate) const HOSTS: &[&str] = &[
    "models.dev",
    "models.opencode.ai",
    "opencode.ai",
    "api.anthropic.com",
    "api.openai.com",
    "generativelanguage.googleapis.com",
    "api.groq.com",
    "openrouter.ai",
    "registry.npmjs.org",
];

pub(crate) const VARIABLES: &[&str] = &[
    CONFIG,
    "OPENCODE_CONFIG",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "GROQ_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENROUTER_API_KEY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
];

pub(crate) fn launch(
    agent: &ProgramAgent,
    order: &LaunchRequest<'_>,
) -> Result<LaunchCommand, LaunchError> {
    let mut argv = agent.command.clone();
    argv.extend(["run", "--format", "json"].map(str::to_owned));
    argv.extend(["-m".to_owned(), agent.models.for_tier(order.tier).to_owned()]);
    if let SessionRef::Resumed(id) = order.session {
        argv.extend(["--session".to_owned(), id.to_owned()]);
    }
    argv.extend(agent.args.iter().cloned());
    let mut config = user_config(order)?;
    config["autoupdate"] = json!(false);
    config["share"] = json!("disabled");
    config["permission"] = json!({"*": "allow"});
    let tools = json!({
        "type": "local", "command": [path_text(order.us)?, "mcp", "--attempt"], "enabled": true,
    });
    if config.get("mcp").is_none_or(|servers| !servers.is_object()) {
        config["mcp"] = json!({});
    }
    config["mcp"]["afresh"] = tools;
    let mut env = vec![
        (CONFIG.to_owned(), config.to_string()),
        ("OPENCODE_DISABLE_AUTOUPDATE".to_owned(), "1".to_owned()),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD".to_owned(), "1".to_owned()),
    ];
    let mut files = Vec::new();
    request_log::add_module(order, &mut env, &mut files)?;
    Ok(LaunchCommand { argv, env, stdin: Some(order.prompt.file.to_owned()), files })
}

/// The configuration in the user's variable, to be extended.
fn user_config(order: &LaunchRequest<'_>) -> Result<Value, LaunchError> {
    let Some(text) = order.variables.get(CONFIG).filter(|text| !text.trim().is_empty()) else {
        return Ok(json!({}));
    };
    let wrong = |why: String| LaunchError::Variable { variable: CONFIG, why };
    match serde_json::from_str(text) {
        Ok(config @ Value::Object(_)) => Ok(config),
        Ok(_) => Err(wrong("it is another type of value".to_owned())),
        Err(error) => Err(wrong(error.to_string())),
    }
}
