//! `afresh agents install`.

use afresh_agents::Agent;
use afresh_agents::adapters::versions::{self, PINS};
use afresh_core::plan::nearest;
use serde_json::json;
use std::path::Path;

use crate::exit::Exit;
use crate::terminal::output::Output;
use afresh_app::agents::programs;
use afresh_app::agents::programs::install::InstallRequest;
use afresh_app::agents::which;
use afresh_app::config;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

/// Install agent programs from npm into the cache directory, in the versions that afresh is tested with
///
/// They are used where no program of that name is on the PATH. Installed versions are left alone.
#[derive(Debug, clap::Args)]
#[command(disable_version_flag = true)]
pub(super) struct Args {
    /// claude, codex, gemini, opencode, claude-agent-acp, codex-acp; by default, the missing agents of
    /// the configuration
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Install this version instead of the tested one (one program only)
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
}

pub(super) fn install(
    args: &Args,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let wanted = wanted(args, context)?;
    let mut done = Vec::new();
    for wanted in &wanted {
        let installed = programs::install::install(wanted, &context.environment, &|notice| {
            output.notices([notice]);
        })?;
        let name = wanted.pin.program;
        let how = if installed.is_new { "installed" } else { "already installed" };
        output.note(&format!("{name} {} {how}: {}", wanted.version, installed.path.display()));
        if let Some(other) = in_front(wanted, &installed.path, context) {
            output.note(&format!(
                "note: {other} comes first on the PATH and is used instead; `command` under [agents.{name}] changes that"
            ));
        }
        done.push(json!({
            "name": name, "version": wanted.version, "program": installed.path,
            "new": installed.is_new,
        }));
    }
    if output.json {
        output.document(&json!({"installed": done}));
    }
    Ok(Exit::Done)
}

/// Another program of this name that is found first on the PATH.
fn in_front(wanted: &InstallRequest, path: &Path, context: &AppContext) -> Option<String> {
    let found = which::find(wanted.pin.program, &context.environment.search_path()).ok()?;
    (found != path).then(|| found.display().to_string())
}

fn wanted(args: &Args, context: &AppContext) -> Result<Vec<InstallRequest>, AppError> {
    let names = if args.names.is_empty() { missing(context)? } else { args.names.clone() };
    if args.version.is_some() && names.len() != 1 {
        return Err(AppError::usage("version", "`--version` works with one program only")
            .hint("use `afresh agents install NAME --version VERSION`"));
    }
    let version = args.version.as_deref();
    if let Some(odd) = version.filter(|version| !is_version(version)) {
        return Err(AppError::usage("version", format!("{odd:?} is not a version"))
            .hint("a version has numbers and dots, such as 2.1.197"));
    }
    let one = |name: &String| {
        let pin = PINS.iter().find(|pin| pin.program == name).ok_or_else(|| unknown(name))?;
        Ok(InstallRequest { pin, version: version.unwrap_or(pin.version).to_owned() })
    };
    names.iter().map(one).collect()
}

/// It becomes part of a directory's name and of a request to npm.
fn is_version(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    text.starts_with(|c: char| c.is_ascii_digit()) && text.len() <= 64 && text.chars().all(plain)
}

/// The programs of configured agents that are missing.
fn missing(context: &AppContext) -> Result<Vec<String>, AppError> {
    let directory = context.directory()?;
    let config = config::load(&directory, context.config_file.as_deref())?;
    let programs = config.agents.values().filter_map(Agent::program).filter_map(versions::find_pin);
    let names: Vec<&'static str> = programs.map(|pin| pin.program).collect();
    if names.is_empty() {
        return Err(AppError::usage("agent", "no agent of the configuration can be installed")
            .hint(format!("name one of: {}", installable_names().join(", "))));
    }
    let is_missing = |name: &&str| programs::find(name, &context.environment).is_err();
    Ok(names.into_iter().filter(is_missing).map(str::to_owned).collect())
}

fn installable_names() -> Vec<&'static str> {
    PINS.iter().map(|pin| pin.program).collect()
}

fn unknown(name: &str) -> AppError {
    let help = match nearest(name, installable_names().into_iter()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("the installable programs are: {}", installable_names().join(", ")),
    };
    AppError::usage("agent", format!("afresh cannot install a program {name:?}")).hint(help)
}
