//! Gemini CLI.
//!
//! Observed with 0.61.0: it restarts itself as a child unless that is disabled, and then signals to the
//! parent have no effect; a status of its model becomes its exit code, truncated to a byte; its own
//! retries take minutes unless its settings limit them; without a kind of login in its settings it
//! refuses to start if a base URL is set.

mod errors;
mod stream;

pub(crate) use stream::GeminiReader;

use serde_json::json;

use crate::adapters::program::ProgramAgent;
use crate::agent::{LaunchCommand, LaunchError, LaunchFile, LaunchRequest, SessionRef, path_text};

/// Its files below the home directory.
pub(crate) const KEEPS: &[&str] = &[".gemini"];

pub(crate) const MODELS: [&str; 3] =
    ["gemini-2.5-flash-lite", "gemini-2.5-flash", "gemini-2.5-pro"];

/// The hosts of its model, by key and by login, and of its login.
pub(crate) const HOSTS: &[&str] = &[
    "generativelanguage.googleapis.com",
    "cloudcode-pa.googleapis.com",
    "oauth2.googleapis.com",
    "www.googleapis.com",
    "accounts.google.com",
];

pub(crate) const VARIABLES: &[&str] = &[
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
];

/// Its own attempts at a request, including the first.
const ATTEMPTS: u32 = 2;

pub(crate) fn launch(
    agent: &ProgramAgent,
    order: &LaunchRequest<'_>,
) -> Result<LaunchCommand, LaunchError> {
    let mut argv = agent.command.clone();
    argv.extend(["-o", "stream-json", "--approval-mode", "yolo"].map(str::to_owned));
    argv.extend(["-m".to_owned(), agent.models.for_tier(order.tier).to_owned()]);
    argv.extend(match order.session {
        SessionRef::New(id) => ["--session-id".to_owned(), id.to_owned()],
        // It finds a conversation only in its original directory.
        SessionRef::Resumed(id) => ["--resume".to_owned(), id.to_owned()],
    });
    argv.extend(agent.args.iter().cloned());
    let mut settings = json!({
        "general": {"enableAutoUpdate": false, "maxAttempts": ATTEMPTS},
        "privacy": {"usageStatisticsEnabled": false},
        "mcpServers": {"afresh": {
            "command": path_text(order.us)?, "args": ["mcp", "--attempt"], "trust": true,
        }},
    });
    if order.variables.contains_key("GEMINI_API_KEY") {
        settings["security"] = json!({"auth": {"selectedType": "gemini-api-key"}});
    }
    // The same for all attempts of a run, so it does not matter whether the directory is shared.
    let file = order.trusted_directory.join("afresh-settings.json");
    let env = vec![
        ("GEMINI_CLI_NO_RELAUNCH".to_owned(), "true".to_owned()),
        ("GEMINI_CLI_TRUST_WORKSPACE".to_owned(), "true".to_owned()),
        // The only settings that are neither in the user's nor in the repository's file.
        ("GEMINI_CLI_SYSTEM_SETTINGS_PATH".to_owned(), path_text(&file)?),
    ];
    let files = vec![LaunchFile { path: file, text: settings.to_string() }];
    Ok(LaunchCommand { argv, env, stdin: Some(order.prompt.file.to_owned()), files })
}
