//! How each program is configured to use this server instead of a paid model.
//!
//! No files are written: variables and arguments are enough for all of them.

use std::fmt::Write as _;

use serde_json::json;

/// The settings that make a program use this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelClient {
    program: &'static str,
    /// For the environment of the process that starts it.
    pub variables: Vec<(&'static str, String)>,
    args: Vec<String>,
    /// How it is started, if that is not its name alone.
    command: Option<Vec<&'static str>>,
    /// Names of the small, standard and large model, if only ours work.
    models: Option<[&'static str; 3]>,
}

/// A key without any access: no program starts without a key.
const KEY: &str = "none-needed";

/// The programs that can be configured.
pub const PROGRAMS: &[&str] = &["claude", "codex", "gemini", "opencode"];

/// The same as agents of the Agent Client Protocol: by themselves, or through another program.
pub const ACP_PROGRAMS: &[&str] = &["gemini-acp", "opencode-acp", "claude-agent-acp", "codex-acp"];

/// The program that must be installed for one of these.
pub fn binary_name(program: &str) -> &str {
    match program {
        "gemini-acp" => "gemini",
        "opencode-acp" => "opencode",
        other => other,
    }
}

impl ModelClient {
    /// The program of this name, with a script's URL; none if the program is unknown.
    pub fn new(program: &str, url: &str) -> Option<Self> {
        let known = PROGRAMS.iter().chain(ACP_PROGRAMS).copied();
        let program = known.into_iter().find(|known| *known == program)?;
        let (mut args, mut models, mut command) = (Vec::new(), None, None);
        if ACP_PROGRAMS.contains(&program) {
            let (how, offered) = acp(program);
            command = Some(how);
            models = Some(offered);
        }
        let variables = match program {
            "claude" | "claude-agent-acp" => {
                vec![("ANTHROPIC_BASE_URL", url.to_owned()), ("ANTHROPIC_API_KEY", KEY.to_owned())]
            }
            "codex-acp" => {
                args = provider(url);
                vec![(PROVIDER_KEY, KEY.to_owned())]
            }
            "codex" => {
                args = vec!["-c".to_owned(), format!("openai_base_url=\"{url}/v1\"")];
                vec![("CODEX_API_KEY", KEY.to_owned())]
            }
            "gemini" | "gemini-acp" => {
                vec![("GOOGLE_GEMINI_BASE_URL", url.to_owned()), ("GEMINI_API_KEY", KEY.to_owned())]
            }
            _ => {
                models = Some(["scripted/small", "scripted/standard", "scripted/large"]);
                vec![
                    ("OPENCODE_CONFIG_CONTENT", opencode(url)),
                    ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
                ]
            }
        };
        Some(Self { program, variables, args, command, models })
    }

    /// Its table in afresh's configuration.
    pub fn config_table(&self) -> String {
        let kind = if self.command.is_some() { "acp" } else { self.program };
        let mut text = format!("[agents.{}]\nkind = \"{kind}\"\n", self.program);
        if let Some(command) = &self.command {
            let _ = writeln!(text, "command = {}", json!(command));
        }
        let names: Vec<&str> = self.variables.iter().map(|(name, _)| *name).collect();
        // A JSON list of strings is valid TOML too.
        let _ = writeln!(text, "env = {}", json!(names));
        let _ = writeln!(text, "args = {}", json!(self.args));
        if let Some([small, standard, large]) = self.models {
            let sizes = format!("small = {small:?}, standard = {standard:?}, large = {large:?}");
            let _ = writeln!(text, "models = {{ {sizes} }}");
        }
        text
    }
}

/// How a program is started with the protocol, and the models that it offers then.
fn acp(program: &'static str) -> (Vec<&'static str>, [&'static str; 3]) {
    match program {
        "gemini-acp" => {
            let models = ["gemini-3.5-flash-lite", "gemini-2.5-pro", "gemini-2.5-pro"];
            (vec!["gemini", "--acp"], models)
        }
        "claude-agent-acp" => (vec![program], ["haiku", "sonnet", "opus[1m]"]),
        "codex-acp" => (vec![program], ["gpt-5.4-mini", "gpt-5.5", "gpt-5.5"]),
        _ => (vec!["opencode", "acp"], ["scripted/small", "scripted/standard", "scripted/large"]),
    }
}

/// The variable with the key of its provider.
const PROVIDER_KEY: &str = "SCRIPTED_KEY";

/// The provider that it knows would require a login, which would be stored.
fn provider(url: &str) -> Vec<String> {
    let own = [
        ("name", "scripted".to_owned()),
        ("base_url", format!("{url}/v1")),
        ("env_key", PROVIDER_KEY.to_owned()),
        ("wire_api", "responses".to_owned()),
    ];
    let set = |key: &str, value: &str| ["-c".to_owned(), format!("{key}={}", json!(value))];
    let own =
        own.iter().flat_map(|(key, value)| set(&format!("model_providers.scripted.{key}"), value));
    set("model_provider", "scripted").into_iter().chain(own).collect()
}

/// A custom provider, so that no other is used.
fn opencode(url: &str) -> String {
    let model = |name: &str| {
        json!({
            "name": name, "limit": {"context": 128_000, "output": 8_192},
            "cost": {"input": 1, "output": 2},
        })
    };
    json!({
        "enabled_providers": ["scripted"],
        "provider": {"scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": format!("{url}/v1"), "apiKey": KEY},
            "models": {
                "small": model("small"), "standard": model("standard"), "large": model("large"),
            },
        }},
    })
    .to_string()
}
