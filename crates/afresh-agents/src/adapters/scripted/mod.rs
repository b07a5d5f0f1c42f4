//! The scripted agent: a worker that does what its script says, without a model, a key or a network.
//!
//! A script is pinned: its text is read and judged before the run, and every attempt gets a copy of
//! its own, so that neither a worker nor an editor changes it under a running run. Doing what it
//! says is for the program (`afresh agent scripted`); here is what it says.

mod acts;
mod answer;
pub mod chance;
pub mod read;
pub mod schema;
pub mod script;
pub mod stream;

use std::path::Path;

pub use read::{ScriptReading, read};
pub use script::AgentScript;

use crate::agent::{LaunchCommand, LaunchError, LaunchFile, PromptFile, path_text};

/// The script of an agent, as the configuration names it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ScriptFile {
    pub path: std::path::PathBuf,
    /// The path as people know it.
    pub shown: String,
    pub text: String,
}

/// `us` is our own program.
pub(crate) fn launch(
    script: &ScriptFile,
    prompt: PromptFile<'_>,
    us: &Path,
) -> Result<LaunchCommand, LaunchError> {
    let copy = prompt.file.with_file_name("script.toml");
    let (program, file) = (path_text(us)?, path_text(&copy)?);
    let argv = vec![program, "agent".to_owned(), "scripted".to_owned(), file];
    let files = vec![LaunchFile { path: copy, text: script.text.clone() }];
    Ok(LaunchCommand { argv, files, ..LaunchCommand::default() })
}
