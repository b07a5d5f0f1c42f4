//! Whether a program seems to have a key or a login: a variable is set, or a file exists. Neither is read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where a program keeps what it needs to reach its model.
struct LoginPlaces {
    program: &'static str,
    /// Any of these is enough.
    variables: &'static [&'static str],
    /// A directory that a variable may name, or one below the home directory; and the file in it.
    directory: (&'static str, &'static str),
    file: &'static str,
    hint: &'static str,
}

const PLACES: &[LoginPlaces] = &[
    LoginPlaces {
        program: "claude",
        variables: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_USE_VERTEX",
        ],
        directory: ("CLAUDE_CONFIG_DIR", ".claude"),
        file: ".credentials.json",
        hint: "start `claude` once and log in, or set ANTHROPIC_API_KEY",
    },
    LoginPlaces {
        program: "codex",
        variables: &["CODEX_API_KEY", "OPENAI_API_KEY"],
        directory: ("CODEX_HOME", ".codex"),
        file: "auth.json",
        hint: "`codex login`, or set CODEX_API_KEY",
    },
    LoginPlaces {
        program: "gemini",
        variables: &[
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_GENAI_USE_VERTEXAI",
        ],
        directory: ("", ".gemini"),
        file: "oauth_creds.json",
        hint: "start `gemini` once and log in, or set GEMINI_API_KEY",
    },
    LoginPlaces {
        program: "opencode",
        variables: &[
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "GEMINI_API_KEY",
            "GOOGLE_GENERATIVE_AI_API_KEY",
            "GROQ_API_KEY",
            "OPENROUTER_API_KEY",
            "OPENCODE_CONFIG",
            "OPENCODE_CONFIG_CONTENT",
        ],
        directory: ("", ".local/share/opencode"),
        file: "auth.json",
        hint: "`opencode auth login`, or set the key of its provider",
    },
];

/// A hint where a program has neither key nor login; none where it has one, or where that is unknown.
pub(super) fn missing(program: &str, variables: &BTreeMap<String, String>) -> Option<&'static str> {
    let places = PLACES.iter().find(|places| places.program == program)?;
    let set = |name: &&str| variables.get(*name).is_some_and(|value| !value.is_empty());
    // A keychain has no file.
    let unseen = cfg!(target_os = "macos") && program == "claude";
    if unseen || places.variables.iter().any(set) {
        return None;
    }
    let (named, usual) = places.directory;
    let named = variables.get(named).filter(|place| !place.is_empty()).map(PathBuf::from);
    let usual = || variables.get("HOME").map(|home| Path::new(home).join(usual));
    let directory = named.or_else(usual)?;
    (!directory.join(places.file).exists()).then_some(places.hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B37: a key in the environment or a file of a login is enough, and no file is opened.
    #[test]
    fn a_variable_or_a_file_is_a_login() {
        let directory = tempfile::tempdir().expect("a directory");
        let home = directory.path().to_string_lossy().into_owned();
        let mut variables = BTreeMap::from([("HOME".to_owned(), home)]);
        for places in PLACES {
            assert_eq!(missing(places.program, &variables), Some(places.hint));
        }
        assert_eq!(missing("another", &variables), None);
        variables.insert("CODEX_API_KEY".to_owned(), String::new());
        assert!(missing("codex", &variables).is_some(), "an empty key is none");
        variables.insert("CODEX_API_KEY".to_owned(), "k".to_owned());
        assert_eq!(missing("codex", &variables), None);
        // A directory cannot be read as a file, but existing is enough.
        std::fs::create_dir_all(directory.path().join(".claude/.credentials.json")).expect("made");
        assert_eq!(missing("claude", &variables), None);
    }
}
