//! Consent to hooks: they run as the user and outside of the sandbox, so a repository from elsewhere must not bring some
//! unseen.
//!
//! The user allows the commands of a repository once, as they are written; the consent is kept outside of it. Other
//! commands, or the same ones in another repository, need another consent.

use std::fs;
use std::path::{Path, PathBuf};

use afresh_agents::bundle::FileChecksum;
use afresh_engine::RepoContext;
use afresh_engine::execution_config::HookConfig;
use afresh_store::write_atomically;

use crate::error::AppError;
use crate::notice::Notice;
use crate::session::RunOptions;

/// Where consents are kept, below the cache directory.
const DIRECTORY: &str = "allowed-hooks";

/// What the user says about hooks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HookChoice {
    /// Those that were allowed before run.
    #[default]
    IfAllowed,
    /// They are allowed as they are now; remembered.
    Allow,
    /// None runs.
    Omit,
}

/// The hooks that run, and a line about them. Fails if the user has not allowed them.
pub fn choose(
    hooks: HookConfig,
    options: &RunOptions,
    repository: &RepoContext,
    file: &str,
) -> Result<(HookConfig, Option<Notice>), AppError> {
    let commands = list_commands(&hooks);
    if options.hooks == HookChoice::Omit || commands.is_empty() {
        return Ok((HookConfig::default(), None));
    }
    let consent = consent_file(&repository.layout.cache, repository.git.common_dir(), &commands);
    if options.hooks == HookChoice::Allow {
        let what = "consent to the hooks";
        fs::create_dir_all(repository.layout.cache.join(DIRECTORY))
            .map_err(|error| AppError::cannot_write(what, &consent, error))?;
        write_atomically(&consent, commands.concat().as_bytes())
            .map_err(|error| AppError::cannot_write(what, &consent, error))?;
    } else if !consent.is_file() {
        return Err(not_allowed(&commands, file));
    }
    let points = hooks.commands.iter().filter(|(_, commands)| !commands.is_empty());
    let points: Vec<&str> = points.map(|(point, _)| point.word()).collect();
    let notice = Notice::note(format!(
        "hooks of {file} run as you, outside of the sandbox: {}; `--no-hooks` leaves them out",
        points.join(", ")
    ));
    Ok((hooks, Some(notice)))
}

/// `before_merge: scripts/freeze`, a line each.
fn list_commands(hooks: &HookConfig) -> Vec<String> {
    let all = hooks.commands.iter();
    all.flat_map(|(point, commands)| {
        commands.iter().map(|command| format!("{}: {command}\n", point.word()))
    })
    .collect()
}

fn consent_file(cache: &Path, repository: &Path, commands: &[String]) -> PathBuf {
    let text = format!("{}\n{}", repository.display(), commands.concat());
    cache.join(DIRECTORY).join(FileChecksum::from_bytes("", text.as_bytes()).sha256)
}

fn not_allowed(commands: &[String], file: &str) -> AppError {
    let message = format!("{file} has hooks that you have not allowed");
    let shown: Vec<String> =
        commands.iter().map(|line| format!("\n    {}", line.trim_end())).collect();
    let cause = format!("they would run as you, outside of the sandbox:{}", shown.concat());
    AppError::usage("hooks-not-allowed", message).cause(cause).hint(
        "`--allow-hooks` allows these commands in this repository from now on; `--no-hooks` runs without them",
    )
}
