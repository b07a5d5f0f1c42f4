//! Reading a script from its file.

use std::io::Read;
use std::path::Path;

use afresh_agents::adapters::scripted::read::MAX_SCRIPT_BYTES;
use afresh_agents::adapters::scripted::{AgentScript, ScriptFile, ScriptReading, read};
use afresh_formats::Finding;

use crate::error::AppError;

/// A valid script, its text, and warnings about it.
#[derive(Debug)]
pub struct LoadedScript {
    pub file: ScriptFile,
    pub script: AgentScript,
    pub warnings: Vec<Finding>,
}

/// Loads a script, or returns everything that is wrong with it.
pub fn load(directory: &Path, written: &str) -> Result<LoadedScript, Vec<Finding>> {
    let path = directory.join(written);
    let bytes = bytes(&path).map_err(|error| {
        let message = format!("cannot read the script: {error}");
        vec![Finding::for_file(written, "script", message)]
    })?;
    let ScriptReading { script, findings } = read(written, &bytes);
    let Some(script) = script else { return Err(findings) };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let path = path.canonicalize().unwrap_or(path);
    let file = ScriptFile { path, shown: written.to_owned(), text };
    Ok(LoadedScript { file, script, warnings: findings })
}

/// The same with an error for a command.
pub fn load_or_fail(directory: &Path, written: &str) -> Result<LoadedScript, AppError> {
    load(directory, written).map_err(|findings| {
        AppError::with_findings("script", &format!("cannot use the script {written}"), findings)
    })
}

fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    // A device or a pipe never ends.
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    file.take(MAX_SCRIPT_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
