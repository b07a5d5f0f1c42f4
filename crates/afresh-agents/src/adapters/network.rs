//! The hosts that an agent program needs: its model, its login, and those in the user's own settings.
//!
//! A project's configuration is ignored here, because a project must not extend the allowlist. The
//! allowlist itself is enforced elsewhere.

use std::path::{Path, PathBuf};

use crate::adapters::program::AgentProgram;
use crate::agent::{Agent, AgentKind};

/// Entries for an allowlist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NetworkNeeds {
    /// `host`, `*.host`.
    pub hosts: Vec<String>,
    /// URLs whose hosts are allowed.
    pub urls: Vec<String>,
    /// The user's files that may contain more URLs; see [`base_urls`].
    pub files: Vec<PathBuf>,
    /// Whether the program connects to itself through an unknown loopback port.
    pub own_port: bool,
}

impl Agent {
    /// The program's needs, or `None` if they are unknown.
    pub fn network_needs(
        &self,
        home: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<NetworkNeeds> {
        let program = match &self.kind {
            AgentKind::Program(agent) => agent.program,
            AgentKind::Acp(agent) => agent.behind()?,
            AgentKind::Command { .. } | AgentKind::Scripted { .. } => return None,
        };
        let mut hosts: Vec<String> = program.hosts().iter().map(|&host| host.to_owned()).collect();
        hosts.extend(cloud_hosts(variable));
        let values = program.variables().iter().filter(|name| !name.ends_with("_PROXY"));
        let values: Vec<String> = values.filter_map(|name| variable(name)).collect();
        let given = values.iter().flat_map(|value| base_urls(value));
        let urls = values.iter().filter(|value| is_url(value)).cloned().chain(given).collect();
        let places = program.home_paths(home, variable);
        let files = places
            .iter()
            .flat_map(|place| program.settings().iter().map(|file| place.join(file)))
            .collect();
        let own_port = matches!(&self.kind, AgentKind::Acp(_)) && program == AgentProgram::Opencode;
        Some(NetworkNeeds { hosts, urls, files, own_port })
    }
}

impl AgentProgram {
    fn hosts(self) -> &'static [&'static str] {
        match self {
            Self::Claude => crate::adapters::claude::HOSTS,
            Self::Codex => crate::adapters::codex::HOSTS,
            Self::Gemini => crate::adapters::gemini::HOSTS,
            Self::Opencode => crate::adapters::opencode::HOSTS,
        }
    }

    /// Its settings files that may contain a base URL.
    fn settings(self) -> &'static [&'static str] {
        match self {
            Self::Claude | Self::Gemini => &["settings.json"],
            Self::Codex => &["config.toml"],
            Self::Opencode => &["opencode.json", "opencode.jsonc", "config.json"],
        }
    }
}

/// Hosts of models in a cloud, for the region in the user's variables.
fn cloud_hosts(variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let first = |names: &[&str]| names.iter().find_map(|name| variable(name));
    let mut hosts = Vec::new();
    if variable("CLAUDE_CODE_USE_BEDROCK").is_some()
        && let Some(region) = first(&["AWS_REGION", "AWS_DEFAULT_REGION"])
    {
        for service in ["bedrock", "bedrock-runtime", "sts"] {
            hosts.push(format!("{service}.{region}.amazonaws.com"));
        }
    }
    let vertex = ["CLAUDE_CODE_USE_VERTEX", "GOOGLE_GENAI_USE_VERTEXAI"];
    if vertex.iter().any(|name| variable(name).is_some()) {
        hosts.extend(["aiplatform.googleapis.com", "oauth2.googleapis.com"].map(str::to_owned));
        if let Some(region) = first(&["CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION"]) {
            hosts.push(format!("{region}-aiplatform.googleapis.com"));
        }
    }
    hosts
}

fn is_url(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| text.trim_start().starts_with(scheme))
}

/// The values of all base URLs in settings of any notation: `base_url = "…"`, `"baseURL": "…"`,
/// `"ANTHROPIC_BASE_URL": "…"`.
pub fn base_urls(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for quote in ['"', '\''] {
        let mut parts = text.split(quote).peekable();
        let mut before = String::new();
        while let Some(part) = parts.next() {
            let is_value = is_url(part) && parts.peek().is_some();
            if is_value && is_base_url(&before) {
                found.push(part.trim().to_owned());
            }
            // A quoted key is followed by a colon and its value.
            if part.trim().trim_end_matches([':', '=']).trim().is_empty() {
                before.push_str(part);
            } else {
                part.clone_into(&mut before);
            }
        }
    }
    found
}

/// Whether the text ends in the key of a base URL.
fn is_base_url(before: &str) -> bool {
    let key = before.trim_end().trim_end_matches([':', '=']).trim_end();
    let key = key.rsplit(|one: char| one.is_whitespace() || "{},.".contains(one)).next();
    let key: String = key.unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
    key.to_ascii_lowercase().ends_with("baseurl")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::program::AgentProgram;

    fn reach(program: AgentProgram, variables: &[(&str, &str)]) -> NetworkNeeds {
        let name = program.name().to_owned();
        let agent =
            Agent { name, kind: AgentKind::Program(program.default_agent()), env: Vec::new() };
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        agent.network_needs(Some(Path::new("/home/me")), &variable).expect("known")
    }

    /// R5: the list of each program has its model and the hosts in the user's variables.
    #[test]
    fn a_program_needs_its_model_and_the_users_hosts() {
        let claude = reach(
            AgentProgram::Claude,
            &[
                ("ANTHROPIC_BASE_URL", "https://models.corp.test/v1"),
                ("HTTPS_PROXY", "http://proxy.corp.test:3128"),
                ("OTHER_URL", "https://elsewhere.test"),
            ],
        );
        assert!(claude.hosts.contains(&"api.anthropic.com".to_owned()), "{claude:?}");
        assert_eq!(claude.urls, ["https://models.corp.test/v1"]);
        assert!(claude.files.contains(&PathBuf::from("/home/me/.claude/settings.json")));
        let config = r#"{"provider":{"x":{"options":{"baseURL":"http://127.0.0.1:11434/v1"}}}}"#;
        let opencode = reach(AgentProgram::Opencode, &[("OPENCODE_CONFIG_CONTENT", config)]);
        assert_eq!(opencode.urls, ["http://127.0.0.1:11434/v1"]);
        let cloud = [("CLAUDE_CODE_USE_BEDROCK", "1"), ("AWS_REGION", "eu-west-1")];
        let hosts = reach(AgentProgram::Claude, &cloud).hosts;
        assert!(hosts.contains(&"bedrock-runtime.eu-west-1.amazonaws.com".to_owned()), "{hosts:?}");
    }

    /// A command and an unknown ACP agent have no list.
    #[test]
    fn the_needs_of_other_programs_are_unknown() {
        let kind =
            AgentKind::Acp(crate::AcpAgent { command: vec!["other".to_owned()], models: None });
        let agent = Agent { name: "x".to_owned(), kind, env: Vec::new() };
        assert_eq!(agent.network_needs(None, &|_| None), None);
    }

    #[test]
    fn base_urls_are_found_in_every_notation() {
        let toml = "model = \"x\"\n[model_providers.mine]\nbase_url = \"http://a.test:1/v1\"\n\
                    homepage = \"http://no.test\"\nchatgpt_base_url='https://b.test'\n";
        assert_eq!(base_urls(toml), ["http://a.test:1/v1", "https://b.test"]);
        let json = r#"{"env": {"ANTHROPIC_BASE_URL" : "http://c.test"}, "url": "http://no.test"}"#;
        assert_eq!(base_urls(json), ["http://c.test"]);
        assert!(base_urls("base_url = \"http://unclosed").is_empty());
    }
}
