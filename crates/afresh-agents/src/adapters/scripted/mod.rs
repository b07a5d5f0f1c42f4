//! The scripted agent: a worker that follows a script, without a model, a key or a network.
//!
//! A script is pinned: it is read and checked before the run, and every attempt gets its own copy, so
//! that neither a worker nor an editor can change it during a run. `afresh agent scripted` executes it;
//! this module is the format.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`script`] | a script as data, and which part an attempt plays |
//! | [`read`](mod@read), `read_actions` | reads a script, with located findings |
//! | [`schema`] | the format as JSON Schema |
//! | [`script_rng`] | deterministic randomness |
//! | `final_text` | the final text of a scripted worker |
//! | [`stream`] | its output |

mod final_text;
pub mod read;
mod read_actions;
pub mod schema;
pub mod script;
pub mod script_rng;
pub mod stream;

use std::path::Path;

pub use read::{ScriptReading, read};
pub use script::AgentScript;

use crate::agent::{LaunchCommand, LaunchError, LaunchFile, PromptFile, path_text};

/// The script of an agent of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ScriptFile {
    pub path: std::path::PathBuf,
    /// The path for display.
    pub shown: String,
    pub text: String,
}

/// `us` is the path of afresh.
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
