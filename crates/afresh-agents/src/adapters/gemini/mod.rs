//! Gemini CLI.
//!
//! Observed with 0.61.0: it starts itself again as a child unless it is told not to, and then signals
//! to the parent go nowhere; a status of its model becomes its exit code, less what a byte cannot hold;
//! its own retries take minutes unless its settings say otherwise; without a kind of login in its
//! settings it refuses to start where a base URL is set.

mod errors;
mod stream;

pub(crate) use stream::GeminiReader;

use serde_json::json;

use crate::adapters::program::ProgramAgent;
use crate::agent::{LaunchCommand, LaunchError, LaunchFile, LaunchRequest, SessionRef, path_text};

/// What it keeps below the home directory.
pub(crate) const KEEPS: &[&str] = &[".gemini"];

pub(crate) const MODELS: [&str; 3] =
    ["gemini-2.5-flash-lite", "gemini-2.5-flash", "gemini-2.5-pro"];

/// Its model by key and by login, and where the login is renewed.
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

/// Its own tries, the first one included.
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
        // It finds a conversation again only in the directory where it was.
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
    let file = order.directory.join("gemini-settings.json");
    let env = vec![
        ("GEMINI_CLI_NO_RELAUNCH".to_owned(), "true".to_owned()),
        ("GEMINI_CLI_TRUST_WORKSPACE".to_owned(), "true".to_owned()),
        // The only settings that are neither the user's nor the repository's file.
        ("GEMINI_CLI_SYSTEM_SETTINGS_PATH".to_owned(), path_text(&file)?),
    ];
    let files = vec![LaunchFile { path: file, text: settings.to_string() }];
    Ok(LaunchCommand { argv, env, stdin: Some(order.prompt.file.to_owned()), files })
}
